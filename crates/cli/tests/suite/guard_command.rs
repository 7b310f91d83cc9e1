//! `stead guard`, `check`, `explain`, `appeal`, `allow`: what people and agents ask about guards.

use serde_json::json;
use stead_testkit::World;

use crate::client::denial;
use crate::world::{at_terminal, by_person, lines, marked, shell, tool};

const GUARD: &str = "id: infra\n# reviewed by the platform team\nmode: enforce   # since May\non: [before-tool]\nmatch: {writes: ['infra/**']}\nthen: deny\nsay: \"ask first\"\ntests: {must: ['touch infra/a'], must_not: ['cat infra/a']}\n";

fn guarded() -> World {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", GUARD);
    world
}

fn denied(world: &World, command: &str) -> String {
    let run = world.hook("claude PreToolUse", shell(world, command));
    let reason = denial(&run).unwrap_or_else(|| panic!("`{command}` passes: {run}"));
    let (_, id) = reason.rsplit_once('[').unwrap();
    id.trim_end_matches(']').to_owned()
}

#[test]
fn guards_are_listed_shown_and_moved() {
    let world = guarded();
    let listed = world.stead(&["guard", "list", "--json"]).json();
    let find = |id: &str| listed["items"].as_array().unwrap().iter().find(|guard| guard["id"] == id).cloned().unwrap();
    assert_eq!((&find("infra")["mode"], &find("infra")["active"]), (&json!("enforce"), &json!(true)));
    assert_eq!(find("tested-needs-evidence")["active"], true);
    for inert in [
        "orchestrator-does-not-edit", "summaries-go-to", "fields-by-role", "destructive.force-push",
        "logs-through-tools", "pr-needs-verification", "tester-must-test",
    ] {
        assert_eq!(find(inert)["active"], false, "{inert}");
    }
    assert_eq!(listed["problems"], json!([]));
    let text = at_terminal(&world, 80, &["guard", "list"]).ok();
    assert!(text.contains("infra") && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(world.stead(&["guard", "show", "infra"]).ok().contains("# reviewed by the platform team"));
    for (verb, mode) in [
        ("demote", "warn"),
        ("demote", "shadow"),
        ("promote", "warn"),
        ("disable", "off"),
        ("promote", "shadow"),
        ("enable", "enforce"),
    ] {
        by_person(&world, &["guard", verb, "infra"]).ok();
        let expected = GUARD.replace("mode: enforce", &format!("mode: {mode}"));
        assert_eq!(world.read("project/.agent/guards/infra.yaml"), expected, "{verb}");
    }
    let run = world.stead(&["guard", "promote", "infra"]);
    assert_eq!((run.code, run.stderr.contains("already\nhint: this is the strongest mode")), (1, true), "{run}");
    let run = world.stead(&["guard", "show", "infr"]);
    assert!(run.code == 1 && run.stderr.contains("did you mean `infra`?"), "{run}");
}

#[test]
fn shipped_guards_are_taken_into_use_and_out() {
    let world = marked();
    let run = world.stead(&["guard", "enable", "orchestrator-does-not-edit"]);
    assert!(run.code == 2 && run.stderr.contains("--with paths="), "{run}");
    world.stead(&["guard", "enable", "orchestrator-does-not-edit", "--with", "paths=src/**,lib/**"]).ok();
    denied(&world, "touch lib/a");
    by_person(&world, &["guard", "disable", "orchestrator-does-not-edit"]).ok();
    assert_eq!(denial(&world.hook("claude PreToolUse", shell(&world, "touch lib/a"))), None);
    world.stead(&["guard", "enable", "destructive"]).ok();
    denied(&world, "git push --force");
    by_person(&world, &["guard", "demote", "destructive"]).ok();
    assert_eq!(denial(&world.hook("claude PreToolUse", shell(&world, "git push --force"))), None);
    // One that holds without a file gets one when it is switched off.
    by_person(&world, &["guard", "disable", "tested-needs-evidence"]).ok();
    assert!(world.read("project/.agent/guards/tested-needs-evidence.yaml").contains("mode: off"));
    world.stead(&["guard", "enable", "destructive", "--user"]).ok();
    let run = world.stead(&["guard", "enable", "destuctive"]);
    assert!(run.stderr.contains("did you mean `destructive`?"), "{run}");
    assert_eq!(world.stead(&["guard", "list", "--json"]).json()["problems"], json!([]));
}

#[test]
fn a_new_guard_passes_its_own_tests_and_starts_in_the_shadow() {
    let world = marked();
    world.stead(&["guard", "new", "infra", "--writes", "infra/**/*.tf", "--say", "ask: \"first\""]).ok();
    world.stead(&["guard", "new", "no-deploy", "--runs", "kubectl apply", "--say", "ask"]).ok();
    world.stead(&["guard", "new", "plain", "--say", "ask"]).ok();
    world.stead(&["guard", "lint"]).ok();
    let tested = world.stead(&["guard", "test"]).ok();
    assert!(tested.ends_with("6 passed, 0 failed\n"), "{tested}");
    assert_eq!(denial(&world.hook("claude PreToolUse", shell(&world, "touch infra/x/a.tf"))), None);
    assert_eq!(lines(&world, "sessions.jsonl")[0]["hits"][0]["did"], "recorded");
    let run = world.stead(&["guard", "new", "infra"]);
    assert!(run.code == 1 && run.stderr.contains("already exists"), "{run}");
    assert_eq!(world.stead(&["guard", "new", "../x"]).code, 2);
}

#[test]
fn a_failing_test_names_what_was_seen() {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", GUARD.replace("touch infra/a", "cat infra/a; touch elsewhere"));
    let run = world.stead(&["guard", "test", "infra"]);
    assert!(run.code == 1 && run.stdout.contains("FAIL infra must") && run.stdout.contains("elsewhere"), "{run}");
    assert_eq!(
        denial(&world.hook("claude PreToolUse", shell(&world, "touch infra/a"))),
        None,
        "it must not be applied"
    );
    world.write("project/.agent/guards/infra.yaml", GUARD.replace("ask first", "run `touch infra/b` instead"));
    let run = world.stead(&["guard", "lint", "infra"]);
    assert!(run.code == 1 && run.stdout.contains("which `infra` blocks"), "{run}");
}

#[test]
fn check_says_what_would_happen_and_why() {
    let world = guarded();
    let run = world.stead(&["check", "cd infra && touch a | tee ../b"]);
    assert_eq!(run.code, 1);
    for words in [
        "It would be denied.",
        "infra (enforce, deny) .agent/guards/infra.yaml",
        "writes infra/a",
        "touch a",
        "write b",
        "Effects (complete)",
    ] {
        assert!(run.stdout.contains(words), "{words}: {run}");
    }
    let run = world.stead(&["check", "cat infra/a"]);
    assert!(run.code == 0 && run.stdout.starts_with("It would pass."), "{run}");
    let json = world.stead(&["check", "--json", "touch infra/a && $(curl x)"]).json();
    assert_eq!(
        (&json["verdict"], &json["hits"][0]["path"], &json["coverage"]),
        (&json!("deny"), &json!("infra/a"), &json!("partial"))
    );
    assert!(!json["gaps"].as_array().unwrap().is_empty(), "{json}");
    let run = world.stead(&["check", "--tool", "write", "--path", "infra/x", "--role", "coder"]);
    assert_eq!(run.code, 1, "{run}");
    let run = world.stead(&["check", "rm -rf .agent"]);
    assert!(run.code == 1 && run.stdout.contains("self-protection"), "{run}");
    for args in [&["check"][..], &["check", "ls", "--tool", "write", "--path", "x"], &["check", "--tool", "read"]] {
        let run = world.stead(args);
        assert!(run.code == 2 && run.stderr.contains("`stead check --tool write --path FILE`"), "{run}");
    }
    assert!(!world.exists("project/infra") && world.read("project/.agent/context/indexes/sessions.jsonl").is_empty());
}

#[test]
fn check_exits_with_1_for_denials_only() {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", GUARD.replace("then: deny", "then: ask"));
    let run = world.stead(&["check", "touch infra/a"]);
    assert!(run.code == 0 && run.stdout.starts_with("The person would be asked."), "{run}");
    // A client that cannot ask denies.
    let run = world.stead(&["check", "touch infra/a", "--harness", "codex"]);
    assert!(run.code == 1 && run.stdout.starts_with("It would be denied."), "{run}");
    let help = world.stead(&["check", "--help"]).ok();
    assert!(help.contains("Exits with 1 if the call would be"), "{help}");
}

#[test]
fn an_edit_that_cannot_be_read_is_refused_under_its_own_name_and_once() {
    let world = marked();
    world.write("project/.agent/features/feature-list.json", r#"{"features": [{"id": "a", "verifiers": ["x"]}]}"#);
    let edit = "jq -f change.jq .agent/features/feature-list.json > t && mv t .agent/features/feature-list.json";
    let reason = denial(&world.hook("claude PreToolUse", shell(&world, edit))).unwrap();
    assert!(reason.starts_with("`unreadable-edit`: "), "{reason}");
    assert!(reason.contains("file tool") && reason.matches("unreadable-edit").count() == 1, "{reason}");
    assert!(!reason.contains("proof-stays-fixed") && !reason.contains('<'), "{reason}");
    // What the guards are about is still theirs.
    let reason =
        denial(&world.hook("claude PreToolUse", shell(&world, "rm .agent/features/feature-list.json"))).unwrap();
    assert!(reason.contains("`proof-stays-fixed`"), "{reason}");
}

#[test]
fn check_judges_content_and_roles_like_the_hook() {
    let world = marked();
    let guard = "id: f\nmode: enforce\non: [before-tool]\nmatch: {writes: ['s.json'], fields: {/ok: true}}\nunless: {agent: [boss]}\nthen: deny\nsay: \"no\"\n";
    world.write("project/.agent/guards/f.yaml", guard);
    world.write("project/new.json", "{\"ok\": true}");
    let check = |role: &str, content: &str| {
        world.stead(&["check", "--tool", "write", "--path", "s.json", "--content", content, "--role", role]).code
    };
    assert_eq!((check("main", "new.json"), check("boss", "new.json"), check("boss2", "new.json")), (1, 0, 1));
    world.write("project/new.json", "{\"ok\": false}");
    assert_eq!(check("main", "new.json"), 0);
}

#[test]
fn a_verdict_is_explained() {
    let world = guarded();
    let id = denied(&world, "cd infra && touch a");
    let told = world.stead(&["explain", &id]).ok();
    for words in [
        &id[..],
        "infra (enforce): denied",
        ".agent/guards/infra.yaml",
        "touch a",
        "ask first",
        "stead appeal",
        "stead allow",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let json = world.stead(&["explain", "--json", &format!("[{}]", id.to_uppercase())]).json();
    assert_eq!(
        (&json["hits"][0]["guard_path"], &json["hits"][0]["changed_since"]),
        (&json!(".agent/guards/infra.yaml"), &json!(false))
    );
    world.write("project/.agent/guards/infra.yaml", GUARD.replace("ask first", "ask them first"));
    assert!(world.stead(&["explain", &id]).ok().contains("(changed since)"));
    let run = world.stead(&["explain", "v-zzzzzzzz"]);
    assert!(run.code == 1 && run.stderr.contains(&format!("the last one is `{id}`")), "{run}");
    let bare = marked().stead(&["explain", "nonsense"]);
    assert!(bare.code == 1 && bare.stderr.contains("in brackets"), "{bare}");
}

#[test]
fn an_appeal_is_counted_and_unblocks_nothing() {
    let world = guarded();
    let id = denied(&world, "touch infra/a");
    let said = world.stead(&["appeal", &id, "a fixture; my key is sk-abcdefghijklmnopqrstuvwxyz123456"]).ok();
    assert!(said.contains("It unblocks nothing"), "{said}");
    denied(&world, "touch infra/a");
    let line = lines(&world, "appeals.jsonl").pop().unwrap();
    assert!(!line["text"].as_str().unwrap().contains("abcdefgh"), "{line}");
    let stats = world.stead(&["guard", "stats", "--json"]).json();
    let infra = stats["items"].as_array().unwrap().iter().find(|row| row["id"] == "infra").unwrap().clone();
    let counted = [&infra["evaluations"], &infra["hits"], &infra["blocked"], &infra["appeals"]];
    assert_eq!(counted, [&json!(2), &json!(2), &json!(2), &json!(1)], "{stats}");
    let table = world.stead(&["guard", "stats"]).ok();
    assert!(table.contains("infra") && table.contains("self-protection"), "{table}");
    let one = world.stead(&["guard", "stats", "infra", "--days", "1", "--json"]).json();
    assert_eq!((one["items"].as_array().unwrap().len(), &one["items"][0]["hits"]), (1, &json!(2)), "{one}");
    let run = world.stead(&["guard", "stats", "infr"]);
    assert!(run.code == 1 && run.stderr.contains("did you mean `infra`?"), "{run}");
    let told = world.stead(&["explain", &id]).ok();
    assert!(told.contains("A person appealed at ") && told.contains("a fixture; my key is"), "{told}");
    assert_eq!(world.stead(&["explain", &id, "--json"]).json()["appeals"].as_array().unwrap().len(), 1);
    assert_eq!(world.stead(&["appeal", "v-zzzzzzzz", "x"]).code, 1);
}

#[test]
fn a_pack_is_one_thing_and_moves_as_one() {
    let world = marked();
    let shown = world.stead(&["guard", "show", "destructive"]).ok();
    assert!(shown.contains("destructive.secrets (") && shown.contains("\nid: destructive\n"), "{shown}");
    let json = world.stead(&["guard", "show", "destructive", "--json"]).json();
    assert!(json["id"] == "destructive" && json["guards"].as_array().unwrap().len() > 3, "{json}");
    assert!(world.stead(&["guard", "show", "destructive.secrets"]).ok().contains("destructive.secrets ("));
    assert!(world.stead(&["guard", "test", "destructive"]).ok().contains(" passed, 0 failed\n"));
    world.stead(&["guard", "enable", "destructive"]).ok();
    let text = world.read("project/.agent/guards/destructive.yaml");
    for verb in ["enable", "disable", "demote", "promote"] {
        let run = by_person(&world, &["guard", verb, "destructive.secrets"]);
        assert!(run.code == 1 && run.stdout.contains("which share a mode"), "{verb}: {run}");
        assert!(run.stdout.contains(&format!("`stead guard {verb} destructive` changes all of them")), "{run}");
    }
    assert_eq!(world.read("project/.agent/guards/destructive.yaml"), text);
    by_person(&world, &["guard", "disable", "destructive"]).ok();
}

#[test]
fn values_are_tried_before_they_are_written() {
    let world = marked();
    let run = world.stead(&["guard", "enable", "logs-through-tools", "--with", "lines=abc"]);
    assert!(run.code == 2 && run.stderr.contains("these values would break"), "{run}");
    assert!(!world.exists("project/.agent/guards/logs-through-tools.yaml"));
    world.stead(&["guard", "enable", "logs-through-tools", "--with", "lines=50"]).ok();
    world.write("project/a.log", "x\n".repeat(60));
    denied(&world, "cat a.log");
}

#[test]
fn broken_files_show_in_the_status() {
    let world = guarded();
    assert!(!world.stead(&["status"]).ok().contains("broken"));
    world.write("project/.agent/guards/a.yaml", "id: a\nmatch: {wrytes: x}\nsay: x\n");
    let told = world.stead(&["status"]).ok();
    assert!(told.contains("guards   1 file broken and not applied; `stead guard lint`\n"), "{told}");
    world.write("project/.agent/guards/b.yaml", "{");
    assert_eq!(world.stead(&["status", "--json"]).json()["broken_guard_file_count"], 2);
    let run = world.stead(&["guard", "lint", "infra"]);
    assert!(run.stdout.ends_with("1 file checked, 0 findings\n"), "{run}");
}

#[test]
#[cfg(unix)]
fn only_a_person_at_a_terminal_may_allow() {
    let mut world = guarded();
    let id = denied(&world, "touch infra/a");
    let run = world.stead(&["allow", &id, "--reason", "fine"]);
    assert!(run.code == 1 && run.stderr.contains("there is no terminal"), "{run}");
    world.set("STEAD_TEST_ANCESTORS", "sh\n/usr/bin/claude --resume");
    let run = by_person(&world, &["allow", &id, "--reason", "fine"]);
    assert!(run.code == 1 && run.stdout.contains("`claude` started this command"), "{run}");
    world.set("STEAD_TEST_ANCESTORS", "sh\n/usr/sbin/sshd");
    world.set("CLAUDECODE", "1");
    let run = by_person(&world, &["allow", &id, "--reason", "fine"]);
    assert!(run.code == 1 && run.stdout.contains("Claude Code runs this command"), "{run}");
    world.unset("CLAUDECODE");
    assert!(!world.exists("project/.agent/context/indexes/overrides.jsonl"));
    let run = by_person(&world, &["allow", &id, "--for", "30m", "--reason", "release day"]);
    assert!(run.code == 0 && run.stdout.contains("`infra` allows this until"), "{run}");
}

#[test]
#[cfg(unix)]
fn an_override_holds_for_one_thing_and_for_a_while() {
    let world = guarded();
    world.write("project/infra/a", "one\n");
    let id = denied(&world, "touch infra/a");
    by_person(&world, &["allow", &id, "--reason", "fine"]).ok();
    let passes = |payload: String| denial(&world.hook("claude PreToolUse", payload)).is_none();
    assert!(passes(shell(&world, "touch infra/a")));
    assert!(passes(shell(&world, "cd infra; echo two > a")), "it is about the file, not the words");
    assert!(passes(tool(&world, "Write", json!({"file_path": world.project().join("infra/a"), "content": "x"}))));
    assert!(!passes(shell(&world, "touch infra/b")));
    assert!(!passes(shell(&world, "touch infra/a infra/b")));
    let line = lines(&world, "sessions.jsonl").into_iter().find(|line| line["hits"][0]["did"] == "overridden");
    assert!(line.is_some());
    // Time passes.
    let log = world.read("project/.agent/context/indexes/overrides.jsonl");
    let ended: serde_json::Value = serde_json::from_str(log.trim_end()).unwrap();
    let old = log.replace(ended["until"].as_str().unwrap(), ended["ts"].as_str().unwrap());
    world.write("project/.agent/context/indexes/overrides.jsonl", old);
    assert!(!passes(shell(&world, "touch infra/a")));
    let own = denied(&world, "rm -rf .agent");
    let run = by_person(&world, &["allow", &own, "--reason", "fine"]);
    assert!(run.code == 1 && run.stdout.contains("self-protection"), "{run}");
    let run = by_person(&world, &["allow", &id, "--for", "25h", "--reason", "fine"]);
    assert!(run.code == 2 && run.stdout.contains("at most a day"), "{run}");
}

/// What an agent may not run itself it may not have run for it either.
#[test]
fn validators_pass_the_guards_when_an_agent_asks() {
    let world = guarded();
    world.stead(&["handoff", "go on", "--validator", "touch infra/a", "--validator", "true"]).ok();
    let pickup = ["pickup", "latest", "--verify"];
    world.hook("claude PreToolUse", shell(&world, &format!("stead {}", pickup.join(" "))));
    let run = world.stead(&pickup);
    assert!(run.code == 1 && run.stdout.contains("refused: `infra`"), "{run}");
    assert!(!world.exists("project/infra/a"));
}
