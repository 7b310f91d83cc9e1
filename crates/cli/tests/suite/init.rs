use stead_testkit::{Finish, Run, World};

use crate::world::{bare, by_person, converse};

fn lines_in(world: &World, path: &str) -> usize {
    world.read(path).matches(" hook ").count()
}

#[test]
fn a_project_and_its_lines_are_made_at_once() {
    let world = bare();
    let run = world.stead(&["init", "--harness", "claude,codex"]);
    let said = run.clone().ok();
    assert!(said.starts_with("--- /dev/null\n+++ b/.claude/settings.json\n@@ "), "{run}");
    assert!(said.contains("\ncreated  .agent/context/root.json\n"), "{run}");
    assert!(said.contains("\nwrote    .claude/settings.json\nwrote    .codex/hooks.json\n"), "{run}");
    assert!(said.contains("\nNext:\n  Claude Code: "), "{run}");
    assert_eq!(run.stderr, "");
    assert_eq!(lines_in(&world, "project/.claude/settings.json"), 14);
    let bare = "command -v stead >/dev/null 2>&1 || exit 0; exec stead hook claude PreToolUse";
    assert!(world.home().join(".local/state/stead/bin/stead").exists());
    let text = world.read("project/.claude/settings.json");
    assert!(text.contains(bare) && !text.contains("onFailure"), "{text}");
    // Running again changes nothing and shows no diff.
    let again = world.stead(&["init", "--harness", "claude,codex"]).ok();
    assert!(again.contains("\nnothing to change\n") && !again.contains("+++"), "{again}");
    assert_eq!(world.read("project/.claude/settings.json"), text);
}

#[test]
fn a_shared_line_does_nothing_for_a_teammate_without_stead() {
    let world = bare();
    world.stead(&["init", "--all"]).ok();
    std::fs::remove_dir_all(world.home().join(".local/state/stead/bin")).unwrap();
    for file in [".claude/settings.json", ".codex/hooks.json", ".gemini/settings.json", ".github/hooks/stead.json"] {
        let text = world.read(format!("project/{file}"));
        let command = text.lines().find(|line| line.contains("exec stead hook")).unwrap();
        let command = command.split_once(": \"").unwrap().1.trim_end_matches(',').trim_end_matches('"');
        let run = world.sh(command);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{file}: {run}");
        assert!(["", "{}\n"].contains(&run.stdout.as_str()), "{file}: {run}");
    }
}

#[test]
fn a_dry_run_changes_nothing() {
    let world = bare();
    let run = world.stead(&["init", "--harness", "claude", "--dry-run"]);
    assert!(run.stdout.contains("+++ b/.claude/settings.json"), "{run}");
    assert!(run.stderr.ends_with("dry run; nothing was changed\n"), "{run}");
    assert_eq!(run.code, 0);
    assert!(!world.exists("project/.agent") && !world.exists("project/.claude"));
}

#[test]
fn scopes_decide_the_file_and_the_command() {
    let world = bare();
    let program = env!("CARGO_BIN_EXE_stead");
    world.stead(&["init", "--harness", "claude", "--local"]).ok();
    let text = world.read("project/.claude/settings.local.json");
    assert!(text.contains(&format!("\"{program} hook claude PreToolUse\"")) && text.contains("onFailure"), "{text}");
    world.stead(&["init", "--harness", "claude", "--strict"]).ok();
    let text = world.read("project/.claude/settings.json");
    assert!(text.contains("\"stead hook claude PreToolUse\"") && text.contains("onFailure"), "{text}");
}

#[test]
fn user_lines_write_nothing_into_the_project() {
    let world = bare();
    world.stead(&["init", "--user", "--harness", "claude,kimi"]).ok();
    assert!(world.exists("home/.claude/settings.json") && world.exists("home/.kimi-code/config.toml"));
    assert!(world.exists("home/.local/state/stead/install.json"));
    assert!(!world.exists("project/.agent"));
}

#[test]
fn only_the_folder_on_request() {
    let world = bare();
    world.stead(&["init", "--no-hooks"]).ok();
    assert!(world.exists("project/.agent/context/root.json"));
    assert!(!world.exists("project/.agent/context/indexes/install.json"));
}

