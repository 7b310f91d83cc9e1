//! What a session leaves in the ledger, and what can be asked of it.

use std::time::Duration;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::world::{by_person, lines, marked, payload};

pub(crate) const LEDGER: &str = "project/.agent/intents/agent_trace.jsonl";

/// The lines of the ledger; each must be valid.
pub(crate) fn ledger(world: &World) -> Vec<Value> {
    if !world.exists(LEDGER) {
        return Vec::new();
    }
    // Any command would finish what waits.
    let schema: Value = serde_json::from_str(include_str!("../../../store/schema/agent-trace.json")).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let lines: Vec<Value> = world.read(LEDGER).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &lines {
        let problems: Vec<String> = validator.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?} in {line:#}");
    }
    lines
}

/// `op path ranges` of each file of a line.
pub(crate) fn files(line: &Value) -> Vec<String> {
    let notes = line["metadata"]["dev.stead"]["files"].as_array().unwrap();
    let traces = line["files"].as_array().unwrap();
    let shown = notes.iter().zip(traces).map(|(note, trace)| {
        let ranges = trace["conversations"][0]["ranges"].as_array().unwrap();
        let ranges: Vec<String> =
            ranges.iter().map(|range| format!(" {}-{}", range["start_line"], range["end_line"])).collect();
        format!("{} {}{}", note["op"].as_str().unwrap(), note["path"].as_str().unwrap(), ranges.concat())
    });
    shown.collect()
}

pub(crate) fn note(line: &Value) -> &Value {
    &line["metadata"]["dev.stead"]
}

fn contributor(line: &Value) -> &Value {
    &line["files"][0]["conversations"][0]["contributor"]["type"]
}

pub(crate) struct Call<'a> {
    world: &'a World,
    tool: Value,
}

impl<'a> Call<'a> {
    pub(crate) fn begin(world: &'a World, id: &str, name: &str, input: Value) -> Self {
        let call = Self { world, tool: json!({"tool_name": name, "tool_input": input, "tool_use_id": id}) };
        world.hook("claude PreToolUse", payload(world, "PreToolUse", call.tool.clone())).ok();
        call
    }

    pub(crate) fn end(&self, report: Value) {
        let mut tool = self.tool.clone();
        tool["tool_response"] = report;
        self.world.hook("claude PostToolUse", payload(self.world, "PostToolUse", tool)).ok();
    }
}

/// A shell command that really runs between its two events.
pub(crate) fn shell(world: &World, id: &str, command: &str) {
    let call = Call::begin(world, id, "Bash", json!({"command": command}));
    world.sh(&format!("cd {} && {{ {command}; }}", world.project().display())).ok();
    call.end(json!({"stdout": "", "stderr": ""}));
}

pub(crate) fn stop(world: &World) {
    world.hook("claude Stop", payload(world, "Stop", json!({"stop_hook_active": false}))).ok();
}

/// File systems tell times by ticks.
pub(crate) fn tick() {
    std::thread::sleep(Duration::from_millis(40));
}

#[test]
fn an_edit_leaves_a_line_with_its_lines() {
    let world = marked();
    let file = world.write("project/src/a.rs", "fn a() {\n    one();\n}\n");
    let input = json!({"file_path": file, "old_string": "one", "new_string": "two"});
    let call = Call::begin(&world, "c1", "Edit", input);
    world.write("project/src/a.rs", "fn a() {\n    two();\n}\n");
    call.end(json!({"filePath": file, "originalFile": "fn a() {\n    one();\n}\n", "structuredPatch": []}));
    let lines = ledger(&world);
    assert_eq!(lines.len(), 1);
    assert_eq!(files(&lines[0]), ["modify src/a.rs 2-2"]);
    let note = note(&lines[0]);
    assert_eq!((&note["session"], &note["harness"]), (&json!("session-1"), &json!("claude")));
    assert_eq!((&note["call"], &note["tool"], &note["phase"]), (&json!("c1"), &json!("Edit"), &json!("final")));
    assert_eq!(note["files"][0]["nodes"][0]["name"], "a");
    assert_eq!(contributor(&lines[0]), "ai");
    assert!(lines[0].get("vcs").is_none(), "no git");
    assert!(!world.read(LEDGER).contains("two()"), "no text of the file");
    assert_eq!(world.stead(&["trace", "verify"]).ok(), "1 line verified\n");
}

