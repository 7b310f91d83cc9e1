//! Traces, patterns and guards through the server: as the commands do it, within the budget, and never as a person.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};
use stead_testkit::World;

use super::session::seen;
use super::{OLD, ask, call, hello, request, text};
use crate::learned_guard::repeated;
use crate::world::{marked, payload};

/// The budgets of an answer, in tokens of four bytes.
const METADATA: usize = 500;
const SUMMARY: usize = 1_000;
const FULL: usize = 2_000;

fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

fn decision(number: usize) -> Value {
    let what = format!("the cache of tenant {number} is flushed before a deploy. {}", "It is not shared. ".repeat(60));
    json!({"type": "decision", "what_happened": what, "why": format!("incident {number} had stale prices")})
}

/// A project with forty long traces.
fn remembered() -> World {
    let world = marked();
    let calls: Vec<(&str, Value)> =
        (0..40).map(|number| ("tools/call", json!({"name": "store_trace", "arguments": decision(number)}))).collect();
    let answers = ask(&world, &calls);
    assert!(answers.iter().all(|answer| answer["result"]["isError"] == false), "{answers:?}");
    world
}

fn retrievals(world: &World) -> Vec<Value> {
    let path = "project/.agent/cache/retrievals.jsonl";
    let text = if world.exists(path) { world.read(path) } else { String::new() };
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_trace_belongs_to_the_session_that_stored_it_and_to_no_person() {
    let world = marked();
    let input = json!({
        "type": "correction", "what_happened": "edited schema.rs", "what_was_correct": "edit schema.sql",
        "why": "it is generated", "feature": "login",
    });
    seen(&world, "s1", "c1", "PreToolUse", "store_trace", &input);
    let stored = call(&world, "store_trace", input.clone());
    let id = stored["structuredContent"]["id"].as_str().unwrap();
    let got = call(&world, "get_trace", json!({"id": &id[..8], "level": "full"}));
    let trace = &got["structuredContent"];
    assert_eq!((&trace["context"]["session"], &trace["context"]["by"]), (&json!("s1"), &json!("agent")), "{trace}");
    assert_eq!(
        (&trace["event"]["what_was_correct"], &trace["source"]),
        (&json!("edit schema.sql"), &json!("auto_detected"))
    );
    assert_eq!(trace["context"]["feature"], "login");
    seen(&world, "s1", "c1", "PostToolUse", "store_trace", &input);
    let again = call(&world, "store_trace", input);
    assert_eq!(again["structuredContent"], json!({"id": id, "folded": true}));
    let refused = call(&world, "store_trace", json!({"type": "decision", "what_happened": "build succeeded"}));
    assert!(refused["isError"] == true && text(&refused).contains("\nhint: "), "{refused}");
    let unknown = call(&world, "get_trace", json!({"id": "zzzz"}));
    assert!(unknown["isError"] == true && text(&unknown).starts_with("error: there is no trace"), "{unknown}");
    assert_eq!(call(&world, "get_trace", json!({}))["isError"], true);
}

#[test]
fn an_answer_keeps_its_budget_in_both_copies() {
    let world = remembered();
    let check = |tool: &str, input: Value, most: usize| {
        let result = call(&world, tool, input.clone());
        assert_eq!(result["isError"], false, "{input}: {result}");
        let structured = &result["structuredContent"];
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        assert_eq!(serde_json::from_str::<Value>(text(&result)).unwrap(), *structured, "the copies differ");
        assert!(tokens(text(&result)) <= most, "{input}: {} of {most} tokens", tokens(text(&result)));
        structured.clone()
    };
    let query = |input: Value, most: usize| {
        let found = check("query_traces", input.clone(), most);
        let items = found["items"].as_array().unwrap().clone();
        assert!(!items.is_empty(), "{input}: {found}");
        assert!(items.iter().all(|item| item["freshness"] == "unanchored" && item.get("superseded_by").is_some()));
        items
    };
    query(json!({"text": "cache", "level": "metadata"}), METADATA);
    query(json!({"text": "cache"}), SUMMARY);
    let full = query(json!({"text": "cache", "level": "full", "k": 3}), 3 * FULL);
    query(json!({"level": "full", "k": 40, "max_tokens": 700}), 700);
    for most in [200, 350, 5_000] {
        query(json!({"text": "stale prices of a tenant", "max_tokens": most, "k": 40}), most);
    }
    for (level, most) in [("metadata", METADATA), ("summary", SUMMARY), ("full", FULL)] {
        check("get_trace", json!({"id": full[0]["id"], "level": level}), most);
    }
    let none = check("query_traces", json!({"text": "zzgh qqwx"}), SUMMARY);
    assert!(none["items"] == json!([]) && none["abstained"].is_string(), "{none}");
    let other = check("query_traces", json!({"text": "cache", "type": "violation"}), SUMMARY);
    assert_eq!(other["items"], json!([]), "{other}");
    let command = world.stead(&["memory", "query", "cache", "--level", "metadata", "--json"]).json();
    let ids = |items: &Value| items.as_array().unwrap().iter().map(|item| item["id"].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&json!(query(json!({"text": "cache", "level": "metadata"}), METADATA))), ids(&command["items"]));
}

