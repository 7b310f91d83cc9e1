//! Evidence through the real hook and the commands about it.

use std::fs;

use serde_json::{Value, json};
use stead_testkit::{Finish, World};

use crate::world::{lines, marked, payload, shell};

const GREEN: &str = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";

/// A project with a feature that one command proves and one that only the whole suite can.
fn world() -> World {
    let world = marked();
    world.write("project/src/login.rs", "one");
    world.write("project/src/search.rs", "one");
    list(
        &world,
        &json!([
            {"id": "login", "title": "Sign in", "files": ["src/login.rs"], "verifiers": ["sh check.sh login"]},
            {"id": "search", "files": ["src/search.rs"]},
        ]),
    );
    world.write("project/check.sh", "echo \"== 2 passed in 0.1s ==\"\n");
    world
}

fn list(world: &World, features: &Value) {
    world.write("project/.agent/features/feature-list.json", json!({"features": features}).to_string());
}

/// What a client tells after a shell command: the line of the hook, and its payload.
fn after(world: &World, client: &str, command: &str, exit: i32, output: &str) -> (String, String) {
    let cwd = world.project();
    let base = |native: &str| json!({"session_id": "session-1", "cwd": cwd, "hook_event_name": native});
    let mut payload = base("PostToolUse");
    let own = match client {
        "claude" if exit == 0 => json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c",
            "transcript_path": world.home().join(".claude/projects/p/s.jsonl"),
            "tool_response": {"stdout": output, "stderr": "", "interrupted": false}}),
        "claude" => json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_use_id": "c",
            "transcript_path": world.home().join(".claude/projects/p/s.jsonl"),
            "tool_input": {"command": command}, "error": format!("Exit code {exit}\n{output}")}),
        "codex" => json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": output,
            "turn_id": "t", "model": "m", "transcript_path": "/x/rollout-1.jsonl"}),
        "gemini" => json!({"hook_event_name": "AfterTool", "tool_name": "run_shell_command",
            "tool_input": {"command": command}, "tool_response": {"llmContent": format!("Output: {output}")}}),
        "qwen" => json!({"tool_name": "run_shell_command", "tool_input": {"command": command},
            "timestamp": "2026-11-15T18:07:31.642Z", "permission_mode": "yolo",
            "tool_response": {"llmContent": format!("Command: x\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {exit}\nSignal: (none)")}}),
        "kimi" => json!({"client_type": "kimi_code_cli", "tool_name": "Bash", "tool_input": {"command": command},
            "tool_output": output}),
        "droid" if exit == 0 => json!({"permission_mode": "auto-low", "tool_name": "Execute",
            "tool_input": {"command": command}, "tool_response": format!("{output}\n[Process exited with code 0]")}),
        // It says nothing after a command that failed, so its start is all there is.
        "droid" => json!({"hook_event_name": "PreToolUse", "permission_mode": "auto-low", "tool_name": "Execute",
            "tool_input": {"command": command}}),
        "cursor" => json!({"hook_event_name": "postToolUse", "conversation_id": "session-1", "cursor_version": "1",
            "workspace_roots": [cwd], "tool_name": "Shell", "tool_input": {"command": command},
            "tool_output": json!({"exitCode": exit, "stdout": output}).to_string()}),
        "grok" => json!({"hookEventName": "post_tool_use", "hook_event_name": "PostToolUse",
            "tool_name": "run_terminal_command", "tool_input": {"command": command},
            "tool_response": {"type": "Bash", "output_for_prompt": format!("exit: {exit}\n{output}"), "exit_code": exit}}),
        "copilot" => {
            payload = json!({"sessionId": "session-1", "timestamp": 1, "cwd": cwd});
            json!({"toolName": "bash", "toolArgs": {"command": command}, "toolResult": {"resultType": "success",
                "textResultForLlm": format!("{output}\n<shellId: 0 completed with exit code {exit}>")}})
        }
        "opencode" | "kilo" | "pi" => {
            payload = json!({"client": client, "directory": cwd, "worktree": cwd});
            json!({"input": {"tool": "bash", "sessionID": "session-1", "callID": "c", "args": {"command": command}},
                "output": {"title": "", "metadata": {"output": output, "exit": exit}, "output": output}})
        }
        other => panic!("{other}"),
    };
    payload.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    let native = match client {
        "copilot" => "postToolUse",
        "opencode" | "kilo" | "pi" => "tool.execute.after",
        _ => payload["hook_event_name"].as_str().unwrap(),
    };
    (format!("{client} {native}"), payload.to_string())
}