/// Several clients have ids that look like secrets.
#[test]
fn ids_are_recorded_as_the_client_sends_them() {
    let world = marked();
    let file = world.project().join("a.txt");
    let (session, id) = ("ses_e17e843f3ffemo2cdwZnvsIq3B", "toolu_01A9KqkT5BqTDWYkzsM5SVJz");
    let mut tool = json!({"tool_name": "Write", "tool_input": {"file_path": file, "content": "one\n"},
        "tool_use_id": id, "session_id": session});
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", tool.clone())).ok();
    world.write("project/a.txt", "one\n");
    tool["tool_response"] = json!({});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", tool)).ok();
    let lines = ledger(&world);
    assert_eq!((&note(&lines[0])["session"], &note(&lines[0])["call"]), (&json!(session), &json!(id)));
}

#[test]
fn an_edit_that_no_client_reports_is_undone_to_know_the_text_before() {
    let world = marked();
    let file = world.write("project/a.txt", "one\ntwo\n");
    let call =
        Call::begin(&world, "c1", "Edit", json!({"file_path": file, "old_string": "two", "new_string": "three"}));
    world.write("project/a.txt", "one\nthree\n");
    call.end(json!("done"));
    assert_eq!(files(&ledger(&world)[0]), ["modify a.txt 2-2"]);
}

#[test]
fn files_come_go_and_move() {
    let world = marked();
    let file = world.project().join("new.txt");
    let call = Call::begin(&world, "c1", "Write", json!({"file_path": file, "content": "a\nb\n"}));
    world.write("project/new.txt", "a\nb\n");
    call.end(json!({"type": "create", "originalFile": null}));
    shell(&world, "c2", "sed -i s/b/c/ new.txt");
    shell(&world, "c3", "mv new.txt moved.txt");
    shell(&world, "c4", "rm moved.txt");
    let lines = ledger(&world);
    let all: Vec<String> = lines.iter().flat_map(files).collect();
    assert_eq!(all, ["add new.txt 1-2", "modify new.txt 2-2", "rename moved.txt", "delete moved.txt"]);
    assert_eq!(note(&lines[2])["files"][0]["from"], "new.txt");
    assert_eq!(note(&lines[2])["class"], "AST_REFACTOR");
    let hash = |at: usize, side: &str| note(&lines[at])["files"][0][side].clone();
    assert_eq!((hash(1, "before"), hash(2, "before")), (hash(0, "after"), hash(2, "after")));
    assert_eq!(hash(3, "before"), hash(2, "after"));
}

#[test]
fn what_changes_nothing_leaves_nothing() {
    let world = marked();
    world.write("project/a.txt", "a\n");
    shell(&world, "c1", "sed -i s/x/y/ missing.txt || true");
    shell(&world, "c2", "cat a.txt; ls");
    shell(&world, "c3", "chmod 600 a.txt");
    let file = world.project().join("a.txt");
    let call = Call::begin(&world, "c4", "Write", json!({"file_path": file, "content": "a\n"}));
    world.write("project/a.txt", "a\n");
    call.end(json!({"type": "update", "originalFile": "a\n"}));
    shell(&world, "c5", "echo x > /tmp/stead-outside-$$; rm /tmp/stead-outside-$$");
    stop(&world);
    assert_eq!(ledger(&world), [json!(null); 0]);
}

#[test]
fn a_failed_tool_may_have_changed_something() {
    let world = marked();
    world.write("project/a.txt", "a\n");
    let tool = json!({"tool_name": "Bash", "tool_input": {"command": "echo b >> a.txt; false"}, "tool_use_id": "c1"});
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", tool.clone())).ok();
    world.write("project/a.txt", "a\nb\n");
    let mut failed = tool;
    failed["error"] = json!("Exit code 1");
    world.hook("claude PostToolUseFailure", payload(&world, "PostToolUseFailure", failed)).ok();
    assert_eq!(files(&ledger(&world)[0])[0].split(' ').take(2).collect::<Vec<_>>(), ["modify", "a.txt"]);
}

