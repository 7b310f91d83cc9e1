//! What ends a loop besides its promise.

use serde_json::json;

use super::{held, log, shown, start, status, stop, stop_with};
use crate::world::{accept_all, marked};

#[test]
fn a_promise_in_a_code_fence_is_none() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    assert!(held(&stop(&world, "s1", "I would say\n```\n<promise>DONE</promise>\n```\nbut not yet")).is_some());
    assert!(held(&stop(&world, "s1", "when it is done I say `<promise>DONE</promise>`")).is_some());
    assert!(held(&stop(&world, "s1", "<promise>DONE</promise> or rather <promise>NO</promise>")).is_some());
    assert_eq!(held(&stop(&world, "s1", "```\ncode\n```\n<promise>DONE</promise>")), None);
    assert_eq!(status(&world, &id), "done: promise `DONE` kept");
}

#[test]
fn iterations_are_counted_and_end() {
    let world = marked();
    let id = start(&world, "s1", &["--max-iterations", "3"]);
    assert!(held(&stop(&world, "s1", "a")).unwrap().contains("iteration 2 of 3"));
    assert!(held(&stop(&world, "s1", "b")).unwrap().contains("iteration 3 of 3"));
    let last = stop(&world, "s1", "c");
    assert_eq!(held(&last), None);
    let told = last.json()["systemMessage"].as_str().unwrap().to_owned();
    assert_eq!(
        told,
        format!("Stead: loop `{id}` is at its limit: 3 of 3 iterations used; `stead loop resume {id}` goes on with it")
    );
    assert_eq!(stop(&world, "s1", "d").to_string(), "exit 0");
    let pointer = world.read("project/.agent/context/indexes/active-loop.json");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&pointer).unwrap()["active_loop_id"], json!(null));
}

/// A farewell must not be taken for a block by a client that knows no notices.
#[test]
fn the_end_is_shown_at_once_or_told_with_the_next_message() {
    for (client, own, is_shown) in [
        ("codex", json!({"session_id": "s1", "turn_id": "t", "model": "m"}), true),
        ("kimi", json!({"session_id": "s1", "client_type": "kimi_code_cli"}), false),
    ] {
        let world = marked();
        let hook = |event: &str, more: serde_json::Value| {
            let mut own = own.clone();
            own.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            world.hook(&format!("{client} {event}"), crate::world::payload(&world, event, own))
        };
        let input = json!({"command": "stead loop start go --max-iterations=1"});
        hook("PreToolUse", json!({"tool_name": "Bash", "tool_input": input}));
        world.stead(&["loop", "start", "go", "--max-iterations=1"]).ok();
        let end = "is at its limit: 1 of 1 iterations used";
        let run = hook("Stop", json!({}));
        assert_eq!((run.code, run.stdout.contains(end)), (0, is_shown), "{client}: {run}");
        assert!(is_shown || run.stdout.is_empty(), "a word would hold: {run}");
        assert_eq!(log(&world).pop().unwrap(), "let-go: 1 of 1 iterations used");
        let run = hook("UserPromptSubmit", json!({"prompt": "and now?"}));
        let is_told = run.stdout.contains(end) && run.stdout.contains("Tell the person");
        assert_eq!(is_told, !is_shown, "{client}: {run}");
    }
}

#[test]
fn the_end_is_told_after_a_call_where_a_prompt_takes_no_text() {
    let world = marked();
    let hook = |event: &str, more: serde_json::Value| {
        let mut own =
            json!({"conversation_id": "s1", "cursor_version": "2026.09.18", "workspace_roots": [world.project()]});
        own["session_id"] = json!("s1");
        own.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        world.hook(&format!("cursor {event}"), crate::world::payload(&world, event, own))
    };
    let input = json!({"command": "stead loop start go --max-iterations=1"});
    hook("preToolUse", json!({"tool_name": "Shell", "tool_input": input}));
    world.stead(&["loop", "start", "go", "--max-iterations=1"]).ok();
    let end = "is at its limit: 1 of 1 iterations used";
    assert!(!hook("stop", json!({"status": "completed", "loop_count": 0})).stdout.contains(end));
    world.write("project/a.txt", "x");
    let written =
        json!({"tool_name": "Write", "tool_input": {"file_path": "a.txt", "content": "x"}, "tool_output": "{}"});
    let run = hook("postToolUse", written.clone());
    assert!(run.stdout.contains(end) && run.stdout.contains("Tell the person"), "{run}");
    assert!(!hook("postToolUse", written).stdout.contains(end), "once");
}

