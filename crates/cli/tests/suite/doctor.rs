use serde_json::{Value, json};
use stead_client::Harness;
use stead_model::EventKind;

use crate::world::{bare, marked, payload};

fn report<'a>(json: &'a Value, harness: &str) -> &'a Value {
    let reports = json["harnesses"].as_array().into_iter().flatten();
    reports.into_iter().find(|report| report["harness"] == harness).unwrap_or(&Value::Null)
}

#[test]
fn every_line_of_every_client_is_proven() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--all"]).ok();
    world.stead(&["init", "--user", "--harness", "kimi"]).ok();
    let before = world.read("project/.agent/context/indexes/sessions.jsonl");
    let run = world.stead(&["doctor", "--json"]);
    let json = run.json();
    assert_eq!(json["sound"], true, "{run}");
    for harness in Harness::ALL {
        let install = &report(&json, harness.name())["installs"][0];
        assert_eq!(install["lines_found"], install["lines_expected"], "{harness}");
        let proofs = install["proofs"].as_array().unwrap();
        assert_eq!(proofs.len(), harness.client().facts.install.lines.len(), "{harness}");
        let denies = proofs.iter().filter(|proof| proof["outcome"] == "denies").count();
        assert_eq!(denies, 1, "{harness}: {proofs:?}");
    }
    assert_eq!(world.read("project/.agent/context/indexes/sessions.jsonl"), before, "doctor's calls leave no record");
    assert!(!world.exists("home/.local/state/stead/sessions"), "nor a remembered session");
    assert!(world.exists("project/.agent/config.toml"));
}

#[test]
fn the_report_fits_eighty_columns() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--all"]).ok();
    let said = world.stead(&["doctor"]).ok();
    for line in said.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(said.contains("at its stop: claude, codex"), "{said}");
    assert!(said.ends_with("\nEverything that is installed works.\n"), "{said}");
}

#[test]
fn the_report_says_which_clients_may_call_no_hook_after_a_tool() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "claude"]).ok();
    let said = world.stead(&["doctor"]).ok();
    let head = "  What a call weakened is put back by the hook after it, else at the next event:\n";
    let (_, section) = said.split_once(head).unwrap();
    let section = section.split("\n\n").next().unwrap();
    let named: Vec<&str> = section
        .lines()
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(named, ["codex", "opencode", "kimi", "droid"], "{section}");
    // A client that reports failed tools by an event of their own loses none of them.
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        let reports = facts.events.iter().any(|fact| fact.kind == EventKind::ToolFailed);
        assert!(reports || facts.lost_after_tool.is_some() || harness == Harness::Gemini, "{harness}");
    }
    let json = world.stead(&["doctor", "--json"]).json();
    for client in json["capabilities"].as_array().unwrap() {
        let facts = &Harness::from_name(client["harness"].as_str().unwrap()).unwrap().client().facts;
        assert_eq!(client["lost_after_tool"].as_str(), facts.lost_after_tool, "{client}");
    }
}

#[test]
fn what_a_window_does_not_show_is_told() {
    let json = marked().stead(&["doctor", "--json"]).json();
    let unseen = |name: &str| {
        let clients = json["capabilities"].as_array().unwrap();
        clients.iter().find(|client| client["harness"] == name).unwrap()["unseen"].clone()
    };
    assert_eq!(unseen("claude"), json!(["asks before an edit without showing why"]));
    assert_eq!(unseen("codex"), json!([]));
    assert_eq!(unseen("qwen")[0], "warnings");
    // It shows what the model reads with a prompt.
    assert!(!unseen("kimi").to_string().contains("at the start"), "{}", unseen("kimi"));
    let text = marked().stead(&["doctor"]).stdout;
    assert!(text.contains("claude    asks before an edit without showing why"), "{text}");
}

#[test]
fn lines_without_a_program_are_reported_with_the_remedy() {
    let world = bare();
    world.stead(&["init", "--harness", "claude"]).ok();
    let run = world.stead(&["doctor"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.contains("`stead` is not on PATH, so the line does nothing;"), "{run}");
    assert!(run.stdout.ends_with("\nSomething that is installed does not work.\n"), "{run}");
}

#[test]
fn missing_lines_and_switches_are_broken() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "claude"]).ok();
    let text = world.read("project/.claude/settings.json");
    world.write("project/.claude/settings.json", text.replace("\"PreToolUse\": [", "\"PreToolUse2\": ["));
    world.write("project/.claude/settings.local.json", "{\"disableAllHooks\": true}");
    let run = world.stead(&["doctor"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.contains("  BAD       missing: PreToolUse; `stead init` restores them"), "{run}");
    assert!(run.stdout.contains("  BAD       claude, `.claude/settings.local.json`: it disables hooks:"), "{run}");
}

#[test]
fn a_user_install_is_proven_without_a_project() {
    let world = bare();
    world.stead(&["init", "--user", "--harness", "claude"]).ok();
    let run = world.stead(&["doctor", "--json"]);
    let json = run.json();
    assert_eq!(json["sound"], true, "{run}");
    let proofs = report(&json, "claude")["installs"][0]["proofs"].as_array().unwrap();
    assert!(proofs.iter().any(|proof| proof["outcome"] == "denies"), "{run}");
    assert!(!world.exists("project/.agent"));
}

#[test]
fn the_last_real_call_is_told() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "claude"]).ok();
    assert_eq!(report(&world.stead(&["doctor", "--json"]).json(), "claude")["heartbeat"], Value::Null);
    let start = payload(&world, "SessionStart", serde_json::json!({"source": "startup"}));
    world.hook("claude SessionStart", &start);
    let json = world.stead(&["doctor", "--json"]).json();
    assert_eq!(report(&json, "claude")["heartbeat"]["session"], "session-1");
}

#[test]
fn two_installs_of_one_client_are_odd_but_work() {
    let world = bare().with_stead_on_path();
    world.stead(&["init", "--harness", "codex"]).ok();
    world.stead(&["init", "--user", "--harness", "codex"]).ok();
    let run = world.stead(&["doctor"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("odd       codex has lines in `.codex/hooks.json` and"), "{run}");
}

#[test]
fn a_matcher_that_makes_the_client_drop_the_file_is_broken() {
    let world = bare().with_stead_on_path();
    world.write("project/.claude/settings.json", r#"{"hooks":{"Stop":[{"matcher":{"tool":"x"},"hooks":[]}]}}"#);
    world.stead(&["init", "--harness", "claude"]).ok();
    let run = world.stead(&["doctor"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.contains("→ `stead init --replace-old`"), "{run}");
    world.stead(&["init", "--harness", "claude", "--replace-old"]).ok();
    world.stead(&["doctor"]).ok();
}
