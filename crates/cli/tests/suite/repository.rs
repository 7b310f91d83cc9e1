//! What a cloned repository may not do to whoever works in it: lead records out of the project by a link.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use stead_testkit::World;

use crate::client::denial;
use crate::world::{lines, marked, payload, shell};

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