fn see(world: &World, client: &str, command: &str, exit: i32, output: &str) {
    let (line, payload) = after(world, client, command, exit, output);
    let run = world.hook(&line, payload);
    assert_eq!(run.code, 0, "{run}");
}

fn standing(world: &World, feature: &str) -> String {
    let said = world.stead(&["evidence", "list", feature, "--json"]).json();
    said["standing"].as_str().unwrap().to_owned()
}

/// Where the exit status arrives a run proves; elsewhere it is only seen, and says so.
#[test]
fn every_client_leaves_what_it_tells() {
    for harness in stead_client::Harness::ALL {
        let world = world();
        let client = harness.name();
        see(&world, client, "cargo test", 0, GREEN);
        let log = lines(&world, "evidence.jsonl");
        assert_eq!(log.len(), 1, "{client}");
        assert_eq!(
            (log[0]["counts"]["passed"].as_u64(), log[0]["session"].as_str()),
            (Some(3), Some("session-1")),
            "{client}"
        );
        let tells = harness.client().facts.exit_status != stead_client::ExitStatus::None;
        assert_eq!(log[0]["kind"], if tells { "observed" } else { "seen" }, "{client}");
        assert_eq!(standing(&world, "search"), if tells { "fresh" } else { "missing" }, "{client}");
        see(&world, client, "cargo test", 101, "test result: FAILED. 2 passed; 1 failed; 0 ignored\n");
        assert_eq!(standing(&world, "search"), "missing", "{client}");
        world.write("project/src/search.rs", "two");
        see(&world, client, "ls -la", 0, GREEN);
        assert_eq!(lines(&world, "evidence.jsonl").len(), 2, "{client}");
    }
}

#[test]
fn a_run_proves_until_its_files_change() {
    let world = world();
    see(&world, "claude", "cd . && cargo test 2>&1", 0, GREEN);
    assert_eq!(standing(&world, "search"), "fresh");
    assert_eq!(standing(&world, "login"), "missing");
    world.write("project/src/search.rs", "two");
    assert_eq!(standing(&world, "search"), "stale");
    let said = world.stead(&["evidence", "list"]).ok();
    let rows: Vec<&str> = said.lines().collect();
    assert_eq!(rows[0], "login                 –       missing  has no evidence");
    assert!(rows[1].starts_with("search                –       stale    changed since its evidence of 20"), "{said}");
    see(&world, "claude", "cargo test | tail -5", 0, GREEN);
    assert_eq!(standing(&world, "search"), "stale");
    let runs = world.stead(&["evidence", "list", "--runs"]).ok();
    let rows: Vec<&str> = runs.lines().collect();
    assert!(rows[0].ends_with("  seen      test      the pipe hides how it ended"), "{runs}");
    assert_eq!(rows[1], "    cargo test | tail -5");
    assert!(rows.iter().all(|row| row.chars().count() <= 80), "{runs}");
}

