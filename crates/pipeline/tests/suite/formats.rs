//! What the engine writes fits its own schemas.

use std::fs;

use serde_json::Value;
use stead_pipeline::{Branch, Change, Input, ReloadedLimits, RunStatus, Select};
use stead_store::schema;

use super::world::{World, chain, node};

#[track_caller]
pub(crate) fn check(name: &str, value: &Value) {
    let schema: Value = serde_json::from_str(&schema(name).unwrap().text()).unwrap();
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{name}: {value}: {errors:?}");
}

#[test]
fn what_a_run_writes_fits() {
    let world = World::new();
    let mut first = node("a", 2, "test $STEAD_ITERATION = 1 -o -e go || exit 3; say continue");
    first.verify = vec!["exit 1".into()];
    first.guardrails.max_runtime_seconds = Some(1000);
    first.guardrails.max_cost_usd = Some(1.0);
    first.branch = Some(Branch { name: "x".into(), item: None });
    let mut second = node("b", 1, "say stop");
    second.inputs = vec![Input { from: "a".into(), select: Select::All }];
    let plan = chain(vec![first, second]);
    assert_eq!(world.start(&plan).unwrap().status, RunStatus::Failed);
    check("state", &world.json("state.json"));
    check("status", &world.json("stage-00-a/iterations/002/status.json"));
    fs::write(world.root.join("go"), "").unwrap();
    let change = Change {
        max_iterations: Some(2),
        max_runtime_seconds: Some(2000),
        max_cost_usd: Some(2.0),
        model: Some("m".into()),
        inputs: vec!["/spec.md".into()],
        reload: Some(ReloadedLimits::of(&plan)),
        ..Change::default()
    };
    assert_eq!(world.resume_with(&change).unwrap().status, RunStatus::Unverified);
    check("state", &world.json("state.json"));
    check("plan", &world.json("plan.json"));
    for file in ["stage-00-a/iterations/001", "stage-00-a/iterations/002", "stage-01-b/iterations/001"] {
        check("context", &world.json(&format!("{file}/context.json")));
        check("status", &world.json(&format!("{file}/status.json")));
        check("agent-process", &world.json(&format!("{file}/agent.json")));
    }
    let context = world.json("stage-00-a/iterations/002/context.json");
    assert_eq!(context["attempt"], 2, "{context}");
    for line in world.read("events.jsonl").lines() {
        check("run-event", &serde_json::from_str(line).unwrap());
    }
}

#[test]
fn the_status_schema_and_the_reader_agree() {
    let schema: Value = serde_json::from_str(&schema("status").unwrap().text()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for text in [
        r#"{"decision": "continue"}"#,
        r#"{"decision": "stop", "reason": null, "work": {"items_completed": ["a"]}, "x": 1}"#,
        r#"{"decision": "stop", "blocked_on": "person"}"#,
        r#"{"decision": "stop", "blocked_on": null}"#,
        r#"{"decision": "stop", "blocked_on": "human", "needs_human": {"question": "?"}}"#,
        r#"{"decision": "continue", "blocked_on": "human"}"#,
        r#"{"decision": "continue", "blocked_on": "person"}"#,
        r#"{"decision": "done"}"#,
        r#"{"decision": "stop", "errors": [1]}"#,
        r#"{"decision": "stop", "work": "much"}"#,
        r#"{"reason": "x"}"#,
        "[]",
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        let read = stead_pipeline::Status::parse(text.as_bytes());
        assert_eq!(read.is_ok(), validator.is_valid(&value), "{text}: {read:?}");
    }
}
