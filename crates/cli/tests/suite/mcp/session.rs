//! Whose call it is: the hook that sees a call binds it to its session.

use serde_json::{Value, json};
use stead_testkit::World;

use super::{call, full, text};
use crate::client::{By, CLIENTS, denial};
use crate::intent::project;
use crate::world::{denies, lines, payload};

/// The hook's part of a call by a session of Claude Code.
pub(super) fn seen(world: &World, session: &str, id: &str, event: &str, tool: &str, input: &Value) -> String {
    let name = format!("mcp__stead__{tool}");
    let own = json!({"session_id": session, "tool_name": name, "tool_input": input, "tool_use_id": id});
    world.hook(&format!("claude {event}"), payload(world, event, own)).stdout
}

fn selection(world: &World, session: &str) -> String {
    let path = format!("project/.agent/context/indexes/sessions/{session}.intent");
    if world.exists(&path) { world.read(path) } else { String::new() }
}

/// How each client spells the name of a tool.
fn spelled(client: &str, tool: &str) -> String {
    match client {
        "gemini" => format!("mcp_stead_{tool}"),
        "opencode" | "kilo" => format!("stead_{tool}"),
        "copilot" => format!("stead-{tool}"),
        "droid" => format!("stead___{tool}"),
        "cursor" => format!("MCP:{tool}"),
        "grok" => format!("stead__{tool}"),
        _ => format!("mcp__stead__{tool}"),
    }
}

