//! What a session leaves behind.

use serde_json::json;

use crate::world::{bare, lines, marked, payload, shell, tool};

#[test]
fn a_session_is_logged_line_by_line() {
    let world = marked();
    let own = world.project().join(".agent/config.toml");
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    world.hook("claude PreToolUse", shell(&world, "ls --token=tr0ub4dor"));
    world.hook("claude PreToolUse", tool(&world, "Write", json!({"file_path": own, "content": ""})));
    world.hook("claude SessionEnd", payload(&world, "SessionEnd", json!({"reason": "other"})));
    let shown: Vec<String> = lines(&world, "sessions.jsonl")
        .iter()
        .map(|line| {
            let field = |name: &str| line[name].as_str().unwrap_or("-").to_owned();
            ["harness", "session", "event", "tool", "action", "verdict"].map(field).join(" ")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "claude session-1 session-start - - allow",
            "claude session-1 before-tool Bash run allow",
            "claude session-1 before-tool Write change deny",
            "claude session-1 session-end - - allow",
        ]
    );
    assert_eq!(lines(&world, "sessions.jsonl")[1]["command"], "ls --token=[redacted]");
    assert!(!world.read("project/.agent/context/indexes/sessions.jsonl").contains("tr0ub4dor"));
}

#[test]
fn an_agent_of_a_run_is_known_by_it() {
    let mut world = marked();
    for (name, value) in [("STEAD_RUN", "night"), ("STEAD_STAGE", "plan.codex"), ("STEAD_ITERATION", "12")] {
        world.set(name, value);
    }
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    world.hook("claude PreToolUse", shell(&world, "ls"));
    let text = world.read("project/.agent/context/indexes/sessions/session-1.json");
    let state: serde_json::Value = serde_json::from_str(&text).unwrap();
    for record in lines(&world, "sessions.jsonl").iter().chain([&state]) {
        assert_eq!(
            (&record["run"], &record["stage"], &record["iteration"]),
            (&json!("night"), &json!("plan.codex"), &json!(12))
        );
    }
    world.set("STEAD_RUN", "../../elsewhere");
    world.hook("claude PreToolUse", shell(&world, "ls"));
    let last = lines(&world, "sessions.jsonl").pop().unwrap();
    assert!(["run", "stage", "iteration"].iter().all(|name| last.get(*name).is_none()), "{last}");
}

#[test]
fn a_session_has_a_file_of_its_own() {
    let world = marked();
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "resume"})));
    let text = world.read("project/.agent/context/indexes/sessions/session-1.json");
    let state: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(state["harness"], "claude");
    assert_eq!(state["source"], "resume");
    assert_eq!(state["root"], world.project().to_str().unwrap());
    assert!(state.get("ended_at").is_none());
    world.hook("claude SessionEnd", payload(&world, "SessionEnd", json!({})));
    let text = world.read("project/.agent/context/indexes/sessions/session-1.json");
    let ended: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(ended["started_at"], state["started_at"]);
    assert!(ended["ended_at"].is_string());
}

#[test]
fn fields_of_a_later_version_survive() {
    let world = marked();
    let path = "project/.agent/context/indexes/sessions/session-1.json";
    let kept = json!({"schema": 1, "harness": "claude", "session": "session-1", "root": "/r", "cwd": "/r",
        "started_at": "2026-01-01T00:00:00.000Z", "last_seen": "2026-01-01T00:00:00.000Z", "role": "tester"});
    world.write(path, kept.to_string());
    world.hook("claude Stop", payload(&world, "Stop", json!({})));
    let state: serde_json::Value = serde_json::from_str(&world.read(path)).unwrap();
    assert_eq!((state["role"].as_str(), state["root"].as_str()), (Some("tester"), Some("/r")));
    let later = r#"{"schema":2,"shape":"unknown"}"#;
    world.write(path, later);
    world.hook("claude Stop", payload(&world, "Stop", json!({})));
    assert_eq!(world.read(path), later);
}

