use serde_json::{Value, json};

use super::*;
use crate::made_project::{MadeProject, ago, denied, event, tested};
use crate::{RetrievedBy, Trace, TraceKind};

fn find(project: &MadeProject, check: HealthCheck) -> HealthFinding {
    let traces = project.traces();
    let findings = health(&project.records(&traces), &project.retrievals(), &mut |_| {}).unwrap();
    assert_eq!(findings.len(), HealthCheck::ALL.len());
    findings.into_iter().find(|finding| finding.check == check).unwrap()
}

#[track_caller]
fn check(project: &MadeProject, check: HealthCheck, status: HealthStatus, found: usize, of: usize) -> HealthFinding {
    let finding = find(project, check);
    assert_eq!((finding.status, finding.found, finding.of), (status, found, of), "{finding:?}");
    finding
}

fn reflection(text: &str) -> Trace {
    let mut trace = Trace { id: TraceId::random(), timestamp: ago(1), kind: TraceKind::Reflection, ..Trace::default() };
    trace.event.what_happened = text.to_owned();
    trace
}

#[test]
fn an_empty_project_is_not_measured() {
    let project = MadeProject::new();
    for one in HealthCheck::ALL {
        let finding = check(&project, one, HealthStatus::NotMeasured, 0, 0);
        assert_eq!(finding.value(), None);
        assert_eq!(finding.json()["value"], Value::Null);
    }
}

#[test]
fn torn_lines_are_skipped_everywhere() {
    let project = MadeProject::new();
    let names = [
        "indexes/sessions.jsonl", "indexes/loop-log.jsonl", "intents/agent_trace.jsonl", "cache/retrievals.jsonl",
        "features/feature-list.json",
    ];
    for name in names {
        project.append(name, [json!("{\"ts\":\"2026"), json!("[1]"), json!("\u{0}\u{1}")]);
    }
    for one in HealthCheck::ALL {
        check(&project, one, HealthStatus::NotMeasured, 0, 0);
    }
}

#[test]
fn traces_that_nobody_reads_are_a_warning() {
    let project = MadeProject::new();
    let traces: Vec<Trace> = (0..20).map(|_| reflection("`parse_date` drops the offset")).collect();
    project.remember(traces.clone());
    check(&project, HealthCheck::Retrieval, HealthStatus::NotMeasured, 0, 0);
    let ask = |range: std::ops::Range<usize>| {
        let ids = traces[range].iter().map(|trace| trace.id.clone());
        project.retrievals().record(&ago(0), RetrievedBy::Query, ids).unwrap();
    };
    ask(0..1);
    check(&project, HealthCheck::Retrieval, HealthStatus::Warn, 19, 20);
    // At the limit is not beyond it; the same trace counts once.
    ask(0..2);
    check(&project, HealthCheck::Retrieval, HealthStatus::Ok, 18, 20);
    // A trace that is gone counts no more.
    project.retrievals().record(&ago(0), RetrievedBy::Get, [TraceId::random()]).unwrap();
    check(&project, HealthCheck::Retrieval, HealthStatus::Ok, 18, 20);
}

/// A change of a file, by the letters of its contents.
fn change(number: usize, path: &str, before: char, after: char, more: Value) -> Value {
    let hash = |content: char| if content == '-' { Value::Null } else { json!(format!("sha256:{content}")) };
    let mut stead = json!({"v": 1, "session": "s", "class": "UNKNOWN", "phase": "final",
        "files": [{"path": path, "op": "modify", "before": hash(before), "after": hash(after)}]});
    stead.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let who = stead["by"].as_str().unwrap_or("ai").to_owned();
    json!({"version": "0.1.0", "id": format!("r{number}"), "timestamp": ago(1),
        "files": [{"path": path, "conversations": [{"contributor": {"type": who}, "ranges": []}]}],
        "metadata": {"dev.stead": stead}})
}

