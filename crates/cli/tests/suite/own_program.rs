//! An agent cannot take the `stead` program away: without it every hook line lets everything pass.

use std::fs;

use serde_json::json;
use stead_testkit::World;

use crate::client::denial;
use crate::world::{bare, shell, tool};

fn asked(world: &World, command: &str) -> Option<String> {
    denial(&world.hook("claude PreToolUse", shell(world, command)))
}

#[test]
fn the_program_is_protected_where_it_lies() {
    let world = bare().with_stead_on_path();
    world.stead(&["context", "init"]).ok();
    let on_path = world.folder().join("bin/stead").display().to_string();
    let running = env!("CARGO_BIN_EXE_stead");
    for program in [on_path.as_str(), running, "~/.cargo/bin/stead", "$HOME/.local/bin/stead"] {
        for command in [
            "rm -f PROGRAM",
            "mv PROGRAM /tmp/elsewhere",
            "chmod -x PROGRAM",
            "cp /bin/true PROGRAM",
            "ln -sf /bin/true PROGRAM",
            "echo > PROGRAM",
            "sudo install -m 755 /bin/true PROGRAM",
            "python3 -c \"import os; os.remove(os.path.expanduser('PROGRAM'))\"",
        ] {
            let command = command.replace("PROGRAM", program);
            let reason = asked(&world, &command).unwrap_or_else(|| panic!("`{command}` passes"));
            assert!(
                reason.starts_with("Stead stopped") && (reason.contains("stead`") || reason.contains("$STEAD`")),
                "{command}: {reason}"
            );
        }
    }
    let reason = asked(&world, "rm \"$(command -v stead)\"").unwrap();
    assert!(reason.contains("is the `stead` program") && !reason.contains("config set"), "{reason}");
    let write = tool(&world, "Write", json!({"file_path": on_path, "content": "#!/bin/sh\n"}));
    assert!(denial(&world.hook("claude PreToolUse", write)).is_some());
    for command in
        ["cargo uninstall stead-cli", "cargo uninstall -p stead", "cargo +nightly uninstall stead-cli ripgrep"]
    {
        assert!(asked(&world, command).is_some(), "`{command}` passes");
    }
}

#[test]
fn the_program_may_be_used_and_others_removed() {
    let world = bare().with_stead_on_path();
    world.stead(&["context", "init"]).ok();
    let on_path = world.folder().join("bin/stead").display().to_string();
    for command in [
        "ls -l PROGRAM", "PROGRAM status", "sha256sum PROGRAM", "cp PROGRAM /tmp/copy", "rm ~/.cargo/bin/ripgrep",
        "cargo uninstall ripgrep", "cargo install ripgrep", "rm -rf instead",
    ] {
        let command = command.replace("PROGRAM", &on_path);
        assert_eq!(asked(&world, &command), None, "{command}");
    }
}

#[test]
fn what_is_built_inside_the_project_is_free() {
    let world = bare();
    let folder = world.project().join("target/debug");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("stead");
    fs::copy(env!("CARGO_BIN_EXE_stead"), &program).unwrap();
    world.stead(&["context", "init"]).ok();
    let hook = |command: &str| {
        let mut call = world.command(&program, &world.project());
        call.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
        let run = stead_testkit::Finish::finish(
            call.args(["hook", "claude", "PreToolUse"]),
            &world,
            shell(&world, command).as_bytes(),
        );
        denial(&run)
    };
    for command in ["cargo build", "cargo clean", "rm -rf target", "rm target/debug/stead", "cp x target/debug/stead"] {
        assert_eq!(hook(command), None, "{command}");
    }
    assert!(hook("rm ~/.cargo/bin/stead").is_some());
}
