//! What the person is shown in a client's own window, beside what the agent reads.

use serde_json::{Value, json};
use stead_testkit::{Run, World};

use crate::client::{context, denial, hold, said};
use crate::world::{marked, payload, tool};

fn put(world: &World, mode: &str) {
    let guard = format!(
        "id: infra\nmode: {mode}\non: [before-tool]\nmatch: {{writes: ['infra/**']}}\nthen: deny\nsay: \"ask first\"\n"
    );
    world.write("project/.agent/guards/infra.yaml", guard);
}

/// The line for the person.
fn shown(run: &Run) -> Option<String> {
    said(run)["systemMessage"].as_str().map(str::to_owned)
}

fn event(world: &World, client: &str, name: &str, mut own: Value) -> Run {
    if client == "codex" {
        // It is known by these.
        own["turn_id"] = json!("t");
        own["model"] = json!("m");
    }
    world.hook(&format!("{client} {name}"), payload(world, name, own))
}

/// A shell command, before it runs.
fn command(world: &World, client: &str, command: &str) -> Run {
    let own = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c"});
    event(world, client, "PreToolUse", own)
}

#[test]
fn a_warning_is_shown_when_it_is_given() {
    let world = marked();
    put(&world, "warn");
    for client in ["claude", "codex"] {
        let run = command(&world, client, "touch infra/a");
        let line = shown(&run).unwrap();
        assert!(line.starts_with("Stead warns: `infra`: ask first") && line.contains("[v-"), "{client}: {line}");
        assert!(!line.contains('\n') && context(&run).contains("ask first"), "{client}: {run}");
        assert_eq!(command(&world, client, "ls").stdout, "", "{client}");
    }
}

#[test]
fn a_denial_says_all_that_matters_in_its_first_line() {
    let world = marked();
    put(&world, "enforce");
    let check = |run: &Run, words: &str| {
        let reason = denial(run).unwrap();
        let first = reason.lines().next().unwrap();
        assert!(first.contains(words) && first.contains("[v-"), "{reason}");
    };
    let path = world.project().join("infra/a");
    let write = world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": path, "content": "x"})));
    check(&write, "`infra`: ask first");
    check(&command(&world, "codex", "rm -rf .agent/context"), "delete `.agent/context`");
    let own = world.project().join(".agent/config.toml");
    let own = world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": own, "content": "x"})));
    check(&own, "config.toml");
    // This client shows all of a denied write, and of a denied command the first line.
    assert_eq!((shown(&write), shown(&own)), (None, None));
    let run = command(&world, "claude", "rm -rf .agent/context");
    check(&run, "delete `.agent/context`");
    assert!(shown(&run).unwrap().starts_with("Stead: Instead: name the files one by one"), "{run}");
    assert_eq!(shown(&command(&world, "claude", "touch infra/a")), None);
    assert_eq!(shown(&command(&world, "codex", "rm -rf .agent/context")), None);
}

#[test]
fn a_loop_is_shown_while_it_runs_and_when_it_ends() {
    for (client, iteration) in [("claude", Some("Stead: loop iteration 2 of 2")), ("codex", None)] {
        let world = marked();
        let start = ["loop", "start", "Paint the door", "--max-iterations", "2", "--promise", "DONE"];
        command(&world, client, "stead loop start 'Paint the door' --max-iterations 2 --promise DONE");
        world.stead(&start).ok();
        let stop = |again: bool| {
            event(&world, client, "Stop", json!({"stop_hook_active": again, "last_assistant_message": "x"}))
        };
        let held = stop(false);
        assert!(hold(&held).unwrap().contains("Paint the door"), "{held}");
        assert_eq!(shown(&held).as_deref(), iteration, "{client}");
        assert_eq!(said(&held)["decision"].is_null(), client == "claude", "{held}");
        let end = stop(true);
        assert!(hold(&end).is_none() && shown(&end).unwrap().contains("2 of 2 iterations used"), "{client}: {end}");
    }
}

#[test]
fn a_briefing_is_shown_in_one_line_if_there_is_one() {
    let world = marked();
    let start = || event(&world, "claude", "SessionStart", json!({"source": "startup"}));
    assert_eq!(shown(&start()), None);
    world.stead(&["note", "decision", "the door stays shut"]).ok();
    assert_eq!(shown(&start()).as_deref(), Some("Stead told the agent about: notes"));
    world.write("project/.agent/guards/broken.yaml", "id: [\n");
    let line = shown(&start()).unwrap();
    assert!(line.contains("Stead: A guard of this project is not applied"), "{line}");
}

#[cfg(unix)]
#[test]
fn what_was_put_back_is_shown() {
    let world = crate::seal::world();
    let told = crate::seal::drive(&world, &crate::seal::opaque(crate::seal::WEAKEN)).unwrap();
    let said: Value = serde_json::from_str(told.trim()).unwrap();
    let line = said["systemMessage"].as_str().unwrap();
    assert!(
        line.starts_with("Stead put `.agent/guards/infra.yaml` back, which a call had weakened (`stead seal accept t-"),
        "{line}"
    );
}
