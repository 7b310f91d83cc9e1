//! Every client is held in the words that it honours, from payloads that clients really sent or document.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use stead_testkit::{Run, World};

use crate::client::hold;
use crate::world::marked;

/// A client: how it announces a shell command and a stop, and how it takes being held.
struct Client {
    name: &'static str,
    before: (&'static str, &'static str),
    stop: (&'static str, &'static str),
    /// Where the command and the last message stand in the payloads.
    command: &'static str,
    message: Option<&'static str>,
    held: fn(&Run) -> Option<String>,
}

const CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        before: ("PreToolUse", "PreToolUse.Bash.json"),
        stop: ("Stop", "Stop.json"),
        command: "/tool_input/command",
        message: Some("/last_assistant_message"),
        held: hold,
    },
    Client {
        name: "codex",
        before: ("PreToolUse", "PreToolUse.Bash.json"),
        stop: ("Stop", "Stop.json"),
        command: "/tool_input/command",
        message: Some("/last_assistant_message"),
        held: |run| block(run, "block"),
    },
    Client {
        name: "gemini",
        before: ("BeforeTool", "BeforeTool.json"),
        stop: ("AfterAgent", "AfterAgent.json"),
        command: "/tool_input/command",
        message: Some("/prompt_response"),
        held: |run| block(run, "deny"),
    },
    Client {
        name: "qwen",
        before: ("PreToolUse", "PreToolUse.json"),
        stop: ("Stop", "Stop.json"),
        command: "/tool_input/command",
        message: Some("/last_assistant_message"),
        held: |run| block(run, "block"),
    },
    Client {
        name: "copilot",
        before: ("preToolUse", "preToolUse.json"),
        stop: ("agentStop", "agentStop.json"),
        command: "/toolArgs/command",
        message: None,
        held: |run| block(run, "block"),
    },
    Client {
        name: "kimi",
        before: ("PreToolUse", "PreToolUse.json"),
        stop: ("Stop", "Stop.json"),
        command: "/tool_input/command",
        message: None,
        held: |run| (run.code == 2 && run.stdout.is_empty()).then(|| run.stderr.clone()),
    },
    Client {
        name: "droid",
        before: ("PreToolUse", "PreToolUse.Execute.json"),
        stop: ("Stop", "Stop.json"),
        command: "/tool_input/command",
        message: None,
        held: |run| block(run, "block"),
    },
    Client {
        name: "cursor",
        before: ("preToolUse", "preToolUse.Shell.json"),
        stop: ("stop", "stop.json"),
        command: "/tool_input/command",
        message: None,
        held: |run| run.json()["followup_message"].as_str().map(str::to_owned),
    },
    Client {
        name: "grok",
        before: ("PreToolUse", "PreToolUse.run_terminal_command.json"),
        stop: ("Stop", "Stop.json"),
        command: "/tool_input/command",
        message: Some("/lastAssistantMessage"),
        held: |run| block(run, "block"),
    },
    Client {
        name: "pi",
        before: ("tool.execute.before", "tool.execute.before.bash.json"),
        stop: ("session.idle", "session.idle.json"),
        command: "/output/args/command",
        message: Some("/last"),
        held: |run| run.json()["continue"].as_str().map(str::to_owned),
    },
    Client {
        name: "kilo",
        before: ("tool.execute.before", "tool.execute.before.bash.json"),
        stop: ("experimental.text.complete", "experimental.text.complete.json"),
        command: "/output/args/command",
        message: Some("/output/text"),
        held: |run| run.json()["continue"].as_str().map(str::to_owned),
    },
    Client {
        name: "opencode",
        before: ("tool.execute.before", "tool.execute.before.json"),
        stop: ("session.idle", "documented/event.session.idle.json"),
        command: "/output/args/command",
        message: Some("/last"),
        held: |run| run.json()["continue"].as_str().map(str::to_owned),
    },
];

fn block(run: &Run, word: &str) -> Option<String> {
    if run.stdout.is_empty() {
        return None;
    }
    let said = run.json();
    (said["decision"] == word).then(|| said["reason"].as_str().unwrap().to_owned())
}

