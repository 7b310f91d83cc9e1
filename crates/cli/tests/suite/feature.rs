//! The feature list through its commands: who may use them, what they print, what they change.

use std::process::Stdio;

use serde_json::{Value, json};
use stead_testkit::{Run, World, extent, rows};

use crate::run::is_alive;
use crate::world::{marked, payload};

const LIST: &str = "project/.agent/features/feature-list.json";
const STATE: &str = "project/.agent/features/session-state.json";

/// A feature that `check.sh` proves, and one that depends on it.
fn world() -> World {
    let world = marked();
    world.write("project/src/login.rs", "one");
    world.write("project/check.sh", "echo \"== 2 passed in 0.1s ==\"\n");
    let features = json!([
        {"id": "login", "title": "Sign in", "files": ["src/login.rs"], "verifiers": ["sh check.sh"], "mine": {"kept": 1}},
        {"id": "search", "title": "Search", "depends_on": ["login"]},
    ]);
    world.write(LIST, json!({"note": "by hand", "features": features}).to_string());
    world
}

fn feature(world: &World, id: &str) -> Value {
    world.stead(&["feature", "show", id, "--json"]).json()
}

/// Runs `stead …` as an agent of a session does, the main one or a sub-agent of a role.
fn as_agent(world: &World, role: Option<&str>, words: &[&str]) -> Run {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let mut own = json!({"session_id": "s1", "tool_name": "Bash", "tool_use_id": "c",
        "tool_input": {"command": format!("stead {}", quoted.join(" "))}});
    if let Some(role) = role {
        own["agent_id"] = json!("a1");
        own["agent_type"] = json!(role);
    }
    let run = world.hook("claude PreToolUse", payload(world, "PreToolUse", own));
    if run.to_string() == "exit 0" { world.stead(words) } else { run }
}

