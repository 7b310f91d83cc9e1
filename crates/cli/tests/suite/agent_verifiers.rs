//! Verifiers that an agent wrote, by every route: marked as the agent's, and no proof unless they are tests that ran in a
//! run that a person started. And features with a user interface, which need evidence from a browser.

use serde_json::{Value, json};
use stead_testkit::{Run, World};

use crate::world::{denies, marked, payload, tool};

const LIST: &str = "project/.agent/features/feature-list.json";

/// A project with a test runner on PATH, and a feature of a person.
fn world() -> World {
    let mut world = marked();
    let runner = world.write("programs/pytest", "#!/bin/sh\necho '== 3 passed in 0.01s =='\n");
    std::fs::set_permissions(runner, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    world.set("PATH", format!("{}:/usr/bin:/bin", world.folder().join("programs").display()));
    world.write("project/a.txt", "a\n");
    world.write(LIST, json!({"features": [own("old", "sh check.sh")]}).to_string());
    world.write("project/check.sh", "echo '== 2 passed in 0.1s =='\n");
    world
}

fn own(id: &str, verifier: &str) -> Value {
    json!({"id": id, "title": id, "files": ["a.txt"], "verifiers": [verifier], "status": "implemented", "tested": false})
}

/// Runs `stead …` as a sub-agent of a session does.
fn as_agent(world: &World, role: &str, words: &[&str]) -> Run {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let call = json!({"session_id": "s1", "tool_name": "Bash", "tool_use_id": "c", "agent_id": "a1", "agent_type": role,
        "tool_input": {"command": format!("stead {}", quoted.join(" "))}});
    let run = world.hook("claude PreToolUse", payload(world, "PreToolUse", call));
    if run.to_string() == "exit 0" { world.stead(words) } else { run }
}

/// Writes the list as an agent's file tool does, if the hook allows that.
fn write_list(world: &World, features: &Value) -> Run {
    let text = json!({"features": features}).to_string();
    let input = json!({"file_path": world.folder().join(LIST), "content": text});
    let run = world.hook("claude PreToolUse", tool(world, "Write", input));
    if !denies(&run.stdout) {
        world.write(LIST, text);
    }
    run
}

fn feature(world: &World, id: &str) -> Value {
    world.stead(&["feature", "show", id, "--json"]).json()
}

/// An agent adds a feature by command.
fn by_command(world: &World, id: &str, verifier: &str) {
    as_agent(world, "coding-agent", &["feature", "add", id, "--title", id, "--file", "a.txt", "--verifier", verifier])
        .ok();
    as_agent(world, "coding-agent", &["feature", "report", id, "--implemented"]).ok();
}

/// An agent adds a feature by writing the list.
fn by_file(world: &World, id: &str, verifier: &str) {
    let run = write_list(world, &json!([own("old", "sh check.sh"), own(id, verifier)]));
    assert_eq!(run.to_string(), "exit 0");
}

const ROUTES: [fn(&World, &str, &str); 2] = [by_command, by_file];

#[test]
fn what_an_agent_adds_is_marked_and_counts_only_where_a_person_started_it() {
    for add in ROUTES {
        let world = world();
        add(&world, "new", "pytest tests");
        assert_eq!(feature(&world, "new")["verifiers_by"], "agent");
        let run = as_agent(&world, "tester-agent", &["feature", "report", "new", "--passed"]);
        assert!(run.code == 1 && run.stderr.contains("counts only in a run that a person started"), "{run}");
        // A run that the hook sees is the agent's own as well.
        let call = json!({"tool_name": "Bash", "tool_use_id": "c2", "tool_input": {"command": "pytest tests"},
            "tool_response": {"stdout": "== 3 passed in 0.01s ==", "stderr": "", "interrupted": false}});
        world.hook("claude PostToolUse", payload(&world, "PostToolUse", call));
        let mut features = json!([own("old", "sh check.sh"), own("new", "pytest tests")]);
        features[1]["tested"] = json!(true);
        features[1]["verifiers_by"] = feature(&world, "new")["verifiers_by"].clone();
        assert!(denies(&write_list(&world, &features).stdout), "the file asks the same function");
        assert_eq!(feature(&world, "new")["tested"], false);

        world.stead(&["orchestrate", "on"]).ok();
        as_agent(&world, "tester-agent", &["feature", "report", "new", "--passed"]).ok();
        assert_eq!(feature(&world, "new")["tested"], true);
    }
}

#[test]
fn an_agents_verifier_must_be_a_test_even_if_a_person_runs_it() {
    for add in ROUTES {
        let world = world();
        add(&world, "new", "sh check.sh");
        let run = world.stead(&["feature", "report", "new", "--passed"]);
        assert!(run.code == 1 && run.stderr.contains("not a test runner that ran a test"), "{run}");
        // The same commands are fine as a person's.
        world.stead(&["feature", "report", "old", "--passed"]).ok();
        world.stead(&["feature", "edit", "new", "--verifier", "sh check.sh"]).ok();
        world.stead(&["feature", "report", "new", "--passed"]).ok();
        assert_eq!(feature(&world, "new")["tested"], true);
    }
}

#[test]
fn an_agents_verifier_is_judged_as_its_own_command() {
    let world = world();
    by_file(&world, "new", "rm -rf .agent/guards && pytest tests");
    for words in [&["feature", "report", "new", "--passed"][..], &["verify", "new"]] {
        let run = as_agent(&world, "tester-agent", words);
        assert!(run.code != 0 && run.to_string().contains("is refused"), "{run}");
    }
}

#[test]
fn an_agent_cannot_pass_its_verifiers_off_as_a_persons() {
    let world = world();
    let mut features = json!([own("old", "sh check.sh"), own("new", "sh check.sh")]);
    features[1]["verifiers_by"] = json!("person");
    write_list(&world, &features);
    let run = world.stead(&["feature", "report", "new", "--passed"]);
    assert!(run.code == 1 && run.stderr.contains("not a test runner"), "{run}");
    assert_eq!(feature(&world, "new")["verifiers_by"], "agent");
    features[1]["verifiers_by"] = json!("");
    assert!(denies(&write_list(&world, &features).stdout));
    let line = world.read("project/.agent/features/agent-verifiers.jsonl");
    let schema = world.stead(&["schema", "agent-verifiers"]).json();
    let line: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert!(jsonschema::draft202012::is_valid(&schema, &line), "{line}");
}

#[test]
fn what_an_agent_of_any_run_adds_is_marked() {
    let world = world();
    let list = json!({"features": [own("old", "sh check.sh"), own("new", "sh check.sh")]});
    world.write("project/next.json", list.to_string());
    let stage = "name: grow\ndescription: Adds a feature\ntermination:\n  type: fixed\nguardrails:\n  max_iterations: 1\n\
        provider:\n  command: [sh, grow.sh]\n";
    world.write("project/.agent/stages/grow/stage.yaml", stage);
    world.write("project/.agent/stages/grow/prompt.md", "Add one.\n");
    let script = "cat > prompt.txt\ncp next.json .agent/features/feature-list.json\n\
        printf '{\"decision\":\"stop\"}' > \"$STEAD_STATUS\"\n";
    world.write("project/grow.sh", script);
    world.stead(&["run", "stage", "grow", "it"]).ok();
    assert_eq!(feature(&world, "new")["verifiers_by"], "agent");
    assert_eq!(feature(&world, "old")["verifiers_by"], Value::Null);
}

#[test]
fn a_user_interface_needs_evidence_from_a_browser() {
    let world = world();
    let mut shown = own("old", "sh check.sh");
    shown["ui"] = json!(true);
    world.write(LIST, json!({"features": [shown.clone()]}).to_string());
    let mut marked = json!([shown]);
    marked[0]["tested"] = json!(true);
    let report = || world.stead(&["feature", "report", "old", "--passed"]);
    let run = report();
    assert!(run.code == 1 && run.stderr.contains("no evidence from a browser"), "{run}");
    assert!(denies(&write_list(&world, &marked).stdout));
    world.write("project/shot.png", "it looked fine, I promise; it looked fine, I promise; it looked fine, I promise");
    world.stead(&["evidence", "add", "old", "--file", "shot.png"]).ok();
    assert_eq!(report().code, 1, "a text is no screenshot");
    world.write("project/shot.png", [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 100]].concat());
    world.stead(&["evidence", "add", "old", "--file", "shot.png"]).ok();
    world.write("project/a.txt", "changed\n");
    assert_eq!(report().code, 1, "it shows an earlier state");
    world.write("project/a.txt", "a\n");
    assert!(!denies(&write_list(&world, &marked).stdout));
    world.write(LIST, json!({"features": [shown]}).to_string());
    report().ok();
}

#[test]
fn coverage_is_asked_for_on_every_route() {
    let world = world();
    let mut covered = own("old", "sh check.sh");
    covered["success_criteria"] = json!({"coverage_min": 80});
    world.write(LIST, json!({"features": [covered.clone()]}).to_string());
    let mut marked = json!([covered]);
    marked[0]["tested"] = json!(true);
    world.stead(&["verify", "old"]).ok();
    assert!(denies(&write_list(&world, &marked).stdout), "no report");
    world.write(
        "project/check.sh",
        "printf 'SF:a\\nDA:1,1\\nDA:2,1\\nend_of_record\\n' > lcov.info; echo '== 2 passed in 0.1s =='\n",
    );
    world.stead(&["verify", "old"]).ok();
    assert!(!denies(&write_list(&world, &marked).stdout));
}
