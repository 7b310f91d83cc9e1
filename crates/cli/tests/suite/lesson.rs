//! `stead lesson`, and lessons that are learnt by themselves.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::world::{bare, by_person, lines, marked, payload};

const FILE: &str = "project/.agent/intents/AGENT.md";

fn texts(world: &World) -> Vec<String> {
    let said = world.stead(&["lesson", "list", "--json"]).json();
    said["items"].as_array().unwrap().iter().map(|lesson| lesson["text"].as_str().unwrap().to_owned()).collect()
}

/// What Claude Code says after a shell command.
fn ran(world: &World, command: &str, exit: i32, output: &str) {
    let (event, own) = match exit {
        0 => ("PostToolUse", json!({"tool_response": {"stdout": output, "stderr": "", "interrupted": false}})),
        _ => ("PostToolUseFailure", json!({"error": format!("Exit code {exit}\n{output}")})),
    };
    let mut all = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c"});
    all.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    world.hook(&format!("claude {event}"), payload(world, event, all));
}

#[test]
fn a_lesson_is_added_listed_and_dropped() {
    let world = marked();
    let added =
        world.stead(&["lesson", "add", "--kind", "pitfall", "the cache", "is not thread-safe", "--json"]).json();
    let id = added["id"].as_str().unwrap();
    assert_eq!((&added["known"], &added["redacted"]), (&json!(false), &json!(0)));
    assert_eq!(world.stead(&["lesson", "add", "use the pool"]).ok(), "added L-2fad04cd\n");
    let again = world.stead(&["lesson", "add", "--kind", "pitfall", "The cache is not thread-safe."]).ok();
    assert_eq!(again, format!("already known: {id}\n"));
    // What is needed more often comes first.
    let listed = world.stead(&["lesson", "list"]).ok();
    assert_eq!(listed, format!("{id}  pitfall   the cache is not thread-safe\nL-2fad04cd  lesson    use the pool\n"));
    assert_eq!(world.stead(&["lesson", "list", "--kind", "style"]).ok(), "");
    let wrong = world.stead(&["lesson", "drop", "L-0000"]);
    assert_eq!(wrong.code, 1);
    assert!(wrong.stderr.starts_with("error: there is no lesson `L-0000`\nhint: "), "{wrong}");
    assert_eq!(world.stead(&["lesson", "add", " "]).code, 2);
    assert!(world.stead(&["lesson", "drop", &id[..6]]).ok().starts_with(&format!("removed {id}: ")));
    assert_eq!(texts(&world), ["use the pool"]);
    let did: Vec<Value> = lines(&world, "lessons.jsonl").into_iter().map(|line| line["did"].clone()).collect();
    assert_eq!(did, ["added", "added", "again", "dropped"]);
}

#[test]
fn a_decision_becomes_a_lesson() {
    let world = marked();
    world.stead(&["note", "decision", "keep the old API"]).ok();
    world.stead(&["note", "question", "why?"]).ok();
    assert_eq!(texts(&world), ["keep the old API"]);
    assert!(world.read(FILE).contains("\n## Decisions\n\n- [L-"));
    world.stead(&["config", "set", "record.lessons", "false"]).ok();
    world.stead(&["note", "decision", "another"]).ok();
    assert_eq!(texts(&world).len(), 1);
}

#[test]
fn a_failure_that_stead_verified_is_learnt_with_its_solution() {
    let world = marked();
    world.write("project/check.sh", "grep good src.txt || { echo 'error: src.txt is bad'; exit 3; }\n");
    world.write("project/src.txt", "bad\n");
    assert_eq!(world.stead(&["verify", "--", "sh check.sh"]).code, 1);
    assert_eq!(texts(&world), [""; 0]);
    world.write("project/src.txt", "good\n");
    world.stead(&["verify", "--", "sh check.sh"]).ok();
    let expected = "`sh check.sh` failed (exit 3): `error: src.txt is bad` → `sh check.sh` passed later without a \
                    recorded change; it may be flaky";
    assert_eq!(texts(&world), [expected]);
}

