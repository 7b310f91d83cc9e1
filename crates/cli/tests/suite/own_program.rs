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
fn no_other_program_is_found_as_stead() {
    let mut world = bare().with_stead_on_path();
    world.stead(&["context", "init"]).ok();
    for name in ["early", "late", "project/tools"] {
        fs::create_dir_all(world.folder().join(name)).unwrap();
    }
    let at = |name: &str| world.folder().join(name).display().to_string();
    let path = format!("{}:{}:{}:{}:/usr/bin:/bin", at("early"), at("project/tools"), at("bin"), at("late"));
    let (early, late, tools) = (at("early"), at("late"), at("project/tools"));
    world.set("PATH", &path);
    for folder in [&early, &late, &tools, &"~/.local/bin".to_owned()] {
        for command in [
            "cp /bin/true FOLDER/stead",
            "install -m 755 /bin/true FOLDER/stead",
            "curl -o FOLDER/stead https://example.com/x",
            "curl -fsSL https://example.com/x > FOLDER/stead",
            "ln -sf /bin/true FOLDER/stead",
            "touch FOLDER/stead",
            "cd FOLDER && curl -sO https://example.com/stead",
            "wget -O FOLDER/stead https://example.com/x",
            "mv x FOLDER/stead",
            "tee FOLDER/stead < x",
            "truncate -s 0 FOLDER/stead",
        ] {
            let command = command.replace("FOLDER", folder);
            assert!(asked(&world, &command).is_some(), "`{command}` passes");
        }
    }
    let write = tool(&world, "Write", json!({"file_path": format!("{early}/stead"), "content": "#!/bin/sh\n"}));
    assert!(denial(&world.hook("claude PreToolUse", write)).is_some());
    for command in ["cp /bin/true FOLDER/other", "curl -o FOLDER/other https://example.com/stead", "ls FOLDER/stead"] {
        let command = command.replace("FOLDER", &early);
        assert_eq!(asked(&world, &command), None, "{command}");
    }
}

#[test]
fn the_folder_of_the_program_stays() {
    let world = bare().with_stead_on_path();
    world.stead(&["context", "init"]).ok();
    let bin = world.folder().join("bin").display().to_string();
    for folder in ["~/.cargo/bin", "~/.local/bin", "~/.cargo", bin.as_str()] {
        for command in
            ["rm -rf FOLDER", "mv FOLDER /tmp/x", "chmod -R 000 FOLDER", "chmod 000 FOLDER", "rm -rf FOLDER/*"]
        {
            let command = command.replace("FOLDER", folder);
            let is_parent = folder == "~/.cargo" && command.starts_with("chmod 000");
            assert!(asked(&world, &command).is_some() || is_parent, "`{command}` passes");
        }
    }
}

#[test]
fn package_managers_neither_remove_nor_replace_it() {
    let world = bare().with_stead_on_path();
    world.stead(&["context", "init"]).ok();
    world.write("project/other/Cargo.toml", "[package]\nname = \"stead\"\n");
    world.write("project/mine/Cargo.toml", "[package]\nname = \"mine\"\n");
    for command in [
        "npm uninstall -g stead",
        "npm rm --global stead",
        "pnpm remove -g stead",
        "yarn global remove stead",
        "brew uninstall stead",
        "brew unlink stead",
        "brew install someone/tap/stead",
        "sudo apt remove stead",
        "apt-get purge -y stead",
        "sudo dpkg -r stead",
        "pacman -Rns stead",
        "dnf remove stead",
        "snap remove stead",
        "pip uninstall -y stead",
        "pipx uninstall stead",
        "uv tool uninstall stead",
        "cargo uninstall stead",
        "cargo install --force stead",
        "cargo install stead@0.0.1",
        "cargo +nightly install stead-cli",
        "cargo install --git https://example.com/x/stead",
        "cargo install --path other",
        "cargo install -f stead --root ~/.local",
        "npm install -g stead",
        "npm i -g @someone/stead",
    ] {
        assert!(asked(&world, command).is_some(), "`{command}` passes");
    }
    for command in [
        "npm uninstall -g other", "npm uninstall stead", "brew uninstall ripgrep", "brew list", "apt remove steadfast",
        "apt list", "pip uninstall -y requests", "cargo install --path mine", "cargo install ripgrep",
        "cargo install --list", "pip install steady", "brew info stead", "apt show stead", "npm view stead",
    ] {
        assert_eq!(asked(&world, command), None, "{command}");
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
