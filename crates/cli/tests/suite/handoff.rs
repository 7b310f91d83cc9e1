//! `stead handoff`, `stead note`, and what the hook writes down for them.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stead_testkit::{Finish, World};

use crate::world::{accept_all, lines, marked, payload, shell};

const HEADINGS: &[&str] = &[
    "## Intent",
    "## Context",
    "## Constraints",
    "## Decisions",
    "## Relevant Files",
    "### Confirmed",
    "### Suggested",
    "## Next Prompt (Draft)",
    "## Plan",
    "## Validators / Exit Criteria",
    "## Open Questions",
    "## Notes",
];

/// A world with a committed file, in which a session has asked, edited and read.
fn worked() -> World {
    let world = marked();
    world.write("project/src/add.rs", "pub fn add() {}\n");
    world.write("project/src/read.rs", "pub fn read() {}\n");
    world.write("project/Cargo.toml", "[package]\n");
    world.write("project/.gitignore", "ignored.txt\n");
    world.write("project/ignored.txt", "x\n");
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-qm", "first"]).ok();
    let prompt = "Make add() add. You must not touch read.rs!\nMy key is sk-ant-abcdefgh12345678";
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", json!({"prompt": prompt})));
    touch(&world, "Bash", json!({"command": "cat Cargo.toml no/such.rs"}));
    touch(&world, "Read", json!({"file_path": world.project().join("src/read.rs")}));
    touch(&world, "Edit", json!({"file_path": "src/add.rs", "old_string": "a", "new_string": "b"}));
    touch(&world, "Write", json!({"file_path": "ignored.txt", "content": "x"}));
    touch(&world, "Write", json!({"file_path": "deleted.rs", "content": "x"}));
    world
}

fn touch(world: &World, tool: &str, input: Value) {
    let own = json!({"tool_name": tool, "tool_input": input, "tool_response": {}, "tool_use_id": "c"});
    assert_eq!(world.hook("claude PostToolUse", payload(world, "PostToolUse", own)).to_string(), "exit 0");
}

fn packet(world: &World, said: &Value) -> String {
    world.read(format!("project/.agent/context/packets/{}.md", said["id"].as_str().unwrap()))
}

fn head(text: &str, key: &str) -> Option<String> {
    let line =
        text.lines().take_while(|line| !line.starts_with("## ")).find(|line| line.starts_with(&format!("{key}: ")))?;
    Some(line[key.len() + 2..].to_owned())
}

