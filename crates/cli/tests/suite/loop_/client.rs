//! Every client is held in the words that it honours, from payloads that clients really sent or document.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use stead_testkit::{Run, World};

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
        held: |run| block(run, "block"),
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
        name: "cursor",
        before: ("preToolUse", "preToolUse.Shell.json"),
        stop: ("stop", "stop.json"),
        command: "/tool_input/command",
        message: None,
        held: |run| run.json()["followup_message"].as_str().map(str::to_owned),
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
        if self.name == "opencode" {
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
        assert_eq!(super::status(&world, &id), "cancelled: 2 of 2 iterations used");
        let id = client.start(&world, &["--promise", "DONE", "--verify", "test -e sign"]);
        assert!(client.stop(&world, "").is_some(), "{}", client.name);
        world.write("project/sign", "");
        assert_eq!(client.stop(&world, ""), None, "{}", client.name);
        assert_eq!(super::status(&world, &id), "done: its check kept, `test -e sign` passed");
    }
}

#[test]
fn the_transcript_speaks_where_the_client_does_not() {
    let client = CLIENTS.iter().find(|client| client.name == "copilot").unwrap();
    let world = marked();
    let id = client.start(&world, &["--promise", "DONE"]);
    assert_eq!(client.stop(&world, ""), None, "nothing is held because something was not found");
    assert_eq!(super::status(&world, &id), "active");
    assert_eq!(super::log(&world).pop().unwrap(), "let-go: the agent's last message could not be read");
    let path = client.payload(&world, client.stop.1)["transcriptPath"].as_str().unwrap().to_owned();
    let line = |kind: &str, data: Value| json!({"type": kind, "data": data, "id": "1"}).to_string() + "\n";
    let long = line("tool.execution_complete", json!({"result": "x".repeat(1000)})).repeat(5_000);
    let said = |text: &str| line("assistant.message", json!({"content": text}));
    let end = line("assistant.turn_end", json!({}));
    world.write(&path, format!("{long}{}{end}", said("not yet")));
    assert!(client.stop(&world, "").unwrap().contains("iteration 2 of 25"));
    world.write(&path, format!("{long}{}{end}{{\"type\":\"assis", said("done <promise>DONE</promise>")));
    assert_eq!(client.stop(&world, ""), None);
    assert_eq!(super::status(&world, &id), "done: promise `DONE` kept");
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
