//! `stead why` and `stead blame`: who wrote a line, after everything that people and git do to it.

mod fuzz;
mod matrix;

use std::path::Path;

use serde_json::{Value, json};
use stead_testkit::{Finish, World};

use crate::world::{marked, payload};

/// A project with one commit, and an agent that works for an intent.
fn project(files: &[(&str, &str)]) -> World {
    let world = marked();
    world.write(
        "project/.agent/context/indexes/sessions/session-1.intent",
        "-\tINT-7\t2026-11-15T20:00:00Z\tINTENT_EVOLUTION\n",
    );
    for (path, text) in files {
        world.write(format!("project/{path}"), text);
        git(&world, &format!("add {path}"));
    }
    git(&world, "commit -qm base");
    world
}

fn git(world: &World, line: &str) {
    world.git(&line.split(' ').collect::<Vec<_>>()).ok();
}

/// Writes a file of a checkout as an agent does: between the two events of a call.
fn agent_writes(world: &World, checkout: &Path, path: &str, text: &str) {
    let file = checkout.join(path);
    let before = std::fs::read_to_string(&file).ok();
    let mut call = json!({
        "tool_name": "Write", "tool_use_id": "call-1", "cwd": checkout,
        "tool_input": {"file_path": file, "content": text},
    });
    world.hook("claude PreToolUse", payload(world, "PreToolUse", call.clone())).ok();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    call["tool_response"] = match before {
        Some(before) => json!({"type": "update", "filePath": file, "originalFile": before}),
        None => json!({"type": "create", "filePath": file, "originalFile": null}),
    };
    world.hook("claude PostToolUse", payload(world, "PostToolUse", call)).ok();
}

/// The answers for all lines of a file.
fn blame(world: &World, path: &str) -> Vec<Value> {
    let said = world.stead(&["blame", path, "--json"]).json();
    said["items"].as_array().unwrap().clone()
}

#[test]
fn a_line_names_its_intent_session_and_commit() {
    let world = project(&[("a.txt", "human one\nhuman two\n")]);
    agent_writes(&world, &world.project(), "a.txt", "human one\nagent words\nhuman two\n");
    let why = |place: &str| world.stead(&["why", place, "--json"]).json();
    let said = why("a.txt:2");
    assert_eq!((&said["class"], &said["intent"]), (&json!("agent"), &json!("INT-7")), "{said}");
    assert_eq!((&said["session"], &said["harness"]), (&json!("session-1"), &json!("claude")));
    assert_eq!((&said["mutation_class"], &said["commit"]), (&json!("UNKNOWN"), &json!(null)));
    git(&world, "commit -qam agent");
    let head = world.git(&["rev-parse", "HEAD"]).ok();
    assert_eq!(why("a.txt:2")["commit"], head.trim());
    let human = why("a.txt:1");
    assert_eq!((&human["class"], &human["intent"], &human["record"]), (&json!("unknown"), &json!(null), &json!(null)));
    assert!(human["commit"].is_string());
    let told = world.stead(&["why", "a.txt:2"]).ok();
    assert!(told.starts_with("a.txt:2  agent\n  intent   INT-7\n  session  session-1 (claude)\n"), "{told}");
    let shown = world.stead(&["blame", "a.txt"]).ok();
    assert!(shown.lines().all(|line| line.len() <= 80) && shown.contains("agent   INT-7 session-"), "{shown}");
}

#[test]
fn a_text_that_git_had_before_is_not_the_agents() {
    let world = project(&[("a.txt", "shared words\nhuman one\n"), ("b.txt", "human two\n")]);
    agent_writes(&world, &world.project(), "b.txt", "human two\nshared words\n");
    // The copy of the agent goes, and the file with the other takes its place.
    std::fs::remove_file(world.project().join("b.txt")).unwrap();
    git(&world, "commit -qam removed");
    git(&world, "mv a.txt b.txt");
    git(&world, "commit -qm moved");
    assert_eq!(world.stead(&["why", "b.txt:1", "--json"]).json()["class"], "unknown");
}

