//! `stead memory query`: what an answer says about each trace, its budget, and what it does with odd input.

use std::fs;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::world::{denies, marked, payload, tool};

const INFRA: &str =
    "id: infra\nmode: enforce\non: [before-tool]\nmatch: {writes: ['infra/**']}\nthen: deny\nsay: \"ask first\"\n";

fn store(world: &World, what: &str, more: &[&str]) -> String {
    let args = ["memory", "store", "--type", "decision", "--what", what, "--why", "it was agreed", "--json"];
    let args: Vec<&str> = args.iter().chain(more).copied().collect();
    world.stead(&args).json()["id"].as_str().unwrap().to_owned()
}

fn query(world: &World, args: &[&str]) -> Value {
    let args: Vec<&str> = ["memory", "query", "--json"].iter().chain(args).copied().collect();
    world.stead(&args).json()
}

/// The compact form is what counts, at four bytes a token.
fn tokens(answer: &Value) -> usize {
    answer.to_string().len().div_ceil(4)
}

#[test]
fn an_answer_explains_itself() {
    let world = marked();
    world.write("project/db/schema.sql", "create table a;\n");
    let old = store(&world, "the schema of the database is written by hand", &["--file", "db/schema.sql"]);
    let new = store(&world, "the schema of the database is generated", &["--supersedes", &old]);
    let found = query(&world, &["generate", "database", "schemas"]);
    let ids: Vec<&Value> = found["items"].as_array().unwrap().iter().map(|item| &item["id"]).collect();
    assert_eq!(ids, [&json!(new), &json!(old)], "a replaced one comes last");
    let [first, second] = [&found["items"][0], &found["items"][1]];
    assert_eq!((&first["freshness"], &first["superseded_by"]), (&json!("unanchored"), &Value::Null));
    assert_eq!((&second["freshness"], &second["superseded_by"]), (&json!("fresh"), &json!(new)));
    assert_eq!(first["matched"]["terms"].as_array().unwrap().len(), 3, "{first}");
    assert_eq!(first["matched"]["channels"], json!(["words"]));
    world.write("project/db/schema.sql", "create table b;\n");
    assert_eq!(query(&world, &["schema"])["items"][1]["freshness"], "drifted");
    fs::remove_file(world.project().join("db/schema.sql")).unwrap();
    assert_eq!(query(&world, &["schema"])["items"][1]["freshness"], "orphaned");
    let nothing = query(&world, &["zebra"]);
    assert_eq!(nothing["items"], json!([]));
    assert!(nothing["abstained"].is_string(), "{nothing}");
}

/// What a gate stopped is tied to the file as it was, and to the intent of the session.
#[test]
fn a_captured_violation_drifts_with_its_file() {
    let world = marked();
    world.write("project/.agent/guards/infra.yaml", INFRA);
    world.write("project/infra/main.tf", "size = 1\n");
    let intents = "active_intents:\n  - {id: INT-7, name: Infra, status: IN_PROGRESS, owned_scope: ['infra/**']}\n";
    world.write("project/.agent/intents/active_intents.yaml", intents);
    world.write("project/.agent/context/indexes/sessions/s-1.intent", "-\tINT-7\t2020-01-01T00:00:00.000Z\t-\n");
    let write = tool(&world, "Write", json!({"file_path": world.project().join("infra/main.tf"), "content": "x"}));
    let mut write: Value = serde_json::from_str(&write).unwrap();
    write["session_id"] = json!("s-1");
    assert!(denies(&world.hook("claude PreToolUse", write.to_string()).stdout));
    world.hook("claude Stop", payload(&world, "Stop", json!({"stop_hook_active": false})));
    let found = query(&world, &["--guard", "infra", "--intent", "INT-7"]);
    assert_eq!(found["items"][0]["freshness"], "fresh", "{found}");
    world.write("project/infra/main.tf", "size = 2\n");
    assert_eq!(query(&world, &["--guard", "infra"])["items"][0]["freshness"], "drifted");
    assert_eq!(query(&world, &["--intent", "INT-8"])["items"], json!([]));
}

#[test]
fn budgets_are_kept_whatever_is_stored() {
    let world = marked();
    for at in 0..30 {
        store(&world, &format!("decision {at} about caches: {}", "a long sentence about caches. ".repeat(60)), &[]);
    }
    for (args, most) in [
        (&["--level", "metadata"][..], 500),
        (&["--level", "summary"], 1_000),
        (&["--level", "full", "--k", "2"], 4_000),
        (&["--max-tokens", "120"], 120),
    ] {
        let args: Vec<&str> = ["caches"].iter().chain(args).copied().collect();
        let answer = query(&world, &args);
        assert!(tokens(&answer) <= most, "{args:?}: {} tokens", tokens(&answer));
    }
    let all = query(&world, &["caches", "--level", "metadata"]);
    assert!(all["items"].as_array().unwrap().len() >= 5, "{all}");
}

#[test]
fn odd_queries_are_answered() {
    let world = marked();
    store(&world, "キャッシュは使わない。 Кэш не нужен", &[]);
    for text in ["", "   ", "\"", "AND OR NOT (", "*", "a\u{0}b", "кэш", "キャッシュ", "%", "a:b", "NEAR(x y)"]
    {
        let text = text.replace('\0', "");
        let answer = query(&world, &[&text]);
        assert!(answer["items"].is_array(), "{text:?}: {answer}");
    }
    assert_eq!(query(&world, &["кэш"])["items"].as_array().unwrap().len(), 1);
    let long = "cache ".repeat(20_000);
    assert!(query(&world, &[&long])["items"].is_array());
    let run = world.stead(&["memory", "query", "x", "--k", "0"]);
    assert!(run.code == 2 && !run.stderr.contains("panicked"), "{run}");
}
