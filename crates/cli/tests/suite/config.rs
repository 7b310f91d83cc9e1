//! `stead config`.

use stead_testkit::{Run, World};

use crate::world::{bare, marked};

#[track_caller]
fn check(run: Run, code: i32, stdout: &str, stderr: &str) {
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (code, stdout, stderr), "{run}");
}

fn origin(world: &World, key: &str) -> String {
    let list = world.stead(&["config", "list", "--origin"]).ok();
    let line = list.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap();
    line.split("  ").last().unwrap().trim().to_owned()
}

#[test]
fn a_value_is_set_seen_and_unset() {
    let mut world = marked();
    assert_eq!(origin(&world, "record.sessions"), "default");
    check(
        world.stead(&["config", "set", "record.sessions", "false"]),
        0,
        "record.sessions = false in .agent/config.toml\n",
        "",
    );
    check(world.stead(&["config", "get", "record.sessions"]), 0, "false\n", "");
    assert_eq!(origin(&world, "record.sessions"), "project .agent/config.toml:5");
    check(
        world.stead(&["config", "set", "record.sessions", "false"]),
        0,
        "record.sessions = false in .agent/config.toml already; nothing to do\n",
        "",
    );
    world.stead(&["config", "set", "--local", "record.sessions", "true"]).ok();
    assert_eq!(origin(&world, "record.sessions"), "local .agent/config.local.toml:2");
    world.set("STEAD_RECORD_SESSIONS", "false");
    check(
        world.stead(&["config", "unset", "--local", "record.sessions"]),
        0,
        "record.sessions unset in .agent/config.local.toml\n",
        "note: env $STEAD_RECORD_SESSIONS still overrides it with `false`\n",
    );
    check(world.stead(&["--config", "record.sessions=true", "config", "get", "record.sessions"]), 0, "true\n", "");
    world.unset("STEAD_RECORD_SESSIONS");
    assert!(world.read("project/.agent/config.toml").starts_with("# Settings of this project"));
}

#[test]
fn a_person_has_settings_without_a_project() {
    let world = bare();
    let run = world.stead(&["config", "set", "auto_init", "true"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("is not a project yet\nhint: run `stead init` first"), "{run}");
    world.stead(&["config", "set", "--user", "auto_init", "true"]).ok();
    assert_eq!(world.read("home/.config/stead/config.toml"), "auto_init = true\n");
    assert!(!world.exists("project/.agent"));
}

#[test]
fn wrong_input_is_a_usage_error_and_changes_nothing() {
    let world = marked();
    let before = world.read("project/.agent/config.toml");
    for (args, expected) in [
        (
            vec!["config", "set", "record.sesions", "true"],
            "error: unknown setting `record.sesions`\nhint: did you mean `record.sessions`?\n",
        ),
        (
            vec!["config", "set", "record.sessions", "maybe"],
            "error: `record.sessions` cannot be `maybe`: expected `true` or `false`\n",
        ),
        (
            vec!["config", "set", "layout.roles", "../roles"],
            "error: `layout.roles` cannot be `../roles`: it leaves the project through `..`\n",
        ),
        (
            vec!["config", "set", "layout.roles", ".agent/stages"],
            "error: `layout.roles` cannot be `.agent/stages`: it overlaps `layout.stages`\nhint: give each room a folder of its own\n",
        ),
        (
            vec!["--config", "gate=off", "config", "list"],
            "error: --config: unknown setting `gate`\nhint: did you mean `gate.self_protection`?\n",
        ),
    ] {
        check(world.stead(&args), 2, "", expected);
        assert_eq!(world.read("project/.agent/config.toml"), before);
    }
}

#[test]
fn a_broken_file_is_told_and_the_rest_counts() {
    let world = marked();
    world.stead(&["config", "set", "--user", "record.sessions", "false"]).ok();
    world.write("project/.agent/config.toml", "[record\n");
    let run = world.stead(&["config", "get", "record.sessions"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "false\n"));
    assert!(run.stderr.starts_with("warning: ") && run.stderr.contains("/.agent/config.toml:1: "), "{run}");
    let list = world.stead(&["config", "list", "--json"]).json();
    assert_eq!(list["problems"][0]["severity"], "error");
    assert_eq!(list["problems"][0]["origin"]["line"], 1);
    let run = world.stead(&["config", "set", "record.sessions", "true"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.starts_with("config error: ") && run.stderr.contains("hint: correct line 1 of "), "{run}");
    assert_eq!(world.read("project/.agent/config.toml"), "[record\n");
}