#[test]
fn a_feature_goes_its_way() {
    let world = world();
    assert_eq!(world.stead(&["feature", "next"]).ok(), "code  login  Sign in\n");
    let run = world.stead(&["feature", "claim", "search"]);
    assert!(run.code == 1 && run.stderr.contains("`search` depends on `login`, which is not tested"), "{run}");
    world.stead(&["feature", "claim", "login", "--owner", "x"]).ok();
    let run = world.stead(&["feature", "claim", "login", "--owner", "y"]);
    assert!(run.code == 1 && run.stderr.contains("`login` is claimed by x until"), "{run}");
    assert!(world.stead(&["feature", "next"]).ok().starts_with("wait until"), "the only one is claimed");
    world.stead(&["feature", "report", "login", "--implemented", "--files", "src/login.rs"]).ok();
    let next = world.stead(&["feature", "next", "--json"]).json();
    assert_eq!((&next["action"], &next["command"]["agent"]), (&json!("test"), &json!("tester-agent")));
    assert_eq!(next["command"]["context"]["files_changed"], json!(["src/login.rs"]));
    let told = world.stead(&["feature", "report", "login", "--passed"]).ok();
    assert!(told.contains("passed  `sh check.sh`") && told.contains("tested       login  Sign in"), "{told}");
    let login = feature(&world, "login");
    assert_eq!((&login["tested"], &login["attempts"], &login["mine"]["kept"]), (&json!(true), &json!(1), &json!(1)));
    assert_eq!(login["evidence"].as_array().unwrap().len(), 1);
    assert!(world.read(LIST).starts_with(r#"{"note":"by hand","features":[{"id":"login""#), "{}", world.read(LIST));
    assert_eq!(world.stead(&["feature", "next"]).ok(), "code  search  Search\n");
}

#[test]
fn a_tester_that_says_passed_while_verifiers_fail_has_failed() {
    let world = world();
    world.write("project/check.sh", "echo \"== 1 failed, 1 passed in 0.1s ==\"; exit 1\n");
    for (retries, status) in [(1, "pending"), (2, "blocked")] {
        world.stead(&["feature", "report", "login", "--implemented"]).ok();
        let run = world.stead(&["feature", "report", "login", "--passed"]);
        assert!(run.code == 1 && run.stderr.contains("recorded as failed: `sh check.sh`"), "{run}");
        let login = feature(&world, "login");
        assert_eq!((&login["retries"], &login["attempts"]), (&json!(retries), &json!(retries)));
        assert_eq!((&login["status"], &login["tested"]), (&json!(status), &json!(false)));
        assert!(login["last_failure"]["summary"].as_str().unwrap().contains("sh check.sh"), "{login}");
    }
    assert!(world.stead(&["feature", "next"]).ok().contains("1 blocked (login), 1 waiting (search)"));
    world.stead(&["feature", "unblock", "login"]).ok();
    let login = feature(&world, "login");
    assert_eq!((&login["retries"], &login["attempts"]), (&json!(0), &json!(2)));
}

/// Its processes end with it, also one that it left in the background.
#[test]
fn a_verifier_that_hangs_or_forks_fails() {
    let world = world();
    let forks = "sleep 600 &\necho $! > child\n";
    for (rest, why) in [("sleep 600", "it timed out"), ("echo '== 1 failed in 0.1s =='; exit 1", "1 failed")] {
        world.write("project/check.sh", format!("{forks}{rest}\n"));
        world.stead(&["feature", "report", "login", "--implemented"]).ok();
        let run = world.stead(&["feature", "report", "login", "--passed", "--timeout", "2"]);
        assert!(run.code == 1 && run.stderr.contains("recorded as failed: `sh check.sh`"), "{run}");
        assert!(run.stdout.contains(why), "{run}");
        let child = world.read("project/child");
        assert!(!is_alive(child.trim()), "{child} still runs");
    }
    assert_eq!(feature(&world, "login")["tested"], json!(false));
}

#[test]
fn passing_without_any_evidence_changes_nothing() {
    let world = world();
    world.stead(&["feature", "skip", "login"]).ok();
    world.stead(&["feature", "report", "search", "--implemented"]).ok();
    let before = world.read(LIST);
    let run = world.stead(&["feature", "report", "search", "--passed"]);
    assert!(run.code == 1 && run.stderr.contains("`search` has no evidence"), "{run}");
    assert_eq!(world.read(LIST), before);
}

#[test]
fn a_list_grows_from_nothing() {
    let world = marked();
    assert_eq!(world.stead(&["feature", "next"]).ok(), "initialize: there is no feature list yet\n");
    assert_eq!(
        world.stead(&["feature", "list", "--json"]).json(),
        json!({"schema": "stead.answer.feature-list/1", "items": []})
    );
    let add = ["feature", "add", "--title", "First", "--verifier", "true", "--priority", "-1", "--json"];
    let added = world.stead(&add).json();
    assert_eq!((&added["id"], &added["status"], &added["priority"]), (&json!("F-001"), &json!("pending"), &json!(-1)));
    assert_eq!(world.stead(&add).json()["id"], "F-002");
    assert_eq!(world.stead(&["feature", "add", "F-001", "--title", "x"]).code, 1);
    for bad in ["../x", "a b", ".hidden", ""] {
        let run = world.stead(&["feature", "add", bad, "--title", "x"]);
        assert!(run.code != 0 && run.stderr.contains("invalid feature id"), "{run}");
    }
    world.stead(&["feature", "edit", "F-001", "--file", "a", "--remove", "verifiers"]).ok();
    let text = world.read(LIST);
    assert!(text.contains("\"schema\": \"stead.feature-list/1\"") && !text.contains("tested\": true"), "{text}");
    let edited = feature(&world, "F-001");
    assert_eq!((&edited["files"], &edited["verifiers"]), (&json!(["a"]), &Value::Null));
    let run = world.stead(&["feature", "edit", "F-001", "--depends-on", "F-009"]);
    assert!(run.code == 1 && run.stderr.contains("depends on `F-009`, which is not in the list"), "{run}");
    assert_eq!(world.read(LIST), text);
}

#[test]
fn a_person_is_asked_and_answers() {
    let world = world();
    world.stead(&["feature", "block", "login", "--question", "which port?"]).ok();
    assert_eq!(world.stead(&["feature", "next"]).ok(), "ask a person about login: which port?\n");
    assert!(world.stead(&["feature", "list", "--blocked"]).ok().contains("login  Sign in  (asks: which port?)"));
    world.stead(&["feature", "answer", "login", "8080"]).ok();
    let next = world.stead(&["feature", "next", "--json"]).json();
    assert_eq!(next["command"]["context"]["answer"], "8080");
}

#[test]
fn what_is_a_persons_is_not_an_agents() {
    let decisions: [&[&str]; 5] = [
        &["feature", "answer", "login", "x"],
        &["feature", "unblock", "login"],
        &["feature", "skip", "login"],
        &["feature", "edit", "login", "--file", "**"],
        &["feature", "import", "x.json"],
    ];
    for words in decisions {
        let mut world = world();
        let before = world.read(LIST);
        assert!(as_agent(&world, None, words).stdout.contains("weaken Stead"), "{words:?}");
        world.set("CLAUDECODE", "1");
        let run = world.stead(words);
        assert!(run.code == 1 && run.stderr.contains("only a person may"), "{words:?}: {run}");
        assert_eq!(world.read(LIST), before);
    }
}

#[test]
fn only_a_tester_reports_a_test() {
    let world = world();
    as_agent(&world, Some("coding-agent"), &["feature", "claim", "login"]).ok();
    as_agent(&world, Some("coding-agent"), &["feature", "report", "login", "--implemented"]).ok();
    for (role, what) in [(None, "--passed"), (Some("coding-agent"), "--passed"), (Some("coding-agent"), "--failed")] {
        let run = as_agent(&world, role, &["feature", "report", "login", what]);
        assert!(run.code == 1 && run.stderr.contains("only a tester or a person"), "{role:?}: {run}");
    }
    as_agent(&world, Some("tester-agent"), &["feature", "report", "login", "--passed"]).ok();
    assert_eq!(feature(&world, "login")["tested"], true);
}

#[test]
fn an_agents_verifier_is_marked() {
    let mut world = world();
    world.set("CLAUDECODE", "1");
    let added = world.stead(&["feature", "add", "x", "--title", "X", "--verifier", "true", "--json"]).json();
    assert_eq!(added["verifiers_by"], "agent");
    world.unset("CLAUDECODE");
    let edited = world.stead(&["feature", "edit", "x", "--verifier", "false", "--json"]).json();
    assert_eq!(edited["verifiers_by"], Value::Null);
}

#[test]
fn a_bad_list_is_told_with_its_line() {
    let world = world();
    for (text, line) in [
        (
            "{\"features\": [\n {\"id\": \"a\"},\n {\"id\": \"a\"}]}",
            "feature-list.json`:3: feature `a` is listed twice",
        ),
        ("[\n{\"id\": \"a\", \"depends_on\": [\"a\"]}]", "feature-list.json`:2: dependencies form a cycle"),
        ("[\n{\"id\": \"a\",\n\"steps\": 4}]", "feature-list.json`:3:"),
        ("{\"features\": [}", "feature-list.json`:1:"),
    ] {
        world.write(LIST, text);
        for words in [&["feature", "list"][..], &["feature", "next"], &["feature", "add", "b", "--title", "B"]] {
            let run = world.stead(words);
            assert!(run.code == 1 && run.stderr.contains(line), "{words:?}: {run}");
        }
        assert_eq!(world.read(LIST), text);
    }
}

#[test]
fn many_writers_lose_nothing() {
    let world = world();
    let each = extent(4, 20);
    let script = "for at in $(seq $2); do \"$0\" feature add $1-$at --title t >/dev/null || echo lost $1-$at; done";
    let writers: Vec<_> = (0..64)
        .map(|at| {
            let mut command = world.command("sh", &world.project());
            command.args(["-c", script, env!("CARGO_BIN_EXE_stead"), &format!("w{at}"), &each.to_string()]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.stdout.is_empty(), "{output:?}");
    }
    let listed = world.stead(&["feature", "list", "--json"]).json();
    assert_eq!(listed["items"].as_array().unwrap().len() as u64, 2 + 64 * each);
}

#[test]
fn a_kill_while_writing_leaves_a_whole_list() {
    let world = world();
    for at in rows(0..60_u64, 4) {
        let mut command = world.command(env!("CARGO_BIN_EXE_stead"), &world.project());
        command.args(["feature", "claim", "login", "--owner", &format!("o{at}"), "--lease", "1"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(at * 300));
        let _ = child.kill();
        child.wait().unwrap();
        let list: Value = serde_json::from_str(&world.read(LIST)).unwrap();
        assert_eq!(list["features"].as_array().unwrap().len(), 2);
        if world.exists(STATE) {
            serde_json::from_str::<Value>(&world.read(STATE)).unwrap();
        }
        // Whatever was written, the feature can be taken again: nobody else has it, or the claim is in both files.
        let next = world.stead(&["feature", "next", "--json"]).json();
        assert!(next["action"] == "code" || next["action"] == "wait", "{next}");
        world.stead(&["feature", "unblock", "login"]);
        world.stead(&["feature", "block", "login", "--reason", "x"]).ok();
        world.stead(&["feature", "unblock", "login"]).ok();
    }
}

#[test]
fn a_state_of_another_tool_is_kept() {
    let world = world();
    world.write(STATE, r#"{"current_phase": "coding", "state": 3}"#);
    world.stead(&["feature", "claim", "login"]).ok();
    let state: Value = serde_json::from_str(&world.read(STATE)).unwrap();
    assert_eq!((&state["current_phase"], &state["schema"]), (&json!("coding"), &json!("stead.session-state/1")));
    world.write(STATE, "{torn");
    let run = world.stead(&["feature", "claim", "login"]);
    assert!(run.code == 1 && run.stderr.contains("session-state.json`:1:"), "{run}");
    assert_eq!(world.read(STATE), "{torn");
}

#[test]
fn lists_of_other_tools_are_imported_and_ours_is_exported() {
    let world = world();
    let stories =
        json!({"userStories": [{"id": "US-1", "title": "Story", "passes": true}, {"id": "login", "title": "New"}]});
    world.write("project/prd.json", stories.to_string());
    let done = world.stead(&["feature", "import", "prd.json", "--json"]).json();
    assert_eq!((&done["form"], &done["added"], &done["updated"]), (&json!("prd"), &json!(["US-1"]), &json!(["login"])));
    assert_eq!(feature(&world, "US-1")["status"], "implemented");
    let again = world.stead(&["feature", "import", "prd.json"]).ok();
    assert_eq!(again, "2 features: 0 added, 0 updated, 2 unchanged\n");
    assert_eq!(world.stead(&["feature", "export"]).ok(), world.read(LIST));
    let boxes = world.stead(&["feature", "export", "--format", "markdown"]).ok();
    assert!(boxes.contains("- [ ] **US-1**: Story (implemented)\n"), "{boxes}");
    let run = world.stead(&["feature", "import", "check.sh"]);
    assert!(run.code == 1 && run.stderr.contains("the form of the list is not known"), "{run}");
    assert_eq!(world.stead(&["feature", "import", "none.json"]).code, 1);
    assert!(world.stead(&["feature", "graph"]).ok().contains(" 1  pending      search  Search  <- login"));
    assert!(world.stead(&["feature", "graph", "--dot"]).ok().contains("\"login\" -> \"search\";"));
    assert!(world.stead(&["feature", "graph", "--svg"]).ok().starts_with("<svg "));
}

#[test]
fn a_named_verifier_shows_only_how_it_ended() {
    let world = world();
    world.write(
        LIST,
        json!({"features": [
            {"id": "login", "files": ["src/login.rs"], "verifiers": ["@hidden"]},
        ]})
        .to_string(),
    );
    let run = world.stead(&["feature", "report", "login", "--passed"]);
    assert!(run.code == 1 && run.stderr.contains("there is no verifier named `hidden`"), "{run}");
    world.write("home/.config/stead/verifiers.toml", "hidden = \"sh secret-check.sh\"\n");
    world.write("project/secret-check.sh", "echo the answer is 42\necho 'FAILED login_works'\nexit 1\n");
    world.stead(&["feature", "claim", "login", "--owner", "x"]).ok();
    world.stead(&["feature", "report", "login", "--implemented"]).ok();
    let run = world.stead(&["feature", "report", "login", "--passed"]);
    assert!(run.code == 1 && run.to_string().contains("FAILED login_works"), "{run}");
    assert!(!run.to_string().contains("the answer is 42") && !run.to_string().contains("secret-check"), "{run}");
    world.write("project/secret-check.sh", "echo the answer is 42\necho '== 2 passed in 0.1s =='\n");
    world.stead(&["feature", "report", "login", "--implemented"]).ok();
    world.stead(&["feature", "report", "login", "--passed"]).ok();
    assert_eq!(feature(&world, "login")["tested"], json!(true));
    let evidence = world.read("project/.agent/context/indexes/evidence.jsonl");
    assert!(evidence.contains("@hidden") && !evidence.contains("answer is 42"), "{evidence}");
}