/// A run speaks for the tree that it ran in, and so for the main tree once that has the same files.
#[test]
fn a_run_in_another_tree_proves_what_is_there() {
    let world = world();
    let script =
        "git init -q -b main . && git add -A && git -c user.name=T -c user.email=t@example.invalid commit -qm x
        git worktree add -q ../wt -b wt && git clone -q . ../clone && mkdir ../plain && cp -r src check.sh ../plain";
    world.sh(script).ok();
    let text = |dir: &str, text: &str| world.write(format!("{dir}/src/search.rs"), text);
    for (round, dir) in ["wt", "clone"].into_iter().enumerate() {
        text("project", &format!("old {round}"));
        text(dir, &format!("new {round}"));
        see(&world, "claude", &format!("cd ../{dir} && cargo test"), 0, GREEN);
        assert_ne!(standing(&world, "search"), "fresh", "{dir}: the main tree has other files");
        text("project", &format!("new {round}"));
        assert_eq!(standing(&world, "search"), "fresh", "{dir}");
        assert_eq!(standing(&world, "login"), "missing", "{dir}");
    }
    see(&world, "claude", "cd ../wt && sh check.sh login", 0, "== 2 passed in 0.1s ==\n");
    assert_eq!(standing(&world, "login"), "fresh");
    text("project", "last");
    text("plain", "last");
    see(&world, "claude", "cd ../plain && cargo test", 0, GREEN);
    assert_eq!(standing(&world, "search"), "stale");
}

/// `*.py` reaches every folder, as in a guard; whoever wrote it for the root alone is told how to write that now.
#[test]
fn evidence_expires_with_a_file_at_any_depth() {
    let world = marked();
    world.write("project/a.py", "one");
    world.write("project/src/deep/x.py", "one");
    list(&world, &json!([{"id": "all", "files": ["*.py"]}, {"id": "root", "files": ["./*.py"]}]));
    see(&world, "claude", "cargo test", 0, GREEN);
    assert_eq!((standing(&world, "all"), standing(&world, "root")), ("fresh".into(), "fresh".into()));
    world.write("project/src/deep/x.py", "two");
    assert_eq!((standing(&world, "all"), standing(&world, "root")), ("stale".into(), "fresh".into()));
    let expected = "feature `all`: `*.py` now also matches `src/deep/x.py`; write `./*.py` to keep the earlier meaning, or \
                    `**/*.py` to keep this one";
    let run = world.stead(&["evidence", "list"]);
    assert!(run.stderr.replace("\n", " ").contains(expected), "{run}");
    assert_eq!(world.stead(&["evidence", "list", "--json"]).json()["problems"], json!([expected]));
}

#[test]
fn the_switch_turns_the_recorder_off() {
    let mut world = world();
    world.set("STEAD_RECORD_EVIDENCE", "false");
    see(&world, "claude", "cargo test", 0, GREEN);
    world.unset("STEAD_RECORD_EVIDENCE");
    world.stead(&["config", "set", "record.evidence", "false"]).ok();
    see(&world, "claude", "cargo test", 0, GREEN);
    assert!(!world.exists("project/.agent/context/indexes/evidence.jsonl"));
}

