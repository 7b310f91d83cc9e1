use serde_json::{Value, json};

use super::*;
use crate::made_project::{DAY, MadeProject, NOW, ago, denied, event, tested};
use crate::{Outcome, Trace, TraceId, TraceKind};

fn read(project: &MadeProject, days: i64) -> Statistics {
    let traces = project.traces();
    let size = PromptSize { definitions: 2, tokens: 900 };
    statistics(&project.records(&traces), NOW - days * DAY, size, &mut |_| {}).unwrap()
}

fn violation(days: i64, guard: &str, path: &str, did: &str, outcome: Option<Outcome>) -> Trace {
    let mut trace = Trace {
        id: TraceId::random(),
        timestamp: ago(days),
        kind: TraceKind::Violation,
        outcome,
        effects: Some(json!({"v": 1, "coverage": "full", "list": [{"write": path, "how": "edit"}]})),
        ..Trace::default()
    };
    trace.context.guard = Some(guard.to_owned());
    trace.context.more.insert("did".to_owned(), did.into());
    trace
}

#[test]
fn an_empty_project_has_nothing() {
    let statistics = read(&MadeProject::new(), 30);
    assert!(!statistics.is_recorded && statistics.total == Tally::default());
    assert_eq!(statistics.json()["total"]["compliance"], Value::Null);
    assert!(plot(&statistics)[3].ends_with("not measured"));
}

#[test]
fn prompts_are_those_of_people() {
    let project = MadeProject::new();
    let prompt = |ts: &str, more: Value| event(ts, "s", "prompt", more);
    project.log([
        prompt(&ago(1), json!({})),
        prompt(&ago(2), json!({})),
        prompt(&ago(3), json!({"agent": "a1"})),
        prompt(&ago(4), json!({"run": "r"})),
        prompt(&ago(40), json!({})),
        json!("{\"ts\":\"20"),
        event(&ago(1), "s", "stop", json!({})),
    ]);
    let said = |days: i64, author: &str| json!({"v": 1, "ts": ago(days), "harness": "claude", "session": "s", "author": author, "text": "x"});
    project.append("indexes/prompts.jsonl", [said(1, "person"), said(2, "machine"), json!("{torn")]);
    let list = json!([tested("a", &ago(1)), tested("b", &ago(2)), tested("c", &ago(50)),
        {"id": "d", "tested": true, "evidence": ["x"]}, {"id": "e", "evidence": ["20261115T000000000Z-1"]}]);
    project.write("features/feature-list.json", &list.to_string());
    let statistics = read(&project, 7);
    assert_eq!((statistics.total.prompts, statistics.total.finished), (1, 2));
    assert_eq!(statistics.total.value(Metric::PromptsPerFeature), Some(0.5));
    assert_eq!(statistics.step, Step::Day);
    let by_day: Vec<u64> = statistics.periods.iter().map(|period| period.tally.finished).collect();
    assert_eq!(by_day, [0, 0, 0, 0, 0, 1, 1, 0]);
    assert!(read(&MadeProject::new(), 7).total == Tally::default());
}

#[test]
fn blocked_completions_are_denials_and_failed_reports() {
    let project = MadeProject::new();
    project.log([
        denied(&ago(1), "s", "tested-needs-evidence"),
        denied(&ago(8), "s", "tested-needs-evidence"),
        denied(&ago(1), "s", "other"),
        event(
            &ago(1),
            "s",
            "before-tool",
            json!({"hits": [{"guard": "tested-needs-evidence", "would": "deny",
            "did": "recorded", "mode": "shadow"}]}),
        ),
    ]);
    let mut failed = Trace { id: TraceId::random(), timestamp: ago(2), ..Trace::default() };
    failed.context.more.insert(Trace::ATTEMPT.to_owned(), 1.into());
    project.remember([failed]);
    let total = read(&project, 30).total;
    assert_eq!((total.denied, total.failed_reports, total.blocked()), (2, 1, 3));
    assert_eq!(read(&project, 4).total.blocked(), 2);
}

#[test]
fn a_mistake_is_repeated_if_an_agent_had_been_told() {
    let check = |traces: Vec<Trace>, expected: u64| {
        let project = MadeProject::new();
        let shown = format!("{traces:?}");
        project.remember(traces);
        assert_eq!(read(&project, 30).total.repeated, expected, "{shown}");
    };
    let told = |days: i64, guard: &str, path: &str| violation(days, guard, path, "denied", Some(Outcome::Complied));
    check(vec![told(3, "g", "infra/a.tf")], 0);
    check(vec![told(3, "g", "infra/a.tf"), told(2, "g", "infra/b.tf")], 1);
    check(vec![told(3, "g", "infra/a.tf"), told(2, "g", "infra/b.tf"), told(1, "g", "infra/a.tf")], 2);
    // Another guard, another place, and the order in which the lines were written do not matter.
    check(vec![told(3, "g", "infra/a.tf"), told(2, "h", "infra/a.tf"), told(1, "g", "src/a.rs")], 0);
    check(vec![told(2, "g", "infra/b.tf"), told(3, "g", "infra/a.tf")], 1);
    check(vec![violation(3, "g", "infra/a.tf", "recorded", None), told(2, "g", "infra/a.tf")], 0);
    check(vec![told(40, "g", "infra/a.tf"), told(2, "g", "infra/a.tf")], 1);
    let allowed = || violation(3, "g", "infra/a.tf", "denied", Some(Outcome::Overridden));
    check(vec![allowed(), told(2, "g", "infra/a.tf")], 0);
    let bare = |days: i64| Trace { effects: None, ..told(days, "g", "x") };
    check(vec![bare(3), bare(2)], 1);
}

#[test]
fn compliance_is_what_agents_did_when_told() {
    let project = MadeProject::new();
    let outcomes = [Some(Outcome::Complied), Some(Outcome::WentRound), Some(Outcome::Complied), Some(Outcome::GaveUp)];
    project.remember(outcomes.map(|outcome| violation(1, "g", "a/b", "denied", outcome)));
    project.remember([violation(1, "g", "c/d", "recorded", None), violation(40, "g", "e/f", "denied", outcomes[0])]);
    let total = read(&project, 30).total;
    assert_eq!((total.violations, total.complied, total.value(Metric::Compliance)), (4, 2, Some(0.5)));
}

#[test]
fn the_picture_is_valid_and_complete() {
    let project = MadeProject::new();
    project.remember((0..30).map(|day| violation(day, "g", "a/b", "denied", Some(Outcome::Complied))));
    for days in [0, 7, 30, 700] {
        let statistics = read(&project, days);
        let svg = chart(&statistics);
        for metric in Metric::ALL {
            assert!(svg.contains(metric.title()), "{svg}");
        }
        let count = |part: &str| svg.matches(part).count();
        assert_eq!(count("<g>"), count("</g>"));
        assert_eq!((count("<g>"), count("<svg "), count("</svg>\n")), (4, 1, 1));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let bars = count("<title>");
        let values = Metric::ALL
            .iter()
            .flat_map(|metric| statistics.periods.iter().filter_map(move |period| period.tally.value(*metric)));
        assert_eq!(bars, values.count());
    }
}
