//! Loops through the real hook: who is held, how each client is told, and what ends it.

mod bound;
mod client;
mod command;
mod owner;
mod trouble;
mod verify;

use serde_json::{Value, json};
use stead_testkit::{Run, World};

use crate::client::hold;
use crate::world::payload;

/// A shell command out of words.
fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect::<Vec<_>>().join(" ")
}

/// Runs `stead …` as the agent of a session does: the hook sees the call pass, then the program runs.
fn as_agent(world: &World, session: &str, words: &[&str]) -> Run {
    let command = format!("stead {}", quoted(words));
    let own =
        json!({"session_id": session, "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c"});
    let run = world.hook("claude PreToolUse", payload(world, "PreToolUse", own));
    if run.to_string() == "exit 0" { world.stead(words) } else { run }
}

/// Starts a loop in a session and gives its id.
fn start(world: &World, session: &str, flags: &[&str]) -> String {
    let words = [&["loop", "start", "Fix it.", "--json"], flags].concat();
    as_agent(world, session, &words).json()["id"].as_str().unwrap().to_owned()
}

/// A stop of a session in Claude Code's dialect.
fn stop(world: &World, session: &str, said: &str) -> Run {
    stop_with(world, json!({"session_id": session, "last_assistant_message": said, "stop_hook_active": false}))
}

fn stop_with(world: &World, own: Value) -> Run {
    world.hook("claude Stop", payload(world, "Stop", own))
}

/// The prompt of a held stop; `None` when the agent was let go.
fn held(run: &Run) -> Option<String> {
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    hold(run)
}

fn shown(world: &World, id: &str) -> Value {
    world.stead(&["loop", "show", id, "--json"]).json()
}

fn status(world: &World, id: &str) -> String {
    let state = shown(world, id);
    match state["reason"].as_str() {
        Some(reason) => format!("{}: {reason}", state["status"].as_str().unwrap()),
        None => state["status"].as_str().unwrap().to_owned(),
    }
}

/// What happened to the loops, oldest first: `held: why`.
fn log(world: &World) -> Vec<String> {
    let lines = world.stead(&["loop", "log", "--last", "1000", "--json"]).json();
    let shown = |line: &Value| format!("{}: {}", line["did"].as_str().unwrap(), line["why"].as_str().unwrap());
    lines["items"].as_array().unwrap().iter().map(shown).collect()
}
