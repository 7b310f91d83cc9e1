//! `stead log`, and `stead explain` without an id.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::world::{at_terminal, bare, by_person, lines, marked, payload};

const LOG: &str = "project/.agent/context/indexes/sessions.jsonl";

fn call(world: &World, session: &str, tool: &str, input: Value) {
    let own = json!({"session_id": session, "tool_name": tool, "tool_input": input, "tool_use_id": "c"});
    world.hook("claude PreToolUse", payload(world, "PreToolUse", own));
}

fn run(world: &World, session: &str, command: &str) {
    call(world, session, "Bash", json!({"command": command}));
}

/// Two sessions: plain calls, a change of a file, a denial, and a call that a guard would have stopped.
fn used() -> World {
    let world = marked();
    let guard = "id: no-force\nmode: shadow\nmatch: {git: ['push']}\nsay: ask first\n";
    world.write("project/.agent/guards/no-force.yaml", guard);
    run(&world, "7c0e1f2a-aaaa", "git status");
    call(
        &world,
        "7c0e1f2a-aaaa",
        "Edit",
        json!({"file_path": world.project().join("src/a.rs"), "old_string": "a", "new_string": "b"}),
    );
    run(&world, "9b1d0000-bbbb", "cargo test --workspace");
    run(&world, "7c0e1f2a-aaaa", "rm -rf .agent/guards");
    run(&world, "9b1d0000-bbbb", "git push -f origin main");
    world.hook(
        "claude Stop",
        payload(&world, "Stop", json!({"session_id": "9b1d0000-bbbb", "stop_hook_active": false})),
    );
    world
}

/// Without times and the ids of verdicts.
fn steady(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive([' ', '\n']) {
        let (bare, end) = word.split_at(word.trim_end().len());
        let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || "-:".contains(c));
        match bare {
            _ if bare.len() == 10 && bare.starts_with("v-") => out.push_str("v-xxxxxxxx"),
            _ if bare.len() == 8 && bare.contains(':') && is_number(bare) => out.push_str("00:00:00"),
            _ if bare.len() == 10 && is_number(bare) => out.push_str("2026-11-18"),
            _ => out.push_str(bare),
        }
        out.push_str(end);
    }
    out
}

#[test]
fn calls_are_listed_by_session() {
    let world = used();
    let said = |args: &[&str]| steady(&world.stead(&[&["log"], args].concat()).ok());
    insta::assert_snapshot!("all", said(&[]));
    insta::assert_snapshot!("blocked", said(&["--blocked"]));
    insta::assert_snapshot!("session", said(&["--session", "9b1d"]));
    insta::assert_snapshot!("last", said(&["-n", "1"]));
    assert_eq!(said(&["--session", "bbbb", "--blocked"]), "");
    let json = world.stead(&["log", "--json"]).json();
    let items = json["items"].as_array().unwrap();
    assert_eq!(items.len(), 5, "{json}");
    let denied = items.iter().find(|item| item["verdict"] == "deny").unwrap();
    assert_eq!(
        (&denied["command"], &denied["hits"][0]["guard"]),
        (&json!("rm -rf .agent/guards"), &json!("self-protection"))
    );
    assert!(denied["recorded_at"].is_string() && denied["id"].as_str().unwrap().starts_with("v-"), "{denied}");
    assert_eq!(items.iter().filter(|item| item["id"].is_null()).count(), 3, "{json}");
}

#[test]
fn a_session_is_found_by_a_part_of_its_id() {
    let world = used();
    let check = |part: &str, expected: &str| {
        let run = world.stead(&["log", "--session", part]);
        assert!(run.code == 1 && run.stderr.contains(expected), "{part}: {run}");
    };
    check("0", "`0` matches 2 sessions");
    check("nobody", "there is no session `nobody`\nhint: `stead log` shows the latest ones");
}

