//! Whose loop it is: nobody else is ever held, and nobody else ends it.

use serde_json::json;

use super::{as_agent, held, log, shown, start, status, stop, stop_with};
use crate::world::{denies, marked, payload, shell, tool};

#[test]
fn two_sessions_and_one_loop() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    assert!(held(&stop(&world, "s1", "x")).is_some());
    assert_eq!(held(&stop(&world, "s2", "x")), None);
    assert_eq!(held(&stop(&world, "s2", "<promise>DONE</promise>")), None);
    assert_eq!((status(&world, &id).as_str(), shown(&world, &id)["iteration"].as_u64()), ("active", Some(2)));
    assert_eq!(held(&stop(&world, "s1", "<promise>DONE</promise>")), None);
    assert_eq!(
        log(&world),
        [
            "started: ",
            "held: no promise given",
            "let-go: the session has no loop",
            "let-go: the session has no loop",
            "let-go: promise `DONE` kept",
        ]
    );
}

#[test]
fn a_sub_agents_stop_never_counts() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    for (event, own) in [
        ("SubagentStop", json!({"agent_id": "a1", "agent_type": "helper", "last_assistant_message": "sub"})),
        ("SubagentStop", json!({"last_assistant_message": "<promise>DONE</promise>"})),
        ("Stop", json!({"agent_id": "a1", "last_assistant_message": "<promise>DONE</promise>"})),
    ] {
        let mut own = own;
        own["session_id"] = json!("s1");
        let run = world.hook(&format!("claude {event}"), payload(&world, event, own));
        assert_eq!(held(&run), None, "{run}");
    }
    let child = json!({"directory": world.project(), "worktree": world.project(), "parent": "s1", "last": "sub",
        "event": {"type": "session.idle", "properties": {"sessionID": "child"}}});
    assert_eq!(world.hook("opencode session.idle", child.to_string()).stdout, "{}");
    assert_eq!((status(&world, &id).as_str(), shown(&world, &id)["iteration"].as_u64()), ("active", Some(1)));
    assert_eq!(log(&world)[1..], ["let-go: a sub-agent stopped"; 4]);
}

#[test]
fn an_empty_owner_holds_nobody() {
    let world = marked();
    let run = world.stead(&["loop", "start", "Fix it.", "--promise", "DONE"]);
    assert!(run.stdout.contains("; no session"), "{run}");
    for own in [json!({"session_id": ""}), json!({"session_id": null}), json!({"session_id": "../x"}), json!({})] {
        let mut own = own;
        own["last_assistant_message"] = json!("x");
        assert_eq!(held(&stop_with(&world, own)), None);
    }
    let list = world.stead(&["loop", "list", "--json"]).json();
    let id = list["active"].as_str().unwrap().to_owned();
    assert_eq!((&list["items"][0]["session"], &list["items"][0]["foreground"]), (&json!(null), &json!(false)));
    // Activated in a session it holds that one, and in another one it says whom it leaves.
    as_agent(&world, "s1", &["loop", "activate", &id]).ok();
    assert!(held(&stop(&world, "s1", "x")).is_some());
    let moved = as_agent(&world, "s2", &["loop", "activate", &id]).ok();
    assert!(moved.contains("detached from session s1 of claude"), "{moved}");
    assert_eq!(held(&stop(&world, "s1", "x")), None);
    assert!(held(&stop(&world, "s2", "x")).is_some());
}

#[test]
fn a_forged_owner_holds_nobody() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    let path = world.project().join(format!(".agent/context/loops/{id}.md"));
    let run = world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": path, "content": "x"})));
    assert!(denies(&run.stdout), "{run}");
    let run = world.hook("claude PreToolUse", shell(&world, "sed -i s/s1/s2/ .agent/context/indexes/active-loop.json"));
    assert!(denies(&run.stdout), "{run}");
    let pointer = "project/.agent/context/indexes/active-loop.json";
    world.write(pointer, world.read(pointer).replace("\"s1\"", "\"s2\""));
    assert_eq!(held(&stop(&world, "s2", "x")), None);
    assert_eq!(log(&world).pop().unwrap(), "let-go: the loop belongs to `claude:s1`");
    // The same id in another client is another session.
    world.write(pointer, world.read(pointer).replace("\"s2\"", "\"s1\""));
    let other = json!({"session_id": "s1", "turn_id": "t", "model": "m", "last_assistant_message": "x"});
    assert_eq!(held(&world.hook("codex Stop", payload(&world, "Stop", other))), None);
    assert!(held(&stop(&world, "s1", "x")).is_some());
}