#[test]
fn files_that_return_to_earlier_contents_oscillate() {
    // The contents of one file, one after the other, and whether that is back and forth.
    let cases = [
        ("AB", false),
        ("ABC", false),
        ("ABA", false),
        ("ABAB", true),
        ("ABCABC", true),
        ("ABCAD", false),
        ("AABB", false),
        ("ABBA", false),
        // A file that comes and goes with other contents is a scratch file.
        ("-A-B-C-", false),
        ("-A-A-A", true),
    ];
    for (contents, expected) in cases {
        let project = MadeProject::new();
        let contents: Vec<char> = contents.chars().collect();
        let changes = contents.windows(2).enumerate().flat_map(|(number, pair)| {
            let line = change(number, "src/a.rs", pair[0], pair[1], json!({"phase": "provisional"}));
            // The final line repeats the change.
            [line.clone(), line]
        });
        project.append("intents/agent_trace.jsonl", changes);
        project.write("intents/agent_trace.head", "{}");
        let status = if expected { HealthStatus::Warn } else { HealthStatus::Ok };
        check(&project, HealthCheck::Oscillation, status, usize::from(expected), 1);
    }
}

#[test]
fn only_agents_oscillate_and_only_within_one_intent() {
    let run = |more: &dyn Fn(usize) -> Value| {
        let project = MadeProject::new();
        let pairs = ['A', 'B', 'A', 'B', 'A'];
        let changes = pairs.windows(2).enumerate().map(|(at, pair)| change(at, "a", pair[0], pair[1], more(at)));
        project.append("intents/agent_trace.jsonl", changes);
        project.write("intents/agent_trace.head", "{}");
        find(&project, HealthCheck::Oscillation)
    };
    assert_eq!(run(&|_| json!({"by": "human"})).status, HealthStatus::NotMeasured);
    assert_eq!(run(&|at| json!({"intent": format!("i{at}")})).status, HealthStatus::Ok);
    let finding = run(&|_| json!({"intent": "login"}));
    assert_eq!(finding.status, HealthStatus::Warn);
    assert_eq!(finding.examples, ["a: returned 3 times to an earlier content for intent `login`"]);
}

#[test]
fn generic_reflections_are_counted_whether_kept_or_refused() {
    let project = MadeProject::new();
    let call = |words: &[&str]| {
        let effects = json!({"v": 1, "coverage": "full", "list": [{"stead": words}]});
        event(&ago(1), "s", "before-tool", json!({"action": "run", "effects": effects}))
    };
    project.remember(["`parse_date` drops the offset", "login returns 401 for an empty password"].map(reflection));
    project.log([call(&["reflect", "--failed", "parse_date drops the offset"])]);
    check(&project, HealthCheck::Reflections, HealthStatus::NotMeasured, 0, 2);
    project.log([
        call(&["reflect", "--feature", "x", "--failed", "be more careful"]),
        call(&["reflect", "--prevent=test better"]),
        call(&["memory", "store", "--type", "reflection", "--what", "try harder"]),
        // No reflections.
        call(&["memory", "store", "--type", "decision", "--what", "be more careful"]),
        call(&["note", "failed", "reflect on it"]),
        call(&["reflect", "--failed", "be more careful", "--help"]),
    ]);
    let finding = check(&project, HealthCheck::Reflections, HealthStatus::Warn, 3, 5);
    assert_eq!(finding.examples[0], "refused: be more careful");
    let mut failure = reflection("attempt 1 at feature `x` failed: it failed");
    failure.context.more.insert(Trace::ATTEMPT.to_owned(), 1.into());
    let old = Trace { timestamp: ago(40), ..reflection("be careful") };
    project.remember([failure, old]);
    check(&project, HealthCheck::Reflections, HealthStatus::Warn, 3, 5);
}

