//! Secrets that people and agents type or bring do not end up in files, nor in names of files.

use stead_testkit::World;

use crate::world::{by_person, marked, shell};

const KEY: &str = "sk-live-abcdefgh12345678";
const PASSWORD: &str = "hunter2-and-more";
const PRIVATE_KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n";

/// Looks at every file that Stead wrote, and at its name.
#[track_caller]
fn check_nothing_kept(world: &World, what: &str) {
    let names = world.sh("find .agent \"$HOME\"").ok().to_lowercase();
    let texts = world.sh("find .agent \"$HOME\" -type f ! -name '*.log' -exec cat {} +").ok();
    for secret in [KEY, PASSWORD, "MIIEvQIBADANBg"] {
        assert!(!texts.contains(secret), "{what}: {secret} in\n{texts}");
        assert!(!names.contains(&secret.to_lowercase()), "{what}: {secret} in\n{names}");
    }
    for part in ["abcdefgh12345678", "hunter2"] {
        assert!(!names.contains(part), "{what}: {part} in\n{names}");
    }
}

#[test]
fn a_loops_task_is_kept_without_its_secrets() {
    let world = marked();
    let task = format!("use {KEY} with password={PASSWORD} and fix the tests");
    let started = world.stead(&["loop", "start", &task, "--promise", "DONE", "--json"]).json();
    check_nothing_kept(&world, "loop start");
    let id = started["id"].as_str().unwrap();
    let shown = world.stead(&["loop", "show", id]).ok();
    assert!(shown.contains("use [redacted] with password=[redacted] and fix the tests"), "{shown}");
}

#[test]
fn what_is_brought_as_evidence_is_kept_without_its_secrets() {
    let world = marked();
    world.write("project/.agent/features/feature-list.json", r#"{"features": [{"id": "login"}]}"#);
    let text = format!("it works\nkey {KEY}\npassword: \"{PASSWORD}\"\n{PRIVATE_KEY}");
    for (how, name) in [("--file", "a.txt"), ("--output", "b.txt"), ("--response", "c.json"), ("--file", "d.env")] {
        world.write(format!("project/{name}"), &text);
        let run = world.stead(&["evidence", "add", "login", how, name, "--note", &format!("token={PASSWORD}")]);
        assert!(run.code == 0 && run.stderr.contains("3 secrets"), "{run}");
        std::fs::remove_file(world.project().join(name)).unwrap();
        check_nothing_kept(&world, how);
    }
    let kept = world.sh("cat .agent/features/evidence/login/files/*").ok();
    assert!(kept.contains("it works\nkey [redacted]\n"), "{kept}");
    // What is no text is kept as it is.
    world.write("project/shot.png", b"\x89PNG\r\n\x1a\nx");
    world.stead(&["evidence", "add", "login", "--file", "shot.png"]).ok();
    assert!(world.sh("cmp shot.png .agent/features/evidence/login/files/*.png").code == 0);
}

#[test]
fn reasons_appeals_and_notes_are_kept_without_their_secrets() {
    let world = marked();
    world.stead(&["guard", "enable", "destructive"]).ok();
    let denied = world.hook("claude PreToolUse", shell(&world, "git reset --hard HEAD~1")).stdout;
    let at = denied.find("[v-").unwrap() + 1;
    let id = &denied[at..at + denied[at..].find(']').unwrap()];
    let text = format!("because of {KEY} and token={PASSWORD}");
    world.stead(&["appeal", id, &text]).ok();
    by_person(&world, &["allow", id, "--reason", &text]).ok();
    world.stead(&["note", "decision", &text]).ok();
    world.stead(&["handoff", &text, "--context", &text, "--next-prompt", &text]).ok();
    check_nothing_kept(&world, "texts");
}
