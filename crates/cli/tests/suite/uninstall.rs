use crate::world::{bare, by_person};

const MINE: &str = "\u{feff}{\r\n\t\"model\": \"x\", // mine\r\n}";

#[test]
fn the_old_bytes_come_back_and_the_project_stays() {
    let world = bare();
    world.write("project/.claude/settings.json", MINE);
    world.stead(&["init", "--all"]).ok();
    assert_ne!(world.read("project/.claude/settings.json"), MINE);
    let run = by_person(&world, &["uninstall", "--yes"]);
    let said = run.clone().ok();
    assert!(said.contains("\ncleaned  .claude/settings.json\n"), "{run}");
    assert!(said.contains("\ndeleted  .codex/hooks.json\n"), "{run}");
    assert_eq!(world.read("project/.claude/settings.json"), MINE);
    for gone in [".codex", ".gemini", ".qwen", ".opencode", ".github", ".factory", ".cursor"] {
        assert!(!world.exists(format!("project/{gone}")), "{gone}");
    }
    assert!(world.exists("project/.agent/context/root.json"));
    assert!(!world.exists("project/.agent/context/indexes/install.json"));
    let again = by_person(&world, &["uninstall", "--yes"]).ok();
    assert!(again.starts_with("there are no Stead hooks in this project's settings\n`.agent/` stays, and "), "{again}");
}

#[test]
fn a_dry_run_changes_nothing() {
    let world = bare();
    world.stead(&["init", "--harness", "claude"]).ok();
    let text = world.read("project/.claude/settings.json");
    let run = world.stead(&["uninstall", "--dry-run"]);
    assert!(run.stdout.contains("  .claude/settings.json    14 hooks\n") && !run.stdout.contains("+++"), "{run}");
    assert!(run.stderr.contains("nothing was changed"), "{run}");
    let run = world.stead(&["uninstall", "--dry-run", "--diff"]);
    assert!(run.stdout.contains("+++ /dev/null\n"), "{run}");
    assert!(run.stderr.contains("nothing was changed"), "{run}");
    assert_eq!(world.read("project/.claude/settings.json"), text);
}

#[test]
fn one_client_or_one_reach_at_a_time() {
    let world = bare();
    world.stead(&["init", "--harness", "claude,codex"]).ok();
    world.stead(&["init", "--user", "--harness", "claude"]).ok();
    by_person(&world, &["uninstall", "--yes", "--harness", "codex"]).ok();
    assert!(!world.exists("project/.codex/hooks.json") && world.exists("project/.claude/settings.json"));
    by_person(&world, &["uninstall", "--yes", "--user"]).ok();
    assert!(!world.exists("home/.claude") && world.exists("project/.claude/settings.json"));
    assert!(!world.exists("home/.local/state/stead/install.json"));
}

#[test]
fn a_torn_record_is_an_error_with_a_way_out() {
    let world = bare();
    world.stead(&["init", "--harness", "claude"]).ok();
    let record = world.write("project/.agent/context/indexes/install.json", "{ torn");
    let run = by_person(&world, &["uninstall", "--yes"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("cannot be read") && run.stdout.contains("hint: move"), "{run}");
    std::fs::remove_file(record).unwrap();
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_eq!(world.read("project/.claude/settings.json"), "{}\n");
}
