//! One call, seen from outside: replies, detection, the two safety nets.

use serde_json::{Value, json};
use stead_testkit::{Finish, World};

use crate::world::{at_terminal, bare, denies, lines, marked, payload, shell, tool};

#[test]
fn a_harmless_call_passes_without_a_word() {
    let world = marked();
    let run = world.hook("claude PreToolUse", shell(&world, "cargo test"));
    assert_eq!(run.to_string(), "exit 0");
}

#[test]
fn an_edit_of_our_own_files_is_denied_with_a_reason() {
    let world = marked();
    let config = world.project().join(".agent/config.toml");
    let run = world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": config, "content": ""})));
    let said = run.json();
    assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], "PreToolUse");
    let reason = said["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains(".agent/config.toml"), "{reason}");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
}

#[test]
fn the_switch_in_config_turns_the_gate_off() {
    let world = marked();
    let forbidden = shell(&world, "rm -rf .agent");
    assert!(denies(&world.hook("claude PreToolUse", &forbidden).stdout));
    world.write("project/.agent/config.toml", "[gate]\nself_protection = false\n");
    assert_eq!(world.hook("claude PreToolUse", &forbidden).to_string(), "exit 0");
}

/// A client's settings can set variables for its hooks, and agents can edit settings.
#[test]
fn the_environment_turns_no_gate_off() {
    let mut world = marked();
    world.set("STEAD_GATE_SELF_PROTECTION", "false");
    for _ in 0..2 {
        assert!(denies(&world.hook("claude PreToolUse", shell(&world, "rm -rf .agent")).stdout));
    }
    world.set("STEAD_RECORD_SESSIONS", "false");
    world.hook("claude PreToolUse", shell(&world, "ls"));
    assert_eq!(lines(&world, "sessions.jsonl").len(), 2);
    world.unset("STEAD_RECORD_SESSIONS");
    world.hook("claude PreToolUse", shell(&world, "ls"));
    assert_eq!(lines(&world, "sessions.jsonl").len(), 3);
}

#[test]
fn a_config_change_holds_at_the_next_call_even_with_the_same_size() {
    let world = marked();
    let forbidden = shell(&world, "rm -rf .agent");
    for round in 0..20 {
        let (word, denied) = if round % 2 == 0 { ("true ", true) } else { ("false", false) };
        world.write("project/.agent/config.toml", format!("[gate]\nself_protection = {word}\n"));
        let run = world.hook("claude PreToolUse", &forbidden);
        assert_eq!(denies(&run.stdout), denied, "round {round}: {run}");
    }
}

#[test]
fn an_unknown_tool_is_still_judged() {
    let world = marked();
    let config = world.project().join(".agent/config.toml");
    let run = world.hook("claude PreToolUse", tool(&world, "FrobnicateFile", json!({"target": config})));
    assert!(denies(&run.stdout), "{run}");
    let run = world.hook("claude PreToolUse", tool(&world, "FrobnicateFile", json!({"target": "src/main.rs"})));
    assert_eq!(run.to_string(), "exit 0");
}

#[test]
fn an_unknown_event_is_recorded_and_passes() {
    let world = marked();
    let run = world.hook("claude BrandNew", payload(&world, "BrandNew", json!({})));
    assert_eq!(run.to_string(), "exit 0");
    let line = lines(&world, "sessions.jsonl").pop().unwrap();
    assert_eq!((line["event"].as_str(), line["native"].as_str()), (Some("other"), Some("BrandNew")));
}

#[test]
fn a_stale_line_blocks_nothing() {
    let world = marked();
    for line in ["claude PreToolUse --flag-of-tomorrow", "claude", "client-of-tomorrow PreToolUse", "--x"] {
        let run = world.hook(line, shell(&world, "ls"));
        assert_eq!(run.to_string(), "exit 0", "{line}");
    }
}

