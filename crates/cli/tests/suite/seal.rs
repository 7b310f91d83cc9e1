//! A project with a seal, and the look after a call in it.
#![cfg(unix)]

use std::fs;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};
use stead_testkit::{Finish, World};

use crate::world::{bare, denies, payload, shell, tool};

pub(crate) const GUARD: &str =
    "id: infra\nmode: enforce\non: [before-tool]\nmatch: {writes: infra/**}\nthen: deny\nsay: infra is reviewed\n";
const FEATURES: &str =
    r#"{"features": [{"id": "login", "tested": false, "verifiers": ["make test"], "files": ["src/**"]}]}"#;

/// What a program unseen by anybody does to the guard.
pub(crate) const WEAKEN: &str = "sed -i s/enforce/off/ .agent/guards/infra.yaml";

/// A program that runs what its argument encodes: nobody can read it before.
fn opaque_program() -> &'static [u8] {
    static BUILT: OnceLock<Vec<u8>> = OnceLock::new();
    BUILT.get_or_init(|| {
        let world = bare();
        let source = world.folder().join("opaque.c");
        fs::write(
            &source,
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **a) { static char t[65536]; unsigned c; int i = 0;\n\
             for (char *s = a[1]; sscanf(s, \"%2x\", &c) == 1; s += 2) t[i++] = (char)c; return system(t) != 0; }\n",
        )
        .unwrap();
        let program = world.folder().join("opaque");
        let built = Command::new("cc").arg(&source).arg("-o").arg(&program).status().unwrap();
        assert!(built.success());
        fs::read(program).unwrap()
    })
}

/// The call of that program.
pub(crate) fn opaque(script: &str) -> String {
    let hex: String = script.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("\"$HOME/tools/opaque\" {hex}")
}

/// A project with hooks, a guard, a feature and a commit of all of it; the branch `weak` has it all weakened.
pub(crate) fn world() -> World {
    use std::os::unix::fs::PermissionsExt;
    let world = bare().with_stead_on_path();
    world.write("home/.gitconfig", "[user]\nname = Ann\nemail = ann@example.org\n[advice]\ndetachedHead = false\n");
    world.write("project/src/main.py", "print('hello')\n");
    let init = world.stead(&["init", "--harness", "claude", "--yes", "--no-mcp"]);
    init.ok();
    world.write("project/.agent/guards/infra.yaml", GUARD);
    world.write("project/.agent/features/feature-list.json", FEATURES);
    fs::create_dir_all(world.home().join("tools")).unwrap();
    let program = world.home().join("tools/opaque");
    fs::write(&program, opaque_program()).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    sh(&world, "git add -A && git commit -qm base");
    sh(
        &world,
        "git checkout -q -b weak && sed -i s/enforce/off/ .agent/guards/infra.yaml && printf '[gate]\\nguards = false\\n' >> \
         .agent/config.toml && git commit -qam weak && git checkout -q -b bare main && git rm -rq .agent .claude && git commit \
         -qm bare && git checkout -q main",
    );
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    assert!(guard_holds(&world) && own_files_hold(&world));
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", json!({"prompt": "tidy up"})));
    world
}

pub(crate) fn sh(world: &World, script: &str) {
    let run = world.command("sh", &world.project()).args(["-c", script]).finish(world, b"");
    assert_eq!(run.code, 0, "{script}: {}{}", run.stdout, run.stderr);
}

pub(crate) fn guard_holds(world: &World) -> bool {
    let path = world.project().join("infra/x.tf");
    let said = world.hook("claude PreToolUse", tool(world, "Write", json!({"file_path": path, "content": "x"})));
    denies(&said.stdout)
}

pub(crate) fn own_files_hold(world: &World) -> bool {
    denies(&world.hook("claude PreToolUse", shell(world, "rm -rf .agent/guards")).stdout)
}

pub(crate) fn tested_holds(world: &World) -> bool {
    let path = world.project().join(".agent/features/feature-list.json");
    let content = FEATURES.replace("false", "true");
    denies(
        &world.hook("claude PreToolUse", tool(world, "Write", json!({"file_path": path, "content": content}))).stdout,
    )
}

/// Drives one command of an agent: before, for real, after. Returns what the agent sees of the command and is told, or `None`
/// if it was denied.
pub(crate) fn drive(world: &World, command: &str) -> Option<String> {
    let input = json!({"command": command});
    let own = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": "call-7"});
    let before = world.hook("claude PreToolUse", payload(world, "PreToolUse", own.clone()));
    if denies(&before.stdout) {
        return None;
    }
    let run = world.command("bash", &world.project()).args(["-c", command]).finish(world, b"");
    let mut own = own;
    own["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
    let told = world.hook("claude PostToolUse", payload(world, "PostToolUse", own)).stdout;
    Some(format!("{}{}{told}", run.stdout, run.stderr))
}

pub(crate) fn log(world: &World) -> Vec<Value> {
    world.stead(&["seal", "log", "--all", "--json"]).json()["items"].as_array().unwrap().clone()
}

/// Through a link, files look the same as before, until the link is taken away.
#[test]
fn what_is_behind_a_link_is_put_back_as_a_whole() {
    let world = world();
    // The seal is sure of the stamps only if the files did not just change.
    for _ in 0..2 {
        std::thread::sleep(std::time::Duration::from_millis(60));
        let own = json!({"stop_hook_active": false, "last_assistant_message": "x"});
        world.hook("claude Stop", payload(&world, "Stop", own));
    }
    let marker = world.read("project/.agent/context/root.json");
    let script = "mv .agent $HOME/a; sed -i s/enforce/off/ $HOME/a/guards/infra.yaml; ln -s $HOME/a .agent";
    drive(&world, &opaque(script)).unwrap();
    assert_eq!(world.read("project/.agent/context/root.json"), marker);
    assert!(log(&world).iter().all(|change| change["outcome"] != "in-force"), "{:?}", log(&world));
    assert!(guard_holds(&world) && tested_holds(&world));
}

#[test]
fn what_follows_a_removal_is_recorded() {
    use std::os::unix::fs::PermissionsExt;
    for removed in [".agent", ".agent/context", ".agent/context/indexes"] {
        let world = world();
        drive(&world, &opaque(&format!("rm -r {removed}"))).unwrap();
        assert!(guard_holds(&world), "{removed}");
        let lines = world.read("project/.agent/context/indexes/sessions.jsonl");
        let [call, denied] = lines.lines().collect::<Vec<_>>()[..] else { panic!("{removed}: {lines}") };
        assert!(call.contains("after-tool") && denied.contains("infra is reviewed"), "{removed}: {lines}");
        let indexes = fs::metadata(world.project().join(".agent/context/indexes")).unwrap();
        assert_eq!(indexes.permissions().mode() & 0o777, 0o700, "{removed}");
        let unignored = world.git(&["ls-files", "--others", "--exclude-standard", ".agent"]).stdout;
        assert_eq!(unignored, "", "{removed}");
    }
}
