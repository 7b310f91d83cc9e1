//! A judge's veto, an exhausted quota, coverage, and the feature list as the queue of a stage.

use std::fs;

use serde_json::json;
use stead_pipeline::orchestrate::Judge;
use stead_pipeline::{ErrorKind, Provider, RunEvent, RunStatus, Termination};

use super::orchestrate::{agent, feature, plan, states, write_list};
use super::world::{World, chain, node};

#[test]
fn a_judge_may_veto_and_the_next_attempt_knows_why() {
    let world = World::new();
    write_list(&world, &[feature("a")]);
    let mut options = plan(&world, "echo good > a.txt; say done", "passed");
    let judge = r#"
        cat > judge.txt
        if [ -e vetoed ]; then result=accept; else result=veto; touch vetoed; fi
        echo "{\"decision\": \"stop\", \"result\": \"$result\", \"reason\": \"a test was deleted\"}" > "$STEAD_STATUS""#;
    options.orchestrate.judge = Some(Judge { provider: agent(&world, judge), prompt: "Mind the tests.".into() });
    let end = world.start(&options.plan()).unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(states(&world), ["a tested 2"]);
    let command = world.json("stage-00-work/iterations/003/command.json");
    assert_eq!(command["context"]["last_attempt"]["summary"], "vetoed: a test was deleted");
    let prompt = fs::read_to_string(world.root.join("judge.txt")).unwrap();
    assert!(prompt.contains("Mind the tests.") && prompt.contains("\"feature_id\": \"a\""), "{prompt}");
    let report = world.json("report.json");
    assert_eq!((&report["vetoes"], &report["recoveries"]), (&json!(1), &json!(1)));
}

#[test]
fn a_judge_that_changes_files_proves_nothing_and_one_that_fails_decides_nothing() {
    let world = World::new();
    write_list(&world, &[feature("a"), feature("b")]);
    let mut options = plan(&world, "echo good > $id.txt; say done", "passed");
    let judge = r#"
        [ "$id" = b ] && exit 3
        echo "good, too" >> a.txt; echo '{"decision": "stop", "result": "accept"}' > "$STEAD_STATUS""#;
    options.orchestrate.judge = Some(Judge { provider: agent(&world, judge), prompt: String::new() });
    let end = world.start(&options.plan()).unwrap();
    assert_eq!(end.exit_code(), 1, "{end:?}");
    assert_eq!(states(&world), ["a blocked on verifier 2", "b tested 1"]);
    assert!(world.warnings().iter().any(|warning| warning.contains("the judge decided nothing")));
}

/// A fake client that says its limit is reached.
const QUOTA: &str = r#"
cat > /dev/null
echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":99999999999}}'
exit 1"#;

#[test]
fn an_exhausted_quota_is_no_attempt() {
    let mut world = World::new();
    write_list(&world, &[feature("a")]);
    world.program("claude", QUOTA);
    let mut options = plan(&world, "", "passed");
    options.provider = Provider::Known("claude".into());
    let end = world.start(&options.clone().plan()).unwrap();
    assert_eq!((end.status, end.exit_code()), (RunStatus::Quota, 5), "{end:?}");
    assert_eq!(states(&world), ["a pending 0"]);
    // Whoever resumes wants to try.
    world.program("claude", "cat > /dev/null; echo good > a.txt; echo '{\"decision\": \"stop\"}' > \"$STEAD_STATUS\"");
    let end = world.again().resume().unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(states(&world), ["a tested 1"]);
}

#[test]
fn coverage_is_checked_after_the_verifiers() {
    let world = World::new();
    let mut feature = feature("a");
    feature["success_criteria"] = json!({"tests_pass": true, "coverage_min": 80});
    feature["verifiers"] =
        json!(["printf 'SF:a\\nDA:1,1\\nDA:2,%s\\nend_of_record\\n' $(cat a.txt) > lcov.info; echo ok"]);
    write_list(&world, &[feature]);
    let coder = "[ -e a.txt ] && echo 1 > a.txt || echo 0 > a.txt; say done";
    let end = world.start(&plan(&world, coder, "passed").plan()).unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(states(&world), ["a tested 2"]);
    assert!(world.read("report.md").contains("50.0 % of the lines are covered; `coverage_min` is 80"));
}

#[test]
fn a_stage_works_off_the_features_of_a_label() {
    let world = World::new();
    let (mut first, mut second, mut other) = (feature("a"), feature("b"), feature("c"));
    first["labels"] = json!(["now"]);
    second["labels"] = json!(["now", "x"]);
    other["category"] = json!("later");
    write_list(&world, &[first, second, other]);
    let close = "sed -i '0,/pending/s//implemented/' features/feature-list.json; say continue";
    let mut stage = node("a", 9, close);
    stage.termination = Termination::Features { category: None, labels: vec!["now".into()] };
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Done, 2), "{end:?}");
    assert_eq!(counts(&world), [2, 1, 0]);
}

fn counts(world: &World) -> Vec<u64> {
    let count = |event| match event {
        RunEvent::QueueCounted { left, queue: Some(_), .. } => Some(left),
        _ => None,
    };
    world.events().into_iter().filter_map(count).collect()
}

#[test]
fn without_a_tracker_the_default_queue_is_the_feature_list() {
    let default = || Termination::Queue { command: "bd ready --label=loop/night --json".into() };
    let world = World::new();
    write_list(&world, &[]);
    let mut stage = node("a", 9, "say continue");
    stage.termination = default();
    let end = world.start(&chain(vec![stage.clone()])).unwrap();
    assert_eq!((end.status, counts(&world)), (RunStatus::Done, vec![0]), "{end:?}");
    assert!(world.read("events.jsonl").contains("nothing to do: the queue is empty"));
    // A tracker that is there is asked.
    let mut world = World::new();
    world.program("bd", "echo '[]'");
    write_list(&world, &[feature("a")]);
    world.start(&chain(vec![stage.clone()])).unwrap();
    assert!(counts(&world).is_empty());
    // A list that cannot be read is not empty.
    let world = World::new();
    write_list(&world, &[]);
    fs::write(world.list(), "{").unwrap();
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!(end.error.unwrap().kind, ErrorKind::Queue);
}

#[test]
fn what_an_agent_marks_as_tested_is_taken_back() {
    let world = World::new();
    write_list(&world, &[feature("a"), feature("b")]);
    let coder = r#"
        echo good > "$id.txt"
        sed -i 's/"pending"/"tested", "tested": true/' "$ROOT/features/feature-list.json"
        say done"#;
    let end = world.start(&plan(&world, coder, "passed").plan()).unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(states(&world), ["a tested 1", "b tested 1"]);
    let taken =
        |event: &RunEvent| matches!(event, RunEvent::FeatureChanged { why, .. } if why.contains("without evidence"));
    assert_eq!(world.events().iter().filter(|event| taken(event)).count(), 1);
    assert_eq!(world.calls().len(), 4, "both were coded and tested");
}