#[test]
fn claims_are_compared_with_what_stead_saw() {
    let project = MadeProject::new();
    let line = |did: &str, status: &str, why: &str| json!({"v": 1, "ts": ago(2), "loop": "l", "did": did, "why": why, "status": status});
    project.append(
        "indexes/loop-log.jsonl",
        [
            line("let-go", "done", "promise `DONE` kept, `cargo test` passed"),
            line("held", "active", "no promise given"),
            line("let-go", "cancelled", "5 of 5 iterations used"),
        ],
    );
    let list = json!([tested("a", &ago(3)), tested("b", &ago(90)), {"id": "c"}]);
    project.write("features/feature-list.json", &list.to_string());
    check(&project, HealthCheck::Claims, HealthStatus::NotMeasured, 0, 2);
    let item = |id: &str, kind: &str, exit: i32| {
        json!({"v": 1, "id": id, "ts": ago(1), "kind": kind, "source": "add", "about": "test", "exit": exit})
            .to_string()
    };
    project.write("features/evidence/c/20261114T000000000Z-1.json", &item("20261114T000000000Z-1", "claimed", 0));
    project.write("features/evidence/c/20261114T000001000Z-2.json", &item("20261114T000001000Z-2", "observed", 0));
    check(&project, HealthCheck::Claims, HealthStatus::Ok, 0, 3);
    project.write("features/evidence/c/20261114T000002000Z-3.json", &item("20261114T000002000Z-3", "ran", 1));
    check(&project, HealthCheck::Claims, HealthStatus::Warn, 1, 3);
    project.append("indexes/loop-log.jsonl", [line("let-go", "done", "promise `DONE` kept")]);
    project.log([denied(&ago(1), "s", "tested-needs-evidence"), denied(&ago(1), "s", "other")]);
    let finding = check(&project, HealthCheck::Claims, HealthStatus::Warn, 3, 5);
    assert_eq!(finding.examples[0], "`tested` without evidence: verdict v-aaaaaaaa");
}

#[test]
fn long_sessions_without_a_change_are_planning() {
    let project = MadeProject::new();
    let calls = |session: &str, count: usize, more: Value| -> Vec<Value> {
        (0..count).map(|_| event(&ago(1), session, "before-tool", more.clone())).collect()
    };
    let read = || json!({"action": "read", "paths": ["/p/a"]});
    let effects = |list: Value| json!({"action": "run", "effects": {"v": 1, "coverage": "full", "list": list}});
    for session in ["reads", "edits", "deletes", "refused", "elsewhere"] {
        project.log(calls(session, 40, read()));
    }
    project.log(calls("short", 3, read()));
    project.log(calls("edits", 1, json!({"action": "change", "paths": ["/p/a"]})));
    project.log(calls("deletes", 1, effects(json!([{"delete": "a", "part": "rm a"}]))));
    project.log(calls("refused", 1, json!({"action": "change", "paths": ["/p/a"], "verdict": "deny"})));
    let far = json!([{"run": ["echo", "\"write\":"], "part": "x"}, {"write": "/tmp/x", "how": "replace"}]);
    project.log(calls("elsewhere", 1, effects(far)));
    project.log((0..6).map(|_| event(&ago(1), "talks", "prompt", json!({}))));
    project.log((0..6).map(|_| event(&ago(1), "agents", "prompt", json!({"agent": "a1"}))));
    project.log((0..9).map(|_| event(&ago(31), "old", "prompt", json!({}))));
    let finding = check(&project, HealthCheck::Planning, HealthStatus::Warn, 4, 6);
    assert_eq!(finding.examples[1], "session reads: prompts 0, tool calls 40, changes 0");
}

#[test]
fn each_iteration_of_a_run_is_looked_at() {
    let project = MadeProject::new();
    for iteration in 1..=3 {
        let more = json!({"action": "read", "run": "r", "iteration": iteration});
        project.log((0..30).map(|_| event(&ago(1), "s", "before-tool", more.clone())));
    }
    project.log([event(&ago(1), "s", "before-tool", json!({"action": "change", "run": "r", "iteration": 2}))]);
    check(&project, HealthCheck::Planning, HealthStatus::Warn, 2, 3);
}

#[test]
fn what_others_wrote_is_short_when_shown() {
    let finding = HealthFinding::new(
        HealthCheck::Reflections,
        Measure { found: 9, of: 9, examples: vec![format!("a\n{}", "é".repeat(500)); 9] },
    );
    assert_eq!(finding.examples.len(), 5);
    assert!(finding.examples[0].starts_with("a é") && finding.examples[0].chars().count() == 121);
}
