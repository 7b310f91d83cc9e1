//! `stead status`: the project at a glance, in at most twenty lines of eighty columns.

use std::fs;

use serde_json::json;
use stead_testkit::World;
use unicode_width::UnicodeWidthStr;

use crate::intent;
use crate::world::{bare, marked, payload, shell};

const LOG: &str = "project/.agent/context/indexes/sessions.jsonl";

/// What it shows, after a look at its size.
#[track_caller]
fn shown(world: &World) -> String {
    let run = world.stead(&["status"]);
    let said = run.stdout.clone();
    assert!(run.code == 0 && said.lines().count() <= 20, "{run}");
    // The world's own folders are named shorter than they are.
    assert!(said.lines().skip(1).all(|line| line.width() <= 80), "{said}");
    said
}

/// Without what differs from run to run: ids and times.
fn steady(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_inclusive([' ', '\n', '`']) {
        let bare = word.trim_end_matches([' ', '\n', '`', ',', ':']);
        let kind = ["t-", "v-", "p-"].iter().find(|kind| bare.starts_with(*kind) && bare.len() == 10);
        let shown = match kind {
            Some(kind) => format!("{kind}xxxxxxxx{}", &word[bare.len()..]),
            None if bare.len() > 15 && bare.starts_with("20") && bare.contains("Z-") => {
                format!("00000000T000000Z{}", &word[16..])
            }
            None => word.to_owned(),
        };
        out.push_str(&shown);
    }
    out
}

#[test]
fn a_folder_without_a_project() {
    insta::assert_snapshot!("empty", shown(&bare()));
}

#[test]
fn a_fresh_project() {
    let world = bare();
    world.stead(&["init", "--harness", "claude", "--yes"]).ok();
    insta::assert_snapshot!("fresh", shown(&world));
    let json = world.stead(&["status", "--json"]).json();
    assert_eq!((&json["waiting"], &json["harnesses"][0]["last_called_at"]), (&json!([]), &json!(null)));
    world.hook("claude PreToolUse", shell(&world, "git status")).ok();
    assert!(shown(&world).contains("\nagents   claude (just now); `stead log`\n"), "{}", shown(&world));
}

