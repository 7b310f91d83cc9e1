//! Sub-agents that a client starts as sessions of their own: they work for the session that called them.
#![cfg(unix)]

use serde_json::{Value, json};
use stead_testkit::{Run, World};

use crate::world::{by_person, lines, marked};

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("../../../client/fixtures/droid/", $name, ".json"))
    };
}

/// The recorded payload with other members, in the world's project.
fn call(world: &World, event: &str, payload: &str, set: &Value) -> Run {
    let mut payload: Value =
        serde_json::from_str(&payload.replace("/home/dev/project", world.project().to_str().unwrap())).unwrap();
    for (key, value) in set.as_object().into_iter().flatten() {
        payload[key] = value.clone();
    }
    world.hook(&format!("droid {event}"), payload.to_string())
}

const TOP: &str = "00000000-0000-0000-0000-000000000001";
const SUB: &str = "00000000-0000-0000-0000-000000000002";

fn denied(run: &Run) -> bool {
    run.stdout.contains("\"deny\"") || run.code == 2
}

#[test]
fn what_a_sub_agent_does_is_its_callers() {
    let world = marked();
    let intents = "active_intents:\n  - id: INT-001\n    name: x\n    status: PENDING\n    owned_scope: [\"src/**\"]\n";
    world.write("project/.agent/intents/active_intents.yaml", intents);
    by_person(&world, &["config", "set", "intents.mode", "enforce"]).ok();
    call(&world, "SessionStart", recorded!("SessionStart.startup"), &Value::Null);
    let select = json!({"session_id": TOP, "tool_input": {"command": "stead intent select INT-001"}});
    call(&world, "PreToolUse", recorded!("PreToolUse.Execute"), &select);
    world.stead(&["intent", "select", "INT-001"]).ok();
    let create = |session: &str| {
        call(&world, "PreToolUse", recorded!("PreToolUse.Create.subsession"), &json!({"session_id": session}))
    };
    assert!(denied(&create("00000000-0000-0000-0000-00000000000f")), "a session that nobody called has no intent");
    assert!(denied(&create(SUB)), "before it starts, nobody knows who called it");
    call(&world, "SessionStart", recorded!("SessionStart.subsession"), &Value::Null);
    let made = create(SUB);
    assert!(!denied(&made), "{made}");
    // One that it starts itself belongs to the same session.
    let deeper = json!({"session_id": "00000000-0000-0000-0000-000000000003", "calling_session_id": SUB});
    call(&world, "SessionStart", recorded!("SessionStart.subsession"), &deeper);
    assert!(!denied(&create("00000000-0000-0000-0000-000000000003")));
    for (event, payload) in [
        ("UserPromptSubmit", recorded!("UserPromptSubmit.subsession")),
        ("Stop", recorded!("Stop.subsession")),
        ("SessionEnd", recorded!("SessionEnd.subsession")),
    ] {
        call(&world, event, payload, &Value::Null).ok();
    }
    let log = lines(&world, "sessions.jsonl");
    let own: Vec<(&str, &Value)> = log
        .iter()
        .filter(|line| line["agent"] == SUB)
        .map(|line| (line["event"].as_str().unwrap(), &line["session"]))
        .collect();
    let events: Vec<&str> = own.iter().map(|(event, _)| *event).collect();
    assert_eq!(events, ["subagent-start", "before-tool", "prompt", "subagent-stop", "other"], "{log:#?}");
    assert!(own.iter().all(|(_, session)| **session == TOP), "{own:?}");
    // The task that its caller wrote is no person's word.
    let packet = world.stead(&["handoff", "go on", "--json"]).ok();
    assert!(!packet.contains("SUBTASK-X"), "{packet}");
}