#[test]
fn touched_files_become_relevant() {
    let world = marked();
    let after = |tool: &str, input: serde_json::Value| {
        let own = json!({"tool_name": tool, "tool_input": input, "tool_response": {}, "tool_use_id": "c"});
        assert_eq!(world.hook("claude PostToolUse", payload(&world, "PostToolUse", own)).to_string(), "exit 0");
    };
    let inside = world.project().join("src/a.rs");
    after("Edit", json!({"file_path": inside, "old_string": "a", "new_string": "b"}));
    after("Read", json!({"file_path": "docs/../README.md"}));
    after("Read", json!({"file_path": "/etc/hosts"}));
    after("Read", json!({"file_path": ".agent/config.toml"}));
    after("Bash", json!({"command": "true"}));
    let shown: Vec<String> = lines(&world, "relevant-files.jsonl")
        .iter()
        .map(|line| format!("{} {} {} {}", line["file_path"], line["action"], line["source"], line["confidence"]))
        .collect();
    assert_eq!(shown, [r#""src/a.rs" "edit" "tool" 0.9"#, r#""README.md" "read" "tool" 0.4"#]);
}

#[test]
fn files_that_a_command_touched_become_relevant_by_what_was_done() {
    let world = marked();
    for file in ["a.txt", "b.txt", "c.txt", "d.txt", "new.txt", "docs/e.md", "log.txt"] {
        world.write(format!("project/{file}"), "a\n");
    }
    let command = "cat a.txt docs/e.md | grep x; sed -i s/a/b/ b.txt; echo x >> log.txt; echo y > new.txt; rm gone.txt; \
                   mv old.txt c.txt; cat missing.txt; cat d.txt > /dev/null; sed -i s/a/b/ d.txt; ls docs";
    let own = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {}, "tool_use_id": "c"});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", own));
    let shown: Vec<String> = lines(&world, "relevant-files.jsonl")
        .iter()
        .map(|line| format!("{} {} {}", line["file_path"].as_str().unwrap(), line["action"], line["confidence"]))
        .collect();
    let expected = [
        r#"a.txt "read" 0.4"#, r#"docs/e.md "read" 0.4"#, r#"b.txt "edit" 0.9"#, r#"log.txt "edit" 0.9"#,
        r#"new.txt "write" 0.9"#, r#"gone.txt "delete" 0.6"#, r#"old.txt "rename" 0.8"#, r#"c.txt "rename" 0.8"#,
        r#"d.txt "edit" 0.9"#,
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_line_carries_the_effects_that_were_read_and_a_plain_call_has_none() {
    let world = marked();
    let last = || lines(&world, "sessions.jsonl").pop().unwrap();
    world.hook("claude PreToolUse", shell(&world, "git status"));
    assert_eq!(last()["effects"], json!(null));
    let guard = "id: infra\nmode: enforce\non: [before-tool]\nmatch: {writes: ['infra/**']}\nthen: deny\nsay: \"no\"\n";
    world.write("project/.agent/guards/infra.yaml", guard);
    let command = "rm -rf build /tmp/x; curl -H 'Authorization: Bearer abc123def' https://example.invalid";
    world.hook("claude PreToolUse", shell(&world, command));
    let line = last();
    assert_eq!((&line["verdict"], &line["effects"]["v"]), (&json!("allow"), &json!(1)), "{line}");
    let list = line["effects"]["list"].as_array().unwrap();
    for effect in
        [json!({"delete": {"path": "build", "tree": true}}), json!({"delete": {"path": "/tmp/x", "tree": true}})]
    {
        assert!(list.contains(&effect), "{line}");
    }
    assert!(!line.to_string().contains("abc123def"), "{line}");
    // What was done is in the line before the tool already.
    let own = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf build"}, "tool_use_id": "c"});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", own));
    assert_eq!(last()["effects"], json!(null));
    let long: Vec<String> = (0..400).map(|number| format!("some/folder/file-{number}")).collect();
    world.hook("claude PreToolUse", shell(&world, &format!("rm {}", long.join(" "))));
    let line = last();
    assert!(line["effects"].to_string().len() <= 2_048 && line["effects"]["more"].as_u64().unwrap() > 300, "{line}");
}

#[test]
fn a_folder_named_after_stead_binds_no_command() {
    let world = marked();
    let binds = |command: &str| {
        world.hook("claude PreToolUse", shell(&world, command));
        lines(&world, "sessions.jsonl").pop().unwrap()["binds"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(binds("cd ~/homestead && git status"), 0);
    assert_eq!(binds("cd /work/stead && cargo test"), 0);
    assert_eq!(binds("cd x && stead note 'bought milk'"), 1);
    assert_eq!(binds("sudo /usr/local/bin/stead status"), 1);
}

#[test]
fn every_file_of_a_patch_becomes_relevant() {
    let world = marked();
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-x\n+y\n*** End Patch";
    let own = json!({"tool_name": "apply_patch", "tool_input": {"command": patch}, "turn_id": "t", "model": "m"});
    world.hook("codex PostToolUse", payload(&world, "PostToolUse", own));
    let mut files: Vec<String> =
        lines(&world, "relevant-files.jsonl").iter().map(|line| line["file_path"].to_string()).collect();
    files.dedup();
    assert_eq!(files, [r#""a.txt""#, r#""b.txt""#, r#""c.txt""#]);
}

#[test]
fn recorders_have_switches() {
    let world = marked();
    world.write("project/.agent/config.toml", "[record]\nsessions = false\nrelevant_files = false\n");
    let own = json!({"tool_name": "Read", "tool_input": {"file_path": "a"}, "tool_use_id": "c"});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", own));
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({})));
    assert_eq!(lines(&world, "sessions.jsonl").len() + lines(&world, "relevant-files.jsonl").len(), 0);
    assert!(!world.exists("project/.agent/context/indexes/sessions/session-1.json"));
}

#[test]
fn a_session_start_makes_the_marker_only_if_wanted() {
    let mut world = bare();
    let start = payload(&world, "SessionStart", json!({"source": "startup"}));
    world.hook("claude SessionStart", &start);
    assert!(!world.exists("project/.agent"));
    world.set("STEAD_AUTO_INIT", "true");
    world.hook("claude SessionStart", &start);
    assert!(world.exists("project/.agent/context/root.json"));
    assert_eq!(lines(&world, "sessions.jsonl").len(), 1);
}

#[test]
fn sixteen_at_once_lose_nothing() {
    let world = marked();
    std::thread::scope(|scope| {
        for worker in 0..16 {
            let world = &world;
            scope.spawn(move || {
                for call in 0..12 {
                    let own = json!({"session_id": format!("s{worker}"), "tool_name": "Read",
                        "tool_input": {"file_path": format!("f{worker}-{call}")}, "tool_use_id": "c"});
                    let run = world.hook("claude PostToolUse", payload(world, "PostToolUse", own));
                    assert_eq!(run.to_string(), "exit 0");
                }
            });
        }
    });
    assert_eq!(lines(&world, "sessions.jsonl").len(), 16 * 12);
    let mut files: Vec<String> =
        lines(&world, "relevant-files.jsonl").iter().map(|line| line["file_path"].to_string()).collect();
    files.sort();
    files.dedup();
    assert_eq!(files.len(), 16 * 12);
}
