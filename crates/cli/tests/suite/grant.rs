//! What a person typed in a client permits exactly that command, once, in that turn, whoever else tries.

use serde_json::{Value, json};
use stead_client::Harness;
use stead_model::EventKind;
use stead_testkit::{Run, World};

use crate::client::denial;
use crate::world::{bare, by_person, denies, lines, marked, payload};

/// By its path, the caller is recognised.
const TRANSCRIPT: &str = "/home/dev/.claude/projects/p/s.jsonl";

/// A loop of another session, which an agent may not cancel.
fn stranger(world: &World, task: &str) -> String {
    world.stead(&["loop", "start", task, "--json"]).json()["id"].as_str().unwrap().to_owned()
}

/// The person types `/stead:loop …` in Claude Code: the two events as they were recorded.
fn type_as(world: &World, session: &str, prompt: &str, words: &str) {
    let raw = format!("/stead:loop {words}");
    let own = json!({"session_id": session, "prompt_id": prompt, "prompt": raw});
    assert_eq!(world.hook("claude UserPromptSubmit", payload(world, "UserPromptSubmit", own)).to_string(), "exit 0");
    expand(world, json!({"session_id": session, "prompt_id": prompt, "command_args": words, "prompt": raw}));
}

fn expand(world: &World, own: Value) {
    let mut all = json!({"expansion_type": "slash_command", "command_name": "stead:loop",
        "command_source": "projectSettings", "session_id": "session-1"});
    all.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    let run = world.hook("claude UserPromptExpansion", payload(world, "UserPromptExpansion", all));
    assert_eq!(run.to_string(), "exit 0");
}

fn call(world: &World, command: &str, own: Value) -> Run {
    let mut all = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c"});
    all.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    world.hook("claude PreToolUse", payload(world, "PreToolUse", all))
}

/// Runs a program in the shell of an agent.
fn in_agent(world: &mut World, args: &[&str]) -> Run {
    world.set("CLAUDECODE", "1");
    let run = world.stead(args);
    world.unset("CLAUDECODE");
    run
}

fn status(world: &World, id: &str) -> String {
    world.stead(&["loop", "show", id, "--json"]).json()["status"].as_str().unwrap().to_owned()
}

#[track_caller]
fn refused(world: &mut World, id: &str, why: &str) {
    assert!(denies(&call(world, &format!("stead loop cancel {id}"), json!({})).stdout), "{why}: the call was let pass");
    // Even if no hook stops the call, the command asks.
    let run = in_agent(world, &["loop", "cancel", id]);
    assert!(run.code == 1 && run.stderr.contains("only a person may"), "{why}: {run}");
    assert_eq!(status(world, id), "active", "{why}");
}

#[test]
fn a_typed_command_is_the_persons_and_is_spent_once() {
    let mut world = marked();
    let (id, other) = (stranger(&world, "Paint."), stranger(&world, "Sweep."));
    refused(&mut world, &id, "nothing was typed");
    type_as(&world, "session-1", "p1", &format!("cancel {id}"));
    refused(&mut world, &other, "another loop was typed");
    let run = call(&world, &format!("stead loop cancel '{id}'"), json!({}));
    assert_eq!(run.to_string(), "exit 0");
    let line = lines(&world, "sessions.jsonl").pop().unwrap();
    let schema = world.stead(&["schema", "session-log"]).json();
    assert!(line["grant"].is_string() && jsonschema::is_valid(&schema, &line), "{line}");
    // Other words do not spend it.
    assert_eq!(in_agent(&mut world, &["loop", "cancel", &other]).code, 1);
    assert_eq!(in_agent(&mut world, &["loop", "cancel", &id, "--json"]).code, 1);
    assert!(in_agent(&mut world, &["loop", "cancel", &id]).ok().contains("is cancelled"));
    assert!(!world.exists("project/.agent/context/indexes/grants/session-1.json"));
    let run = in_agent(&mut world, &["loop", "cancel", &id]);
    assert!(run.code == 1 && run.stderr.contains("only a person may"), "{run}");
    assert!(denies(&call(&world, &format!("stead loop cancel {id}"), json!({})).stdout));
    refused(&mut world, &other, "the grant is spent");
}

