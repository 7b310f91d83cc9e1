//! What would weaken Stead is done by people at a terminal, whatever spelling started the command.

use stead_testkit::{World, rows};

use crate::client::denial;
use crate::world::{accept_all, by_person, marked, payload, shell};

const GUARD: &str =
    "id: infra\nmode: enforce\non: [before-tool]\nmatch: {writes: ['infra/**']}\nthen: deny\nsay: \"ask first\"\n";

fn guarded() -> World {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", GUARD);
    world.write("project/.claude/settings.json", "{}");
    world.stead(&["init", "--harness", "claude"]).ok();
    world.hook("claude SessionStart", payload(&world, "SessionStart", serde_json::json!({"source": "startup"})));
    world
}

/// Commands that loosen what holds an agent.
const LOOSENING: &[&[&str]] = &[
    &["guard", "disable", "infra"],
    &["guard", "demote", "infra"],
    &["guard", "enable", "infra", "--mode", "shadow"],
    &["guard", "enable", "tested-needs-evidence", "--mode", "warn"],
    &["guard", "disable", "tested-needs-evidence"],
    &["guard", "new", "tested-needs-evidence"],
    &["config", "set", "gate.guards", "false"],
    &["config", "set", "gate.self_protection", "false"],
    &["config", "set", "--local", "gate.guards", "false"],
    &["config", "set", "--user", "gate.guards", "false"],
    &["config", "unset", "gate.guards"],
    &["config", "set", "layout.guards", ".agent/elsewhere"],
    &["agent", "flag", "plan-approved"],
    &["uninstall", "--yes"],
    &["uninstall", "--user", "--yes"],
];

/// Commands that loosen nothing, but that agents may not call either.
const CHANGING: &[&[&str]] = &[
    &["guard", "promote", "destructive"],
    &["guard", "enable", "destructive"],
    &["guard", "new", "fresh"],
    &["config", "set", "record.prompts", "true"],
    &["config", "set", "gate.guards", "true"],
    &["config", "unset", "record.prompts"],
];

#[test]
fn agents_weaken_nothing_however_they_are_seen() {
    let mut world = guarded();
    let before = everything(&world);
    for (name, value) in [
        ("CLAUDECODE", "1"),
        ("GEMINI_CLI", "1"),
        ("CODEX_SANDBOX", "seatbelt"),
        ("STEAD_RUN", "night"),
        ("STEAD_TEST_ANCESTORS", "bash -c x\n/usr/bin/claude"),
        ("STEAD_TEST_ANCESTORS", "sh\nstead run night"),
    ] {
        world.set(name, value);
        for args in rows(LOOSENING.iter().chain(CHANGING), 3) {
            for run in [world.stead(args), by_person(&world, args)] {
                assert!(run.code == 1 && run.to_string().contains("only a person may"), "{name} {args:?}: {run}");
            }
        }
        world.unset(name);
        world.set("STEAD_TEST_ANCESTORS", "sh");
    }
    assert_eq!(everything(&world), before);
}

#[test]
fn scripts_of_a_person_change_what_loosens_nothing() {
    let world = guarded();
    let before = everything(&world);
    for args in LOOSENING {
        let run = world.stead(args);
        assert!(run.code == 1 && run.stderr.contains("there is no terminal"), "{args:?}: {run}");
        assert!(run.stderr.contains("hint: run it in a terminal of your own"), "{args:?}: {run}");
    }
    assert_eq!(everything(&world), before);
    for args in CHANGING {
        world.stead(args).ok();
    }
    for args in [&["uninstall", "--dry-run"][..], &["guard", "list"], &["config", "get", "gate.guards"]] {
        world.stead(args).ok();
    }
}

#[test]
fn a_person_at_a_terminal_may() {
    for args in LOOSENING {
        let run = by_person(&guarded(), args);
        assert_eq!(run.code, 0, "{args:?}: {run}");
    }
}

#[test]
fn a_project_may_set_agents_free_and_only_for_itself() {
    let mut world = guarded();
    world.write("project/.agent/config.toml", "[gate]\nself_protection = false\n");
    accept_all(&world);
    world.set("CLAUDECODE", "1");
    world.stead(&["guard", "disable", "infra"]).ok();
    assert_eq!(world.stead(&["config", "set", "--user", "gate.guards", "false"]).code, 1);
    assert_eq!(world.stead(&["guard", "new", "x", "--user"]).code, 1);
    // The environment of a call says nothing about that.
    world.write("project/.agent/config.toml", "");
    world.set("STEAD_GATE_SELF_PROTECTION", "false");
    world.write("home/.config/stead/config.toml", "[gate]\nself_protection = false\n");
    assert_eq!(world.stead(&["guard", "disable", "infra"]).code, 1);
    assert_eq!(world.stead(&["--config", "gate.self_protection=false", "guard", "disable", "infra"]).code, 1);
}

/// A command that was cut off from its agent is alone with a terminal that was made for it.
#[test]
#[cfg(target_os = "linux")]
fn nobody_sits_at_a_terminal_that_was_made_for_a_command() {
    let mut world = guarded();
    world.unset("STEAD_TEST_ANCESTORS");
    let stead = env!("CARGO_BIN_EXE_stead");
    let id = {
        let run = world.hook("claude PreToolUse", shell(&world, "touch infra/a"));
        let reason = denial(&run).unwrap();
        reason.rsplit_once('[').unwrap().1.trim_end_matches(']').to_owned()
    };
    for (number, command) in [
        format!("{stead} guard disable infra"),
        format!("sleep 0; {stead} guard disable infra; true"),
        format!("{stead} allow {id} --reason y"),
        format!("bash -ic \"{stead} guard disable infra\""),
    ]
    .into_iter()
    .enumerate()
    {
        let detached = format!(
            "env -i HOME=\"$HOME\" PATH=\"$PATH\" SHELL=/bin/sh setsid -f script -qec '{command}; echo over' out.{number} > /dev/null"
        );
        world.sh(&detached);
        let said = wait_for(&world, &format!("project/out.{number}"));
        assert!(said.contains("only a person may"), "{command}: {said}");
    }
    assert_eq!(world.read("project/.agent/guards/infra.yaml"), GUARD);
    assert!(!world.exists("project/.agent/context/indexes/overrides.jsonl"));
}

#[cfg(target_os = "linux")]
fn wait_for(world: &World, path: &str) -> String {
    for _ in 0..600 {
        if world.exists(path) && world.read(path).contains("over\r\n") {
            return world.read(path);
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("the detached command never ended");
}

/// The files that say what holds.
fn everything(world: &World) -> Vec<(String, String)> {
    let files = [
        "project/.agent/config.toml",
        "project/.agent/config.local.toml",
        "project/.agent/guards/infra.yaml",
        "project/.agent/guards/tested-needs-evidence.yaml",
        "project/.agent/guards/destructive.yaml",
        "project/.agent/guards/fresh.yaml",
        "project/.claude/settings.json",
        "home/.config/stead/config.toml",
    ];
    let there = files.into_iter().filter(|file| world.exists(file));
    there.map(|file| (file.to_owned(), world.read(file))).collect()
}