/// A project with a thousand of everything that can be made by hand, and some of everything else.
fn full() -> World {
    let world = bare();
    world.stead(&["init", "--harness", "claude,codex,gemini,copilot", "--yes"]).ok();
    let many = |one: &dyn Fn(usize) -> String| (0..1000).map(one).collect::<String>();
    world.write(
        "project/.agent/guards/infra.yaml",
        "id: infra\nmode: enforce\nmatch: {writes: ['infra/**']}\nsay: no\n",
    );
    world.write("project/.agent/stages/chore/stage.yaml", STAGE);
    world.write(
        "project/.agent/stages/chore/prompt.md",
        "Read ${CTX}, note in ${PROGRESS}, write ${OUTPUT} and ${STATUS}.\n",
    );
    world.stead(&["run", "stage", "chore", "a-run-with-a-name-that-says-a-lot"]);
    for number in 0..30 {
        world.write(format!("project/.agent/runs/torn-{number}/plan.json"), "{");
        world.stead(&["loop", "start", &format!("loop number {number:02} of many words")]);
    }
    for purpose in
        ["fix the login page, which does not fit into eighty columns, however short its id is", "日本語の目的"]
    {
        world.stead(&["handoff", purpose]).ok();
    }
    let feature = |number: usize| {
        let status = ["tested", "blocked", "pending"][number % 3];
        json!({"id": format!("feature-{number}"), "title": "x", "status": status, "tested": status == "tested"})
    };
    let features: Vec<_> = (0..1000).map(feature).collect();
    let list = json!({"schema": "stead.feature-list/1", "features": features});
    world.write("project/.agent/features/feature-list.json", list.to_string());
    world.write(intent::FILE, intent::INTENTS);
    let request = |number| {
        format!(
            "{}\n",
            json!({"v": 1, "ts": "2026-11-15T20:01:02.345Z", "id": format!("R-{number}"),
        "state": "open", "text": "the docs are outdated, and nobody may write them", "scope": ["docs/**"]})
        )
    };
    world.write("project/.agent/intents/requests.jsonl", many(&request));
    let now = now();
    let appeal = |number| {
        format!(
            "{}\n",
            json!({"v": 1, "ts": now, "verdict": format!("v-{number:08}"),
        "guards": ["infra"], "by": "agent", "text": "the file is a fixture, and not infrastructure at all"})
        )
    };
    world.write("project/.agent/context/indexes/appeals.jsonl", many(&appeal));
    let pattern = |number| {
        format!(
            "{}\n",
            json!({"v": 1, "ts": now, "id": format!("p-{number:08}"), "kind": "correction",
        "summary": "changing `infra/` was corrected 3 times in 2 sessions", "proposes": "guard"})
        )
    };
    world.write("project/.agent/graph/patterns.jsonl", many(&pattern));
    world.write("project/.agent/graph/proposals/p-206092cf.json", PROPOSAL);
    world.write("project/.agent/guards/torn.yaml", "{");
    world.write("project/.claude/pipeline-runs/auth/state.json", r#"{"pipeline": "refine", "status": "running"}"#);
    let identity = "-c user.name=T -c user.email=t@example.invalid";
    world.sh(&format!("git add -A -f && git {identity} commit -q -m x")).ok();
    // Somebody else's checkout of it, in which an agent is at work.
    fs::remove_dir_all(world.home().join(".local/state/stead")).unwrap();
    fs::remove_dir_all(world.project().join(".agent/cache")).unwrap();
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    for command in ["echo x > infra/a.tf", "git reset --hard", "rm -rf .agent/guards"] {
        world.hook("claude PreToolUse", shell(&world, command));
    }
    // An edit beside the calls waits for the person.
    let stop = || world.hook("claude Stop", payload(&world, "Stop", json!({"stop_hook_active": false})));
    stop();
    world.write("project/.agent/guards/infra.yaml", "id: infra\nmode: off\nmatch: {writes: ['infra/**']}\nsay: no\n");
    stop();
    world
}

const STAGE: &str = "name: chore\ndescription: A test\ntermination: {type: fixed}\nguardrails: {max_iterations: 1}\nprovider:\n  command: [\"false\"]\n";

const PROPOSAL: &str = r#"{"v":1,"id":"p-206092cf","ts":"2026-11-17T13:23:06.959Z","kind":"mode","by":"agent","summary":"`infra` matched changing `infra/` 3 times in 2 sessions","evidence":["v-7k2m9qd4"],"guard":"infra","text":"stead guard promote infra","mode":"warn"}"#;

fn now() -> String {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap().as_millis();
    stead_model::rfc3339(i64::try_from(since).unwrap())
}

#[test]
fn a_full_project_fits_twenty_lines() {
    let world = full();
    insta::assert_snapshot!("full", steady(&shown(&world)));
    // Machines get all of it.
    let json = world.stead(&["status", "--json"]).json();
    let count = |name: &str| json[name].as_array().map_or(0, Vec::len);
    let counts = (count("requests"), count("appeals"), count("unreadable_runs"), count("runs"));
    assert_eq!(counts, (1000, 1000, 30, 1), "{}", json["runs"]);
    assert_eq!(json["features"]["blocked"].as_array().unwrap().len(), 333);
    assert!(count("waiting") > 10, "{}", json["waiting"]);
    let areas: Vec<&str> =
        json["waiting"].as_array().unwrap().iter().map(|one| one["area"].as_str().unwrap()).collect();
    for area in ["seal", "trust", "guards", "intents", "runs", "features", "appeals", "proposed"] {
        assert!(areas.contains(&area), "{area}: {areas:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn only_the_end_of_a_long_log_is_read() {
    let world = marked();
    world.hook("claude PreToolUse", shell(&world, "rm -rf .agent/guards"));
    let end = world.read(LOG);
    // What is before the end would be an error to whoever parsed it.
    world.write(LOG, format!("{}{end}", format!("{}\n", "no JSON ".repeat(50)).repeat(100_000)));
    for (command, expected) in [
        ("status", "last 24 h: 1 blocked"),
        ("log -n 1", "rm -rf .agent/guards"),
        ("explain", "self-protection: denied"),
    ] {
        let stead = env!("CARGO_BIN_EXE_stead");
        // What a shell has read counts what its children have.
        let said = world.sh(&format!("{stead} {command}; cat /proc/$$/io")).ok();
        let read = said.lines().find_map(|line| line.strip_prefix("rchar: ")?.parse::<u64>().ok());
        assert!(said.contains(expected), "{command}: {said}");
        assert!(read.unwrap() < 8_000_000, "{command}: {read:?} bytes of 40 MB");
    }
}
