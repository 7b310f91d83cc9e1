//! A packet of a whole session, replayed through the hook: what a person said in forty prompts, what the agent did, and
//! nothing that nobody said.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::page;
use crate::world::{marked, payload};

/// One line per thing that happened: a prompt, a tool call, an answer, a commit, a note.
const SESSION: &str = include_str!("../fixtures/long-session.jsonl");

const MAIN: &str = "import sys\n\n\ndef main():\n    print(sys.argv)\n";
const JOURNAL: &str =
    "import json\n\n\ndef load(path):\n    with open(path) as file:\n        return json.load(file)\n";

fn hook(world: &World, event: &str, own: Value) {
    let run = world.hook(&format!("claude {event}"), payload(world, event, own));
    assert_eq!(run.code, 0, "{run}");
}

/// A tool call from before to after.
fn call(world: &World, tool: &str, input: Value, response: Value) {
    let own = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "c"});
    hook(world, "PreToolUse", own.clone());
    let mut after = own;
    after["tool_response"] = response;
    hook(world, "PostToolUse", after);
}

fn commit(world: &World, message: &str) {
    world.git(&["add", "-A", "."]).ok();
    world.git(&["commit", "-qm", message]).ok();
}

fn replay(world: &World) {
    world.write("project/src/main.py", MAIN);
    world.write("project/src/journal.py", JOURNAL);
    world.write("project/vendor/format.py", "pass\n");
    commit(world, "before the session");
    // Commits count by the second.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    hook(world, "SessionStart", json!({"source": "startup"}));
    for line in SESSION.lines() {
        let step: Value = serde_json::from_str(line).unwrap();
        let (kind, value) = step
            .as_object()
            .unwrap()
            .iter()
            .find(|(key, _)| !matches!(key.as_str(), "exit" | "out" | "text" | "old" | "new"))
            .unwrap();
        let text = value.as_str().unwrap_or_default();
        let file = format!("project/{text}");
        match kind.as_str() {
            "prompt" => hook(world, "UserPromptSubmit", json!({"prompt": text})),
            "say" => hook(world, "Stop", json!({"last_assistant_message": text, "stop_hook_active": false})),
            "read" => {
                world.write(&file, if world.exists(&file) { world.read(&file) } else { "x\n".to_owned() });
                call(world, "Read", json!({"file_path": text}), json!({}));
            }
            "write" => {
                world.write(&file, step["text"].as_str().unwrap());
                call(world, "Write", json!({"file_path": text, "content": step["text"]}), json!({}));
            }
            "edit" => {
                let (old, new) = (step["old"].as_str().unwrap(), step["new"].as_str().unwrap());
                assert!(world.read(&file).contains(old), "{text}: {old}");
                world.write(&file, world.read(&file).replacen(old, new, 1));
                call(world, "Edit", json!({"file_path": text, "old_string": old, "new_string": new}), json!({}));
            }
            "run" => {
                let own = json!({"tool_name": "Bash", "tool_input": {"command": text}, "tool_use_id": "c"});
                hook(world, "PreToolUse", own.clone());
                let mut after = own;
                match step["exit"].as_i64() {
                    Some(0) => {
                        after["tool_response"] = json!({"stdout": "", "stderr": step["out"], "interrupted": false});
                        hook(world, "PostToolUse", after);
                    }
                    _ => {
                        after["error"] = json!(format!("Exit code 1\n{}", step["out"].as_str().unwrap()));
                        hook(world, "PostToolUseFailure", after);
                    }
                }
            }
            "denied" => hook(
                world,
                "PreToolUse",
                json!({"tool_name": "Bash", "tool_input": {"command": text}, "tool_use_id": "c"}),
            ),
            "todo" => {
                let items = value.as_array().unwrap().iter();
                let todos: Vec<Value> = items.map(|item| json!({"content": item[0], "status": item[1]})).collect();
                call(world, "TodoWrite", json!({"todos": todos}), json!({}));
            }
            "commit" => commit(world, text),
            "note" => drop(world.stead(&["note", value[0].as_str().unwrap(), value[1].as_str().unwrap()]).ok()),
            other => panic!("{other}"),
        }
    }
}

/// The packet without what differs from run to run.
fn neutral(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line = match line.split_once(": ") {
            Some((
                key @ ("id" | "created_at" | "updated_at" | "git_commit" | "file_hashes" | "transcript_path"),
                _,
            )) => format!("{key}: …"),
            _ => line.to_owned(),
        };
        let mut words: Vec<String> = Vec::new();
        for word in line.split(' ') {
            let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_hex = bare.len() >= 7
                && bare.bytes().all(|byte| byte.is_ascii_hexdigit())
                && bare.bytes().any(|byte| byte.is_ascii_digit());
            let is_time =
                bare.len() == 5 && bare.as_bytes()[2] == b':' && bare.bytes().filter(u8::is_ascii_digit).count() == 4;
            let is_date =
                bare.len() == 10 && bare.as_bytes()[4] == b'-' && bare.bytes().filter(u8::is_ascii_digit).count() == 8;
            let is_evidence = bare.len() > 20 && bare.contains("Z-");
            let is_verdict = bare.starts_with("v-") && bare.len() == 10;
            let label = match () {
                () if is_time => "TIME",
                () if is_date => "DATE",
                () if is_evidence => "EVIDENCE",
                () if is_verdict => "VERDICT",
                () if is_hex => "COMMIT",
                () => bare,
            };
            words.push(if bare.is_empty() { word.to_owned() } else { word.replacen(bare, label, 1) });
        }
        out.push_str(&words.join(" "));
        out.push('\n');
    }
    out
}