#[test]
fn only_the_whole_command_passes() {
    let world = marked();
    let id = stranger(&world, "Paint.");
    type_as(&world, "session-1", "p1", &format!("cancel {id}"));
    let typed = format!("stead loop cancel {id}");
    for command in [
        format!("{typed} && echo done"),
        format!("echo go; {typed}"),
        format!("{typed}; rm -rf src"),
        format!("{typed} | cat"),
        format!("{typed} > out.txt"),
        format!("A=1 {typed}"),
        format!("cd . && {typed}"),
        format!("sh -c '{typed}'"),
        format!("env {typed}"),
        format!("{typed} --json"),
        format!("stead -C . loop cancel {id}"),
        format!("X={id}; stead loop cancel $X"),
        format!("stead loop cancel $(echo {id})"),
        format!("./stead loop cancel {id}"),
        format!("stead loop pause {id}"),
        "stead loop cancel".to_owned(),
    ] {
        let run = call(&world, &command, json!({}));
        let line = lines(&world, "sessions.jsonl").pop().unwrap();
        assert!(line.get("grant").is_none(), "{command}: {line}");
        assert!(denies(&run.stdout), "{command}: {run}");
    }
    // A quoted path of the program itself is what a command for every project says.
    let path = format!("'{}' loop cancel {id}", env!("CARGO_BIN_EXE_stead"));
    assert_eq!(call(&world, &path, json!({})).to_string(), "exit 0");
}

#[test]
fn a_grant_ends_with_its_turn_and_stays_in_its_session() {
    let mut world = marked();
    let id = stranger(&world, "Paint.");
    let words = format!("cancel {id}");
    let prompt =
        |world: &World, own: Value| world.hook("claude UserPromptSubmit", payload(world, "UserPromptSubmit", own));
    type_as(&world, "session-1", "p1", &words);
    prompt(&world, json!({"prompt_id": "p2", "prompt": "Go on."}));
    refused(&mut world, &id, "the next prompt came");
    type_as(&world, "session-1", "p3", &words);
    world.hook("claude Stop", payload(&world, "Stop", json!({"prompt_id": "p3"})));
    refused(&mut world, &id, "the turn ended");
    type_as(&world, "session-1", "p4", &words);
    world.hook("claude SessionEnd", payload(&world, "SessionEnd", json!({"reason": "other"})));
    refused(&mut world, &id, "the session ended");
    type_as(&world, "session-2", "p5", &words);
    refused(&mut world, &id, "another session typed it");
    type_as(&world, "session-1", "p6", &words);
    let of_agent = json!({"agent_id": "a1", "agent_type": "general-purpose"});
    assert!(denies(&call(&world, &format!("stead loop {words}"), of_agent.clone()).stdout), "a sub-agent's call");
    // A sub-agent's end, a tool and a compaction are part of the turn.
    world.hook("claude SubagentStop", payload(&world, "SubagentStop", of_agent));
    call(&world, "ls", json!({}));
    assert_eq!(call(&world, &format!("stead loop {words}"), json!({})).to_string(), "exit 0");
    in_agent(&mut world, &["loop", "cancel", &id]).ok();
}

#[test]
fn nobody_but_a_person_types() {
    let mut world = marked();
    let id = stranger(&world, "Paint.");
    let words = format!("cancel {id}");
    let raw = format!("/stead:loop {words}");
    // Text alone, as in prose or in a prompt that a machine wrote, proves nothing in this client.
    for text in [raw.clone(), format!("Please run {raw}"), format!("stead loop {words}")] {
        let own = json!({"prompt_id": "p0", "prompt": text});
        world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", own));
        refused(&mut world, &id, "the text was not expanded");
    }
    expand(&world, json!({"prompt_id": "p1", "command_args": words, "agent_id": "a1"}));
    refused(&mut world, &id, "a sub-agent's event");
    expand(&world, json!({"prompt_id": "p1", "command_args": words, "expansion_type": "mcp_prompt"}));
    refused(&mut world, &id, "another kind of expansion");
    for name in ["greet", "loop", "stead:config", "other:stead:loop"] {
        expand(&world, json!({"prompt_id": "p1", "command_args": words, "command_name": name}));
        refused(&mut world, &id, name);
    }
    for odd in [format!("{words}; true"), format!("{words} > x"), "cancel $(x)".into(), format!("{words} it's")] {
        expand(&world, json!({"prompt_id": "p1", "command_args": odd}));
        refused(&mut world, &id, &odd);
    }
    for above in ["sh\nclaude -p x\nbash -c x\nclaude", "sh\nclaude -p x\nzsh\ncodex", "claude\nstead run night"] {
        world.set("STEAD_TEST_ANCESTORS", above);
        type_as(&world, "session-1", "p2", &words);
        world.set("STEAD_TEST_ANCESTORS", "sh");
        refused(&mut world, &id, above);
    }
    world.set("STEAD_RUN", "night");
    type_as(&world, "session-1", "p2", &words);
    world.unset("STEAD_RUN");
    refused(&mut world, &id, "a run of the engine");
    // The client's own program above the hook is no agent above the client.
    world.set("STEAD_TEST_ANCESTORS", "sh\nclaude\nzsh");
    type_as(&world, "session-1", "p3", &words);
    assert_eq!(call(&world, &format!("stead loop {words}"), json!({})).to_string(), "exit 0");
}

