//! The commands about intents: who may use them, what they print, what they change.

use serde_json::json;
use stead_testkit::{Run, World};

use crate::intent::{FILE, INTENTS, project};
use crate::world::{accept_all, marked, payload};

/// Runs `stead …` as the agent of a session does.
pub(crate) fn as_agent(world: &World, session: &str, words: &[&str]) -> Run {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let command = format!("stead {}", quoted.join(" "));
    let own =
        json!({"session_id": session, "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c"});
    let run = world.hook("claude PreToolUse", payload(world, "PreToolUse", own));
    if run.to_string() == "exit 0" { world.stead(words) } else { run }
}

#[test]
fn a_person_adds_and_widens() {
    let world = marked();
    let add = [
        "intent", "add", "INT-001", "--name", "Sign in", "--scope", "src/**", "docs/a.md", "--constraint", "no tables",
        "--criterion", "fast",
    ];
    world.stead(&add).ok();
    let shown = world.stead(&["intent", "show", "INT-001", "--json"]).json();
    assert_eq!(shown["owned_scope"], json!(["src/**", "docs/a.md"]));
    assert_eq!((&shown["status"], &shown["constraints"]), (&json!("PENDING"), &json!([{"text": "no tables"}])));
    assert_eq!(world.stead(&add).code, 1, "the id is taken");
    world.stead(&["intent", "widen", "INT-001", "--add", "lib/**"]).ok();
    assert!(world.read(FILE).contains("- \"lib/**\""));
    for bad in ["../x", "", "a\\b"] {
        assert_eq!(world.stead(&["intent", "widen", "INT-001", "--add", bad]).code, 2, "{bad}");
    }
    assert_eq!(world.stead(&["intent", "add", "a b", "--name", "x"]).code, 2);
    let listed = world.stead(&["intent", "list"]).ok();
    assert!(listed.contains("PENDING      INT-001  Sign in"), "{listed}");
    world.stead(&["intent", "check"]).ok();
}

#[test]
fn an_agent_may_not_decide() {
    let world = project();
    let decisions: [&[&str]; 5] = [
        &["intent", "add", "X", "--name", "x", "--scope", "a"],
        &["intent", "widen", "INT-001", "--add", "a"],
        &["intent", "reopen", "INT-003"],
        &["intent", "confirm", "R-1"],
        &["intent", "reject", "R-1"],
    ];
    world.stead(&["intent", "request", "more", "--scope", "a", "--intent", "INT-001"]).ok();
    let before = world.read(FILE);
    for words in decisions {
        assert!(as_agent(&world, "s1", words).stdout.contains("weaken Stead"), "{words:?}");
        let mut world = project();
        world.set("CLAUDECODE", "1");
        let run = world.stead(words);
        assert!(run.code == 1 && run.stderr.contains("only a person may"), "{words:?}: {run}");
    }
    assert_eq!(world.read(FILE), before);
    world.write("project/.agent/config.toml", "[intents]\nagents_may_add = true\n");
    accept_all(&world);
    as_agent(&world, "s1", decisions[0]).ok();
    let wide = as_agent(&world, "s1", &["intent", "add", "Y", "--name", "x", "--scope", "**"]);
    assert!(wide.stderr.contains("only a person may add an intent"), "{wide}");
    assert!(as_agent(&world, "s1", decisions[1]).stdout.contains("weaken Stead"));
}

#[test]
fn selecting_returns_the_context_and_moves_the_status() {
    let world = project();
    let run = as_agent(&world, "s1", &["intent", "select", "INT-002", "--class", "refactor"]);
    let said = run.ok();
    assert!(said.starts_with("<intent_context>\n  <id>INT-002</id>\n  <name>Docs</name>"), "{said}");
    assert!(said.contains("<path>docs/**</path>") && !said.contains("INT-001"), "{said}");
    assert!(world.read(FILE).contains("name: Docs\n    status: IN_PROGRESS"));
    let file = world.read("project/.agent/context/indexes/sessions/s1.intent");
    assert!(file.starts_with("-\tINT-002\t") && file.ends_with("\tAST_REFACTOR\n"), "{file}");
    for (words, code, expected) in [
        (&["intent", "select"][..], 2, "missing parameter"),
        (&["intent", "select", "INT-01"], 1, "did you mean `INT-001`? available: INT-001, INT-002, INT-003"),
        (&["intent", "select", "int-002"], 1, "did you mean `INT-002`?"),
        (&["intent", "select", "INT-003"], 1, "intent `INT-003` is COMPLETED"),
        (&["intent", "select", "INT-001"], 1, "no session called this command"),
    ] {
        let run = world.stead(words);
        assert!(run.code == code && run.stderr.contains(expected), "{words:?}: {run}");
    }
    world.write(FILE, "active_intents:\n  - id: 5\n");
    accept_all(&world);
    let run = world.stead(&["intent", "select", "INT-001"]);
    assert!(run.code == 1 && run.stderr.contains("line 2: `id` is a number"), "{run}");
    std::fs::remove_file(world.project().join(".agent/intents/active_intents.yaml")).unwrap();
    accept_all(&world);
    let run = world.stead(&["intent", "select", "INT-001"]);
    assert!(run.stderr.contains("there is no intents file"), "{run}");
}