#[test]
fn a_plain_call_notes_no_stamps() {
    let world = marked();
    world.write("project/a.txt", "a\n");
    shell(&world, "c1", "git status");
    shell(&world, "c2", "cat a.txt");
    assert!(lines(&world, "sessions.jsonl").iter().all(|line| line.get("stats").is_none()));
    let file = world.project().join("a.txt");
    Call::begin(&world, "c3", "Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"}));
    let noted = lines(&world, "sessions.jsonl").pop().unwrap();
    assert!(noted["stats"]["a.txt"].as_str().unwrap().starts_with("2."), "{noted}");
}

#[test]
fn a_commit_and_the_intent_are_named() {
    let world = marked();
    world.git(&["init", "-q"]).ok();
    world.write("project/a.txt", "a\n");
    world.git(&["add", "a.txt"]).ok();
    world.git(&["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"]).ok();
    let head = world.git(&["rev-parse", "HEAD"]).ok();
    world.write(
        "project/.agent/context/indexes/sessions/session-1.intent",
        "-\tINT-001\t2026-11-15T20:00:00Z\tAST_REFACTOR\n",
    );
    shell(&world, "c1", "sed -i s/a/b/ a.txt");
    let first = ledger(&world).remove(0);
    assert_eq!(first["vcs"], json!({"type": "git", "revision": head.trim()}));
    assert_eq!(
        first["files"][0]["conversations"][0]["related"],
        json!([{"type": "specification", "url": "intent:INT-001"}])
    );
    assert_eq!((&note(&first)["intent"], &note(&first)["claim"]), (&json!("INT-001"), &json!("AST_REFACTOR")));
    // The text before is in git, which the hook does not ask.
    assert_eq!((files(&first), &note(&first)["phase"]), (vec!["modify a.txt".to_owned()], &json!("provisional")));
    let shown = world.stead(&["trace", "log", "--json"]).json();
    assert_eq!(shown["items"].as_array().unwrap().len(), 1, "the final line stands for both");
    let all = ledger(&world);
    assert_eq!(
        (all.len(), files(&all[1]), &note(&all[1])["of"]),
        (2, vec!["modify a.txt 1-1".to_owned()], &first["id"])
    );
    assert_eq!((&note(&all[1])["phase"], &note(&all[1])["intent"]), (&json!("final"), &json!("INT-001")));
    world.stead(&["trace", "log"]).ok();
    assert_eq!(ledger(&world).len(), 2, "finished once");
    assert!(world.git(&["status", "--porcelain"]).ok().lines().all(|line| !line.contains("agent_trace")));
}

#[test]
fn a_persons_edit_is_not_the_agents() {
    let world = marked();
    world.write("project/a.txt", "a\nb\nc\n");
    shell(&world, "c1", "sed -i s/a/A/ a.txt");
    shell(&world, "c2", "sed -i s/A/AA/ a.txt");
    stop(&world);
    tick();
    world.write("project/a.txt", "AA\nb\nhuman\n");
    tick();
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", json!({"prompt": "go on"}))).ok();
    let file = world.project().join("a.txt");
    let call = Call::begin(&world, "c3", "Edit", json!({"file_path": file, "old_string": "b", "new_string": "agent"}));
    world.write("project/a.txt", "AA\nagent\nhuman\n");
    call.end(json!({"originalFile": "AA\nb\nhuman\n"}));
    let lines = ledger(&world);
    let [.., human, agent] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((contributor(human), files(human)), (&json!("human"), vec!["modify a.txt 3-3".to_owned()]));
    assert!(note(human).get("session").is_none() && note(human).get("intent").is_none());
    assert_eq!((contributor(agent), files(agent)), (&json!("ai"), vec!["modify a.txt 2-2".to_owned()]));
}

