//! What an agent types into a program that runs, which clients tell nobody.
#![cfg(unix)]

use std::fs;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::seal::{GUARD, log};
use crate::world::{bare, by_person, denies, payload};

fn world() -> World {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "codex", "--yes", "--no-mcp"]).ok();
    world.write("project/.agent/guards/infra.yaml", GUARD);
    start(&world);
    world
}

fn start(world: &World) {
    world.hook("codex SessionStart", payload(world, "SessionStart", json!({"source": "startup"})));
}

fn call(world: &World, client: &str, command: &str) -> String {
    let mut own = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "call-1"});
    if client == "codex" {
        own["turn_id"] = json!("turn-1");
        own["model"] = json!("model");
    }
    world.hook(&format!("{client} PreToolUse"), payload(world, "PreToolUse", own)).stdout
}

fn stop(world: &World) -> String {
    let own = json!({"stop_hook_active": false, "last_assistant_message": "done"});
    world.hook("codex Stop", payload(world, "Stop", own)).stdout
}

#[test]
fn a_program_that_is_typed_into_is_refused_while_guards_are_enforced() {
    let world = world();
    let said = call(&world, "codex", "bash --norc -i");
    assert!(denies(&said) && said.contains("`typed-input`: what is typed into `bash --norc -i`"), "{said}");
    assert!(said.contains("`infra`") && said.contains("in a call of its own"), "{said}");
    assert!(!denies(&call(&world, "codex", "bash -c 'ls'")) && !denies(&call(&world, "codex", "echo ls | bash")));
    // Where the person can be asked, they are.
    let asked: Value = serde_json::from_str(&call(&world, "claude", "cd infra && python3")).unwrap();
    assert_eq!(asked["hookSpecificOutput"]["permissionDecision"], "ask", "{asked}");
    let shown = world.stead(&["check", "bash --norc -i"]);
    assert!(shown.stdout.contains("what is typed into it is not known"), "{shown}");
    // A person can permit it.
    let id =
        said.split_once("[v-").and_then(|(_, rest)| rest.split_once(']')).map(|(id, _)| format!("v-{id}")).unwrap();
    by_person(&world, &["allow", &id, "--reason", "I look"]).ok();
    let said = call(&world, "codex", "bash --norc -i");
    assert!(!denies(&said), "{said}");
    assert!(denies(&call(&world, "codex", "bash --norc")));
    assert!(world.stead(&["explain", &id]).ok().contains("typed-input"));
}

#[test]
fn nothing_is_refused_for_guards_that_only_watch() {
    let world = world();
    for guard in ["infra", "destructive", "tested-needs-evidence", "proof-stays-fixed"] {
        by_person(&world, &["guard", "disable", guard]);
    }
    let said = call(&world, "codex", "bash -i");
    assert!(!denies(&said), "{said}");
}

/// The call is still under way when its turn ends, and what it was told removed everything that the project knew of it.
#[test]
fn what_a_typed_command_removed_is_put_back_when_the_turn_ends() {
    let world = world();
    let guard = world.read("project/.agent/guards/infra.yaml");
    let hooks = world.read("project/.codex/hooks.json");
    stop(&world);
    // What is typed into it is not known to anybody.
    call(&world, "codex", "./console");
    for folder in [".agent", ".codex"] {
        fs::remove_dir_all(world.project().join(folder)).unwrap();
    }
    let said = stop(&world);
    assert!(said.contains("put `.agent/guards/infra.yaml` back") || said.contains("was put back"), "{said}");
    assert_eq!(world.read("project/.agent/guards/infra.yaml"), guard);
    assert_eq!(world.read("project/.codex/hooks.json"), hooks);
    let back: Vec<Value> = log(&world).into_iter().filter(|change| change["outcome"] == "put-back").collect();
    assert!(back.iter().any(|change| change["calls"][0]["call"] == "call-1"), "{back:#?}");
}

/// A person who removes it between two calls of a turn finds it in force, and not put back.
#[test]
fn what_went_between_calls_is_not_put_back() {
    let world = world();
    call(&world, "codex", "./build");
    let own = json!({"tool_name": "Bash", "tool_input": {"command": "./build"}, "tool_use_id": "call-1", "tool_response": "ok"});
    world.hook("codex PostToolUse", payload(&world, "PostToolUse", own));
    std::thread::sleep(std::time::Duration::from_millis(60));
    fs::remove_dir_all(world.project().join(".agent")).unwrap();
    stop(&world);
    assert!(!world.exists("project/.agent/guards/infra.yaml"));
    let changes = log(&world);
    assert!(changes.iter().any(|change| change["outcome"] == "in-force"), "{changes:#?}");
}