/// Clients read the exit code of a wrong command line as a denial without a reason, or as one of everything.
#[cfg(unix)]
#[test]
fn whatever_is_wrong_with_the_arguments_a_call_is_answered() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let world = marked();
    let harmless = shell(&world, "ls");
    let forbidden = shell(&world, "rm -rf .agent");
    let unclaimed = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": world.project(), "tool_input": {"command": "rm -rf .agent"},
    })
    .to_string();
    let calls: [&[&[u8]]; 16] = [
        &[b"hook"],
        &[b"hook", b"nosuch"],
        &[b"hook", b"nosuch", b"PreToolUse"],
        &[b"hook", b"claude"],
        &[b"hook", b"claude", b"NoSuchEvent"],
        &[b"hook", b"claude", b"PreToolUse", b"--flag", b"--other=1", b"more", b"-x"],
        &[b"hook", b"--flag", b"claude", b"PreToolUse"],
        &[b"hook", b"claude", b"--help"],
        &[b"hook", b"\xff\xfe", b"\xff"],
        &[b"hook", b"claude", b"\xff"],
        &[b"hook", b"", b""],
        &[b"hook", b"claude", b""],
        &[b"--nosuch", b"hook", b"claude", b"PreToolUse"],
        &[b"-C", b"/nosuch", b"hook", b"claude", b"PreToolUse"],
        &[b"--config", b"no.such=1", b"hook", b"claude", b"PreToolUse"],
        &[b"--\xff", b"hook", b"--"],
    ];
    for line in calls {
        let call = |input: &str| {
            let words = line.iter().map(|word| OsStr::from_bytes(word));
            world.command(world.program(), &world.project()).args(words).finish(&world, input.as_bytes())
        };
        let shown: Vec<_> = line.iter().map(|word| String::from_utf8_lossy(word)).collect();
        assert_eq!(call(&harmless).to_string(), "exit 0", "{shown:?}");
        for payload in [&forbidden, &unclaimed] {
            let run = call(payload);
            assert!(denies(&run.stdout) && run.code == 0 && run.stderr.is_empty(), "{shown:?}: {run}");
        }
        // Where nothing can be read, the event decides; nothing is denied by the exit code.
        for text in ["{\"hook_event_name\": \"PreToolUse\", broken", "", "[1]", "\0"] {
            let run = call(text);
            assert_eq!(run.code, 0, "{shown:?} {text:?}: {run}");
            assert_eq!(denies(&run.stdout), !run.stdout.is_empty(), "{shown:?} {text:?}: {run}");
        }
        assert!(denies(&call("{\"hook_event_name\": \"PreToolUse\", broken").stdout), "{shown:?}");
    }
}

#[test]
fn who_is_not_answered_is_told_why() {
    let world = marked();
    for (line, input) in [("", ""), ("nosuch", ""), ("nosuch NoSuchEvent", "{\"a\": 1}"), ("", "[]")] {
        let run = world.hook(line, input);
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{line}: {run}");
        assert!(run.stderr.contains("nothing was judged"), "{line}: {run}");
    }
}

#[test]
fn a_person_at_a_terminal_learns_what_it_is() {
    let world = marked();
    for (args, code) in [(&["hook"][..], 1), (&["hook", "claude"], 0), (&["hook", "help"], 1), (&["hook", "--help"], 0)]
    {
        let run = at_terminal(&world, 80, args);
        assert_eq!(run.code, code, "{args:?}: {run}");
        assert!(run.stdout.contains("agent program") && run.stdout.contains("stead hook"), "{args:?}: {run}");
    }
}

/// The name by which a program is started is free, and need not be there.
#[cfg(unix)]
#[test]
fn a_start_without_a_name_is_a_start() {
    use std::os::unix::process::CommandExt;

    let world = marked();
    for name in ["", "-stead", "hook", "a name with blanks"] {
        let mut command = world.command(world.program(), &world.project());
        let run = command
            .arg0(name)
            .args(["hook", "claude", "PreToolUse"])
            .finish(&world, shell(&world, "rm -rf .agent").as_bytes());
        assert!(denies(&run.stdout) && run.code == 0, "{name}: {run}");
        let run = world.command(world.program(), &world.project()).arg0(name).arg("--version").finish(&world, b"");
        assert!(run.stdout.starts_with("stead ") && run.code == 0, "{name}: {run}");
    }
}

#[test]
fn help_is_for_people() {
    let world = bare();
    let run = world.hook("--help", "");
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("Usage: stead hook"), "{run}");
}

#[test]
fn a_panic_fails_closed_in_gates_and_open_elsewhere() {
    for point in ["start", "decoded", "judged"] {
        let mut world = marked();
        world.set("STEAD_TEST_FAULT", point);
        let run = world.hook("claude PreToolUse", shell(&world, "ls"));
        assert!(denies(&run.stdout), "{point}: {run}");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{point}");
        let run = world.hook("claude Stop", payload(&world, "Stop", json!({})));
        assert_eq!(run.to_string(), "exit 0", "{point}");
    }
}

#[test]
fn a_panic_in_a_recorder_changes_nothing() {
    let mut world = marked();
    world.set("STEAD_TEST_FAULT", "recording");
    assert_eq!(world.hook("claude PreToolUse", shell(&world, "ls")).to_string(), "exit 0");
    assert!(denies(&world.hook("claude PreToolUse", shell(&world, "rm -rf .agent")).stdout));
}