#[test]
fn what_a_formatter_or_another_call_may_have_done_is_nobodys() {
    for between in ["", "make"] {
        let world = marked();
        world.write("project/a.txt", "a\nb\nc\n");
        shell(&world, "c1", "sed -i s/a/A/ a.txt");
        shell(&world, "c2", "sed -i s/A/AA/ a.txt");
        tick();
        if between.is_empty() {
            // Right after the call: a formatter of the client.
            world.write("project/a.txt", "AA\nb\nformatted\n");
            tick();
            stop(&world);
        } else {
            stop(&world);
            tick();
            world.write("project/Makefile", "all:\n\ttrue\n");
            shell(&world, "c9", between);
            world.write("project/a.txt", "AA\nb\nmade\n");
            tick();
        }
        let file = world.project().join("a.txt");
        let before = world.read("project/a.txt");
        let call = Call::begin(&world, "c3", "Edit", json!({"file_path": file, "old_string": "b", "new_string": "x"}));
        world.write("project/a.txt", before.replace("\nb\n", "\nx\n"));
        call.end(json!({"originalFile": before}));
        let lines = ledger(&world);
        assert!(lines.iter().all(|line| contributor(line) == "ai"), "{between}");
        assert_eq!(files(lines.last().unwrap()), ["modify a.txt 2-2"]);
    }
}

#[test]
fn what_no_effect_names_is_found_at_the_stop() {
    let world = marked();
    world.git(&["init", "-q"]).ok();
    world.write("project/gen.py", "open('out.txt', 'w').write('x\\n')\n");
    world.write("project/old.txt", "untouched\n");
    tick();
    shell(&world, "c1", "frobnicate 2>/dev/null || printf 'x\\n' | tee $(echo out.txt) > /dev/null");
    tick();
    world.write("project/mine.txt", "a person's\n");
    tick();
    stop(&world);
    let lines = ledger(&world);
    let all: Vec<String> =
        lines.iter().flat_map(files).map(|file| file.split(' ').nth(1).unwrap().to_owned()).collect();
    assert_eq!(all, ["out.txt"]);
    assert_eq!((&note(&lines[0])["call"], contributor(&lines[0])), (&json!("c1"), &json!("ai")));
    stop(&world);
    assert_eq!(ledger(&world).len(), 1);
    // A tool of a server does not name its files either.
    let call = Call::begin(&world, "c2", "mcp__builder__generate", json!({"what": "all"}));
    world.write("project/made.txt", "x\n");
    call.end(json!({"content": []}));
    stop(&world);
    let lines = ledger(&world);
    assert_eq!((files(&lines[1]), &note(&lines[1])["call"]), (vec!["add made.txt 1-1".to_owned()], &json!("c2")));
}

#[test]
fn what_a_killed_process_began_at_a_stop_is_finished_by_the_next() {
    let world = marked();
    world.git(&["init", "-q"]).ok();
    tick();
    shell(&world, "c1", "frobnicate 2>/dev/null || printf 'x\\n' | tee $(echo out.txt) > /dev/null");
    let noted = world.project().join(".agent/cache/windows/calls.jsonl");
    std::fs::rename(&noted, noted.with_extension("begun")).unwrap();
    tick();
    shell(&world, "c2", "frobnicate 2>/dev/null || printf 'x\\n' | tee $(echo more.txt) > /dev/null");
    stop(&world);
    let calls: Vec<_> = ledger(&world).iter().map(|line| note(line)["call"].clone()).collect();
    assert_eq!(calls, [json!("c1"), json!("c2")]);
    assert_eq!(std::fs::read_dir(noted.parent().unwrap()).unwrap().count(), 0);
}

#[test]
fn two_calls_at_once_are_nobody_known() {
    let world = marked();
    world.git(&["init", "-q"]).ok();
    tick();
    let one = Call::begin(&world, "c1", "Bash", json!({"command": "frobnicate one"}));
    let two = Call::begin(&world, "c2", "Bash", json!({"command": "frobnicate two"}));
    tick();
    world.write("project/out.txt", "x\n");
    tick();
    one.end(json!({"stdout": ""}));
    two.end(json!({"stdout": ""}));
    stop(&world);
    let lines = ledger(&world);
    assert_eq!((lines.len(), contributor(&lines[0])), (1, &json!("unknown")));
    assert!(note(&lines[0]).get("session").is_none());
}

