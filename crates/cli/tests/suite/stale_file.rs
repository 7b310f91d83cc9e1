//! Stale files through the real hook: across sessions, sub-agents and clients, and never because of a formatter.

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::client::denial;
use crate::world::{accept_all, lines, marked};

/// A project with intents, which switch the gate on, and one file.
fn world() -> World {
    let world = marked();
    world.write("project/.agent/intents/active_intents.yaml", "active_intents: []\n");
    // The gate for intents itself would deny every change first.
    world.write("project/.agent/config.toml", "[intents]\nmode = \"off\"\n");
    world.write("project/src/a.rs", "one\n");
    world
}

/// Who calls: a session, and one of its sub-agents or none.
#[derive(Clone, Copy)]
struct Who<'a>(&'a str, Option<&'a str>);

const ANN: Who<'_> = Who("ann", None);
const BEN: Who<'_> = Who("ben", None);

fn event(world: &World, who: Who<'_>, native: &str, own: &Value) -> Option<String> {
    let mut payload = json!({"session_id": who.0, "cwd": world.project(), "hook_event_name": native,
        "transcript_path": world.home().join(".claude/projects/p/s.jsonl")});
    let fields = payload.as_object_mut().unwrap();
    fields.extend(own.as_object().unwrap().clone());
    if let Some(agent) = who.1 {
        fields.extend(json!({"agent_id": agent, "agent_type": "helper"}).as_object().unwrap().clone());
    }
    denial(&world.hook(&format!("claude {native}"), payload.to_string()))
}

fn before(world: &World, who: Who<'_>, tool: &str, input: &Value) -> Option<String> {
    event(world, who, "PreToolUse", &json!({"tool_name": tool, "tool_input": input, "tool_use_id": "c"}))
}

fn after(world: &World, who: Who<'_>, tool: &str, input: &Value) {
    let own = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "c", "tool_response": {"stdout": ""}});
    event(world, who, "PostToolUse", &own);
}

fn file(world: &World, path: &str) -> Value {
    json!({"file_path": world.project().join(path), "old_string": "one", "new_string": "two", "content": "two\n"})
}

fn read(world: &World, who: Who<'_>, path: &str) {
    after(world, who, "Read", &file(world, path));
}

/// Asks to edit, and if that is allowed does it.
fn edit(world: &World, who: Who<'_>, path: &str, text: &str) -> Option<String> {
    let denied = before(world, who, "Edit", &file(world, path));
    if denied.is_none() {
        world.write(format!("project/{path}"), text);
        after(world, who, "Edit", &file(world, path));
    }
    denied
}

fn run(world: &World, who: Who<'_>, command: &str) -> Option<String> {
    before(world, who, "Bash", &json!({"command": command}))
}

#[track_caller]
fn stale(said: Option<String>, by: &str) -> String {
    let said = said.unwrap_or_default();
    let expected = format!("Stale File: src/a.rs changed since you read it (by {by}); read it again.");
    assert!(said.starts_with(&expected), "{said}");
    said
}

#[test]
fn a_change_by_another_session_is_named_and_reading_again_helps() {
    let world = world();
    read(&world, ANN, "src/a.rs");
    read(&world, BEN, "src/a.rs");
    assert_eq!(edit(&world, BEN, "src/a.rs", "ben\n"), None);
    let said = stale(edit(&world, ANN, "src/a.rs", "ann\n"), "session ben");
    // Whatever tool or spelling changes it.
    for command in
        ["sed -i s/a/b/ src/a.rs", "echo x > src/a.rs", "cd src && rm a.rs", "mv src/a.rs b.rs", "cp b src/a.rs"]
    {
        stale(run(&world, ANN, command), "session ben");
    }
    for command in ["echo x >> src/a.rs", "cat src/a.rs", "echo x > src/b.rs", "git add src/a.rs"] {
        assert_eq!(run(&world, ANN, command), None, "{command}");
    }
    assert_eq!(world.read("project/src/a.rs"), "ben\n");
    let id = said.rsplit('[').next().unwrap().trim_end_matches(']');
    let told = world.stead(&["explain", id]).ok();
    assert!(told.contains("stale-file") && told.contains("read the file again"), "{told}");
    read(&world, ANN, "src/a.rs");
    assert_eq!(edit(&world, ANN, "src/a.rs", "ann\n"), None);
    stale(edit(&world, BEN, "src/a.rs", "ben\n"), "session ann");
}

#[test]
fn a_change_outside_any_session_is_one_too() {
    let world = world();
    assert_eq!(edit(&world, ANN, "src/a.rs", "unread\n"), None, "without a record nothing is stale");
    run(&world, ANN, "git status");
    sleep(Duration::from_millis(20));
    world.write("project/src/a.rs", "person\n");
    stale(edit(&world, ANN, "src/a.rs", "x\n"), "something outside");
    // The same content under another time is no change.
    let other = Who("third", None);
    read(&world, other, "src/a.rs");
    world.write("project/src/a.rs", "person\n");
    assert_eq!(edit(&world, other, "src/a.rs", "third\n"), None);
}

