//! `stead orchestrate` by the real binary, with shell scripts as agents.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::intent::{FILE, INTENTS};
use crate::run::{is_alive, signal, start, written};
use crate::world::{denies, marked, payload};

const LIST: &str = "project/.agent/features/feature-list.json";

/// Writes what its feature needs, and says so. As the initializer it writes the list in `initial.json`.
const CODER: &str = r#"#!/bin/sh
field() { sed -n "s/^ *\"$1\": \"\(.*\)\".*/\1/p" "$STEAD_COMMAND" | head -1; }
cat > prompt.txt
case "$(field task)" in
  initialize) mkdir -p .agent/features; cp initial.json .agent/features/feature-list.json;;
  *) echo good > "$(field feature_id).txt";;
esac
echo '{"decision": "stop", "summary": "did it"}' > "$STEAD_STATUS"
"#;

const TESTER: &str = "#!/bin/sh\necho '{\"decision\": \"stop\", \"result\": \"passed\"}' > \"$STEAD_STATUS\"\n";

fn program(world: &World, path: &str, script: &str) {
    let path = world.write(path, script);
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

fn world(features: &Value) -> World {
    let world = marked();
    program(&world, "project/coder", CODER);
    program(&world, "project/tester", TESTER);
    if !features.is_null() {
        world.write(LIST, json!({"features": features}).to_string());
    }
    world
}

fn feature(id: &str, verifier: &str) -> Value {
    json!({"id": id, "title": format!("The {id}"), "files": [format!("{id}.txt")], "verifiers": [verifier]})
}

const ARGS: [&str; 5] = ["orchestrate", "--provider", "./coder", "--tester-provider", "./tester"];

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ARGS.iter().copied().chain(more.iter().copied()).collect()
}