#[test]
fn hooks_learn_at_stops_and_at_the_end_of_a_session() {
    let world = marked();
    let red = "thread 'add' panicked at src/lib.rs:3:\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
    let green = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
    ran(&world, "cargo test", 101, red);
    ran(&world, "eslint src", 1, "src/a.js\n  1:1  error  no-undef\n");
    assert!(!world.exists(FILE), "nothing happens after a tool");
    ran(&world, "cargo test", 0, green);
    world.hook("claude Stop", payload(&world, "Stop", json!({"stop_hook_active": false})));
    let text = world.read(FILE);
    let solved = "`cargo test` failed (0 passed, 1 failed, exit 101): `thread 'add' panicked at src/lib.rs:3:` → ";
    assert!(text.contains(solved), "{text}");
    assert!(!text.contains("eslint"), "{text}");
    world.hook("claude SessionEnd", payload(&world, "SessionEnd", json!({"reason": "other"})));
    let text = world.read(FILE);
    let stayed = "`eslint src` failed (exit 1): `1:1 error no-undef` → still failing when session `session-1` ended";
    assert!(text.contains(stayed), "{text}");
    // Nothing is learnt twice.
    for _ in 0..2 {
        world.hook("claude Stop", payload(&world, "Stop", json!({"stop_hook_active": false})));
    }
    assert_eq!(world.read(FILE), text);
    // The next session is told, and that counts as a use.
    let start = json!({"source": "startup", "session_id": "session-2"});
    let said = world.hook("claude SessionStart", payload(&world, "SessionStart", start)).stdout;
    assert!(said.contains("## Lessons") && said.contains("panicked at src/lib.rs:3"), "{said}");
    assert_eq!(lines(&world, "lessons.jsonl").last().unwrap()["did"], "told");
}

#[test]
fn two_writers_and_a_persons_text() {
    let world = marked();
    let own = "\u{feff}# Notes\r\n\r\n- [L-beef] looks like one\r\ntext without a last line end";
    world.write(FILE, own);
    std::thread::scope(|scope| {
        for writer in 0..2 {
            let world = &world;
            scope.spawn(move || {
                for number in 0..8 {
                    world.stead(&["lesson", "add", &format!("writer {writer} says {number}")]).ok();
                }
            });
        }
    });
    let text = world.read(FILE);
    assert!(text.starts_with(own), "{text}");
    assert_eq!(texts(&world).len(), 16);
    assert!(text.lines().count() > 16 && text.split_inclusive('\n').all(|line| line.ends_with("\r\n")), "{text:?}");
    for id in world.stead(&["lesson", "list", "--json"]).json()["items"].as_array().unwrap() {
        world.stead(&["lesson", "drop", id["id"].as_str().unwrap()]).ok();
    }
    assert!(world.read(FILE).starts_with(own));
}

#[test]
fn init_adds_one_line_and_uninstall_removes_it() {
    let world = bare();
    let (ours, theirs) = ("# For agents\r\nBe kind.\r\n", "@AGENTS.md\n");
    world.write("project/AGENTS.md", ours);
    world.write("project/CLAUDE.md", theirs);
    let args = ["init", "--harness", "claude,codex,gemini", "--lessons"];
    let said = world.stead(&[&args[..], &["--dry-run"]].concat()).ok();
    assert!(said.contains("+Read the lessons learned in this project first: @.agent/intents/AGENT.md"), "{said}");
    assert_eq!(world.read("project/AGENTS.md"), ours);
    world.stead(&args).ok();
    let line = "Read the lessons learned in this project first: @.agent/intents/AGENT.md";
    assert_eq!(world.read("project/AGENTS.md"), format!("{ours}\r\n{line}\r\n"));
    assert_eq!(world.read("project/CLAUDE.md"), theirs, "it includes the other file");
    assert_eq!(world.read("project/GEMINI.md"), format!("{line}\n"));
    assert!(world.stead(&args).ok().contains("nothing to change"));
    // A session of a client that reads the file is not told twice.
    world.stead(&["lesson", "add", "use the pool"]).ok();
    let start = |client: &str| {
        let own = json!({"source": "startup", "turn_id": "t", "model": "m"});
        world.hook(&format!("{client} SessionStart"), payload(&world, "SessionStart", own)).stdout
    };
    assert!(start("claude").contains("use the pool"));
    assert!(!start("codex").contains("use the pool"));
    world.write("project/GEMINI.md", format!("mine\n\n{line}\n"));
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_eq!(world.read("project/AGENTS.md"), ours);
    assert_eq!(world.read("project/GEMINI.md"), "mine\n\n");
    assert!(!world.exists("project/.codex/hooks.json"));
}
