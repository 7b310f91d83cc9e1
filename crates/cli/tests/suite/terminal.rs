//! What is printed: nothing that a terminal would obey, whole lines in a pipe, lines of its width on a terminal.

use crate::world::{at_terminal, by_person, marked, shell};

const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[2Jcleared\u{9b}31m";

#[track_caller]
fn check_harmless(said: &str, what: &str) {
    let obeyed: Vec<char> = said.chars().filter(|c| c.is_control() && !"\n\t".contains(*c)).collect();
    assert!(obeyed.is_empty(), "{what}: {obeyed:?} in {said:?}");
}

#[test]
fn files_cannot_speak_to_the_terminal() {
    let world = marked();
    world.stead(&["handoff", "finish it", "--context", "the state"]).ok();
    let packet = world.sh("echo .agent/context/packets/*.md").ok().trim().to_owned();
    let text = world.read(format!("project/{packet}"));
    world.write(
        format!("project/{packet}"),
        text.replace("the state", EVIL).replace("finish it", &format!("a {EVIL} b")),
    );
    let started = world.stead(&["loop", "start", &format!("do {EVIL} it"), "--promise", "DONE", "--json"]).json();
    let id = started["id"].as_str().unwrap();
    for args in [
        &["packet", "show", "latest"][..],
        &["packet", "list"],
        &["packet", "show", "latest", "--json"],
        &["pickup"],
        &["status"],
        &["loop", "show", id],
        &["loop", "list"],
        &["check", &format!("deploy '{EVIL}'")],
    ] {
        let run = world.stead(args);
        assert!(run.stdout.len() > 2, "{args:?}: {run}");
        check_harmless(&run.stdout, &args.join(" "));
        check_harmless(&run.stderr, &args.join(" "));
        check_harmless(&by_person(&world, args).stdout, &args.join(" "));
    }
    // Machines get all of it.
    let json = world.stead(&["packet", "show", "latest", "--json"]).json().to_string();
    assert!(json.contains("\\u001b[2Jcleared\u{9b}31m"), "{json}");
}

#[test]
fn tables_are_whole_in_a_pipe_and_fit_a_terminal() {
    let world = marked();
    let long = "a reason of many words which does not fit into eighty columns, however short its id is made";
    world.write("project/.agent/features/feature-list.json", r#"{"features": [{"id": "login"}]}"#);
    let command = format!("cargo test {}", "--test some_long_name ".repeat(8));
    let after = serde_json::json!({
        "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "call-1",
        "tool_response": {"stdout": "test result: ok. 4 passed; 0 failed; 0 ignored", "stderr": "", "interrupted": false},
    });
    world.hook("claude PreToolUse", shell(&world, &command));
    world.hook("claude PostToolUse", crate::world::payload(&world, "PostToolUse", after));
    world.stead(&["handoff", long]).ok();
    let whole = world.stead(&["evidence", "list", "--runs"]).ok();
    assert!(whole.contains(command.trim()) && !whole.contains('…'), "{whole}");
    for args in [&["evidence", "list", "--runs"][..], &["status"], &["guard", "list"], &["evidence", "list"]] {
        let said = at_terminal(&world, 80, args).stdout;
        for line in said.lines() {
            let is_word = !line.trim().contains(' ');
            assert!(line.chars().count() <= 80 || is_word, "{args:?}: {line:?}");
        }
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&said), words(&world.stead(args).ok()), "{args:?}");
    }
}