impl Client {
    /// A payload of this client, moved into the world.
    fn payload(&self, world: &World, file: &str) -> Value {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/fixtures");
        let text = fs::read_to_string(fixtures.join(self.name).join(file)).unwrap();
        let text = text.replace("/home/dev/project", &world.project().display().to_string());
        let mut value: Value =
            serde_json::from_str(&text.replace("/home/dev", &world.home().display().to_string())).unwrap();
        if self.name == "droid" {
            // Its payloads are from several sessions.
            value["session_id"] = json!("d1");
        }
        if matches!(self.name, "opencode" | "kilo" | "pi") {
            // The plugin adds them.
            value["directory"] = json!(world.project());
            value["worktree"] = json!(world.project());
        }
        value
    }

    /// Starts a loop as this client's agent would.
    fn start(&self, world: &World, words: &[&str]) -> String {
        let words = [&["loop", "start", "Fix it.", "--json"], words].concat();
        let mut call = self.payload(world, self.before.1);
        *call.pointer_mut(self.command).unwrap() = json!(format!("stead {}", super::quoted(&words)));
        let run = world.hook(&format!("{} {}", self.name, self.before.0), call.to_string());
        assert!(run.code == 0 && !run.stdout.contains("deny"), "{}: {run}", self.name);
        let started = world.stead(&words).json();
        assert_eq!(started["harness"], self.name);
        started["id"].as_str().unwrap().to_owned()
    }

    fn stop(&self, world: &World, said: &str) -> Option<String> {
        let mut stop = self.payload(world, self.stop.1);
        if let Some(message) = self.message {
            *stop.pointer_mut(message).unwrap() = json!(said);
        }
        let run = world.hook(&format!("{} {}", self.name, self.stop.0), stop.to_string());
        (self.held)(&run)
    }
}

#[test]
fn each_client_is_held_in_its_own_words() {
    for client in CLIENTS.iter().filter(|client| client.message.is_some()) {
        let world = marked();
        let id = client.start(&world, &["--promise", "DONE|BLOCKED"]);
        let prompt = client.stop(&world, "not yet").unwrap_or_else(|| panic!("{} was let go", client.name));
        assert!(prompt.contains("iteration 2 of 25") && prompt.contains("Fix it."), "{}: {prompt}", client.name);
        assert!(prompt.contains("<promise>DONE</promise> or <promise>BLOCKED</promise>"), "{prompt}");
        assert_eq!(client.stop(&world, "<promise>BLOCKED</promise>"), None, "{}", client.name);
        assert_eq!(super::status(&world, &id), "done: promise `BLOCKED` kept", "{}", client.name);
        assert_eq!(client.stop(&world, "later"), None, "{}", client.name);
    }
}

#[test]
fn a_client_that_never_tells_what_was_said_is_held_by_count_and_check() {
    for client in CLIENTS.iter().filter(|client| matches!(client.name, "kimi" | "cursor")) {
        let world = marked();
        let id = client.start(&world, &["--promise", "DONE", "--max-iterations=2"]);
        let prompt = client.stop(&world, "").unwrap_or_else(|| panic!("{} was let go", client.name));
        assert!(prompt.contains("iteration 2 of 2") && !prompt.contains("<promise>"), "{}: {prompt}", client.name);
        assert_eq!(client.stop(&world, ""), None, "{}", client.name);
        assert_eq!(super::status(&world, &id), "limit: 2 of 2 iterations used");
        let id = client.start(&world, &["--promise", "DONE", "--verify", "test -e sign"]);
        assert!(client.stop(&world, "").is_some(), "{}", client.name);
        world.write("project/sign", "");
        assert_eq!(client.stop(&world, ""), None, "{}", client.name);
        assert_eq!(super::status(&world, &id), "done: its check kept, `test -e sign` passed");
    }
}

/// How a client that sends no message writes one down: where its transcript is, lines of no interest, and the message.
struct Transcript {
    client: &'static str,
    path: &'static str,
    noise: fn() -> Value,
    said: fn(&str) -> Value,
    end: fn() -> Value,
}