#[test]
fn every_stop_that_a_loop_lets_pass_is_told() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    let told = |own: serde_json::Value| {
        let run = stop_with(&world, own);
        run.json()["systemMessage"].as_str().unwrap().to_owned()
    };
    let waits = json!({"session_id": "s1", "last_assistant_message": "x", "background_tasks": [{"id": "1", "status": "running", "agent_type": "helper"}]});
    assert_eq!(told(waits), format!("Stead: loop `{id}` let this stop pass: 1 sub-agents are still running"));
    let silent = json!({"session_id": "s1"});
    assert_eq!(
        told(silent),
        format!("Stead: loop `{id}` let this stop pass: the agent's last message could not be read")
    );
    let done = json!({"session_id": "s1", "last_assistant_message": "<promise>DONE</promise>"});
    assert_eq!(told(done), format!("Stead: loop `{id}` is done: promise `DONE` kept"));
}

#[test]
fn a_promise_must_be_meant() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    for talk in [
        "I will not output <promise>DONE</promise> yet.",
        "I cannot say <promise>DONE</promise>",
        "<promise>DONE</promise>\n\nOne thing is left, I go on with it.",
        "You want to hear \"<promise>DONE</promise>\"",
        "> <promise>DONE</promise>",
    ] {
        assert!(held(&stop(&world, "s1", talk)).is_some(), "{talk}");
    }
    assert_eq!(held(&stop(&world, "s1", "All tests pass.\n\n<promise>DONE</promise>")), None);
    assert_eq!(status(&world, &id), "done: promise `DONE` kept");
}

#[test]
fn a_loop_at_its_limit_can_be_resumed() {
    let world = marked();
    let id = start(&world, "s1", &["--max-iterations", "2"]);
    assert!(held(&stop(&world, "s1", "a")).is_some());
    assert_eq!(held(&stop(&world, "s1", "b")), None);
    assert_eq!(status(&world, &id), "limit: 2 of 2 iterations used");
    let run = world.stead(&["loop", "resume", &id, "--max-iterations", "2"]);
    assert!(run.code == 2 && run.stderr.contains("leaves nothing"), "{run}");
    assert!(world.stead(&["loop", "activate", &id]).stderr.contains("stead loop resume"));
    let resumed = world.stead(&["loop", "resume", &id]).ok();
    assert!(resumed.contains("resumed, iteration 2 of 4; session s1 of claude"), "{resumed}");
    assert!(held(&stop(&world, "s1", "c")).unwrap().contains("iteration 3 of 4"));
    // Another agent may not raise the limit of a loop that is not its own.
    assert!(held(&stop(&world, "s1", "d")).is_some());
    assert_eq!(held(&stop(&world, "s1", "e")), None);
    let refused = super::as_agent(&world, "s2", &["loop", "resume", &id]);
    assert!(refused.code == 1 || crate::world::denies(&refused.stdout), "{refused}");
    assert_eq!(status(&world, &id), "limit: 4 of 4 iterations used");
    super::as_agent(&world, "s1", &["loop", "resume", &id, "--max-iterations", "9"]).ok();
    assert_eq!(shown(&world, &id)["max_iterations"], 9);
}