fn status(world: &World, id: &str) -> String {
    world.stead(&["feature", "show", id, "--json"]).json()["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_list_is_worked_off_and_reported() {
    let world = world(&json!([feature("door", "grep good door.txt"), feature("key", "grep bad key.txt")]));
    let run = world.stead(&args(&["--features", "door"]));
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("report: .agent/runs/orchestrate-1/report.md"), "{run}");
    assert!(run.stderr.contains("door: passed, now tested"), "{run}");
    assert!(world.read("project/prompt.txt").contains("\"task\": \"implement_feature\""));
    assert!(
        world.read("project/.agent/runs/orchestrate-1/report.md").contains("### door The door\n\n- status: tested")
    );

    let run = world.stead(&args(&["--json"]));
    assert_eq!(run.code, 1, "{run}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["run"], &report["status"]), (&json!("orchestrate-2"), &json!("failed")));
    assert_eq!(report["features"][1]["attempts"], 2);
    let run = world.stead(&["status", "orchestrate-2"]);
    assert!(run.stdout.contains("orchestrate --resume --run orchestrate-2"), "{run}");
    // Nothing changed, so nothing is done, and the run ends as before.
    assert_eq!(world.stead(&["orchestrate", "--resume"]).code, 1);
    assert_eq!((status(&world, "door"), status(&world, "key")), ("tested".into(), "blocked".into()));
}

#[test]
fn what_cannot_start_leaves_nothing_behind() {
    let world = world(&json!([feature("door", "true")]));
    for (wrong, code, told) in [
        (args(&["--features", "dor"]), 2, "did you mean `door`?"),
        (vec!["orchestrate", "--provider", "./coder", "--tester-provider", "./gone"], 2, "gone"),
        (vec!["orchestrate", "--provider", "claude"], 2, "claude"),
        (vec!["orchestrate", "--max-runtime", "soon"], 2, "expected a time"),
        (vec!["orchestrate", "--resume"], 2, "there is no run to continue"),
        (vec!["orchestrate", "--resume", "--worktrees"], 2, "--resume"),
    ] {
        let run = world.stead(&wrong);
        assert!(run.code == code && run.stderr.contains(told), "{wrong:?}: {run}");
    }
    world.write(LIST, "{\n \"features\": [{\"id\": 3, \"title\": 4}]}");
    let run = world.stead(&args(&[]));
    assert!(run.code == 1 && run.stderr.contains("feature-list.json`:2"), "{run}");
    assert!(!world.folder().join("project/.agent/runs/orchestrate-1").exists());
}

#[test]
fn an_agent_may_not_start_it() {
    let world = world(&json!([feature("door", "true")]));
    let own = json!({"session_id": "s1", "tool_name": "Bash", "tool_use_id": "c",
        "tool_input": {"command": "stead orchestrate --provider ./coder --tester-provider ./tester"}});
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", own));
    let run = world.stead(&args(&[]));
    assert!(run.code == 1 && run.stderr.contains("an agent may not start"), "{run}");
}

#[test]
fn verifiers_of_an_initializer_must_be_tests_that_an_agent_may_run() {
    let mut world = world(&Value::Null);
    program(&world, "programs/pytest", "#!/bin/sh\necho '== 3 passed in 0.01s =='\n");
    let list = json!({"features": [
        feature("tested", "pytest tests"),
        feature("echoed", "echo '== 3 passed in 0.01s =='"),
        feature("refused", "rm -rf .agent/guards && pytest tests"),
    ]});
    world.write("project/initial.json", list.to_string());
    let path = format!("{}:/usr/bin:/bin", world.folder().join("programs").display());
    world.set("PATH", path);
    let run = world.stead(&args(&[]));
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("an initializer writes one first"), "{run}");
    let failure = |id: &str| {
        let shown = world.stead(&["feature", "show", id, "--json"]).json();
        shown["last_failure"]["summary"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(status(&world, "tested"), "tested", "{run}");
    assert!(failure("echoed").contains("not a test runner that ran a test"), "{}", failure("echoed"));
    assert!(failure("refused").contains("which is refused"), "{}", failure("refused"));
    assert!(
        world.read(LIST).contains("\"verifiers_by\": \"agent\"")
            || world.read(LIST).contains("\"verifiers_by\":\"agent\"")
    );
}

#[test]
fn a_background_run_is_watched_and_stopped() {
    let world = world(&json!([feature("door", "grep good door.txt")]));
    program(&world, "project/coder", "#!/bin/sh\necho working\nsleep 600\n");
    let run = world.stead(&args(&["--background", "--json"]));
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(run.json()["run"], "orchestrate-1");
    let second = world.stead(&args(&[]));
    assert!(
        second.code == 1 && second.stderr.contains("run `orchestrate-1` already works on this feature list"),
        "{second}"
    );
    assert_eq!(world.stead(&["stop", "orchestrate-1", "--now"]).code, 0);
    assert_eq!(status(&world, "door"), "pending");
    program(&world, "project/coder", CODER);
    let run = world.stead(&["orchestrate", "--resume"]);
    assert_eq!(run.code, 0, "{run}");
}

#[test]
fn what_a_named_verifier_prints_is_not_kept_in_the_run() {
    let world = world(&json!([feature("door", "@hidden"), feature("key", "grep good key.txt")]));
    world.write("home/.config/stead/verifiers.toml", "hidden = \"grep good door.txt && echo the answer is 42\"\n");
    let run = world.stead(&args(&[]));
    assert_eq!(run.code, 0, "{run}");
    let log =
        |number: u32| format!("project/.agent/runs/orchestrate-1/stage-00-work/iterations/{number:03}/verify.log");
    assert!(!world.exists(log(2)), "{}", world.read(log(2)));
    assert!(world.exists(log(4)), "an ordinary verifier keeps its output");
}

#[test]
fn while_a_named_verifier_runs_nothing_of_it_is_in_the_run() {
    let world = world(&json!([feature("door", "@hidden")]));
    let script =
        "echo the answer is 42; find .agent/runs -type f -exec grep -l 'answer is 42' {} + > found; grep good door.txt";
    world.write("project/hidden.sh", script);
    world.write("home/.config/stead/verifiers.toml", "hidden = \"sh hidden.sh; sleep 0.3; sh hidden.sh\"\n");
    let run = world.stead(&args(&[]));
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(world.read("project/found"), "");
}

#[test]
fn ctrl_c_ends_the_agents_and_loses_nothing() {
    let world = world(&json!([feature("door", "grep good door.txt"), feature("key", "grep good key.txt")]));
    let waits = "*) [ \"$(field feature_id)\" = door ] || [ -e go ] || { echo $$ > agent; sleep 600; }\n    echo";
    program(&world, "project/coder", &CODER.replace("*) echo", waits));
    let child = start(&world, &args(&[]));
    let agent = written(&world, "project/agent");
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(!is_alive(&agent), "its agent is gone when it ends");
    assert_eq!((status(&world, "door"), status(&world, "key")), ("tested".into(), "pending".into()));
    let shown = world.stead(&["feature", "show", "key", "--json"]).json();
    assert_eq!((shown["attempts"].as_u64().unwrap_or(0), &shown["claim"]), (0, &Value::Null));
    let report: Value = serde_json::from_str(&world.read("project/.agent/runs/orchestrate-1/report.json")).unwrap();
    assert_eq!((&report["status"], &report["counts"]), (&json!("cancelled"), &json!({"pending": 1, "tested": 1})));
    world.write("project/go", "");
    world.stead(&["orchestrate", "--resume"]).ok();
    assert_eq!(status(&world, "key"), "tested");
}

#[test]
fn the_intent_of_a_feature_binds_its_agent_from_the_first_call() {
    let mut docs = feature("door", "grep good door.txt");
    docs["intent"] = json!("INT-002");
    let world = world(&json!([docs]));
    world.write(FILE, INTENTS);
    let hook = env!("CARGO_BIN_EXE_stead");
    let script = format!(
        "#!/bin/sh\n{hook} hook claude PreToolUse < inside.json > inside.reply\n{hook} hook claude PreToolUse < outside.json > \
         outside.reply\necho good > door.txt\necho '{{\"decision\": \"stop\"}}' > \"$STEAD_STATUS\"\n"
    );
    program(&world, "project/coder", &script);
    for (name, file) in [("inside", "docs/door.md"), ("outside", "src/door.rs")] {
        let input = json!({"file_path": world.project().join(file), "content": "x"});
        let own = json!({"session_id": name, "tool_name": "Write", "tool_input": input, "tool_use_id": "c"});
        world.write(format!("project/{name}.json"), payload(&world, "PreToolUse", own));
    }
    world.stead(&args(&[])).ok();
    let reply = |name: &str| world.read(format!("project/{name}.reply"));
    assert!(!denies(&reply("inside")), "{}", reply("inside"));
    let told = "Scope Violation: INT-002 is not authorized to edit src/door.rs.";
    assert!(denies(&reply("outside")) && reply("outside").contains(told), "{}", reply("outside"));
}

#[test]
fn what_a_coding_agent_adds_to_the_list_is_restricted_too() {
    let mut world = world(&json!([feature("door", "grep good door.txt")]));
    program(&world, "programs/pytest", "#!/bin/sh\necho '== 3 passed in 0.01s =='\n");
    world.set("PATH", format!("{}:/usr/bin:/bin", world.folder().join("programs").display()));
    let list = json!([
        feature("door", "grep good door.txt"),
        feature("tests", "pytest x"),
        feature("word", "grep good word.txt")
    ]);
    world.write("project/more.json", json!({"features": list}).to_string());
    let coder = CODER
        .replace("*) echo", "door) cp more.json .agent/features/feature-list.json; echo good > door.txt;;\n  *) echo");
    program(&world, "project/coder", &coder.replace("\"$(field task)\"", "\"$(field feature_id)\""));
    let run = world.stead(&args(&[]));
    assert_eq!(run.code, 1, "{run}");
    assert_eq!((status(&world, "door"), status(&world, "tests")), ("tested".into(), "tested".into()), "{run}");
    let shown = world.stead(&["feature", "show", "word", "--json"]).json();
    assert_eq!((&shown["status"], &shown["verifiers_by"]), (&json!("blocked"), &json!("agent")));
    assert!(shown["last_failure"]["summary"].as_str().unwrap().contains("not a test runner"), "{shown}");
}