#[test]
fn selecting_through_the_server_is_selecting() {
    let (world, by_command) = (project(), project());
    let input = json!({"intent_id": "INT-002", "mutation_class": "refactor"});
    assert!(!denies(&seen(&world, "s1", "c1", "PreToolUse", "select_active_intent", &input)));
    let result = call(&world, "select_active_intent", json!({"mutation_class": "refactor", "intent_id": "INT-002"}));
    let shell = json!({"command": "stead intent select INT-002 --class refactor"});
    let own = json!({"session_id": "s1", "tool_name": "Bash", "tool_input": shell, "tool_use_id": "c1"});
    by_command.hook("claude PreToolUse", payload(&by_command, "PreToolUse", own));
    let said = by_command.stead(&["intent", "select", "INT-002", "--class", "refactor"]).ok();
    assert_eq!(text(&result), said);
    assert_eq!(result["structuredContent"]["context"], said);
    let selected = selection(&world, "s1");
    seen(&world, "s1", "c1", "PostToolUse", "select_active_intent", &input);
    assert_eq!(selection(&world, "s1"), selected, "the hook leaves it as the server wrote it");
    let without_time = |line: String| {
        line.split('\t').enumerate().filter(|(at, _)| *at != 2).map(|(_, one)| one.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(without_time(selection(&world, "s1")), without_time(selection(&by_command, "s1")));
    assert_eq!(world.read(crate::intent::FILE), by_command.read(crate::intent::FILE));
    // The gate takes the selection.
    let write = json!({"file_path": world.project().join("docs/a.md"), "content": "x"});
    let own = json!({"session_id": "s1", "tool_name": "Write", "tool_input": write, "tool_use_id": "c2"});
    assert!(!denies(&world.hook("claude PreToolUse", payload(&world, "PreToolUse", own)).stdout));
}

#[test]
fn in_every_client_the_tool_needs_no_intent_and_finds_its_session() {
    for client in CLIENTS {
        let world = project();
        let input = json!({"intent_id": "INT-001"});
        for tool in ["select_active_intent", "check_action", "query_traces", "store_trace", "where_is"] {
            let input = match tool {
                "select_active_intent" => input.clone(),
                "check_action" => json!({"command": "rm -rf .agent"}),
                "query_traces" => json!({"text": "rm", "max_tokens": 300}),
                "store_trace" => json!({"type": "decision", "what_happened": "keep `.agent`"}),
                _ => json!({"question": "where"}),
            };
            let run = client.before(&world, By::Main, &client.named(&spelled(client.name, tool), input));
            assert_eq!(denial(&run), None, "{} {tool}", client.name);
            let last = lines(&world, "sessions.jsonl").pop().unwrap();
            assert_eq!(last["binds"].as_array().map(Vec::len), Some(1), "{}: {last}", client.name);
        }
        let result = call(&world, "select_active_intent", input);
        assert_eq!(result["isError"], false, "{}: {result}", client.name);
    }
}

#[test]
fn without_a_session_nothing_is_selected() {
    let world = project();
    let result = call(&world, "select_active_intent", json!({"intent_id": "INT-001"}));
    assert!(text(&result).starts_with("error: no session called this command"), "{result}");
    for (input, expected) in [
        (json!({}), "missing parameter"),
        (json!({"intent_id": "INT-01"}), "did you mean `INT-001`? available: INT-001, INT-002, INT-003"),
        (json!({"intent_id": "INT-003"}), "intent `INT-003` is COMPLETED"),
    ] {
        let result = call(&world, "select_active_intent", input);
        assert!(text(&result).contains(expected), "{result}");
    }
    // A call that a hook denied belongs to nobody, nor does one with another input.
    seen(&world, "s1", "c1", "PreToolUse", "select_active_intent", &json!({"intent_id": "INT-002"}));
    let result = call(&world, "select_active_intent", json!({"intent_id": "INT-001"}));
    assert!(text(&result).contains("no session called"), "{result}");
}

#[test]
fn the_same_call_by_two_sessions_is_refused() {
    let world = project();
    let input = json!({"intent_id": "INT-001"});
    let seen = |session: &str, event: &str| {
        seen(&world, session, &format!("of-{session}"), event, "select_active_intent", &input)
    };
    seen("s1", "PreToolUse");
    seen("s2", "PreToolUse");
    let result = call(&world, "select_active_intent", input.clone());
    assert!(text(&result).contains("sessions s2 and s1 made this call at the same time"), "{result}");
    assert!(text(&result).contains("\nhint: "), "{result}");
    assert_eq!((selection(&world, "s1"), selection(&world, "s2")), (String::new(), String::new()));
    // As soon as one of them has its answer, the other is the only one left.
    seen("s1", "PostToolUse");
    let result = call(&world, "select_active_intent", input.clone());
    assert_eq!(result["isError"], false, "{result}");
    assert!(!selection(&world, "s1").contains("INT-001") && selection(&world, "s2").contains("INT-001"));
}

#[test]
fn the_server_is_never_a_person() {
    let world = full();
    let report = json!({"feature_id": "login", "outcome": "passed"});
    world.stead(&["feature", "report", "login", "--implemented"]).ok();
    let result = call(&world, "report_feature", report.clone());
    assert!(text(&result).contains("only a tester or a person may report a test"), "{result}");
    seen(&world, "s1", "c1", "PreToolUse", "report_feature", &report);
    let result = call(&world, "report_feature", report);
    assert!(text(&result).contains("only a tester or a person may report a test"), "{result}");
    let state = world.stead(&["feature", "show", "login", "--json"]).json();
    assert_eq!(state["status"], "implemented", "{state}");
}

#[test]
fn a_log_that_the_agent_may_not_read_is_not_shown() {
    let world = full();
    let guard = "id: private-log\nabout: The audit log is private.\nmode: enforce\non: [before-tool]\nmatch: {reads: \
        audit.log}\nthen: deny\nsay: the audit log is private\ntests:\n  must: [{read: audit.log}]\n  must_not: [{read: \
        a.log}]\n";
    world.write("project/.agent/guards/private-log.yaml", guard);
    world.write("project/audit.log", "secret\n");
    let result = call(&world, "read_log", json!({"file": "audit.log"}));
    assert!(!result.to_string().contains("secret\\n"), "{result}");
    assert!(text(&result).contains("the audit log is private"), "{result}");
}