#[test]
fn a_broken_list_or_folder_does_not_break_the_hook() {
    let world = world();
    world.write("project/.agent/features/feature-list.json", "{broken");
    see(&world, "claude", "cargo test", 0, GREEN);
    assert_eq!(lines(&world, "evidence.jsonl").len(), 1);
    let run = world.stead(&["evidence", "list"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("feature-list.json`:1:2: key must be a string"), "{run}");
    fs::remove_dir_all(world.project().join(".agent/features")).unwrap();
    world.write("project/.agent/features", "a file in the way");
    see(&world, "claude", "cargo test", 0, GREEN);
    assert_eq!(lines(&world, "evidence.jsonl").len(), 2);
}

#[test]
fn records_fit_their_schema() {
    let world = world();
    see(&world, "claude", "cargo test", 0, GREEN);
    see(&world, "codex", "cargo build", 0, "Finished");
    world.stead(&["verify", "login"]).ok();
    world.write("project/shot.png", b"\x89PNG");
    world.stead(&["evidence", "add", "login", "--file", "shot.png", "--note", "it works"]).ok();
    let check = |name: &str, value: &Value| {
        let schema = world.stead(&["schema", name]).json();
        let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
        let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert_eq!(errors, [] as [String; 0], "{name}: {value}");
    };
    let log = lines(&world, "evidence.jsonl");
    // Two runs that a hook saw, one that Stead ran, and what was added.
    assert_eq!(log.len(), 4);
    log.iter().for_each(|line| check("evidence", line));
    for feature in ["login", "search"] {
        let folder = world.project().join(".agent/features/evidence").join(feature);
        let records = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let records: Vec<_> = records.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
        assert_eq!(records.len(), if feature == "login" { 2 } else { 1 });
        for path in records {
            check("evidence", &serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap());
        }
    }
    check("feature-list", &serde_json::from_str(&world.read("project/.agent/features/feature-list.json")).unwrap());
}

#[test]
fn verifiers_are_run_and_believed() {
    let world = world();
    let run = world.stead(&["verify", "login"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.starts_with("proven  login: `sh check.sh login`: 2 passed, 0 failed ("), "{run}");
    assert_eq!(run.stderr, "running `sh check.sh login` …\n");
    assert_eq!(standing(&world, "login"), "fresh");
    world.write("project/check.sh", "echo oh; exit 3\n");
    let run = world.stead(&["verify", "login"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.starts_with("NOT PROVEN  login: `sh check.sh login`: exit 3 ("), "{run}");
    assert!(run.stdout.ends_with("\n  | oh\n"), "{run}");
    assert_eq!(standing(&world, "login"), "missing", "the last run on the same files decides");
    let said = world.stead(&["verify", "login", "--json"]).stdout;
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((said["proven"].as_bool(), said["items"][0]["exit"].as_i64()), (Some(false), Some(3)));
    let run = world.stead(&["verify", "search"]);
    assert!(run.code == 1 && run.stderr.contains("feature `search` has no verifiers"), "{run}");
    assert!(
        run.stderr.contains("hint: run the whole test suite in the project root with `stead verify -- <test command>`"),
        "{run}"
    );
    let run = world.stead(&["verify", "serch"]);
    assert!(run.code == 2 && run.stderr.ends_with("hint: did you mean `search`?\n"), "{run}");
    let run = world.stead(&["verify", "--all"]);
    assert!(run.code == 1 && run.stderr.starts_with("warning: feature `search` has no verifiers\n"), "{run}");
}

#[test]
fn any_command_can_be_run_and_counts_for_what_it_is() {
    let world = world();
    for path in ["project/make", "bin/make"] {
        world.write(path, "#!/bin/sh\necho '== 4 passed in 0.1s =='\n");
        world.sh(&format!("chmod +x ../{path}")).ok();
    }
    // What only has its name is a script like any other.
    world.stead(&["verify", "--", "./make", "test"]).ok();
    assert_eq!(standing(&world, "search"), "missing");
    // So is a makefile that runs no test, whatever it prints.
    world.write("project/Makefile", "test:\n\t@cat summary\n");
    let run = world.stead(&["verify", "--", "make", "test"]);
    assert!(
        run.stdout.starts_with("PROVES NOTHING  `make test`: the recipe of `make` runs no test runner that is known"),
        "{run}"
    );
    assert_eq!(standing(&world, "search"), "missing");
    world.write("project/Makefile", "test:\n\tpytest\n");
    let run = world.stead(&["verify", "--", "make", "test"]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(standing(&world, "search"), "fresh");
    let run = world.stead(&["verify", "--", "echo '0 passed'"]);
    assert!(run.code == 1 && run.stdout.starts_with("NOT PROVEN") && run.stdout.contains("no test ran"), "{run}");
    let run = world.stead(&["verify", "--", "echo '[]'"]);
    assert!(run.code == 1 && run.stdout.contains("its output is empty JSON"), "{run}");
    let run = world.stead(&["verify", "--", "echo 'two words' && exit 4"]);
    assert!(run.code == 1 && run.stdout.contains("exit 4") && run.stdout.ends_with("  | two words\n"), "{run}");
}

#[test]
fn a_verifier_cannot_call_itself() {
    let world = world().with_stead_on_path();
    list(&world, &json!([{"id": "login", "files": ["src/login.rs"], "verifiers": ["stead verify login"]}]));
    let run = world.stead(&["verify", "login"]);
    assert!(run.code == 1 && run.stdout.contains("a verifier may not call `stead verify`"), "{run}");
}

/// What an agent may not do itself, a verifier may not do for it.
#[test]
fn a_verifier_is_no_way_around_the_gates() {
    let world = world();
    list(
        &world,
        &json!([{"id": "login", "files": ["src/login.rs"], "verifiers": ["rm -rf .agent/guards && echo ok"]}]),
    );
    world.write("project/.agent/guards/x.yaml", "");
    world.hook("claude PreToolUse", shell(&world, "stead verify login"));
    let run = world.stead(&["verify", "login"]);
    assert!(run.code == 1 && run.stderr.contains("is refused: "), "{run}");
    assert!(world.exists("project/.agent/guards/x.yaml"));
}

/// However the command was spelt: a pipe, a copy of the program, a makefile, a pause before it.
#[test]
fn an_agent_that_no_hook_saw_passes_the_gates_too() {
    let mut world = world();
    let guard = "id: infra\nmode: enforce\nmatch: {writes: ['infra/**']}\nthen: deny\nsay: \"ask first\"\n";
    world.write("project/.agent/guards/infra.yaml", guard);
    world.write("project/infra/a", "");
    list(&world, &json!([{"id": "login", "files": ["src/login.rs"], "verifiers": ["touch infra/c && echo ok"]}]));
    for (name, value) in [("CLAUDECODE", "1"), ("STEAD_TEST_ANCESTORS", "sh\ncodex exec"), ("STEAD_RUN", "night")] {
        world.set(name, value);
        for args in [&["verify", "--", "touch", "infra/b"][..], &["verify", "login"], &["verify", "--all"]] {
            let run = world.stead(args);
            assert!(
                run.code == 1 && run.stderr.contains("is refused: ") && run.stderr.contains("infra"),
                "{name}: {run}"
            );
        }
        let run = world.stead(&["verify", "--", "touch src/new && echo ok"]);
        assert_eq!(run.code, 0, "{name}: {run}");
        world.unset(name);
        world.set("STEAD_TEST_ANCESTORS", "sh");
    }
    assert!(!world.exists("project/infra/b") && !world.exists("project/infra/c"));
    world.stead(&["verify", "--", "touch infra/b && echo ok"]).ok();
    assert!(world.exists("project/infra/b"), "a person may");
}

#[test]
fn nothing_is_copied_that_an_agent_may_not_read() {
    let mut world = world();
    world.stead(&["guard", "enable", "destructive"]).ok();
    world.write("project/.env", "TOKEN=very-secret-indeed\n");
    world.write("project/shot.png", b"\x89PNG\r\n\x1a\nx");
    world.write("project/notes.txt", "password = \"hunter2-and-more\"\nsk-abcdefghijklmnopqrstuvwxyz123456\n");
    world.write("home/picture.png", b"\x89PNG\r\n\x1a\nx");
    world.sh("ln -s .env plain.txt && ln -s ../home/picture.png far.png").ok();
    let add = |world: &World, how: &str, path: &str| world.stead(&["evidence", "add", "login", how, path]);
    world.set("CLAUDECODE", "1");
    // Worlds lie in the folder for temporary files.
    world.set("TMPDIR", world.folder().join("tmp").display().to_string());
    for (how, path, why) in [
        ("--file", ".env", "contains secrets"),
        ("--output", ".env", "contains secrets"),
        ("--response", ".env", "contains secrets"),
        ("--file", "plain.txt", "contains secrets"),
        ("--file", "../home/picture.png", "outside the project"),
        ("--file", "far.png", "outside the project"),
        ("--output", "/etc/passwd", "outside the project"),
    ] {
        let run = add(&world, how, path);
        assert!(run.code == 1 && run.stderr.contains(why), "{how} {path}: {run}");
    }
    assert!(!world.exists("project/.agent/features/evidence/login"));
    add(&world, "--file", "shot.png").ok();
    for how in ["--output", "--file"] {
        let run = add(&world, how, "notes.txt");
        assert!(run.code == 0 && run.stderr.contains("2 secrets in `notes.txt` replaced"), "{run}");
    }
    let kept = world.sh("cat .agent/features/evidence/login/files/*").stdout;
    assert!(!kept.contains("abcdefghijkl"), "{kept}");
    world.unset("CLAUDECODE");
    let run = add(&world, "--file", "../home/picture.png");
    assert!(run.code == 0 && run.stderr.contains("outside the project"), "{run}");
    let run = add(&world, "--file", "src");
    assert!(run.code == 1 && run.stderr.contains("`src` is a folder\nhint: name one file in it"), "{run}");
}

#[test]
fn what_is_brought_is_kept_and_marked() {
    let world = world();
    world.write("project/shot.png", b"\x89PNG\r\n\x1a\n");
    let said = world.stead(&["evidence", "add", "login", "--file", "shot.png", "--note", "signed in", "--json"]).json();
    // Without a terminal nobody can tell a person from an agent.
    assert_eq!((said["kind"].as_str(), said["proof"].as_bool()), (Some("claimed"), Some(false)));
    let id = said["id"].as_str().unwrap();
    let shown = world.stead(&["evidence", "show", &id[..id.len() - 2]]).ok();
    assert!(shown.contains("proves    no: added, not observed") && shown.contains("note      signed in"), "{shown}");
    assert_eq!(standing(&world, "login"), "missing");
    let add = |input: &str| {
        let mut command = world.command(env!("CARGO_BIN_EXE_stead"), &world.project());
        command.args(["evidence", "add", "login", "--response", "-"]).finish(&world, input.as_bytes())
    };
    for empty in ["[]", "{}", "null", " ", "{\"data\": []}"] {
        let run = add(empty);
        assert!(run.code == 1 && run.stderr.contains("is not evidence: it is empty"), "{empty}: {run}");
    }
    let said = add("{\"data\": [1], \"x\": \"password=hunter2\"}").ok();
    assert!(
        said.contains(
            " added as claimed evidence for `login`\nthis supports the claim; `stead verify login` proves it\n"
        ),
        "{said}"
    );
    let run = world.stead(&["evidence", "show", "nothing"]);
    assert!(run.code == 2 && run.stderr.contains("there is no evidence `nothing`"), "{run}");
    let run = world.stead(&["evidence", "add", "logn", "--file", "shot.png"]);
    assert!(run.code == 2 && run.stderr.ends_with("hint: did you mean `login`?\n"), "{run}");
    let all = fs::read_dir(world.project().join(".agent/features/evidence/login/files")).unwrap();
    assert!(
        all.map(|file| fs::read(file.unwrap().path()).unwrap())
            .all(|bytes| !String::from_utf8_lossy(&bytes).contains("hunter2"))
    );
}

#[test]
fn agents_may_not_write_evidence() {
    let world = world();
    for command in [
        "echo '{}' > .agent/features/evidence/login/x.json",
        "cp x.json .agent/features/evidence/login/",
        "rm -r .agent/features/evidence",
        "echo '{}' >> .agent/context/indexes/evidence.jsonl",
    ] {
        let run = world.hook("claude PreToolUse", shell(&world, command));
        assert!(crate::world::denies(&run.stdout), "{command}: {run}");
    }
    let write = |path: &str| {
        let own = json!({"tool_name": "Write", "tool_use_id": "c", "tool_input": {"file_path": world.project().join(path), "content": "{}"}});
        crate::world::denies(&world.hook("claude PreToolUse", payload(&world, "PreToolUse", own)).stdout)
    };
    assert!(write(".agent/features/evidence/login/x.json"));
}

#[test]
fn an_older_place_of_the_features_is_used() {
    let world = marked();
    world.write("project/src/a.rs", "x");
    world.stead(&["config", "set", "layout.features", ".claude/progress"]).ok();
    let features = json!({"features": [{"id": "a", "files": ["src/a.rs"]}]});
    world.write("project/.claude/progress/feature-list.json", features.to_string());
    see(&world, "claude", "cargo test", 0, GREEN);
    assert_eq!(standing(&world, "a"), "fresh");
    assert!(world.exists("project/.claude/progress/evidence/a"));
}