#[test]
fn a_command_that_the_agent_loads_or_schedules_is_not_typed() {
    let mut world = marked();
    let id = stranger(&world, "Paint.");
    let words = format!("cancel {id}");
    let own = json!({"prompt_id": "p1", "prompt": "Do it."});
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", own));
    let skill = json!({"tool_name": "Skill", "tool_input": {"skill": "stead:loop", "args": words}});
    call(&world, "", skill);
    expand(&world, json!({"prompt_id": "p1", "command_args": words}));
    refused(&mut world, &id, "the agent loaded it");
    let crons = json!({"prompt_id": "p1", "session_crons": [{"id": "x", "prompt": "/stead:loop"}]});
    world.hook("claude Stop", payload(&world, "Stop", crons));
    type_as(&world, "session-1", "p2", &words);
    refused(&mut world, &id, "the client prompts itself");
    world.hook("claude Stop", payload(&world, "Stop", json!({"prompt_id": "p2", "session_crons": []})));
    type_as(&world, "session-1", "p3", &words);
    assert_eq!(call(&world, &format!("stead loop {words}"), json!({})).to_string(), "exit 0");
}

#[test]
fn an_agent_cannot_write_its_own_grant() {
    let mut world = marked();
    let id = stranger(&world, "Paint.");
    let path = "project/.agent/context/indexes/grants/session-1.json";
    for command in [
        "echo '{}' > .agent/context/indexes/grants/session-1.json",
        "mkdir -p .agent/context/indexes/grants",
        "cp x.json .agent/context/indexes/grants/session-1.json",
        "stead hook claude UserPromptExpansion < x.json",
    ] {
        assert!(denial(&call(&world, command, json!({}))).is_some(), "{command}");
    }
    let own = json!({"tool_name": "Write", "tool_input": {"file_path": world.folder().join(path), "content": "{}"}});
    assert!(denial(&call(&world, "", own)).is_some());
    // A file without a line of the hook that names it is no grant for the command.
    let grant = json!({"schema": 1, "id": "ab", "at": "2026-11-17T00:00:00.000Z", "words": ["loop", "cancel", id]});
    world.write(path, grant.to_string());
    let run = in_agent(&mut world, &["loop", "cancel", &id]);
    assert!(run.code == 1 && run.stderr.contains("only a person may"), "{run}");
    for broken in ["", "{", "[]", "{\"id\": 1}"] {
        world.write(path, broken);
        refused(&mut world, &id, broken);
    }
}

#[test]
fn of_many_processes_one_spends_the_grant() {
    let mut world = marked();
    let id = stranger(&world, "Paint.");
    type_as(&world, "session-1", "p1", &format!("pause {id}"));
    for _ in 0..2 {
        assert_eq!(call(&world, &format!("stead loop pause {id}"), json!({})).to_string(), "exit 0");
    }
    world.set("CLAUDECODE", "1");
    let codes: Vec<i32> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(|| world.stead(&["loop", "pause", &id]).code)).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    let left = std::fs::read_dir(world.project().join(".agent/context/indexes/grants")).unwrap().count();
    assert_eq!(left, 0);
}

/// How each client tells what a person typed, as it was recorded, and how it reports a shell call.
fn client_events(world: &World, harness: Harness, words: &str) -> Vec<(&'static str, Value)> {
    let cwd = world.project();
    match harness {
        Harness::Codex => vec![(
            "UserPromptSubmit",
            json!({"session_id": "s", "turn_id": "t", "cwd": cwd, "hook_event_name": "UserPromptSubmit", "model": "gpt-5.5",
                "permission_mode": "bypassPermissions", "prompt": format!("$stead-loop {words}")}),
        )],
        Harness::Qwen => {
            let own = |event: &str| {
                json!({"session_id": "s", "cwd": cwd, "hook_event_name": event, "timestamp": "2026-11-15T18:12:40.426Z",
                    "permission_mode": "yolo", "prompt_id": "s########0", "prompt": "Run `stead loop` …"})
            };
            let (mut expansion, mut prompt) = (own("UserPromptExpansion"), own("UserPromptSubmit"));
            expansion["command_name"] = json!("stead:loop");
            expansion["command_args"] = json!(words);
            prompt["submitted_prompt"] = json!(format!("/stead:loop {words}"));
            // The event is raised before every call of the model.
            let again = own("UserPromptSubmit");
            vec![("UserPromptExpansion", expansion), ("UserPromptSubmit", prompt), ("UserPromptSubmit", again)]
        }
        Harness::OpenCode | Harness::Kilo => {
            let input = json!({"command": "stead-loop", "sessionID": "s", "arguments": words});
            let output = json!({"parts": [{"type": "text", "text": "Run `stead loop` …"}]});
            let before =
                json!({"client": harness.name(), "directory": cwd, "worktree": cwd, "input": input, "output": output});
            let mut message = before.clone();
            message["input"] = json!({"sessionID": "s"});
            message["command"] = json!({"command": "stead-loop", "arguments": words, "text": "Run `stead loop` …"});
            vec![("command.execute.before", before), ("chat.message", message)]
        }
        Harness::Claude => {
            let own = |event: &str| {
                json!({"session_id": "s", "transcript_path": TRANSCRIPT, "cwd": cwd, "hook_event_name": event,
                    "prompt_id": "p", "prompt": format!("/stead:loop {words}"), "expansion_type": "slash_command",
                    "command_name": "stead:loop", "command_args": words})
            };
            ["UserPromptSubmit", "UserPromptExpansion"].into_iter().map(|event| (event, own(event))).collect()
        }
        // What others send, with everything in it that counts elsewhere.
        _ => {
            let facts = &harness.client().facts;
            let prompts = facts.events.iter().filter(|fact| fact.kind == EventKind::Prompt);
            let typed = facts.commands.typed.replace("{name}", "loop");
            let own = |event: &str| {
                json!({"session_id": "s", "cwd": cwd, "hook_event_name": event, "prompt": format!("{typed} {words}"),
                    "command_name": "stead:loop", "command_args": words, "command": {"command": "stead-loop",
                    "arguments": words}, "submitted_prompt": format!("{typed} {words}"), "workspace_roots": [cwd]})
            };
            prompts.map(|fact| fact.native).chain(["UserPromptExpansion"]).map(|event| (event, own(event))).collect()
        }
    }
}

