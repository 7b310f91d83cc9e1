//! What a cloned repository may not do to whoever works in it: lead records out of the project by a link, or have its
//! programs run.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::client::denial;
use crate::world::{accept_all, by_person, lines, marked, payload, shell, tool};

const BASHRC: &str = "alias ll='ls -l'\n";

/// A session with all that is recorded about one: a prompt, a call, what came of it, and its end.
fn session(world: &World) {
    world.hook("claude SessionStart", payload(world, "SessionStart", json!({"source": "startup"})));
    world.hook("claude UserPromptSubmit", payload(world, "UserPromptSubmit", json!({"prompt": "do it"})));
    world.hook("claude PreToolUse", shell(world, "touch a.txt"));
    let input = json!({"file_path": world.project().join("a.txt"), "content": "x"});
    let after = json!({"tool_name": "Write", "tool_input": input, "tool_response": {}, "tool_use_id": "call-1"});
    world.hook("claude PostToolUse", payload(world, "PostToolUse", after));
    world.hook("claude SessionEnd", payload(world, "SessionEnd", json!({"reason": "other"})));
}

/// A project in which something below `.agent/` was replaced by a link.
fn linked(path: &str, target: &str) -> World {
    let world = marked();
    world.write("home/.bashrc", BASHRC);
    let place = world.project().join(path);
    let _ = if place.is_dir() { fs::remove_dir_all(&place) } else { fs::remove_file(&place) };
    symlink(world.folder().join(target), &place).unwrap();
    world
}

#[test]
fn records_do_not_leave_the_project_by_a_link() {
    for (path, target) in [
        (".agent/context/indexes/sessions.jsonl", "home/.bashrc"),
        (".agent/context/indexes/relevant-files.jsonl", "home/.bashrc"),
        (".agent/context/indexes", "home"),
        (".agent/context/indexes/sessions", "home"),
        (".agent/context/indexes/sessions.jsonl", "home/not-there"),
        (".agent/cache", "home"),
    ] {
        let world = linked(path, target);
        session(&world);
        assert_eq!(world.read("home/.bashrc"), BASHRC, "{path}");
        let mut names: Vec<String> = fs::read_dir(world.home())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [".bashrc", ".local"], "{path}");
        if path != ".agent/cache" {
            let told = format!("the link `$PROJECT/{path}` leads out of the project");
            let doctor = world.stead(&["doctor", "--json"]).json()["checks"].to_string();
            assert!(doctor.contains(&told), "{path}: {doctor}");
        }
    }
}

#[test]
fn a_link_inside_the_project_is_followed() {
    let world = linked(".agent/context/indexes/sessions.jsonl", "project/log.jsonl");
    session(&world);
    assert_eq!(lines(&world, "sessions.jsonl").len(), 5);
    assert_eq!(world.read("project/log.jsonl").lines().count(), 5);
}

#[test]
fn commands_name_the_link_and_write_nothing() {
    for (path, target, command) in [
        (".agent/context/indexes", "home", &["note", "decision", "keep it"][..]),
        (".agent/context/packets", "home", &["handoff", "the work"]),
        (".agent/config.toml", "home/config.toml", &["config", "set", "gate.guards", "true"]),
        (".agent/context/loops", "home", &["loop", "start", "fix it", "--promise", "DONE"]),
    ] {
        let world = linked(path, target);
        let run = world.stead(command);
        assert!(run.code != 0, "{path}: {run}");
        let said = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(&format!("the link `$PROJECT/{path}` leads out of the project")), "{path}: {run}");
        assert_eq!(world.read("home/.bashrc"), BASHRC, "{path}");
    }
}

#[test]
fn a_persons_own_folder_may_be_a_link() {
    let world = marked();
    fs::create_dir_all(world.folder().join("dotfiles/stead")).unwrap();
    fs::create_dir_all(world.home().join(".config")).unwrap();
    symlink(world.folder().join("dotfiles/stead"), world.home().join(".config/stead")).unwrap();
    world.stead(&["guard", "enable", "destructive", "--user"]).ok();
    assert!(world.exists("dotfiles/stead/guards/destructive.yaml"));
    assert!(denial(&world.hook("claude PreToolUse", shell(&world, "git reset --hard HEAD~1"))).is_some());
}

/// A guard as it comes with a repository: with its program and the right hash beside it.
fn with_program(say: &str) -> World {
    let world = marked();
    world.write("project/tools/text", format!("#!/bin/sh\ncat > /dev/null; touch \"$HOME/ran\"; {say}\n"));
    // A program that this process had open for writing may still be so in a child of another thread.
    world.sh("cp tools/text tools/judge.sh && chmod 755 tools/judge.sh").ok();
    let sum = world.sh("sha256sum tools/judge.sh").ok();
    let guard = format!(
        "id: judge\nmode: enforce\nmatch: {{runs: ['deploy']}}\nthen: deny\nsay: \"ask the release team\"\n\
         exec: {{path: tools/judge.sh, sha256: {}, timeout_ms: 1500}}\n",
        &sum[..64]
    );
    world.write("project/.agent/guards/judge.yaml", guard);
    world
}