#[test]
fn an_agent_ends_only_what_its_session_started() {
    let world = marked();
    let own = start(&world, "s1", &["--promise", "DONE"]);
    let refused = as_agent(&world, "s2", &["loop", "cancel", &own]);
    assert!(denies(&refused.stdout), "{refused}");
    assert!(refused.stdout.contains("ask the person"), "{refused}");
    as_agent(&world, "s1", &["loop", "pause", &own]).ok();
    assert_eq!(status(&world, &own), "paused: by `claude:s1`");
    assert_eq!(held(&stop(&world, "s1", "x")), None);
    as_agent(&world, "s1", &["loop", "resume", &own]).ok();
    as_agent(&world, "s1", &["loop", "cancel", &own]).ok();
    assert_eq!(status(&world, &own), "cancelled: by `claude:s1`");
    // A person's loop is a person's to end, by whatever way.
    world.stead(&["loop", "start", "Theirs.", "--promise", "DONE"]).ok();
    let id = world.stead(&["loop", "list", "--json"]).json()["active"].as_str().unwrap().to_owned();
    as_agent(&world, "s1", &["loop", "activate", &id]).ok();
    for verb in ["cancel", "pause"] {
        assert!(denies(&as_agent(&world, "s1", &["loop", verb, &id]).stdout));
    }
    let displaced = as_agent(&world, "s1", &["loop", "start", "Mine.", "--max-iterations", "1"]);
    assert_eq!(displaced.code, 1);
    assert!(displaced.stderr.contains("which it did not start") && displaced.stderr.contains("hint: ask the person"));
    assert!(held(&stop(&world, "s1", "x")).is_some());
    world.stead(&["loop", "cancel", &id]).ok();
    assert_eq!(status(&world, &id), "cancelled: by a person");
    assert_eq!(held(&stop(&world, "s1", "x")), None);
}

#[test]
fn one_foreground_loop_for_a_session_and_switching_is_explicit() {
    let world = marked();
    let first = start(&world, "s1", &["--promise", "DONE"]);
    let second = start(&world, "s1", &["--promise", "DONE"]);
    assert_eq!(status(&world, &first), format!("paused: loop `{second}` replaced it"));
    assert!(held(&stop(&world, "s1", "x")).unwrap().contains(&second));
    assert_eq!(held(&stop(&world, "s1", "<promise>DONE</promise>")), None);
    assert_eq!(held(&stop(&world, "s1", "x")), None, "the first one does not come back by itself");
    as_agent(&world, "s1", &["loop", "activate", &first]).ok();
    assert!(held(&stop(&world, "s1", "x")).unwrap().contains(&first));
}

#[test]
fn a_session_that_goes_on_under_a_new_id_keeps_its_loop() {
    let world = marked();
    let transcript = world.home().join(".factory/sessions/p/d.jsonl");
    let droid = |event: &str, mut own: serde_json::Value| {
        own["transcript_path"] = json!(transcript);
        own["permission_mode"] = json!("auto-low");
        world.hook(&format!("droid {event}"), payload(&world, event, own))
    };
    let call =
        json!({"tool_name": "Execute", "tool_input": {"command": "stead loop start go --json"}, "session_id": "d1"});
    droid("PreToolUse", call);
    assert_eq!(world.stead(&["loop", "start", "go", "--json"]).json()["session"], "d1");
    let next = json!({"session_id": "d2", "previous_session_id": "d1", "source": "compact"});
    droid("SessionStart", next);
    let stop = |session: &str| droid("Stop", json!({"session_id": session}));
    assert_eq!(held(&stop("d1")), None);
    assert!(held(&stop("d2")).is_some());
}

#[test]
fn without_a_loop_a_stop_costs_no_word_and_no_line() {
    let world = marked();
    assert_eq!(stop(&world, "s1", "x").to_string(), "exit 0");
    assert!(!world.exists("project/.agent/context/indexes/loop-log.jsonl"));
}

#[test]
fn a_sub_agent_puts_nobody_into_a_loop() {
    let world = marked();
    let words = ["loop", "start", "Mine.", "--promise", "DONE"];
    let command = format!("stead {}", super::quoted(&words));
    let own = json!({"session_id": "s1", "agent_id": "a1", "agent_type": "helper", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "c"});
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", own));
    let run = world.stead(&words);
    assert!(run.code == 1 && run.stderr.contains("a sub-agent cannot be in a loop"), "{run}");
    assert_eq!(stop(&world, "s1", "x").to_string(), "exit 0", "its parent is not held");
}