#[test]
fn overlaps_are_told_and_leases_hold() {
    let world = project();
    world.write(FILE, INTENTS.replace("docs/**", "src/auth/**"));
    as_agent(&world, "s1", &["intent", "select", "INT-001"]).ok();
    let said = as_agent(&world, "s2", &["intent", "select", "INT-002"]).ok();
    assert!(said.contains("note: session s1") && said.contains("works in the same paths (INT-001, since "), "{said}");
    world.write(FILE, INTENTS.replace("    name: Sign in\n", "    name: Sign in\n    exclusive: true\n"));
    accept_all(&world);
    let refused = as_agent(&world, "s2", &["intent", "select", "INT-001"]);
    assert!(refused.code == 1 && refused.stderr.contains("`INT-001` is exclusive; session s1"), "{refused}");
    as_agent(&world, "s1", &["intent", "select", "INT-001"]).ok();
    let end = payload(&world, "SessionStart", json!({"session_id": "s1", "source": "startup"}));
    world.hook("claude SessionStart", end);
    world.hook("claude SessionEnd", payload(&world, "SessionEnd", json!({"session_id": "s1", "reason": "exit"})));
    as_agent(&world, "s2", &["intent", "select", "INT-001"]).ok();
    as_agent(&world, "s2", &["intent", "release"]).ok();
    assert_eq!(as_agent(&world, "s2", &["intent", "release"]).code, 1);
}

#[test]
fn a_request_becomes_scope_or_an_intent() {
    let world = project();
    let ask = ["intent", "request", "the docs lie", "--intent", "INT-001", "--scope", "docs/a.md", "--json"];
    let asked = as_agent(&world, "s1", &ask).json();
    assert_eq!((&asked["id"], &asked["state"], &asked["session"]), (&json!("R-1"), &json!("open"), &json!("s1")));
    as_agent(&world, "s1", &["intent", "request", "a new page", "--scope", "web/**"]).ok();
    as_agent(&world, "s1", &["intent", "request", "no", "--scope", "x"]).ok();
    assert_eq!(as_agent(&world, "s1", &["intent", "request", "no", "--scope", "../x"]).code, 2);
    assert_eq!(as_agent(&world, "s1", &["intent", "request", "no", "--scope", "x", "--intent", "N"]).code, 1);
    world.stead(&["intent", "confirm", "R-1"]).ok();
    assert!(world.read(FILE).contains("[\"src/**\", \"docs/a.md\"]"), "{}", world.read(FILE));
    let made = world.stead(&["intent", "confirm", "R-2", "--json"]).json();
    assert_eq!(
        (&made["id"], &made["name"], &made["owned_scope"]),
        (&json!("INT-004"), &json!("a new page"), &json!(["web/**"]))
    );
    world.stead(&["intent", "reject", "R-3", "--reason", "no"]).ok();
    let again = world.stead(&["intent", "confirm", "R-3"]);
    assert!(again.code == 1 && again.stderr.contains("already rejected"), "{again}");
    assert_eq!(world.stead(&["intent", "list", "--json"]).json()["requests"], json!([]));
}

#[test]
fn completing_asks_for_evidence() {
    let world = project();
    let proven = "    acceptance_criteria:\n      - fast\n      - text: tested\n        verify: sh check.sh\n";
    world.write(FILE, INTENTS.replace("  - id: INT-002\n", &format!("{proven}  - id: INT-002\n")));
    world.write("project/check.sh", "echo '1 test passed'\n");
    let lacking = world.stead(&["intent", "complete", "INT-001"]);
    assert!(lacking.code == 1 && lacking.stdout.contains("stead verify -- 'sh check.sh'"), "{lacking}");
    let other = as_agent(&world, "s1", &["intent", "complete", "INT-001"]);
    assert!(other.stderr.contains("only a person may"), "{other}");
    as_agent(&world, "s1", &["intent", "select", "INT-001"]).ok();
    world.stead(&["verify", "--", "sh check.sh"]);
    world.write("project/src/a.rs", "changed\n");
    let stale = as_agent(&world, "s1", &["intent", "complete", "INT-001"]);
    assert!(stale.code == 1 && stale.stdout.contains("files changed since"), "{stale}");
    world.stead(&["verify", "--", "sh check.sh"]);
    as_agent(&world, "s1", &["intent", "complete", "INT-001"]).ok();
    assert_eq!(world.stead(&["intent", "show", "INT-001", "--json"]).json()["status"], "COMPLETED");
    world.stead(&["intent", "reopen", "INT-001"]).ok();
    assert_eq!(world.stead(&["intent", "show", "INT-001", "--json"]).json()["status"], "PENDING");
}

#[test]
fn scope_only_reads() {
    let world = project();
    let before = world.read(FILE);
    let told = world.stead(&["intent", "scope", "src/a.rs", "--json"]).json();
    assert_eq!(told["items"][0]["id"], "INT-001");
    assert_eq!(told["items"].as_array().unwrap().len(), 2, "the old one owns everything");
    let run = world.stead(&["intent", "scope", "src/../lib/x"]);
    assert!(run.stdout.contains("INT-003"), "{run}");
    assert_eq!(world.stead(&["intent", "scope", "/etc/hosts"]).code, 1);
    assert_eq!(world.read(FILE), before);
    world.write(FILE, "active_intents: []\n");
    let none = world.stead(&["intent", "scope", "src/a.rs"]);
    assert!(none.code == 1 && none.stdout.contains("no intent owns `src/a.rs`"), "{none}");
    world.write(FILE, "active_intents:\n  - id: a\n    constraints: [guard: nobody]\n");
    let wrong = world.stead(&["intent", "check"]);
    assert!(wrong.code == 1 && wrong.stdout.contains("there is no guard `nobody`"), "{wrong}");
}