#[test]
fn a_hang_is_ended_by_the_alarm() {
    let mut world = marked();
    world.set("STEAD_TEST_FAULT", "decoded");
    world.set("STEAD_TEST_HANG", "1");
    let run = world.hook("claude PreToolUse", shell(&world, "ls"));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("the hook timed out"), "{run}");
    let run = world.hook("claude Stop", payload(&world, "Stop", json!({})));
    assert_eq!(run.to_string(), "exit 0");
}

/// Grok runs hook lines from Claude's settings, and its payload looks like Qwen's.
#[test]
fn a_client_that_runs_a_foreign_line_is_called_by_its_own_name() {
    let world = marked();
    let called = |event: &str, own: Value| {
        let mut payload = json!({"hookEventName": event, "hook_event_name": event, "sessionId": "g1", "session_id": "g1",
            "cwd": world.project(), "workspaceRoot": world.project(), "timestamp": "2026-11-19T04:00:00+00:00",
            "permissionMode": "default", "permission_mode": "default"});
        payload.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        payload.to_string()
    };
    let runs = |command: &str| json!({"tool_name": "run_terminal_command", "tool_input": {"command": command}});
    world.hook("claude SessionStart", called("SessionStart", json!({"source": "new"})));
    let start = "stead loop start 'Paint the door' --max-iterations 3 --promise DONE";
    world.hook("claude PreToolUse", called("PreToolUse", runs(start)));
    let started = world.stead(&["loop", "start", "Paint the door", "--max-iterations", "3", "--promise", "DONE"]).ok();
    assert!(started.contains("session g1 of grok"), "{started}");
    let stop = called("Stop", json!({"reason": "end_turn", "stopHookActive": false, "lastAssistantMessage": "Half."}));
    assert_eq!(world.hook("claude Stop", &stop).json()["decision"], "block");
    let log = world.read("project/.agent/context/indexes/sessions.jsonl");
    assert!(log.lines().all(|line| line.contains(r#""harness":"grok""#)), "{log}");
    // With a line of its own it will ask again, so this one is silent.
    world.write(
        "project/.grok/hooks/stead.json",
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"stead hook grok PreToolUse"}]}]}}"#,
    );
    let denied = called("PreToolUse", runs("rm -rf .agent"));
    assert_eq!(world.hook("claude PreToolUse", &denied).to_string(), "exit 0");
    assert!(denies(&world.hook("grok PreToolUse", &denied).stdout));
}

/// Cursor runs hook lines from Claude's settings with its own payload and wants its own answer.
#[test]
fn a_client_that_runs_a_foreign_line_gets_its_own_answer() {
    let world = marked();
    let called = cursor(&world);
    let said = world.hook("claude PreToolUse", &called).json();
    assert_eq!(said["permission"], "deny", "{said}");
    // With a line of its own it will ask again, so this one is silent.
    world.write(
        "project/.cursor/hooks.json",
        r#"{"version":1,"hooks":{"preToolUse":[{"command":"stead hook cursor preToolUse"}]}}"#,
    );
    assert_eq!(world.hook("claude PreToolUse", &called).to_string(), "exit 0");
    assert_eq!(world.hook("cursor preToolUse", &called).json()["permission"], "deny");
}

fn cursor(world: &World) -> String {
    json!({
        "conversation_id": "c1", "generation_id": "g1", "cursor_version": "2026.09", "hook_event_name": "preToolUse",
        "workspace_roots": [world.project()], "tool_name": "Shell", "tool_use_id": "t1", "cwd": world.project(),
        "tool_input": {"command": "rm -rf .agent"},
    })
    .to_string()
}

#[test]
fn without_a_marker_the_hook_guards_its_own_lines_and_writes_nothing() {
    let world = bare();
    let line = r#"{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"stead hook claude PreToolUse"}]}]}}"#;
    world.write("home/.claude/settings.json", line);
    let settings = world.home().join(".claude/settings.json");
    let run = world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": settings, "content": "{}"})));
    assert!(denies(&run.stdout), "{run}");
    let run = world.hook("claude PreToolUse", shell(&world, "rm -f ~/.claude/settings.json"));
    assert!(denies(&run.stdout), "{run}");
    for event in ["SessionStart", "PostToolUse", "Stop", "SessionEnd"] {
        assert_eq!(world.hook(&format!("claude {event}"), payload(&world, event, json!({}))).to_string(), "exit 0");
    }
    assert!(!world.exists("project/.agent"));
    assert!(!world.exists("home/.local"));
}
