//! Agents whose client does not call Stead, although its hooks are here.

use std::os::unix::fs::PermissionsExt;

use super::{STOP, World, fixed, state};
use crate::world::bare;

/// A project whose only stage is done by a program that takes the place of Codex.
fn world(script: &str) -> World {
    let mut world = bare().with_stead_on_path();
    let program = world.write("bin/codex", format!("#!/bin/sh\n{script}\n{STOP}\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", program.parent().unwrap().display(), world.sh("echo \"$PATH\"").ok().trim());
    world.set("PATH", path);
    world.stead(&["context", "init"]).ok();
    let head = format!("{}  iteration_timeout_seconds: 60\n", fixed(2));
    let text = format!("name: chore\ndescription: A test\n{head}provider: codex\n");
    world.write("project/.agent/stages/chore/stage.yaml", text);
    world.write("project/.agent/stages/chore/prompt.md", "Do it and write ${STATUS}.\n");
    world
}

/// As the client calls it: in the agent's environment, with what the client sends.
const CALLS: &str = r#"printf '{"session_id":"s-%s","turn_id":"t","model":"m","cwd":"%s","hook_event_name":"SessionStart","source":"startup"}' \
    "$STEAD_ITERATION" "$PWD" | stead hook codex SessionStart"#;

#[test]
fn a_run_whose_agents_call_nobody_stops_after_the_first() {
    let world = world("echo worked >> worked.txt");
    world.stead(&["init", "--harness", "codex", "--yes", "--no-mcp"]).ok();
    let run = world.stead(&["run", "stage", "chore", "night"]);
    assert_eq!(run.code, 7, "{run}");
    assert!(run.stderr.contains("Codex CLI does not trust the hooks here") && run.stderr.contains("/hooks"), "{run}");
    assert!(run.stderr.contains("failed (unheard): no hook of this agent arrived"), "{run}");
    let state = state(&world, "night");
    assert_eq!((&state["status"], &state["error"]["type"]), (&"failed".into(), &"unheard".into()), "{state}");
    assert_eq!(world.read("project/worked.txt"), "worked\n", "nothing new started");
    assert_eq!(world.stead(&["status", "night", "--watch"]).code, 7);
}

#[test]
fn one_whose_agents_call_goes_on() {
    let world = world(CALLS);
    world.stead(&["init", "--harness", "codex", "--yes", "--no-mcp"]).ok();
    let hooks = world.project().join(".codex/hooks.json");
    let trust = format!("[hooks.state.\"{}:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n", hooks.display());
    world.write("home/.codex/config.toml", trust);
    let run = world.stead(&["run", "stage", "chore", "night"]);
    assert!(run.code == 0 && !run.stderr.contains("trust"), "{run}");
    assert_eq!(state(&world, "night")["nodes"][0]["iteration_completed"], 2);
}

#[test]
fn without_hooks_it_is_said_and_nothing_is_expected() {
    let world = world("true");
    let run = world.stead(&["run", "stage", "chore", "night"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(
        run.stderr.contains("Codex CLI has no hooks here") && run.stderr.contains("stead init --harness codex"),
        "{run}"
    );
    // Whoever records no sessions cannot know.
    world.stead(&["init", "--harness", "codex", "--yes", "--no-mcp"]).ok();
    world.write("project/.agent/config.local.toml", "[record]\nsessions = false\n");
    assert_eq!(world.stead(&["run", "stage", "chore", "last"]).code, 0);
}