/// Where the client would end the turn, a run goes on in the background.
#[cfg(unix)]
#[test]
fn at_the_cap_a_run_takes_over() {
    let mut world = marked();
    world.set("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "2");
    let agent = world.write("agent.sh", "#!/bin/sh\ncat > /dev/null\necho '{\"decision\": \"stop\", \"reason\": \"done\", \"summary\": \"s\"}' > \"$STEAD_STATUS\"\n");
    world.sh(&format!("chmod +x {}", agent.display())).ok();
    let stage = format!("name: goon\ndescription: x\nprovider: {}\ntermination:\n  type: fixed\n", agent.display());
    world.write("project/.agent/stages/goon/stage.yaml", stage);
    world.write("project/.agent/stages/goon/prompt.md", "Read ${CTX} and write ${STATUS}.\n");
    let run = world.stead(&["loop", "start", "x", "--then-run", "nothing"]);
    assert!(run.code == 1 && run.stderr.contains("there is no stage `nothing`"), "{run}");
    let id = start(&world, "s1", &["--promise", "DONE", "--max-iterations", "3", "--then-run", "goon"]);
    let stop_again = |again: bool| {
        stop_with(
            &world,
            json!({"session_id": "s1", "last_assistant_message": format!("{again}"), "stop_hook_active": again}),
        )
    };
    assert!(held(&stop_again(false)).is_some());
    let last = stop_again(true);
    let told = last.json()["systemMessage"].as_str().unwrap().to_owned();
    let name = format!("loop-{}", id.split('-').next().unwrap().to_lowercase());
    assert!(told.contains(&format!("run `{name}` goes on; `stead status {name} --watch`")), "{told}");
    assert!(
        log(&world).pop().unwrap().starts_with("handed-over: this client allows at most 2 blocks"),
        "{:?}",
        log(&world)
    );
    assert!(status(&world, &id).starts_with("paused: "), "{}", status(&world, &id));
    let plan = world.read(format!("project/.agent/runs/{name}/plan.json"));
    assert!(plan.contains(&format!("loops/{id}.md")), "{plan}");
    let since = std::time::Instant::now();
    let ended = || {
        world.stead(&["status", &name, "--json"]).json()["status"].as_str().is_some_and(|status| status != "running")
    };
    while !ended() {
        assert!(since.elapsed() < std::time::Duration::from_secs(30), "{}", world.stead(&["status", &name]));
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

#[test]
fn a_run_that_does_not_start_is_told_and_logged() {
    let mut world = marked();
    world.set("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "1");
    let stage = "name: goon\ndescription: x\nprovider: /nowhere/agent.sh\ntermination:\n  type: fixed\n";
    world.write("project/.agent/stages/goon/stage.yaml", stage);
    world.write("project/.agent/stages/goon/prompt.md", "Read ${CTX} and write ${STATUS}.\n");
    start(&world, "s1", &["--promise", "DONE", "--then-run", "goon"]);
    let last = stop(&world, "s1", "a");
    assert!(last.json()["systemMessage"].as_str().unwrap().contains("did not start"), "{last}");
    let logged = log(&world).pop().unwrap();
    assert!(logged.starts_with("let-go: run `loop-") && logged.contains("did not start"), "{logged}");
}

#[test]
fn the_same_answer_three_times_pauses() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    for _ in 0..2 {
        assert!(held(&stop(&world, "s1", "I am waiting.")).is_some());
    }
    assert_eq!(held(&stop(&world, "s1", "I am waiting.")), None);
    assert_eq!(status(&world, &id), "paused: the same answer 3 times in a row");
    world.stead(&["loop", "resume", &id]).ok();
    assert!(held(&stop(&world, "s1", "I am waiting.")).is_some());
}

#[test]
fn the_clients_own_cap_is_announced_one_before() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    for number in 1..=8 {
        let own =
            json!({"session_id": "s1", "last_assistant_message": number.to_string(), "stop_hook_active": number > 1});
        let prompt = held(&stop_with(&world, own)).unwrap();
        assert_eq!(prompt.contains("in a row: one more is left"), number == 7, "{number}: {prompt}");
        assert_eq!(prompt.contains("in a row: this is the last time"), number == 8, "{number}: {prompt}");
    }
    // The client ends the turn now; the person's next message begins another one and the loop goes on.
    assert_eq!(status(&world, &id), "active");
    assert!(!held(&stop(&world, "s1", "new turn")).unwrap().contains("in a row"));
}

/// Seen on Claude Code 2.1.325: an agent that works between its stops may be held as often as one likes.
#[test]
fn a_client_that_counts_anew_after_a_tool_is_not_given_up_early() {
    let world = marked();
    start(&world, "s1", &["--promise", "DONE"]);
    for number in 1..=12 {
        let own =
            json!({"session_id": "s1", "last_assistant_message": number.to_string(), "stop_hook_active": number > 1});
        let prompt = held(&stop_with(&world, own)).unwrap();
        assert!(!prompt.contains("in a row"), "{number}: {prompt}");
        let work = json!({"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "true"}});
        world.hook("claude PostToolUse", crate::world::payload(&world, "PostToolUse", work));
    }
}

#[test]
fn a_person_can_set_another_cap() {
    let mut world = marked();
    world.set("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "3");
    start(&world, "s1", &["--promise", "DONE"]);
    assert!(!held(&stop(&world, "s1", "a")).unwrap().contains("in a row"));
    let own = json!({"session_id": "s1", "last_assistant_message": "b", "stop_hook_active": true});
    assert!(held(&stop_with(&world, own)).unwrap().contains("in a row: one more is left"));
}

#[test]
fn minutes_are_bounded_and_a_clock_set_back_counts_as_none() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE", "--max-minutes", "10"]);
    let path = format!("project/.agent/context/loops/{id}.md");
    let look_at = |change: i64| {
        let text = world.read(&path);
        let line = text.lines().find_map(|line| line.strip_prefix("counts: ")).unwrap();
        let mut counts: serde_json::Value = serde_json::from_str(line).unwrap();
        counts["seen_ms"] = json!(counts["seen_ms"].as_i64().unwrap() + change);
        world.write(&path, text.replace(line, &counts.to_string()));
    };
    // As if the last look had been a day ahead of this clock: time went backwards.
    look_at(24 * 3_600_000);
    assert!(held(&stop(&world, "s1", "a")).is_some());
    assert!(log(&world).pop().unwrap().contains("the clock was set back by 86"), "{:?}", log(&world));
    look_at(-9 * 60_000);
    assert!(held(&stop(&world, "s1", "b")).is_some());
    look_at(-60_000);
    assert_eq!(held(&stop(&world, "s1", "c")), None);
    assert_eq!(status(&world, &id), "limit: 10 of 10 minutes used");
}

#[test]
fn sub_agents_at_work_are_waited_for_and_servers_are_not() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    let with = |task: serde_json::Value| {
        let own = json!({"session_id": "s1", "last_assistant_message": "x", "background_tasks": [task]});
        held(&stop_with(&world, own))
    };
    assert_eq!(with(json!({"id": "1", "status": "running", "agent_type": "helper"})), None);
    assert_eq!(shown(&world, &id)["iteration"], 1);
    assert!(with(json!({"id": "2", "status": "running", "type": "shell", "command": "npm run dev"})).is_some());
}

#[test]
fn a_lease_that_ran_out_pauses() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    let path = format!("project/.agent/context/loops/{id}.md");
    let text = world.read(&path);
    let line = text.lines().find(|line| line.starts_with("expires: ")).unwrap();
    world.write(&path, text.replace(line, "expires: 2026-01-01T00:00:00.000Z"));
    assert_eq!(held(&stop(&world, "s1", "x")), None);
    assert_eq!(status(&world, &id), "paused: its lease expired at 2026-01-01T00:00:00.000Z");
}

#[test]
fn the_switch_in_config_lets_everybody_go() {
    let world = marked();
    start(&world, "s1", &["--promise", "DONE"]);
    world.write("project/.agent/config.toml", "[context]\nhold_stops = false\n");
    accept_all(&world);
    assert_eq!(held(&stop(&world, "s1", "x")), None);
    world.write("project/.agent/config.toml", "");
    assert!(held(&stop(&world, "s1", "x")).is_some());
}