fn shell_call(world: &World, harness: Harness, command: &str) -> Run {
    let cwd = world.project();
    match harness {
        Harness::OpenCode | Harness::Kilo => {
            let call = json!({"client": harness.name(), "directory": cwd, "worktree": cwd, "input": {"tool": "bash", "sessionID": "s", "callID": "c"},
                "output": {"args": {"command": command}}});
            world.hook(&format!("{harness} tool.execute.before"), call.to_string())
        }
        _ => {
            let tool = if harness == Harness::Qwen { "run_shell_command" } else { "Bash" };
            let mut call = json!({"session_id": "s", "cwd": cwd, "hook_event_name": "PreToolUse", "tool_name": tool,
                "tool_use_id": "c", "tool_input": {"command": command}});
            if harness == Harness::Claude {
                call["transcript_path"] = json!(TRANSCRIPT);
            }
            world.hook(&format!("{harness} PreToolUse"), call.to_string())
        }
    }
}

#[test]
fn every_client_that_proves_it_grants_and_no_other_does() {
    for harness in Harness::ALL {
        let mut world = marked();
        let id = stranger(&world, "Paint.");
        let words = format!("cancel {id}");
        for (event, payload) in client_events(&world, harness, &words) {
            world.hook(&format!("{harness} {event}"), payload.to_string());
        }
        let grants = harness.client().facts.typed_by.is_some();
        let file = world.exists("project/.agent/context/indexes/grants/s.json");
        assert_eq!(file, grants, "{harness}");
        if grants {
            let run = shell_call(&world, harness, &format!("stead loop {words}"));
            let line = lines(&world, "sessions.jsonl").pop().unwrap();
            assert!(line["verdict"] == "allow" && line["grant"].is_string(), "{harness}: {run} {line}");
            in_agent(&mut world, &["loop", "cancel", &id]).ok();
        }
        assert_eq!(status(&world, &id), if grants { "cancelled" } else { "active" }, "{harness}");
    }
}

#[test]
fn packets_and_resumed_loops_need_no_more_than_before() {
    let mut world = marked();
    let id = stranger(&world, "Paint.");
    by_person(&world, &["loop", "pause", &id]).ok();
    type_as(&world, "session-1", "p1", &format!("resume {id}"));
    assert_eq!(call(&world, &format!("stead loop resume {id}"), json!({})).to_string(), "exit 0");
    in_agent(&mut world, &["loop", "resume", &id]).ok();
    assert_eq!(status(&world, &id), "active");
}

#[test]
fn doctor_says_where_typed_commands_count() {
    let world = bare();
    let said = world.stead(&["doctor", "--all"]).stdout;
    let part = said.split("permits what only a person may do:\n").nth(1).unwrap();
    assert!(part.starts_with("  yes       claude, codex, qwen, opencode, kilo\n"), "{part}");
    assert!(part.contains("  no        gemini, copilot, kimi, droid, cursor, grok, pi\n"), "{part}");
    let json = world.stead(&["doctor", "--json"]).json();
    let clients = json["capabilities"].as_array().unwrap();
    assert!(clients.iter().all(|client| client["typed_commands"].is_boolean()), "{json}");
}
