//! The lines that go into a client's settings, in its exact schema.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use stead_client::{Harness, Scope};
use stead_model::Shape;

#[track_caller]
fn check(name: &str, event: &str, scope: Scope, expected: Value) {
    let install = &Harness::from_name(name).unwrap().client().facts.install;
    let line = install.lines.iter().find(|line| line.event == event).expect("a line for the event");
    assert_eq!((install.entry)(line, "stead hook", scope), expected, "{name} {event}");
}

#[test]
fn entries_have_the_clients_keys_and_units() {
    let command = "stead hook";
    let plain = json!({"type": "command", "command": command, "timeout": 10});
    check("claude", "PreToolUse", Scope::Project, plain.clone());
    let blocking = json!({"type": "command", "command": command, "timeout": 10, "onFailure": "block"});
    check("claude", "PreToolUse", Scope::ProjectStrict, blocking.clone());
    check("claude", "PreToolUse", Scope::User, blocking);
    check("claude", "UserPromptSubmit", Scope::User, plain.clone());
    check("claude", "Stop", Scope::User, json!({"type": "command", "command": command, "timeout": 600}));
    check("codex", "PreToolUse", Scope::User, plain.clone());
    check("codex", "SessionEnd", Scope::User, json!({"type": "command", "command": command, "timeout": 3}));
    let named = json!({"type": "command", "command": command, "name": "stead BeforeTool", "timeout": 10_000});
    check("gemini", "BeforeTool", Scope::Project, named);
    let named = json!({"type": "command", "command": command, "name": "stead PreToolUse", "timeout": 10});
    check("qwen", "PreToolUse", Scope::Project, named);
    check("copilot", "preToolUse", Scope::Project, json!({"type": "command", "bash": command, "timeoutSec": 10}));
    check("kimi", "PreToolUse", Scope::User, json!({"event": "PreToolUse", "command": command, "timeout": 10}));
    check("droid", "PreToolUse", Scope::User, plain.clone());
    check("grok", "PreToolUse", Scope::Project, plain);
    check("cursor", "preToolUse", Scope::Project, json!({"command": command, "timeout": 10}));
    check("cursor", "preToolUse", Scope::Local, json!({"command": command, "timeout": 10, "failClosed": true}));
    check("cursor", "stop", Scope::Project, json!({"command": command, "timeout": 600, "loop_limit": null}));
}

#[test]
fn lines_are_for_known_events_once_each() {
    for harness in Harness::ALL {
        let client = harness.client();
        let mut seen = BTreeSet::new();
        for line in client.facts.install.lines {
            assert!(client.event(line.event).is_some(), "{harness} {}", line.event);
            assert!(seen.insert(line.event), "{harness} {} twice", line.event);
        }
        let natives: BTreeSet<_> = client.facts.events.iter().map(|fact| fact.native).collect();
        assert_eq!(natives.len(), client.facts.events.len(), "{harness} has an event twice");
    }
}

#[test]
fn what_is_installed_is_also_protected() {
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        let install = &facts.install;
        let covers = |pattern: &str, path: &str| {
            pattern == path
                || pattern.split_once('*').is_some_and(|(head, tail)| path.starts_with(head) && path.ends_with(tail))
        };
        for path in [install.project, install.local].into_iter().flatten() {
            let layer = facts
                .settings
                .iter()
                .find(|file| file.spot.base == stead_model::Base::Project && covers(file.spot.path, path));
            assert_eq!(layer.map(|file| file.shape), Some(install.shape), "{harness} {path}");
        }
        let layer = facts
            .settings
            .iter()
            .find(|file| file.spot.base == install.user.base && covers(file.spot.path, install.user.path));
        assert_eq!(layer.map(|file| file.shape), Some(install.shape), "{harness} {:?}", install.user);
        assert_eq!(install.whole.is_some(), install.shape == Shape::Whole, "{harness}");
    }
}

#[test]
fn watch_clauses_are_well_formed() {
    for harness in Harness::ALL {
        for file in harness.client().facts.settings {
            for clause in file.watch.split(' ').filter(|clause| !clause.is_empty()) {
                let ok = clause == "still:lines"
                    || match clause.split_once(":/") {
                        Some(("off" | "only", rest)) => rest.contains('='),
                        Some(("same" | "trust" | "env", rest)) => !rest.contains('='),
                        _ => false,
                    };
                assert!(ok, "{harness} {clause}");
            }
        }
    }
}
