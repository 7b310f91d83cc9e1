//! `stead memory health` and `stead stats`, on histories that are written by hand.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use stead_model::rfc3339;
use stead_testkit::World;

use crate::world::{at_terminal, marked, payload, tool};

const LOG: &str = "project/.agent/context/indexes/sessions.jsonl";

/// So many days ago, in minutes after that.
fn ago(days: i64, minutes: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    rfc3339(i64::try_from(now).unwrap() - days * 86_400_000 + minutes * 60_000)
}

fn event(ts: &str, session: &str, event: &str, more: Value) -> String {
    let mut line = json!({"v": 1, "ts": ts, "harness": "claude", "session": session, "event": event,
        "native": event, "verdict": "allow"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{line}\n")
}

fn denied(days: i64, session: &str, guard: &str, path: &str) -> String {
    let hit = json!({"guard": guard, "mode": "enforce", "would": "deny", "did": "denied", "part": path, "say": "no"});
    let effects = json!({"v": 1, "coverage": "full", "list": [{"write": path, "how": "edit", "part": path}]});
    let own = json!({"tool": "Edit", "call": format!("c{days}"), "action": "change", "verdict": "deny", "hits": [hit],
        "id": format!("v-{session:a>8}"), "effects": effects});
    let after = |minutes: i64, kind: &str, own: Value| event(&ago(days, minutes), session, kind, own);
    let next = after(1, "before-tool", json!({"tool": "Edit", "call": "n", "action": "change", "paths": ["/x/y"]}));
    event(&ago(days, 0), session, "before-tool", own) + &next + &after(2, "stop", json!({}))
}

/// Two sessions with the same mistake, a blocked completion, five prompts and a finished feature.
fn lived() -> World {
    let world = marked();
    let mut log = String::new();
    for number in 0..5 {
        log += &event(&ago(3, number), "s1", "prompt", json!({}));
    }
    log += &denied(3, "s1", "infra", "infra/a.tf");
    log += "{\"ts\":\"20\n";
    log += &denied(2, "s2", "infra", "infra/b.tf");
    log += &denied(1, "s3", "tested-needs-evidence", ".agent/features/feature-list.json");
    world.write(LOG, &log);
    let made: String = ago(1, 0).chars().filter(char::is_ascii_alphanumeric).collect();
    let list = json!({"schema": "stead.feature-list/1", "features": [
        {"id": "login", "title": "x", "status": "tested", "tested": true, "evidence": [format!("{made}-1a2b3c")]}]});
    world.write("project/.agent/features/feature-list.json", list.to_string());
    world
}

#[test]
fn an_empty_project_says_so() {
    let world = marked();
    for args in [&["memory", "health"][..], &["stats"]] {
        assert_eq!(world.stead(args).ok(), "Nothing recorded yet.\n", "{args:?}");
        let json = world.stead(&[args, &["--json"]].concat()).json();
        assert!(json.is_object(), "{json}");
    }
    let checks = world.stead(&["memory", "health", "--json"]).json()["checks"].clone();
    let names: Vec<&str> = checks.as_array().unwrap().iter().map(|check| check["check"].as_str().unwrap()).collect();
    assert_eq!(names, ["retrieval", "oscillation", "reflections", "claims", "planning"]);
    for check in checks.as_array().unwrap() {
        assert_eq!((&check["status"], &check["value"]), (&json!("not-measured"), &Value::Null), "{check}");
        assert!(check["threshold"].is_number() && !check["advice"].as_str().unwrap().is_empty(), "{check}");
    }
}

#[test]
fn a_history_becomes_five_numbers() {
    let world = lived();
    let json = world.stead(&["stats", "--since", "7d", "--json"]).json();
    let total = &json["total"];
    let expected = json!({"blocked": 1, "denied": 1, "failed_reports": 0, "prompts": 5, "finished": 1,
        "prompts_per_feature": 5.0, "repeated": 1, "violations": 3, "complied": 3, "compliance": 1.0});
    assert_eq!(total, &expected);
    assert_eq!((&json["step"], json["periods"].as_array().unwrap().len()), (&json!("day"), 8));
    assert_eq!(json["agent_prompts"], json!({"definitions": 0, "tokens": 0}));
    let text = world.stead(&["stats", "--since", "7d"]).ok();
    let lines: Vec<&str> = text.lines().collect();
    let today = &ago(0, 0)[..10];
    assert_eq!(lines[0], "day of      blocked  prompts  finished  per feature  repeated         complied");
    assert_eq!(lines[8], format!("{today}        0        0         0            -         0                -"));
    assert_eq!(lines[9], "total             1        5         1          5.0         1    3 of 3, 100 %");
    assert_eq!(
        &lines[10..],
        [
            "",
            "premature completions blocked  |······█·|  0 to 1",
            "prompts per finished feature   |      · |  0.0",
            "repeated mistakes              |·····█··|  0 to 1",
            "compliance with rules          |    ███ |  100 %",
            "",
            "agent prompts now: 0 tokens in 0 definitions",
        ]
    );
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!at_terminal(&world, 80, &["stats"]).ok().contains('\u{1b}'));
    let weeks = world.stead(&["stats", "--json"]).json();
    assert_eq!((&weeks["step"], &weeks["total"]), (&json!("week"), &expected));
    for odd in ["", "7", "0d", "6000d", "x"] {
        assert_eq!(world.stead(&["stats", "--since", odd]).code, 2, "{odd}");
    }
}

#[test]
fn a_picture_is_written_for_people_only() {
    let mut world = lived();
    let run = world.stead(&["stats", "--svg", "stats.svg"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, "wrote stats.svg\n"), "{run}");
    let svg = world.read("project/stats.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("repeated mistakes") && svg.ends_with("</svg>\n"), "{svg}");
    world.set("CLAUDECODE", "1");
    let run = world.stead(&["stats", "--svg", "other.svg"]);
    assert!(run.code == 1 && run.stderr.contains("only a person may") && !world.exists("project/other.svg"), "{run}");
    world.stead(&["stats"]).ok();
}

#[test]
fn what_was_asked_for_is_counted() {
    let world = marked();
    let ids: Vec<String> = (0..12)
        .map(|number| {
            let what = format!("keep `old_api_{number}` until release {number}");
            let run = world.stead(&["memory", "store", "--type", "decision", "--what", &what, "--json"]);
            run.json()["id"].as_str().unwrap().to_owned()
        })
        .collect();
    world.stead(&["memory", "get", &ids[0]]).ok();
    let line: Value = serde_json::from_str(&world.read("project/.agent/cache/retrievals.jsonl")).unwrap();
    let schema = world.stead(&["schema", "retrieval"]).json();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&line), "{line}");
    assert_eq!((&line["by"], &line["ids"]), (&json!("get"), &json!([ids[0]])));
    let text = world.stead(&["memory", "health"]).ok();
    let first: Vec<&str> = text.lines().take(2).collect();
    assert_eq!(
        first,
        [
            "status        check        number  limit  what was found",
            "warn          retrieval      92 %   90 %  11 of 12 traces were never retrieved",
        ],
        "{text}"
    );
    assert!(text.contains("\n  hint: have agents run `stead memory query`"), "{text}");
    assert!(text.ends_with("not measured  planning          -   30 %  nothing on record\n"), "{text}");
    world.stead(&["memory", "get", &ids[1]]).ok();
    let json = world.stead(&["memory", "health", "--json"]).json();
    assert_eq!((&json["checks"][0]["status"], &json["checks"][0]["found"]), (&json!("ok"), &json!(10)));
    // The count never keeps a trace from its reader.
    std::fs::remove_file(world.folder().join("project/.agent/cache/retrievals.jsonl")).unwrap();
    std::fs::create_dir(world.folder().join("project/.agent/cache/retrievals.jsonl")).unwrap();
    world.stead(&["memory", "get", &ids[2]]).ok();
}

/// What the hook really records: an agent that edits the same file back and forth.
#[test]
fn edits_back_and_forth_are_found_in_the_ledger() {
    let world = marked();
    let file = world.project().join("a.txt");
    for content in ["one\n", "two\n", "one\n", "two\n"] {
        let input = json!({"file_path": file, "content": content});
        world.hook("claude PreToolUse", tool(&world, "Write", input.clone()));
        world.write("project/a.txt", content);
        let own = json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "call-1", "tool_response": {}});
        world.hook("claude PostToolUse", payload(&world, "PostToolUse", own));
    }
    let json = world.stead(&["memory", "health", "--json"]).json();
    let check = &json["checks"][1];
    assert_eq!((&check["status"], &check["found"], &check["of"]), (&json!("warn"), &json!(1), &json!(1)), "{json}");
    assert_eq!(check["examples"][0], "a.txt: returned 2 times to an earlier content");
}