#[test]
fn a_packet_holds_what_was_seen() {
    let world = worked();
    world.stead(&["note", "decision", "keep the signature"]).ok();
    world.stead(&["note", "question", "what about overflow?"]).ok();
    world.stead(&["note", "failed", "wrapping_add was too slow"]).ok();
    let said = world.stead(&["handoff", "Finish", "add()", "--json"]).json();
    let text = packet(&world, &said);
    let id = said["id"].as_str().unwrap();
    assert!(id.ends_with("Z-finish-add"), "{id}");
    let found: Vec<&str> = text.lines().filter(|line| line.starts_with("## ") || line.starts_with("### ")).collect();
    assert_eq!(found, HEADINGS);
    for (key, value) in [
        ("id", id),
        ("status", "draft"),
        ("purpose", "Finish add()"),
        ("source", "claude"),
        ("session_id", "session-1"),
        ("relevant_files_confirmed", "[]"),
        ("relevant_files_suggested", r#"["src/add.rs","src/read.rs","Cargo.toml"]"#),
        ("validators", r#"["cargo test"]"#),
        ("verify", "cargo test"),
        ("loop_promise", "null"),
        ("git_branch", "main"),
    ] {
        assert_eq!(head(&text, key).as_deref(), Some(value), "{key}\n{text}");
    }
    assert_eq!(head(&text, "loop_max_iterations"), None);
    let hash = world.git(&["hash-object", "src/add.rs"]).ok();
    let hashes: Value = serde_json::from_str(&head(&text, "file_hashes").unwrap()).unwrap();
    assert_eq!(hashes["src/add.rs"], hash.trim());
    for part in [
        "> Make add() add. You must not touch read.rs!\n> My key is [redacted]\n",
        "## Constraints\n\n> You must not touch read.rs! (prompt 1, 20",
        "## Decisions\n\n- keep the signature\n",
        "- `src/add.rs` edited\n- `src/read.rs` read\n- `Cargo.toml` read\n- `deleted.rs` written (gone)\n",
        "## Next Prompt (Draft)\n\nFinish add()\n\nRead first: `src/add.rs`, `src/read.rs`, `Cargo.toml`.\n",
        "## Open Questions\n\n- what about overflow?\n",
        "- Failed: wrapping_add was too slow\n",
        "- Git: branch `main` at `",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    assert!(!text.contains("ignored.txt") && !text.contains("sk-ant"), "{text}");
    assert_eq!(world.stead(&["packet", "lint", id]).to_string(), "exit 0\n--- stdout\nno findings");
}

#[test]
fn flags_and_documents_fill_the_packet() {
    let world = worked();
    let json = r###"{"next_prompt": "Go on with add().", "plan": ["one", "two"], "files": ["src/read.rs", "none.rs"],
        "validators": ["just check"], "mood": "fine", "notes": "## Intent\nnot a section; password: hunter22"}"###;
    let args = [
        "handoff", "add", "--confirm", "src/add.rs", "--validator", "make all", "--promise", "DONE|BLOCKED",
        "--max-iterations=7", "--decision", "no crates", "--source", "codex", "--json",
    ];
    let run = world.command(env!("CARGO_BIN_EXE_stead"), &world.project()).args(args).finish(&world, json.as_bytes());
    let text = packet(&world, &run.json());
    for (key, value) in [
        ("relevant_files_confirmed", r#"["src/add.rs","src/read.rs"]"#),
        ("validators", r#"["make all","just check","cargo test"]"#),
        ("verify", "make all"),
        ("loop_promise", "DONE|BLOCKED"),
        ("loop_max_iterations", "7"),
        ("source", "codex"),
        ("redacted", "1"),
    ] {
        assert_eq!(head(&text, key).as_deref(), Some(value), "{key}");
    }
    assert!(text.contains("## Next Prompt (Draft)\n\nGo on with add().\n\n## Plan\n\n- one\n- two\n"), "{text}");
    assert!(text.contains("- mood: fine\n\n#### Intent\nnot a section; password: [redacted]\n"), "{text}");
    assert!(run.stderr.contains("`none.rs`") && run.stderr.contains("`mood`"), "{run}");
    let markdown = world.write("project/notes.md", "---\nverify: just test\n---\n# Goal\nmore\n# Mine\nwords\n");
    let said = world.stead(&["handoff", "add", "--document", markdown.to_str().unwrap(), "--json"]).json();
    let text = packet(&world, &said);
    assert_eq!(head(&text, "verify").as_deref(), Some("just test"));
    assert!(text.contains("\n\nmore\n\n## Context\n") && text.ends_with("\n## Mine\n\nwords\n"), "{text}");
}

#[test]
fn nonsense_is_refused_and_nothing_is_left() {
    let world = worked();
    let packets = || std::fs::read_dir(world.project().join(".agent/context/packets")).unwrap().count();
    let check = |args: &[&str], input: &[u8], code: i32, said: &str| {
        let run = world.command(env!("CARGO_BIN_EXE_stead"), &world.project()).args(args).finish(&world, input);
        assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{args:?}: {run}");
        assert!(run.stderr.contains(said), "{args:?}: {run}");
    };
    check(&["handoff", " "], b"", 1, "the purpose is empty");
    check(&["handoff"], b"", 2, "required");
    check(&["handoff", "x"], b"{\"a\": ", 1, "not valid JSON: line 1, column 6");
    check(&["handoff", "x"], b"\xff\xfe", 1, "not valid UTF-8 at byte 0");
    check(&["handoff", "x"], b"{\"validators\": {}}", 1, "`validators` in the document should be");
    check(&["handoff", "x", "--document", "none.md"], b"", 1, "there is no document `none.md`");
    check(&["handoff", "x", "--confirm", "src/ad.rs"], b"", 1, "did you mean `src/add.rs`?");
    check(&["handoff", "x", "--confirm", "/etc/hosts"], b"", 1, "is outside the project");
    check(&["handoff", "x", "--confirm", ".agent/config.toml"], b"", 1, "Stead's own folder");
    check(&["handoff", "x", "--continues", "nothing"], b"", 1, "there is no packet `nothing`");
    check(&["handoff", "x", "--max-iterations", "many"], b"", 2, "max-iterations");
    check(&["handoff", "x", "--unknown"], b"", 2, "--unknown");
    check(&["handoff", "x", "--source", "clod"], b"", 2, "expected one of `claude`");
    assert_eq!(packets(), 0);
}

#[test]
fn a_chain_of_packets_is_followed_and_never_closed() {
    let world = marked();
    let first = world.stead(&["handoff", "one", "--json"]).json()["id"].as_str().unwrap().to_owned();
    let second = world.stead(&["handoff", "two", "--continues", &first, "--json"]).json();
    let text = packet(&world, &second);
    assert_eq!(head(&text, "continues"), Some(first.clone()));
    let path = format!("project/.agent/context/packets/{first}.md");
    let looped = world.read(&path).replacen(
        "status: draft",
        &format!("status: draft\ncontinues: {}", second["id"].as_str().unwrap()),
        1,
    );
    world.write(&path, looped);
    let run = world.stead(&["handoff", "three", "--continues", &first]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("has a cycle at") && run.stderr.contains("hint: remove the `continues` line"), "{run}");
    let lint = world.stead(&["packet", "lint", &first]);
    assert!(lint.code == 1 && lint.stdout.contains("has a cycle at"), "{lint}");
}

/// Nobody writes, nobody closes: the command must go on without a document, or say that none came.
#[test]
fn an_open_pipe_without_data_is_not_waited_for() {
    let world = marked();
    let since = Instant::now();
    let mut child = world
        .command(env!("CARGO_BIN_EXE_stead"), &world.project())
        .args(["handoff", "x"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let open = child.stdin.take();
    assert!(child.wait().unwrap().success());
    assert!(since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
    drop(open);
}

#[test]
fn notes_know_their_session() {
    let world = marked();
    let words = "stead note decision 'use the old API'";
    world.hook("claude PreToolUse", shell(&world, words));
    let run = world.stead(&["note", "decision", "use the old API"]);
    assert_eq!(run.ok(), "recorded a decision of session `session-1`\n");
    world.stead(&["note", "failed", "token=abc123 did not work"]).ok();
    let kept = lines(&world, "notes.jsonl");
    assert_eq!((&kept[0]["session"], &kept[0]["harness"]), (&json!("session-1"), &json!("claude")));
    assert_eq!((&kept[1]["session"], &kept[1]["text"]), (&Value::Null, &json!("token=[redacted] did not work")));
    assert_eq!(world.stead(&["note", "list", "--json"]).json()["items"].as_array().unwrap().len(), 2);
    let run = world.stead(&["note", "failed", " "]);
    assert_eq!((run.code, run.stderr.as_str()), (1, "error: the note is empty\n"));
    assert_eq!(world.stead(&["note", "decission", "x"]).code, 2);
}

#[test]
fn prompts_are_written_down_with_their_author_unless_switched_off() {
    let mut world = marked();
    let ask = |world: &World, text: &str| {
        let own = json!({"prompt": text});
        world.hook("claude UserPromptSubmit", payload(world, "UserPromptSubmit", own));
    };
    ask(&world, "please\nuse TOKEN=abc123");
    ask(&world, &"long ".repeat(10_000));
    let kept = lines(&world, "prompts.jsonl");
    assert_eq!((&kept[0]["text"], &kept[0]["session"]), (&json!("please\nuse TOKEN=[redacted]"), &json!("session-1")));
    assert!(kept[1]["text"].as_str().unwrap().len() < 8_000 && kept[1]["cut"] == true);
    let schema = world.stead(&["schema", "prompt"]).json();
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    assert!(kept.iter().all(|line| validator.is_valid(line)));
    world.set("STEAD_RECORD_PROMPTS", "false");
    ask(&world, "not this");
    assert_eq!(lines(&world, "prompts.jsonl").len(), 2);
    world.unset("STEAD_RECORD_PROMPTS");
    world.write("project/.agent/config.toml", "[record]\nprompts = false\n");
    accept_all(&world);
    ask(&world, "nor this");
    assert_eq!(lines(&world, "prompts.jsonl").len(), 2);
}

/// A file system with no room left: an error that says so, and no half packet.
#[test]
fn a_full_disk_leaves_no_half_packet() {
    let world = worked();
    let script = "mount -t tmpfs -o size=64k none .agent/context/packets\n\
        dd if=/dev/zero of=.agent/context/packets/fill bs=1k count=100 2>/dev/null || true\n\
        \"$STEAD\" handoff 'no room' </dev/null && exit 9\n\
        ls -A .agent/context/packets";
    let Some(run) = world.sh_with_own_mounts(script, b"") else { return };
    assert_eq!((run.code, run.stdout.as_str()), (0, "fill\n"), "{run}");
    assert!(run.stderr.contains("hint: free some space"), "{run}");
}

/// A document as the installed command asks for it.
#[test]
fn the_installed_handoff_and_the_parser_agree() {
    let world = worked();
    let document = "## Intent\nMake it add.\n## Relevant Files\n- `src/add.rs:12` the sum\n1. src/read.rs:3-9\n\
        ## Next Prompt (Draft)\nGo on.\n## Validators / Exit Criteria\n- `cargo test -p add`\n- `just lint` is clean\n\
        ```sh\n./check.sh --all\n```\nThe sum is shown.\n";
    let args = ["handoff", "add", "--document", "-", "--json"];
    let run =
        world.command(env!("CARGO_BIN_EXE_stead"), &world.project()).args(args).finish(&world, document.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    let said = run.json();
    assert_eq!(said["confirmed"], json!(["src/add.rs", "src/read.rs"]));
    let text = packet(&world, &said);
    assert_eq!(
        head(&text, "validators").as_deref(),
        Some(r#"["cargo test -p add","just lint","./check.sh --all","cargo test"]"#)
    );
    assert_eq!(head(&text, "verify").as_deref(), Some("cargo test -p add"));
    assert!(text.contains("The sum is shown."), "{text}");
    let json = r#"{"promise": ["DONE", "BLOCKED"], "relevant_files": {"confirmed": ["src/add.rs:1"]}}"#;
    let run = world.command(env!("CARGO_BIN_EXE_stead"), &world.project()).args(args).finish(&world, json.as_bytes());
    let text = packet(&world, &run.json());
    assert_eq!(head(&text, "loop_promise").as_deref(), Some("DONE|BLOCKED"), "{run}");
    assert_eq!(head(&text, "relevant_files_confirmed").as_deref(), Some(r#"["src/add.rs"]"#));
    let words = "## Validators / Exit Criteria\nall tests pass\n";
    let run = world.command(env!("CARGO_BIN_EXE_stead"), &world.project()).args(args).finish(&world, words.as_bytes());
    assert!(run.stderr.contains("no command in the validators; write each one in backticks"), "{run}");
}

/// What the person said in the middle of a long session is as binding as the rest; agreement and questions are nothing.
#[test]
fn every_prompt_of_a_session_counts() {
    let world = marked();
    let ask = |text: &str| {
        world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", json!({"prompt": text})));
    };
    ask("Build the importer.");
    for number in 0..12 {
        ask(&format!("Add step {number} to it."));
        ask("yes");
    }
    ask("Never touch vendor/.");
    ask("It does not compile, why?");
    ask("Fass vendor/ niemals an.");
    for number in 12..30 {
        ask(&format!("Add step {number} to it."));
        ask("continue");
    }
    let said = world.stead(&["handoff", "go on", "--json"]).json();
    let text = packet(&world, &said);
    let constraints = text.split("## Constraints\n\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let lines: Vec<&str> = constraints.lines().map(|line| line.split(" (prompt ").next().unwrap()).collect();
    assert_eq!(
        lines,
        ["> Never touch vendor/.", "", "Said by the person:", "> Fass vendor/ niemals an."],
        "{constraints}"
    );
    assert!(constraints.contains("> Never touch vendor/. (prompt 26, "), "{constraints}");
    let intent = text.split("## Context").next().unwrap();
    assert!(!intent.contains("> yes") && !intent.contains("> continue"), "{intent}");
}

/// Green and red runs, commits, the to-do list, the last answer, refused calls: each with where it is from.
#[test]
fn a_packet_is_rich_without_the_agents_help() {
    let world = worked();
    std::thread::sleep(Duration::from_millis(1_100));
    let state = "project/.agent/context/indexes/sessions/session-1.json";
    std::fs::remove_file(world.folder().join(state)).unwrap();
    hook(&world, "SessionStart", json!({"source": "startup"}));
    world.write("project/src/add.rs", "pub fn add() { /* sum */ }\n");
    world.git(&["commit", "-qam", "add: sum up"]).ok();
    let run = |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c"});
    for (command, out) in
        [("cargo test", "test result: ok. 3 passed; 0 failed; 0 ignored"), ("cargo test --test slow", "")]
    {
        let mut after = run(command);
        hook(&world, "PreToolUse", after.clone());
        match out {
            "" => {
                after["error"] = json!("Exit code 101\ntest result: FAILED. 1 passed; 2 failed; 0 ignored");
                hook(&world, "PostToolUseFailure", after);
            }
            out => {
                after["tool_response"] = json!({"stdout": out, "stderr": ""});
                hook(&world, "PostToolUse", after);
            }
        }
    }
    hook(&world, "PreToolUse", run("rm -rf .agent/guards"));
    let task = json!({"tool_name": "TaskCreate", "tool_input": {"subject": "the overflow"}, "tool_use_id": "c",
        "tool_response": {"task": {"id": "7"}}});
    hook(&world, "PostToolUse", task);
    let task = json!({"tool_name": "TaskUpdate", "tool_input": {"taskId": "7", "status": "in_progress"}, "tool_use_id": "c",
        "tool_response": {}});
    hook(&world, "PostToolUse", task);
    hook(
        &world,
        "Stop",
        json!({"last_assistant_message": "It adds; my key is sk-ant-abcdefgh12345678.\nShould it wrap?"}),
    );
    let said = world.stead(&["handoff", "Finish add()", "--json"]).json();
    let text = packet(&world, &said);
    for part in [
        "- Commits of this session (git reflog), newest first:\n  - `",
        "` add: sum up\n",
        "- Changed, committed or not (git diff): 1 file, +1 −1\n  - `src/add.rs` +1 −1\n",
        "- Tests and builds of this session (evidence), by their last run:\n  - passed `cargo test`: 3 passed, 0 failed (20",
        "  - FAILED `cargo test --test slow`: 1 passed, 2 failed (20",
        "The agent's last answer, 20",
        "> It adds; my key is [redacted].\n> Should it wrap?\n",
        "## Plan\n\nThe agent's to-do list, 20",
        "- [ ] (in progress) the overflow\n",
        "- `cargo test` (passed in this session 20",
        "- Should it wrap? (asked in the agent's last answer)\n",
        "Refused by Stead in this session (session log):\n- Bash: ",
        "In progress: the overflow\n",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    assert!(!text.contains("- `cargo test --test slow` (passed"), "{text}");
    assert_eq!(world.stead(&["packet", "lint", said["id"].as_str().unwrap()]).code, 0);
    let turn: Value = serde_json::from_str(&world.read("project/.agent/context/indexes/turns/session-1.json")).unwrap();
    let schema = world.stead(&["schema", "turn"]).json();
    assert!(jsonschema::draft202012::is_valid(&schema, &turn), "{turn}");
}

fn hook(world: &World, event: &str, own: Value) {
    let run = world.hook(&format!("claude {event}"), payload(world, event, own));
    assert_eq!(run.code, 0, "{run}");
}

#[test]
fn a_chain_carries_what_was_decided() {
    let world = marked();
    let make = |purpose: &str, more: &[&str]| {
        let args = [&["handoff", purpose, "--json"], more].concat();
        world.stead(&args).json()["id"].as_str().unwrap().to_owned()
    };
    let first = make("one", &["--decision", "keep the API", "--constraint", "never push", "--failed", "a cache"]);
    let path = format!("project/.agent/context/packets/{first}.md");
    world.write(&path, world.read(&path).replace("created_at: 2", "created_at: 1"));
    let second = make("two", &["--continues", &first, "--decision", "use a map", "--decision", "keep the API"]);
    let third = make("three", &["--continues", &second]);
    let text = world.read(format!("project/.agent/context/packets/{third}.md"));
    let section = |name: &str| text.split(&format!("## {name}\n\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(
        section("Decisions").starts_with(&format!(
            "- use a map (from packet `{second}`, just now)\n- keep the API (from packet `{second}`, just now)\n"
        )),
        "{text}"
    );
    assert!(section("Constraints").contains(&format!("- never push (from packet `{first}`, 3")), "{text}");
    assert!(section("Notes").contains(&format!("- Failed: a cache (from packet `{first}`, 3")), "{text}");
    assert_eq!(text.matches("keep the API").count(), 1, "{text}");
    assert!(section("Next Prompt (Draft)").contains("Do not repeat the failed approaches"), "{text}");
}

#[test]
fn names_have_letters_of_every_script_and_no_secrets() {
    let world = marked();
    let id = |args: &[&str]| world.stead(args).json()["id"].as_str().unwrap().split_once('-').unwrap().1.to_owned();
    assert_eq!(id(&["handoff", "Исправить вход", "--json"]), "исправить-вход");
    assert_eq!(id(&["handoff", "ログインを直す", "--json"]), "ログインを直す");
    assert_eq!(id(&["handoff", "use token=abc123 or q8Zr2LmX4vTn9BwK1cYd here", "--json"]), "use-or-here");
    let looped = id(&["loop", "start", "Größe prüfen mit sk-ant-abcdefgh12345678", "--json"]);
    assert_eq!(looped, "größe-prüfen-mit");
    assert!(world.stead(&["loop", "show", "größe"]).ok().contains("Größe prüfen"));
    assert!(world.stead(&["pickup", "исправить"]).ok().contains("Исправить вход"));
}
