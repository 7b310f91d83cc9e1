//! What the tests of this suite share: a world with the binary under test, and payloads in one client's dialect.

use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use stead_testkit::{Finish, Run, World};

use crate::answer;

/// A world with a project in which Stead is set up, without hook lines.
pub(crate) fn marked() -> World {
    let world = bare();
    world.stead(&["context", "init"]).ok();
    world
}

/// A world with a project that Stead does not know.
pub(crate) fn bare() -> World {
    let mut world = World::new(env!("CARGO_BIN_EXE_stead"));
    // Whoever runs the tests, nobody of theirs is seen above a command.
    world.set("STEAD_TEST_ANCESTORS", "sh");
    world.check_runs(answer::check);
    world
}

/// Runs `stead` at a terminal, as a person would; all it says is on standard output.
pub(crate) fn by_person(world: &World, args: &[&str]) -> Run {
    at_terminal(world, 500, args)
}

/// Does so at a terminal of that width.
pub(crate) fn at_terminal(world: &World, columns: usize, args: &[&str]) -> Run {
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{}'", arg.replace('\'', "'\\''"))).collect();
    at_terminal_of(world, &format!("stty cols {columns}; {} {}", env!("CARGO_BIN_EXE_stead"), quoted.join(" ")))
}

/// What a terminal shows of a shell's line.
pub(crate) fn at_terminal_of(world: &World, line: &str) -> Run {
    let mut run = world
        .command("script", &world.project())
        .env("SHELL", "/bin/sh")
        .args(["-qec", line, "/dev/null"])
        .finish(world, b"");
    run.stdout = run.stdout.replace("\r\n", "\n");
    run
}

/// Accepts, as a person, what was changed by hand and weakens something.
pub(crate) fn accept_all(world: &World) {
    for change in world.stead(&["seal", "log", "--all", "--json"]).json()["items"].as_array().unwrap() {
        if ["put-back", "in-force"].contains(&change["outcome"].as_str().unwrap()) {
            by_person(world, &["seal", "accept", change["id"].as_str().unwrap()]).ok();
        }
    }
}

/// A payload of Claude Code, whose dialect most tests speak.
pub(crate) fn payload(world: &World, event: &str, own: Value) -> String {
    let mut payload = json!({
        "session_id": "session-1",
        "transcript_path": world.home().join(".claude/projects/p/session-1.jsonl"),
        "cwd": world.project(),
        "hook_event_name": event,
    });
    payload.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    payload.to_string()
}

pub(crate) fn tool(world: &World, tool: &str, input: Value) -> String {
    payload(world, "PreToolUse", json!({"tool_name": tool, "tool_input": input, "tool_use_id": "call-1"}))
}

pub(crate) fn shell(world: &World, command: &str) -> String {
    tool(world, "Bash", json!({"command": command}))
}

/// The lines of a JSONL file in the indexes.
pub(crate) fn lines(world: &World, name: &str) -> Vec<Value> {
    let path = format!("project/.agent/context/indexes/{name}");
    world.read(path).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Says whether a reply in Claude Code's dialect denies a tool call.
pub(crate) fn denies(stdout: &str) -> bool {
    serde_json::from_str::<Value>(stdout).is_ok_and(|said| said["hookSpecificOutput"]["permissionDecision"] == "deny")
}

/// Runs `stead` at a terminal of 80 columns and 24 rows and types each answer when its question is on the screen.
pub(crate) fn converse(world: &World, args: &str, answers: &[(&str, &str)]) -> Run {
    let line = format!("stty cols 80 rows 24; {} {args}", env!("CARGO_BIN_EXE_stead"));
    let mut child = world
        .command("script", &world.project())
        .env("SHELL", "/bin/sh")
        .args(["-qec", &line, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = screen.read(&mut bytes) {
            if send.send(bytes[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let (mut seen, mut answers) = (Vec::new(), answers.iter());
    let mut next = answers.next();
    loop {
        match receive.recv_timeout(Duration::from_secs(60)) {
            Ok(bytes) => seen.extend(bytes),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                child.kill().unwrap();
                panic!("nothing happens; {next:?} is expected\n{}", String::from_utf8_lossy(&seen));
            }
        }
        if let Some((question, answer)) = next
            && String::from_utf8_lossy(&seen).ends_with(question)
        {
            keys.write_all(answer.as_bytes()).unwrap();
            next = answers.next();
        }
    }
    let code = child.wait().unwrap().code().unwrap();
    let stdout = world.normalise(&String::from_utf8_lossy(&seen).replace("\r\n", "\n"));
    assert!(next.is_none(), "was not asked {next:?}\n{stdout}");
    Run { stdout, stderr: String::new(), code }
}