#[test]
fn what_an_agent_pulls_is_not_its_own() {
    let world = project(&[("a.txt", "human one\n")]);
    git(&world, "checkout -qb other");
    world.write("project/a.txt", "human one\nhuman on a branch\n");
    git(&world, "commit -qam other");
    git(&world, "checkout -q main");
    let input = json!({"tool_name": "Bash", "tool_input": {"command": "git merge -q other"}, "tool_use_id": "c1"});
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", input.clone())).ok();
    git(&world, "merge -q other");
    let mut after = input;
    after["tool_response"] = json!({"stdout": ""});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", after)).ok();
    world.hook("claude Stop", payload(&world, "Stop", json!({"stop_hook_active": false}))).ok();
    assert_eq!(world.stead(&["why", "a.txt:2", "--json"]).json()["class"], "unknown");
}

#[test]
fn odd_questions_get_a_next_step() {
    let world = project(&[("a.txt", "one line\n"), ("empty.txt", "")]);
    std::fs::write(world.project().join("latin.txt"), b"caf\xe9\n").unwrap();
    std::fs::write(world.project().join("zero.bin"), b"a\0b\n").unwrap();
    std::fs::create_dir(world.project().join("folder")).unwrap();
    std::fs::File::create(world.project().join("huge.txt")).unwrap().set_len(100 << 20).unwrap();
    let check = |place: &str, code: i32, message: &str| {
        let run = world.stead(&["why", place]);
        assert_eq!(run.code, code, "{place}: {}", run.stderr);
        assert!(run.stderr.contains(message) && run.stderr.contains("hint: "), "{place}: {}", run.stderr);
    };
    check("a.txt:2", 1, "has no line 2");
    check("empty.txt:1", 1, "has no line 1");
    check("a.txt:0", 2, "counted from 1");
    check("a.txt", 2, "does not name a line");
    check("missing.txt:1", 1, "cannot read `missing.txt`");
    check("folder:1", 1, "is not a file");
    check("latin.txt:1", 1, "is not UTF-8 text");
    check("zero.bin:1", 1, "is not UTF-8 text");
    check("huge.txt:1", 1, "has 100 MB");
    check("../outside.txt:1", 1, "is not in the project");
    assert_eq!(world.stead(&["why", "a.txt:1:7"]).code, 0);
    let minified = format!("{}\n", "function a(b){return b+1};".repeat(2_000));
    world.write("project/min.js", &minified);
    agent_writes(&world, &world.project(), "min.js", &minified.replace('1', "2"));
    assert_eq!(world.stead(&["why", "min.js:1", "--json"]).json()["class"], "agent");
}

#[test]
fn no_git_no_commits_and_broken_ledgers_are_answered() {
    let world = marked();
    agent_writes(&world, &world.project(), "a.txt", "agent words\n");
    let check = |class: &str| {
        let said = world.stead(&["why", "a.txt:1", "--json"]).json();
        assert_eq!((&said["class"], &said["commit"]), (&json!(class), &json!(null)), "{said}");
    };
    check("agent");
    std::fs::remove_dir_all(world.project().join(".git")).unwrap();
    check("agent");
    let ledger = "project/.agent/intents/agent_trace.jsonl";
    let text = world.read(ledger);
    world.write(ledger, format!("{{\"foreign\":1}}\nnot json\n{text}{{\"version\":\"0.1.0\",\"id\":\"to"));
    check("agent");
    std::fs::remove_file(world.folder().join(ledger)).unwrap();
    check("unknown");
    // What a colleague's ledger says is shown as theirs.
    world.write("project/.agent/intents/peers/ann.jsonl", text);
    check("agent");
    assert_eq!(world.stead(&["why", "a.txt:1", "--json"]).json()["writer"], "ann");
}

#[test]
fn shallow_clones_and_submodules_are_answered() {
    let world = project(&[("a.txt", "human one\n")]);
    agent_writes(&world, &world.project(), "a.txt", "human one\nagent words\n");
    git(&world, "commit -qam agent");
    let clone = format!("file://{}", world.project().display());
    let run = |dir: &Path, args: &[&str]| world.command("git", dir).args(args).finish(&world, b"").ok();
    run(&world.folder(), &["clone", "-q", "--depth", "1", &clone, "shallow"]);
    let shallow = world.folder().join("shallow");
    world.command("cp", &world.folder()).args(["-r", "project/.agent", "shallow/"]).finish(&world, b"").ok();
    let said = world.stead_in(&shallow, &["why", "a.txt:2", "--json"]).json();
    assert_eq!(said["class"], "agent", "{said}");
    run(&world.project(), &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &clone, "sub"]);
    let said = world.stead(&["why", "sub/a.txt:1", "--json"]).json();
    assert_eq!(said["class"], "unknown", "{said}");
}
