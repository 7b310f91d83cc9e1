use serde_json::{Value, json};

use super::*;
use crate::made_project::{MadeProject, ago, event, tested};
use crate::{Trace, TraceId};

const SINCE: &str = "2026-01-01T00:00:00.000Z";

/// So many seconds after the first moment.
fn at(seconds: u32) -> String {
    format!("{}T09:00:{seconds:02}.000Z", &ago(1)[..10])
}

fn told(cause: &str, rule: &str, kind: &str) -> Value {
    json!({"v": 1, "ts": at(10), "session": "s", "cause": cause, "way": "context", "call": "c1", "rule": rule,
        "kinds": [kind], "ids": ["0000000a"]})
}

fn hit(second: u32, did: &str, path: &str, more: Value) -> Value {
    let mut own = json!({"call": "c2", "verdict": "deny", "hits": [{"guard": "infra", "would": "deny", "did": did}],
        "effects": {"v": 1, "coverage": "full", "list": [{"write": path, "how": "edit"}]}});
    own.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event(&at(second), "s", "before-tool", own)
}

fn run(second: u32, command: &str, exit: i32) -> Value {
    json!({"v": 1, "id": format!("2026111{second}T000000000Z-1"), "ts": at(second), "kind": "observed", "source": "hook",
        "about": "test", "command": command, "exit": exit, "session": "s"})
}

#[track_caller]
fn check(project: &MadeProject, told: Value, expected: Effect) {
    project.write("cache/injections.jsonl", &format!("{told}\n{{\"v\":1,\"ts\""));
    let traces = project.traces();
    let records = project.records(&traces);
    let log = Injections::of(&records.ground.cache);
    let count = InjectionCount::of(&records, &log, SINCE, &mut |_| {}).unwrap();
    let found = (count.told, count.not_repeated, count.repeated, count.open);
    let is = |effect: Effect| usize::from(effect == expected);
    assert_eq!(found, (1, is(Effect::NotRepeated), is(Effect::Repeated), is(Effect::Open)), "{told}");
}

#[test]
fn a_rule_is_broken_again_by_the_same_kind_of_action() {
    let by = |lines: Vec<Value>, expected: Effect| {
        let project = MadeProject::new();
        project
            .log([hit(1, "denied", "infra/a.tf", json!({})), hit(10, "denied", "infra/a.tf", json!({"call": "c1"}))]);
        project.log(lines);
        check(&project, told("rule", "infra", "change infra/"), expected);
    };
    by(vec![], Effect::Open);
    by(vec![event(&at(11), "s", "stop", json!({}))], Effect::NotRepeated);
    by(vec![event(&at(11), "t", "stop", json!({}))], Effect::Open);
    by(vec![hit(11, "denied", "infra/b.tf", json!({}))], Effect::Repeated);
    by(vec![hit(11, "denied", "infra/b.tf", json!({})), event(&at(12), "s", "stop", json!({}))], Effect::Repeated);
    by(vec![hit(11, "denied", "infra/deep/b.tf", json!({}))], Effect::NotRepeated);
    by(vec![hit(11, "overridden", "infra/b.tf", json!({}))], Effect::NotRepeated);
    by(vec![hit(11, "denied", "infra/b.tf", json!({"session": "t"}))], Effect::Open);
    // The same call, seen once more.
    by(vec![hit(11, "denied", "infra/a.tf", json!({"call": "c1"}))], Effect::Open);
    by(vec![hit(11, "denied", "infra/a.tf", json!({"event": "permission-request"}))], Effect::Open);
}

#[test]
fn the_next_run_of_the_same_test_decides() {
    let by = |lines: Vec<Value>, expected: Effect| {
        let project = MadeProject::new();
        project.append("indexes/evidence.jsonl", [run(10, "cargo test", 1)]);
        project.append("indexes/evidence.jsonl", lines);
        check(&project, told("failure", "failure", &failure_kind("cargo test")), expected);
    };
    by(vec![], Effect::Open);
    by(vec![run(11, "cargo build", 1)], Effect::Open);
    by(vec![run(11, "cargo test", 1), run(12, "cargo test", 0)], Effect::Repeated);
    by(vec![run(11, "cargo test", 0), run(12, "cargo test", 1)], Effect::NotRepeated);
}

#[test]
fn a_tool_fails_again_or_works() {
    let by = |kind: &str, tool: &str, expected: Effect| {
        let project = MadeProject::new();
        project.log([event(&at(11), "s", kind, json!({"tool": tool}))]);
        check(&project, told("failure", "failure", "tool Edit"), expected);
    };
    by("tool-failed", "Edit", Effect::Repeated);
    by("after-tool", "Edit", Effect::NotRepeated);
    by("before-tool", "Edit", Effect::Open);
    by("tool-failed", "Read", Effect::Open);
}

#[test]
fn the_next_attempt_at_a_feature_decides() {
    let task = || told("task", "implement_feature", "login");
    let project = MadeProject::new();
    check(&project, task(), Effect::Open);
    project.write("features/feature-list.json", &json!([tested("login", &at(20))]).to_string());
    check(&project, task(), Effect::NotRepeated);
    let mut failed = Trace { id: TraceId::random(), timestamp: at(15), ..Trace::default() };
    failed.context.feature = Some("login".into());
    failed.context.more.insert(Trace::ATTEMPT.to_owned(), 1.into());
    project.remember([failed]);
    check(&project, task(), Effect::Repeated);
}

#[test]
fn each_precedent_is_counted() {
    let project = MadeProject::new();
    let traces = project.traces();
    let records = project.records(&traces);
    let log = Injections::of(&records.ground.cache);
    let count = || InjectionCount::of(&records, &log, SINCE, &mut |_| {}).unwrap();
    assert_eq!(count(), InjectionCount::default());
    project.append("cache/injections.jsonl", [told("rule", "a", "x"), told("rule", "b", "x")]);
    let old = json!({"v": 1, "ts": "2020-01-01T00:00:00.000Z", "ids": ["0000000a"]});
    project.append("cache/injections.jsonl", [old, json!("{torn")]);
    assert_eq!(count().by_id["0000000a"], (2, 0));
    assert_eq!(count().json()["precedents"], json!([{"id": "0000000a", "told": 2, "repeated": 0}]));
}