#[test]
fn a_formatter_right_after_the_write_is_no_trap() {
    let world = world();
    read(&world, ANN, "src/a.rs");
    assert_eq!(edit(&world, ANN, "src/a.rs", "fn  a(){}\n"), None);
    world.write("project/src/a.rs", "fn a() {}\n");
    sleep(Duration::from_millis(20));
    // The end of another call of the same turn comes in between.
    after(&world, ANN, "Bash", &json!({"command": "ls"}));
    event(&world, ANN, "Stop", &json!({}));
    sleep(Duration::from_millis(20));
    assert_eq!(edit(&world, ANN, "src/a.rs", "fn b() {}\n"), None);
    // Later it was somebody else.
    event(&world, ANN, "UserPromptSubmit", &json!({"prompt": "go on"}));
    sleep(Duration::from_millis(20));
    world.write("project/src/a.rs", "fn c() {}\n");
    stale(edit(&world, ANN, "src/a.rs", "fn d() {}\n"), "something outside");
}

#[test]
fn a_call_of_another_session_in_flight_is_not_taken_for_a_formatter() {
    let world = world();
    assert_eq!(edit(&world, ANN, "src/a.rs", "ann\n"), None);
    assert_eq!(before(&world, BEN, "Edit", &file(&world, "src/a.rs")), None);
    world.write("project/src/a.rs", "ben\n");
    stale(edit(&world, ANN, "src/a.rs", "x\n"), "session ben");
}

#[test]
fn a_sub_agent_has_its_own_view_and_else_its_parents() {
    let world = world();
    let sub = Who("ann", Some("sub-1"));
    read(&world, ANN, "src/a.rs");
    assert_eq!(edit(&world, sub, "src/a.rs", "sub\n"), None);
    stale(edit(&world, ANN, "src/a.rs", "ann\n"), "another agent of this session");
    read(&world, ANN, "src/a.rs");
    assert_eq!(edit(&world, ANN, "src/a.rs", "ann\n"), None);
    stale(edit(&world, sub, "src/a.rs", "sub\n"), "another agent of this session");
    stale(edit(&world, sub, "src/a.rs", "sub\n"), "another agent of this session");
    read(&world, sub, "src/a.rs");
    assert_eq!(edit(&world, sub, "src/a.rs", "sub\n"), None);
}

#[test]
fn shown_by_a_command_is_read_and_clients_share_the_records() {
    let world = world();
    let codex = |native: &str, command: &str| {
        let payload = json!({"session_id": "cod", "cwd": world.project(), "hook_event_name": native, "turn_id": "t",
            "model": "m", "transcript_path": "/x/rollout-1.jsonl", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_response": "", "tool_use_id": "c"});
        denial(&world.hook(&format!("codex {native}"), payload.to_string()))
    };
    codex("PostToolUse", "sed -n 1,5p src/a.rs");
    assert_eq!(edit(&world, ANN, "src/a.rs", "ann\n"), None);
    stale(codex("PreToolUse", "sed -i s/one/two/ src/a.rs"), "session ann");
    codex("PostToolUse", "head -n1 src/a.rs | grep x");
    assert_eq!(codex("PreToolUse", "sed -i s/one/two/ src/a.rs"), None);
}

#[test]
fn it_applies_with_intents_unless_config_says_otherwise() {
    let change = |world: &World| {
        world.write("project/src/a.rs", "one\n");
        read(world, ANN, "src/a.rs");
        event(world, ANN, "Stop", &json!({}));
        world.write("project/src/a.rs", "other\n");
        before(world, ANN, "Edit", &file(world, "src/a.rs")).is_some()
    };
    let without = marked();
    assert!(!change(&without) && !without.exists("project/.agent/context/indexes/seen"));
    without.write("project/.agent/config.toml", "[gate]\nstale_files = true\n");
    assert!(change(&without));
    let with = world();
    assert!(change(&with));
    with.write("project/.agent/config.toml", "[gate]\nstale_files = false\n[intents]\nmode = \"off\"\n");
    accept_all(&with);
    assert!(!change(&with));
}

#[test]
fn records_are_bounded_and_end_with_the_session() {
    let world = world();
    let seen = "project/.agent/context/indexes/seen";
    read(&world, ANN, "src/a.rs");
    read(&world, BEN, "src/a.rs");
    read(&world, ANN, ".agent/intents/active_intents.yaml");
    after(&world, ANN, "Bash", &json!({"command": "cat src/*.rs /etc/hostname; grep -rn x ."}));
    let entries = |session: &str| std::fs::read_dir(world.folder().join(seen).join(session)).unwrap().count();
    assert_eq!((entries("ann"), entries("ben")), (1, 1));
    event(&world, ANN, "SessionEnd", &json!({"reason": "exit"}));
    assert!(!world.exists(format!("{seen}/ann")) && world.exists(format!("{seen}/ben")));
    assert!(lines(&world, "sessions.jsonl").len() > 3);
    // A session id that is no file name leaves nothing.
    read(&world, Who("../x", None), "src/a.rs");
    assert!(!world.exists("project/.agent/context/indexes/x"));
}