#[test]
fn nothing_to_list() {
    let world = marked();
    let run = world.stead(&["log"]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", "no calls yet\n"));
    assert_eq!(world.stead(&["log", "--json"]).json()["items"], json!([]));
    let run = bare().stead(&["log"]);
    assert!(run.code == 1 && run.stderr.contains("run `stead init` first"), "{run}");
}

#[test]
fn long_commands_fit_a_terminal_and_hold_no_secrets() {
    let world = marked();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
    run(&world, "s", &format!("curl -H 'Authorization: Bearer {secret}' https://example.invalid"));
    run(&world, "s", &format!("echo {} {secret}", "many words ".repeat(400)));
    // Cut in its middle, it would be half a secret.
    run(&world, "s", &format!("echo {} {secret}", "x".repeat(275)));
    let recorded = world.read(LOG);
    assert!(!recorded.contains("ghp_01") && recorded.contains("[redacted]"), "{recorded}");
    for line in lines(&world, "sessions.jsonl") {
        assert!(line["command"].as_str().unwrap().len() <= 320, "{line}");
    }
    for line in at_terminal(&world, 60, &["log"]).stdout.lines() {
        assert!(line.chars().count() <= 60, "{line}");
    }
}

#[test]
fn torn_lines_are_no_calls() {
    let world = used();
    let whole = world.stead(&["log"]).ok();
    let log = world.read(LOG);
    world.write(LOG, format!("{log}{{\"v\":1,\"ts\":\"2026-11-15T20:01:02.345Z\",\"harness\":\"cl"));
    assert_eq!(world.stead(&["log"]).ok(), whole);
    world.stead(&["status"]).ok();
    // Lines of an earlier version have no command, but effects.
    let old = r#"{"v":1,"ts":"2026-11-15T20:01:02.345Z","harness":"claude","session":"old","event":"before-tool","native":"PreToolUse","tool":"Bash","action":"run","verdict":"allow","effects":{"v":1,"coverage":"full","list":[{"run":["rm","a"],"part":"rm a"},{"delete":"a"}]}}"#;
    world.write(LOG, format!("{old}\n"));
    let said = world.stead(&["log"]).ok();
    assert!(said.contains("2026-11-15  claude, session old\n") && said.contains("delete"), "{said}");
}

#[test]
fn calls_are_followed() {
    let world = used();
    let log = world.read(LOG);
    let torn = log.trim_end().rfind('\n').unwrap() + 30;
    world.write(LOG, &log[..torn]);
    let mut child = world
        .command(env!("CARGO_BIN_EXE_stead"), &world.project())
        .args(["log", "--watch", "-n", "1"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || said.next().unwrap().unwrap();
    assert!(next().ends_with("claude, session 9b1d0000"));
    assert!(next().ends_with("git push -f origin main"));
    assert!(next().contains("no-force: would deny; only recorded"));
    // The torn line is completed, then another session calls.
    let mut file = std::fs::OpenOptions::new().append(true).open(world.folder().join(LOG)).unwrap();
    file.write_all(&log.as_bytes()[torn..]).unwrap();
    run(&world, "a-third-one", "make");
    assert_eq!(next(), "");
    assert!(next().ends_with("claude, session a-third-"));
    assert!(next().ends_with("allow  Bash    make"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_last_blocked_call_is_explained() {
    let world = marked();
    let run_of = |args: &[&str]| world.stead(&[&["explain"], args].concat());
    let none = run_of(&[]);
    assert!(none.stderr.contains("no call of this project was blocked"), "{none}");
    assert!(none.code == 1 && none.stderr.ends_with("hint: `stead log` shows the last calls\n"), "{none}");
    let world = used();
    run(&world, "c3c3c3c3", "rm .agent/context/root.json");
    let ids: Vec<String> = world.stead(&["log", "--blocked", "--json"]).json()["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect();
    let said = world.stead(&["explain"]);
    assert_eq!(said.stderr, format!("note: {} is the last call of this project that was blocked\n", ids[1]));
    assert!(said.stdout.starts_with(&format!("{}  deny  before-tool of Bash at ", ids[1])), "{said}");
    let said = world.stead(&["explain", "--session", "7c0e", "--json"]);
    assert!(said.stderr.contains("is the last call of session `7c0e1f2a-aaaa` that was blocked"), "{said}");
    assert_eq!(said.json()["id"], ids[0]);
    let said = world.stead(&["explain", "--session", "9b1d"]);
    assert!(said.code == 1 && said.stderr.contains("no call of session `9b1d0000-bbbb` was blocked"), "{said}");
    assert_eq!(by_person(&world, &["explain", &ids[0], "--session", "7c0e"]).code, 2);
}