#[test]
fn clients_are_found_by_their_traces() {
    let mut world = bare();
    world.set("PATH", "/nonexistent");
    let run = world.stead(&["init"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stderr.contains("no agent program was found"), "{run}");
    assert!(run.stderr.contains("hint: name one with `--harness`: claude, codex, gemini"), "{run}");
    world.write("project/.cursor/rules/a.mdc", "");
    let run = world.stead(&["init"]);
    assert!(run.stdout.contains("wrote    .cursor/hooks.json"), "{run}");
    let run = world.stead(&["init", "--harness", "emacs"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("error: unknown harness `emacs`\nhint: expected one of `claude`, "), "{run}");
}

#[test]
fn one_bad_file_is_named_and_left_alone() {
    let world = bare();
    world.write("project/.gemini/settings.json", "{ \"a\": oops }");
    let run = world.stead(&["init", "--harness", "gemini,claude,kimi"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(
        run.stderr.contains("warning: `.gemini/settings.json` was skipped: line 1, column 8: unexpected word\n"),
        "{run}"
    );
    assert!(run.stderr.contains("warning: Kimi Code is skipped: "), "{run}");
    assert_eq!(world.read("project/.gemini/settings.json"), "{ \"a\": oops }");
    assert!(world.exists("project/.claude/settings.json"));
}

#[test]
fn older_hooks_are_shown_and_replaced_on_request() {
    let world = bare();
    let old =
        r#"{"hooks":{"PreCompact":[{"hooks":[{"type":"command","command":"bash .claude/hooks/pre-compact.sh"}]}]}}"#;
    world.write("project/.claude/settings.json", old);
    let run = world.stead(&["init", "--harness", "claude"]);
    assert!(run.stderr.contains("`PreCompact` runs `pre-compact.sh`"), "{run}");
    assert!(run.stderr.contains("(`--replace-old` repairs it)"), "{run}");
    assert!(world.read("project/.claude/settings.json").contains("pre-compact.sh"));
    world.stead(&["init", "--harness", "claude", "--replace-old"]).ok();
    assert!(!world.read("project/.claude/settings.json").contains("pre-compact.sh"));
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_eq!(world.read("project/.claude/settings.json"), old);
}

#[test]
fn the_result_as_json_is_the_only_output() {
    let world = bare();
    let run = world.stead(&["init", "--harness", "claude,kimi", "--json"]);
    let json = run.json();
    assert_eq!(json["scope"], "project");
    assert_eq!(json["edits"][0]["harness"], "claude");
    assert_eq!(json["edits"][0]["applied"], true);
    let kinds: Vec<_> = json["notes"].as_array().unwrap().iter().map(|note| note["kind"].clone()).collect();
    assert_eq!(kinds, ["confirm", "skipped", "confirm", "commands", "commands"]);
    assert_eq!(run.stderr, "");
}

#[test]
fn the_undo_record_fits_its_schema_and_is_private() {
    let world = bare();
    world.write("project/.claude/settings.json", "{}");
    world.stead(&["init", "--all"]).ok();
    world.stead(&["init", "--user", "--harness", "kimi"]).ok();
    let schema = world.stead(&["schema", "install"]).json();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for path in ["project/.agent/context/indexes/install.json", "home/.local/state/stead/install.json"] {
        let record: serde_json::Value = serde_json::from_str(&world.read(path)).unwrap();
        let errors: Vec<_> = validator.iter_errors(&record).map(|error| error.to_string()).collect();
        assert_eq!(errors, [] as [String; 0], "{record}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(world.folder().join(path)).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{path} {mode:o}");
        }
    }
}

/// Runs `stead` where some folders of the project cannot be written, not even by root.
fn stead_with_read_only(world: &World, folder: &str, args: &str) -> Option<Run> {
    let script = format!(
        "mount --bind {folder} {folder} && mount -o remount,bind,ro {folder} && cd \"$PWD\" && exec \"$STEAD\" {args}"
    );
    let run = world.sh_with_own_mounts(&script, b"")?;
    assert!(!run.stderr.contains("mount:"), "mounts are needed here: {run}");
    Some(run)
}

#[test]
fn a_read_only_project_is_a_clear_error() {
    let world = bare();
    let Some(run) = stead_with_read_only(&world, ".", "init --harness claude") else { return };
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("hint: the file system is mounted read-only"), "{run}");
    assert!(!world.exists("project/.agent") && !world.exists("project/.claude"));
}

#[test]
fn a_read_only_settings_folder_does_not_stop_the_others() {
    let world = bare();
    world.write("project/.claude/settings.json", "{}");
    let Some(run) = stead_with_read_only(&world, ".claude", "init --harness claude,codex") else { return };
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("warning: `.claude/settings.json` was not changed: "), "{run}");
    assert!(run.stdout.contains("wrote    .codex/hooks.json"), "{run}");
    assert_eq!(world.read("project/.claude/settings.json"), "{}");
    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_eq!(world.read("project/.claude/settings.json"), "{}");
    assert!(!world.exists("project/.codex"));
}

/// Runs `stead` on a terminal of its own, where it can ask.
fn stead_on_terminal(world: &World, args: &str, answers: &[u8]) -> Run {
    let line = format!("{} {args}", env!("CARGO_BIN_EXE_stead"));
    world.command("script", &world.project()).args(["-qec", &line, "/dev/null"]).finish(world, answers)
}

#[test]
fn who_says_no_changes_nothing() {
    let world = bare();
    let run = stead_on_terminal(&world, "init --harness claude", b"\nn\n");
    assert!(run.stdout.contains("nothing was changed"), "{run}");
    assert_eq!(run.code, 1);
    assert!(!world.exists("project/.agent") && !world.exists("project/.claude"));
    let run = stead_on_terminal(&world, "init --harness claude", b"\n\n");
    assert_eq!(run.code, 0, "{run}");
    assert!(world.exists("project/.agent/context/root.json") && world.exists("project/.claude/settings.json"));
    let run = stead_on_terminal(&world, "uninstall --yes", b"");
    assert_eq!(run.stdout.matches("[y/N]").count(), 0, "{run}");
    assert!(!world.exists("project/.claude"));
}

#[test]
fn the_home_folder_is_no_project_by_accident() {
    let world = bare();
    // A home that is a git repository, for somebody's dotfiles, is the root of every plain folder in it.
    world.command("git", &world.home()).args(["init", "-q"]).finish(&world, b"");
    let below = world.home().join("notes");
    std::fs::create_dir(&below).unwrap();
    for folder in [world.home(), below, world.folder()] {
        for args in
            [&["init", "--harness", "claude"][..], &["init", "--yes"], &["init", "--json"], &["context", "init"]]
        {
            let run = world.stead_in(&folder, args);
            assert_eq!(run.code, 1, "{args:?}: {run}");
            let said = run.to_string();
            assert!(said.contains("is your home folder, or contains it"), "{args:?}: {run}");
            assert!(said.contains("`stead init --user` adds hooks for all your projects; `--here`"), "{args:?}: {run}");
        }
    }
    for path in ["home/.agent", "home/.claude", ".agent", "home/notes/.agent"] {
        assert!(!world.exists(path), "{path}");
    }
    let run = world.stead_in(world.home(), &["init", "--harness", "claude", "--dry-run"]);
    assert!(run.code == 0 && run.stderr.contains("is your home folder"), "{run}");
    let asked = converse(&world, "-C ../home init", &[("[y/N] ", "\n")]);
    assert!(asked.code == 1 && asked.stdout.ends_with("nothing was changed\n"), "{asked}");
    assert!(!world.exists("home/.agent"));
    // Other ways to the same aim are not in the way.
    world.stead_in(world.home(), &["init", "--user", "--harness", "claude"]).ok();
}

#[test]
fn a_home_that_is_a_project_on_purpose_has_one_set_of_hooks() {
    let world = bare().with_stead_on_path();
    let home = world.home();
    world.stead_in(&home, &["init", "--here", "--harness", "claude", "--no-guards"]).ok();
    assert!(world.exists("home/.agent/context/root.json"));
    assert_eq!(lines_in(&world, "home/.claude/settings.json"), 14);
    let doctor = world.stead_in(&home, &["doctor", "--all"]);
    for wrong in ["every hook runs twice", "differ", "do not work"] {
        assert!(!doctor.stdout.contains(wrong), "{wrong}: {doctor}");
    }
    let json = world.stead_in(&home, &["doctor", "--json"]).json();
    let claude = json["harnesses"].as_array().unwrap().iter().find(|one| one["harness"] == "claude").unwrap();
    assert_eq!(claude["installs"].as_array().unwrap().len(), 1, "{claude}");
    assert_eq!(claude["commands"].as_array().unwrap().len(), 1, "{claude}");
    // It asks only once: this is a project now.
    world.stead_in(&home, &["init", "--harness", "claude"]).ok();
    assert_eq!(lines_in(&world, "home/.claude/settings.json"), 14);
}

#[test]
fn a_home_that_was_set_up_before_is_told_the_truth() {
    let world = bare().with_stead_on_path();
    let home = world.home();
    world.stead_in(&home, &["context", "init", "--here"]).ok();
    let commands = world.stead(&["init", "--harness", "claude", "--no-guards"]);
    commands.ok();
    std::fs::rename(world.project().join(".claude"), home.join(".claude")).unwrap();
    let doctor = world.stead_in(&home, &["doctor", "--all"]);
    assert!(!doctor.stdout.contains("differ") && !doctor.stdout.contains("twice"), "{doctor}");
}

#[test]
fn outside_a_repository_it_warns_and_asks() {
    let world = bare();
    std::fs::remove_dir_all(world.project().join(".git")).unwrap();
    let asked = converse(&world, "init", &[("[y/N] ", "n\n")]);
    assert!(asked.code == 1 && asked.stdout.contains("Set it up without git?"), "{asked}");
    assert!(!world.exists("project/.agent"));
    let run = world.stead(&["init", "--harness", "claude", "--yes"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stderr.contains("warning: `$PROJECT` is in no git repository, so Stead does not notice"), "{run}");
    assert!(!world.stead(&["init", "--harness", "claude", "--yes"]).stderr.contains("git"), "only for a new project");
}

/// Exactly this folder, even inside another project.
#[test]
fn a_project_inside_another_one() {
    let world = bare();
    world.stead(&["init", "--no-hooks"]).ok();
    let inner = world.project().join("apps/web");
    std::fs::create_dir_all(&inner).unwrap();
    let run = world.stead_in(&inner, &["init", "--here", "--harness", "claude"]);
    assert!(run.code == 0 && run.stderr.is_empty(), "{run}");
    for path in ["project/apps/web/.agent/context/root.json", "project/apps/web/.claude/settings.json"] {
        assert!(world.exists(path), "{path}");
    }
    assert!(!world.exists("project/.claude"));
}