fn start(world: &World) -> String {
    world.hook("claude SessionStart", payload(world, "SessionStart", json!({"source": "startup"}))).stdout
}

fn asked(world: &World, command: &str) -> Option<String> {
    denial(&world.hook("claude PreToolUse", shell(world, command)))
}

const ENABLE: &str = "`stead guard enable judge`";

#[test]
fn a_program_of_a_guard_runs_only_once_a_person_enabled_it_here() {
    let world = with_program("echo '{\"decision\": \"abstain\"}'");
    let reason = asked(&world, "deploy now").unwrap();
    assert!(reason.contains("not enabled on this machine") && reason.contains(ENABLE), "{reason}");
    assert!(start(&world).contains(ENABLE), "{}", start(&world));
    assert_eq!(asked(&world, "ls"), None);
    let list = world.stead(&["guard", "list"]);
    assert!(list.stderr.contains("no person has enabled it") && list.stderr.contains(ENABLE), "{list}");
    let lint = world.stead(&["guard", "lint"]);
    assert!(lint.stdout.contains("no person has enabled it") && lint.stdout.contains(ENABLE), "{lint}");
    let doctor: Value = world.stead(&["doctor", "--json"]).json();
    assert!(doctor["checks"].to_string().contains(ENABLE), "{doctor}");
    assert!(!world.exists("home/ran"), "it ran before anybody said so");

    let before = world.read("project/.agent/guards/judge.yaml");
    let enabled = by_person(&world, &["guard", "enable", "judge"]);
    assert!(enabled.code == 0 && enabled.stdout.contains("`judge` may run `tools/judge.sh`"), "{enabled}");
    assert_eq!(world.read("project/.agent/guards/judge.yaml"), before);
    assert_eq!(asked(&world, "deploy now"), None);
    assert!(world.exists("home/ran"));
    assert!(!start(&world).contains("judge"), "{}", start(&world));

    // The same repository elsewhere is another project.
    world.sh("cp -r . ../clone").ok();
    fs::remove_file(world.home().join("ran")).unwrap();
    let clone = world.folder().join("clone");
    let call = tool(&world, "Bash", json!({"command": "deploy now"}));
    let call = call.replace(&world.project().display().to_string(), &clone.display().to_string());
    // Nobody trusts it there, so it abstains.
    assert_eq!(denial(&world.hook("claude PreToolUse", call.replace("session-1", "session-2"))), None);
    assert!(!world.exists("home/ran"));
}

#[test]
fn nobody_but_a_person_enables_a_program() {
    let mut world = with_program("exit 0");
    assert!(asked(&world, "stead guard enable judge").is_some());
    let script = world.stead(&["guard", "enable", "judge"]);
    assert!(script.code != 0 && script.stderr.contains("only a person may let a guard run a program"), "{script}");
    // Consent that came with the repository is none.
    let inside = world.project().join("state");
    world.set("XDG_STATE_HOME", inside.display().to_string());
    let enabled = by_person(&world, &["guard", "enable", "judge"]);
    assert!(enabled.code != 0 && enabled.stdout.contains("no state folder outside the project"), "{enabled}");
    assert!(asked(&world, "deploy now").is_some());
    assert!(!world.exists("home/ran"));
}

#[test]
fn a_changed_program_needs_consent_again() {
    let world = with_program("echo '{\"decision\": \"deny\", \"reason\": \"it is Friday\"}'");
    by_person(&world, &["guard", "enable", "judge"]).ok();
    assert!(asked(&world, "deploy now").unwrap().contains("it is Friday"));
    world
        .sh("echo '# more' >> tools/text; rm tools/judge.sh; cp tools/text tools/judge.sh; chmod 755 tools/judge.sh")
        .ok();
    assert!(asked(&world, "deploy now").unwrap().contains("hash"));
    let refused = by_person(&world, &["guard", "enable", "judge"]);
    assert_eq!(refused.code, 0, "what was agreed to still is: {refused}");
    let sum = world.sh("sha256sum tools/judge.sh").ok();
    let text = world.read("project/.agent/guards/judge.yaml");
    let old = text.split("sha256: ").nth(1).unwrap()[..64].to_owned();
    world.write("project/.agent/guards/judge.yaml", text.replace(&old, &sum[..64]));
    accept_all(&world);
    assert!(asked(&world, "deploy now").unwrap().contains(ENABLE));
    by_person(&world, &["guard", "enable", "judge"]).ok();
    assert!(asked(&world, "deploy now").unwrap().contains("it is Friday"));
}