#[test]
fn forty_prompts_become_one_packet() {
    let world = marked();
    replay(&world);
    let said = world.stead(&["handoff", "Finish the CSV import: --dry-run and its test", "--json"]).json();
    let id = said["id"].as_str().unwrap();
    let text = world.read(format!("project/.agent/context/packets/{id}.md"));
    for must in [
        "Never use floats for money.",
        "Never touch vendor/.",
        "Don't guess the locale from the file.",
        "journal.json must stay sorted by date, and an import must be all or nothing.",
        "Only the importer may know about CSV; keep main.py thin.",
        "At most one pass over the file.",
        "so no match statements.",
        "Bitte die Fehlermeldungen auf Englisch lassen, aber Zeilennummern immer mit angeben.",
    ] {
        let constraints = text.split("## Constraints").nth(1).unwrap().split("\n## ").next().unwrap();
        assert!(constraints.contains(must), "{must}\n{constraints}");
    }
    let constraints = text.split("## Constraints").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(!constraints.contains('?') && !constraints.contains("why"), "{constraints}");
    assert_eq!(world.stead(&["packet", "lint", id]).to_string(), "exit 0\n--- stdout\nno findings");
    insta::assert_snapshot!("forty-prompts", neutral(&text));
    insta::assert_snapshot!("forty-prompts-pickup", neutral(&world.stead(&["pickup", id]).ok()));
    page::check_end("handoff.md", "session_packet", &format!("\n````markdown\n{text}````\n"), neutral);
}

/// The section of a packet for the session.
fn section(world: &World, title: &str) -> String {
    let said = world.stead(&["handoff", "go on", "--json"]).json();
    let text = world.read(format!("project/.agent/context/packets/{}.md", said["id"].as_str().unwrap()));
    text.split(&format!("## {title}\n")).nth(1).unwrap().split("\n## ").next().unwrap().to_owned()
}

#[test]
fn each_of_many_constraints_is_kept() {
    let world = marked();
    hook(&world, "SessionStart", json!({"source": "startup"}));
    for number in 0..60 {
        hook(
            &world,
            "UserPromptSubmit",
            json!({"prompt": format!("Go on.\n\nDon’t touch the folder dir{number}/.\r\n")}),
        );
    }
    let constraints = section(&world, "Constraints");
    for number in 0..60 {
        assert!(
            constraints.contains(&format!("> Don’t touch the folder dir{number}/. (prompt {}", number + 1)),
            "{number}"
        );
    }
}

#[test]
fn what_a_client_or_stead_puts_into_a_prompt_is_nobodys_constraint() {
    let world = marked();
    let prompts = [
        "<system-reminder>\nYou must never mention this.\n</system-reminder>\nFix the parser. Never push.",
        "<task-notification>\n<summary>Agent must stop</summary>\n</task-notification>",
        "<command-message>x</command-message>\n<command-name>/x</command-name>\n<command-args>only use tabs</command-args>",
        "This session is being continued from a previous conversation that ran out of context. You must not ask.",
    ];
    for prompt in prompts {
        hook(&world, "UserPromptSubmit", json!({"prompt": prompt}));
    }
    // Some clients report a command of Stead with its text.
    let commands = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../install/assets/commands");
    for file in std::fs::read_dir(commands).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let (_, text) = text.split_once("\n---\n").unwrap();
        hook(&world, "UserPromptSubmit", json!({"prompt": text.replace("{stead}", "stead")}));
    }
    let constraints = section(&world, "Constraints");
    let quoted: Vec<&str> = constraints.lines().filter(|line| line.starts_with('>')).collect();
    assert_eq!(quoted.len(), 2, "{constraints}");
    assert!(quoted[0].starts_with("> Never push.") && quoted[1].starts_with("> only use tabs"), "{constraints}");
    let mut payload = json!({"session_id": "codex-1", "cwd": world.project(), "hook_event_name": "UserPromptSubmit"});
    for prompt in [
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nAlways run the tests.\n</INSTRUCTIONS>",
        "<environment_context>\n  <cwd>/x</cwd>\n  network must stay off\n</environment_context>",
        "$stead-handoff and never stop",
        "Keep the API.",
    ] {
        payload["prompt"] = json!(prompt);
        assert_eq!(world.hook("codex UserPromptSubmit", payload.to_string()).code, 0);
    }
    let constraints = section(&world, "Constraints");
    assert!(
        constraints.trim().starts_with("> Keep the API. (prompt 1") && constraints.trim().lines().count() == 1,
        "{constraints}"
    );
    // What is synthetic, the client added.
    let parts = json!([{"type": "text", "text": "Keep the tests."}, {"type": "text", "text": "You must read it.", "synthetic": true}]);
    let message = json!({"input": {"sessionID": "open-1"}, "output": {"message": {"role": "user"}, "parts": parts}});
    assert_eq!(world.hook("opencode chat.message", message.to_string()).code, 0);
    let constraints = section(&world, "Constraints");
    assert!(constraints.contains("Keep the tests.") && !constraints.contains("read it"), "{constraints}");
}