#[test]
fn what_was_asked_for_is_counted_and_a_list_is_not() {
    let world = remembered();
    let found = call(&world, "query_traces", json!({"text": "cache", "k": 2}));
    let id = found["structuredContent"]["items"][0]["id"].as_str().unwrap().to_owned();
    call(&world, "get_trace", json!({"id": id}));
    let uri = format!("trace://{id}");
    let answers = ask(
        &world,
        &[
            ("resources/list", json!({})),
            ("resources/read", json!({"uri": uri})),
            ("resources/templates/list", json!({})),
            ("resources/read", json!({"uri": "trace://nothing"})),
        ],
    );
    let listed = answers[0]["result"]["resources"].as_array().unwrap();
    let own = listed.iter().find(|one| one["uri"] == uri.as_str()).unwrap();
    assert_eq!(
        (&own["name"], &own["description"], &own["mimeType"]),
        (&json!(id), &json!("decision"), &json!("application/json"))
    );
    assert_eq!(listed.iter().filter(|one| one["uri"].as_str().unwrap().starts_with("trace://")).count(), 40);
    let shown: Value = serde_json::from_str(answers[1]["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&shown["id"], &shown["context"]["by"]), (&json!(id), &json!("agent")));
    assert!(answers[2]["result"]["resourceTemplates"].to_string().contains("trace://{id}"), "{}", answers[2]);
    assert_eq!(answers[3]["error"]["code"], -32002, "{}", answers[3]);
    let counted: Vec<(String, usize)> = retrievals(&world)
        .iter()
        .map(|line| (line["by"].as_str().unwrap().to_owned(), line["ids"].as_array().unwrap().len()))
        .collect();
    let expected = [("query", 2), ("get", 1), ("get", 1)].map(|(by, ids)| (by.to_owned(), ids));
    assert_eq!(counted, expected);
}

#[test]
fn a_guard_is_only_proposed_and_a_person_accepts_it() {
    let world = repeated();
    let found = call(&world, "extract_patterns", json!({}));
    let pattern = &found["structuredContent"]["items"][0];
    assert_eq!((&pattern["count"], &pattern["sessions"]), (&json!(3), &json!(2)), "{found}");
    assert!(tokens(text(&found)) <= 2_000);
    let id = pattern["id"].as_str().unwrap();
    let proposed = call(&world, "create_guard", json!({"pattern_id": id}));
    let answer = &proposed["structuredContent"];
    assert_eq!(
        (&answer["fired"], &answer["own_incidents"], &answer["allowed_stopped"]),
        (&json!(3), &json!(3), &json!(0))
    );
    let guard = format!("project/.agent/guards/{}.yaml", answer["id"].as_str().unwrap());
    assert!(!world.exists(&guard), "{answer}");
    assert!(world.exists(format!("project/{}", answer["proposal"].as_str().unwrap())), "{answer}");
    let proposals = world.stead(&["guard", "accept", "--json"]).json();
    assert_eq!((&proposals["items"][0]["id"], &proposals["items"][0]["by"]), (&json!(id), &json!("agent")));
    world.stead(&["guard", "accept", id]).ok();
    assert!(world.read(&guard).contains("mode: shadow"));
    let unknown = call(&world, "create_guard", json!({"pattern_id": "p-00000000"}));
    assert!(unknown["isError"] == true && text(&unknown).contains("there is no pattern"), "{unknown}");
    let option = call(&world, "create_guard", json!({"pattern_id": "--accept"}));
    assert!(option["isError"] == true && text(&option).contains("there is no pattern `--accept`"), "{option}");
}

#[test]
fn a_change_settles_what_is_due_and_a_question_does_not() {
    let world = repeated();
    world.hook("claude SessionEnd", payload(&world, "SessionEnd", json!({"reason": "exit"})));
    let book = "project/.agent/graph/patterns.jsonl";
    let mut server = world.command(env!("CARGO_BIN_EXE_stead"), &world.project());
    let mut server = server.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut answers = BufReader::new(server.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut say = |line: Value| {
        writeln!(input, "{line}").unwrap();
        answers.next().unwrap()
    };
    say(hello());
    let lesson = json!({"text": "infra belongs to the platform team", "kind": "pitfall"});
    let calls = [("query_traces", json!({})), ("extract_patterns", json!({})), ("record_lesson", lesson)];
    for (id, (tool, arguments)) in (1..).zip(calls) {
        let answer = say(request(OLD, id, "tools/call", json!({"name": tool, "arguments": arguments})));
        assert!(answer.contains("\"isError\":false"), "{tool}: {answer}");
        // The server itself settles when it ends, so this looks while it runs.
        assert_eq!(world.exists(book), tool == "record_lesson", "{tool}");
    }
    assert!(world.read(book).contains("\"proposes\":\"guard\""), "{}", world.read(book));
    drop(input);
    assert!(server.wait().unwrap().success());
}