#[test]
fn a_large_file_is_hashed_now_and_read_later() {
    let world = marked();
    let text: String = (0..4_000).map(|n| format!("fn f{n}() {{ call({n}); }}\n")).collect();
    let file = world.write("project/big.rs", &text);
    let call = Call::begin(
        &world,
        "c1",
        "Edit",
        json!({"file_path": file, "old_string": "call(7);", "new_string": "call(0);"}),
    );
    world.write("project/big.rs", text.replace("call(7);", "call(0);"));
    call.end(json!({"originalFile": text}));
    let first = ledger(&world).remove(0);
    assert_eq!((files(&first), &note(&first)["phase"]), (vec!["modify big.rs 8-8".to_owned()], &json!("provisional")));
    world.stead(&["trace", "stats"]).ok();
    let last = ledger(&world).pop().unwrap();
    assert_eq!((&note(&last)["of"], &note(&last)["files"][0]["nodes"][0]["name"]), (&first["id"], &json!("f7")));
}

#[test]
fn other_clients_leave_the_same_lines() {
    let world = marked();
    world.write("project/b.txt", "one\ntwo\n");
    let patch =
        "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n@@\n one\n-two\n+three\n*** End Patch\n";
    let codex = |event: &str| {
        let own = json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "p1",
            "tool_response": "Success", "turn_id": "t", "model": "m"});
        payload(&world, event, own)
    };
    world.hook("codex PreToolUse", codex("PreToolUse")).ok();
    world.write("project/a.txt", "x\n");
    world.write("project/b.txt", "one\nthree\n");
    world.hook("codex PostToolUse", codex("PostToolUse")).ok();
    let gemini = |event: &str| {
        let own = json!({"tool_name": "write_file", "tool_input": {"file_path": world.project().join("c.txt"), "content": "y\n"},
            "tool_response": {"llmContent": "ok", "returnDisplay": {"originalContent": ""}}});
        payload(&world, event, own)
    };
    world.hook("gemini BeforeTool", gemini("BeforeTool")).ok();
    world.write("project/c.txt", "y\n");
    world.hook("gemini AfterTool", gemini("AfterTool")).ok();
    let lines = ledger(&world);
    let all: Vec<Vec<String>> = lines.iter().map(files).collect();
    assert_eq!(all, [vec!["add a.txt 1-1", "modify b.txt 2-2"], vec!["add c.txt 1-1"]]);
    let tools: Vec<&Value> = lines.iter().map(|line| &line["tool"]["name"]).collect();
    assert_eq!(tools, ["codex", "gemini"]);
    let who = |at: usize| &lines[at]["files"][0]["conversations"][0]["contributor"];
    assert_eq!((who(0), who(1)), (&json!({"type": "ai", "model_id": "m"}), &json!({"type": "ai"})));
}

#[test]
fn binary_and_odd_files_are_hashed_only() {
    let world = marked();
    for (name, bytes) in [("a.bin", &[0_u8, 255, 10][..]), ("b.txt", b"\xff\xfe\n"), ("c.txt", b"")] {
        let file = world.project().join(name);
        let call = Call::begin(&world, name, "Write", json!({"file_path": file, "content": "?"}));
        world.write(format!("project/{name}"), bytes);
        call.end(json!({"type": "create", "originalFile": null}));
    }
    let all: Vec<String> = ledger(&world).iter().flat_map(files).collect();
    assert_eq!(all, ["add a.bin", "add b.txt", "add c.txt"]);
}