const TRANSCRIPTS: &[Transcript] = &[
    Transcript {
        client: "copilot",
        path: "transcriptPath",
        noise: || json!({"type": "tool.execution_complete", "data": {"result": "x".repeat(1000)}, "id": "1"}),
        said: |text| json!({"type": "assistant.message", "data": {"content": text}, "id": "1"}),
        end: || json!({"type": "assistant.turn_end", "data": {}, "id": "1"}),
    },
    Transcript {
        client: "droid",
        path: "transcript_path",
        noise: || json!({"type": "message", "message": {"role": "user", "content": [{"type": "tool_result", "content": "x".repeat(1000)}]}}),
        said: |text| json!({"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}),
        end: || json!({"type": "message", "message": {"role": "user", "content": [], "visibility": "user_only", "hookEventName": "Stop"}}),
    },
];

#[test]
fn the_transcript_speaks_where_the_client_does_not() {
    for Transcript { client: name, path, noise, said, end } in TRANSCRIPTS {
        let client = CLIENTS.iter().find(|client| client.name == *name).unwrap();
        let world = marked();
        let id = client.start(&world, &["--promise", "DONE"]);
        assert_eq!(client.stop(&world, ""), None, "{name}: nothing is held because something was not found");
        assert_eq!(super::status(&world, &id), "active", "{name}");
        assert_eq!(super::log(&world).pop().unwrap(), "let-go: the agent's last message could not be read", "{name}");
        let path = client.payload(&world, client.stop.1)[path].as_str().unwrap().to_owned();
        let long = format!("{}\n", noise()).repeat(5_000);
        world.write(&path, format!("{long}{}\n{}\n", said("not yet"), end()));
        assert!(client.stop(&world, "").unwrap().contains("iteration 2 of 25"), "{name}");
        world.write(&path, format!("{long}{}\n{}\n{{\"type\":\"assis", said("done <promise>DONE</promise>"), end()));
        assert_eq!(client.stop(&world, ""), None, "{name}");
        assert_eq!(super::status(&world, &id), "done: promise `DONE` kept", "{name}");
    }
}

#[test]
fn a_client_that_repeats_the_whole_turn_is_heard_once() {
    let client = CLIENTS.iter().find(|client| client.name == "gemini").unwrap();
    let world = marked();
    let id = client.start(&world, &["--promise", "DONE", "--verify", "false"]);
    assert!(client.stop(&world, "one <promise>DONE</promise>").unwrap().contains("`false` failed (exit 1)"));
    let mut again = client.payload(&world, "AfterAgent.retry.json");
    again["session_id"] = client.payload(&world, client.stop.1)["session_id"].clone();
    again["prompt_response"] = json!("one <promise>DONE</promise>\ntwo");
    let prompt = (client.held)(&world.hook("gemini AfterAgent", again.to_string())).unwrap();
    assert!(!prompt.contains("failed"), "the promise of before does not count again: {prompt}");
    assert_eq!(super::status(&world, &id), "active");
}

/// Some clients report what Stead gave to the agent as a prompt that looks like a person's.
#[test]
fn what_stead_said_is_not_the_persons_word() {
    for (name, event, file) in [
        ("gemini", "BeforeAgent", "BeforeAgent.reinjected.json"),
        ("copilot", "userPromptSubmitted", "userPromptSubmitted.reinjected.json"),
    ] {
        let client = CLIENTS.iter().find(|client| client.name == name).unwrap();
        let world = marked();
        client.start(&world, &["--max-iterations", "9"]);
        let given = client.stop(&world, "not yet").unwrap_or_else(|| panic!("{name} was let go"));
        let session = client.payload(&world, client.stop.1);
        let ask = |text: &str| {
            let mut prompt = client.payload(&world, file);
            for key in ["session_id", "sessionId"] {
                if let Some(id) = session.get(key) {
                    prompt[key] = id.clone();
                }
            }
            prompt["prompt"] = json!(text);
            world.hook(&format!("{name} {event}"), prompt.to_string());
            crate::world::lines(&world, "prompts.jsonl").pop().unwrap()
        };
        assert_eq!(ask(&given)["author"], "machine", "{name}");
        assert_ne!(ask("Never touch vendor/.")["author"], "machine", "{name}");
        let said = world.stead(&["handoff", "go on", "--json"]).json();
        let packet = world.read(format!("project/.agent/context/packets/{}.md", said["id"].as_str().unwrap()));
        assert!(packet.contains("> Never touch vendor/. (prompt 1, "), "{name}: {packet}");
        assert!(!packet.contains("Stead loop"), "{name}: {packet}");
    }
}