#[test]
fn a_broken_chain_is_found_at_its_line() {
    let world = marked();
    world.write("project/a.txt", "0\n");
    for n in 1..=4 {
        shell(&world, &format!("c{n}"), &format!("echo {n} > a.txt"));
    }
    world.stead(&["trace", "verify"]).ok();
    let good = world.read(LEDGER);
    let head = world.read("project/.agent/intents/agent_trace.head");
    let check = |text: String, expected: &str| {
        world.write(LEDGER, text);
        let run = world.stead(&["trace", "verify"]);
        assert_eq!((run.code, run.stdout.as_str()), (1, expected));
    };
    let all: Vec<&str> = good.split_inclusive('\n').collect();
    check(good.replacen("\"Bash\"", "\"Bosh\"", 2).replacen("\"Bosh\"", "\"Bash\"", 1), "line 2: edit\n");
    check(format!("{}{}", all[0], all[2..].concat()), "line 2: deletion\n");
    check(all[..all.len() - 1].concat(), &format!("line {}: truncation\n", all.len()));
    check(format!("{}{}", all[1], all[0]) + &all[2..].concat(), "line 2: reorder\n");
    check(format!("{}{{}}\n{}", all[0], all[1..].concat()), "line 2: insertion\n");
    // The whole folder as it was before the last change.
    world.write(LEDGER, &good);
    shell(&world, "c9", "echo 9 > a.txt");
    world.write("project/.agent/intents/agent_trace.head", head);
    check(good.clone(), &format!("line {}: rollback\n", all.len() + 1));
    assert!(by_person(&world, &["trace", "verify", "--accept"]).stdout.contains("verified"));
    let run = world.stead(&["trace", "verify", "--accept"]);
    assert!(run.code == 1 && run.stderr.contains("only a person"), "{}", run.stderr);
}

#[test]
fn the_ledger_can_be_asked_and_exported() {
    let world = marked();
    world.write("project/a.txt", "0\n");
    world.write(
        "project/.agent/intents/peers/bob.jsonl",
        concat!(
            r#"{"id":"b3c6f6f0-0000-4000-8000-000000000001","timestamp":"2026-02-16T12:00:00Z","vcs":{"revision_id":"abc"},"#,
            r#""intent_id":"REQ-001","mutation_class":"AST_REFACTOR","files":[{"relative_path":"src/a.ts","conversations":[{"#,
            r#""url":"session_log_id","contributor":{"entity_type":"AI"},"ranges":[{"start_line":1,"end_line":2}],"#,
            "\"related\":[{\"type\":\"specification\",\"value\":\"REQ-001\"}]}]}]}\n{torn"
        ),
    );
    shell(&world, "c1", "echo 1 > a.txt");
    let log = world.stead(&["trace", "log"]).ok();
    assert!(log.lines().count() == 2 && log.contains("REQ-001 AST_REFACTOR src/a.ts"), "{log}");
    assert!(log.lines().all(|line| line.chars().count() <= 80), "{log}");
    let only = world.stead(&["trace", "log", "--intent", "REQ-001", "--json"]).json();
    assert_eq!((only["items"].as_array().unwrap().len(), &only["items"][0]["peer"]), (1, &json!("bob")));
    assert_eq!(world.stead(&["trace", "log", "--path", "src", "--json"]).json()["items"].as_array().unwrap().len(), 1);
    let stats = world.stead(&["trace", "stats", "--json"]).json();
    assert_eq!((&stats["change_count"], &stats["writer"]["bob"]), (&json!(2), &json!(1)));
    let shown = world.stead(&["trace", "show", "b3c6"]).ok();
    assert!(shown.contains("writer: bob") && shown.contains("src/a.ts 1-2"), "{shown}");
    assert_eq!(world.stead(&["trace", "show", "zzz"]).code, 1);
    let schema: Value = serde_json::from_str(&world.stead(&["schema", "agent-trace"]).ok()).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    for line in world.stead(&["trace", "export"]).ok().lines() {
        assert!(validator.is_valid(&serde_json::from_str(line).unwrap()), "{line}");
    }
    let older = world.stead(&["trace", "export", "--format", "trp1"]).ok();
    for line in older.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        assert!(line["files"][0]["relative_path"].is_string() && line.get("intent_id").is_some(), "{line}");
        assert!(line["files"][0]["conversations"][0]["contributor"]["entity_type"].is_string());
    }
}

#[test]
fn the_recorder_has_a_switch() {
    let world = marked();
    world.write("project/.agent/config.toml", "[record]\nledger = false\n");
    world.write("project/a.txt", "0\n");
    shell(&world, "c1", "echo 1 > a.txt");
    assert!(!world.exists(LEDGER));
    assert!(lines(&world, "sessions.jsonl").iter().all(|line| line.get("stats").is_none()));
}
