//! Taking a run up again with something changed: only what is still to be done changes, and it stays changed.

use std::fs;

use stead_pipeline::{
    Change, EngineError, ErrorKind, Extension, Join, Node, NodeStatus, OnLimit, Outcome, Plan, Provider,
    ReloadedLimits, RunEvent, RunStatus, Termination, When,
};

use super::world::{World, agent, chain, node, plan};

/// A stage that nobody ever ends.
fn endless(id: &str, max_iterations: u32) -> Node {
    Node {
        termination: Termination::Judgment { min_iterations: 1, consensus: 1 },
        ..node(id, max_iterations, "say continue")
    }
}

fn at_most(max_iterations: u32) -> Change {
    Change { max_iterations: Some(max_iterations), ..Change::default() }
}

#[test]
fn a_run_at_its_limit_goes_on_with_more() {
    let world = World::new();
    assert_eq!(world.start(&chain(vec![endless("a", 2)])).unwrap().status, RunStatus::Limit);
    assert_eq!(world.resume().unwrap().status, RunStatus::Limit, "without more it is over");
    for too_few in [1, 2] {
        let error = world.resume_with(&at_most(too_few)).unwrap_err();
        assert!(matches!(error, EngineError::Settled { most: Some(2), .. }), "{error:?}");
        assert!(error.hint().unwrap().contains("above the 2"), "{error}");
    }
    assert_eq!(world.calls(), ["a 1", "a 2"]);

    let end = world.resume_with(&at_most(4)).unwrap();
    assert_eq!((end.status, end.state.nodes[0].max_iterations), (RunStatus::Limit, 4));
    assert_eq!(world.calls(), ["a 1", "a 2", "a 3", "a 4"]);
    let written: Plan = serde_json::from_value(world.json("plan.json")).unwrap();
    assert_eq!(written.nodes[0].guardrails.max_iterations, 4);
    assert_eq!((written.amendments.len(), &written.amendments[0].change), (1, &at_most(4)));
    assert_eq!(written.amendments[0].nodes, ["a"]);
    let told = |event: &RunEvent| matches!(event, RunEvent::PlanAmended { change, .. } if *change == at_most(4));
    assert_eq!(world.events().iter().filter(|event| told(event)).count(), 1);
    assert_eq!(world.resume_with(&at_most(5)).unwrap().state.nodes[0].iteration_completed, 5);
}

#[test]
fn a_limit_that_must_not_be_can_be_raised_and_a_plain_resume_keeps_it() {
    let world = World::new();
    let mut stage = endless("a", 2);
    stage.guardrails.on_limit = OnLimit::Fail;
    stage.provider = agent(
        "test $STEAD_ITERATION = 3 -a ! -e mended && exit 1; test $STEAD_ITERATION = 4 && say stop || say continue",
    );
    let plan = chain(vec![stage, node("b", 1, "say stop")]);
    assert_eq!(world.start(&plan).unwrap().status, RunStatus::Failed);
    assert_eq!(world.resume_with(&at_most(6)).unwrap().resume_from, Some(3), "its agent failed");
    fs::write(world.root.join("mended"), "").unwrap();
    let end = world.resume().unwrap();
    assert_eq!((end.status, end.state.nodes[0].max_iterations), (RunStatus::Done, 6));
    assert_eq!(end.state.nodes[1].max_iterations, 1, "a stage that has not begun keeps its own bound");
    assert_eq!(world.calls(), ["a 1", "a 2", "a 3", "a 3", "a 4", "b 1"]);
}

#[test]
fn what_was_skipped_for_the_limit_runs_and_what_ended_is_said_to_stay() {
    let world = World::new();
    let mut first = endless("a", 1);
    first.provider = agent("test $STEAD_ITERATION = 2 && say stop || say continue");
    let mut skipped = node("b", 1, "say stop");
    skipped.when = Some(When { stage: "a".into(), outcome: vec![Outcome::Done] });
    let ended = node("c", 1, "say stop");
    let end = world.start(&chain(vec![first, skipped, ended])).unwrap();
    assert_eq!((end.status, end.state.nodes[1].status), (RunStatus::Limit, NodeStatus::Skipped));
    let end = world.resume_with(&at_most(3)).unwrap();
    assert_eq!(end.status, RunStatus::Done);
    assert_eq!(world.calls(), ["a 1", "c 1", "a 2", "b 1"]);
    assert!(world.warnings().iter().any(|warning| warning.contains("already ended")), "{:?}", world.warnings());
}

#[test]
fn another_provider_takes_over_where_one_could_not_be_started() {
    let world = World::new();
    let mut first = node("a", 2, "");
    first.provider = Provider::Command(vec!["./no-such-program".into()]);
    let mut done = node("z", 1, "say stop");
    done.dir = "stage-09-z".into();
    let mut all = plan(vec![done, first, node("b", 1, "say stop")]);
    all.nodes[1].needs = vec!["z".into()];
    all.nodes[2].needs = vec!["a".into()];
    assert_eq!(world.start(&all).unwrap().error.unwrap().kind, ErrorKind::Start);
    let change = Change { provider: Some(agent("say stop")), ..Change::default() };
    assert_eq!(world.resume_with(&change).unwrap().status, RunStatus::Done);
    assert_eq!(world.calls(), ["z 1", "a 1", "a 2", "b 1"]);
    let written: Plan = serde_json::from_value(world.json("plan.json")).unwrap();
    assert_eq!(written.amendments[0].nodes, ["a", "b"]);
    assert_eq!(written.nodes[0].provider, all.nodes[0].provider, "what is done is as it was");
}

#[test]
fn further_inputs_reach_the_iterations_to_come() {
    let world = World::new();
    world.start(&chain(vec![node("a", 2, "test $STEAD_ITERATION = 1 -o -e go || exit 1; say continue")])).unwrap();
    fs::write(world.root.join("go"), "").unwrap();
    let change = Change { inputs: vec!["/spec.md".into()], ..Change::default() };
    assert_eq!(world.resume_with(&change).unwrap().status, RunStatus::Done);
    let initial = |iteration: &str| {
        world.json(&format!("stage-00-a/iterations/{iteration}/context.json"))["inputs"]["initial"].clone()
    };
    assert_eq!((initial("001"), initial("002")), (serde_json::json!([]), serde_json::json!(["/spec.md"])));
}

#[test]
fn a_run_that_is_done_cannot_be_changed() {
    let world = World::new();
    world.start(&chain(vec![node("a", 1, "say stop")])).unwrap();
    let error = world.resume_with(&at_most(9)).unwrap_err();
    assert!(matches!(error, EngineError::Settled { most: None, .. }), "{error:?}");
    assert_eq!(world.read("events.jsonl").matches("run-resumed").count(), 0);
}

#[test]
fn branches_over_providers_keep_theirs() {
    let world = World::new();
    let branch = |name: &str, script: &str| {
        let mut node = node(&format!("a.{name}"), 1, script);
        node.branch = Some(stead_pipeline::Branch { name: name.into(), item: None });
        node.join = Some(Join::All);
        node
    };
    world.start(&plan(vec![branch("x", "exit 1"), branch("y", "exit 1")])).unwrap();
    let command = Change { provider: Some(agent("say stop")), ..Change::default() };
    assert!(matches!(world.resume_with(&command), Err(EngineError::Settled { .. })));
    let mock = Change { provider: Some(Provider::Mock), ..Change::default() };
    assert_eq!(world.resume_with(&mock).unwrap().status, RunStatus::Done);
}

fn more_time(seconds: u64) -> Change {
    Change { max_runtime_seconds: Some(seconds), ..Change::default() }
}

/// Whoever set the limit: the stage, or the run for stages that did not even start.
#[test]
fn a_run_whose_time_was_up_goes_on_with_more() {
    for of_run in [false, true] {
        let world = World::new();
        let first = node("a", 3, "test $STEAD_ITERATION = 2 -a ! -e go && exec sleep 600; say continue");
        let mut plan = chain(vec![first, node("b", 1, "say stop")]);
        match of_run {
            true => plan.max_runtime_seconds = Some(2),
            false => plan.nodes[0].guardrails.max_runtime_seconds = Some(2),
        }
        let end = world.start(&plan).unwrap();
        assert_eq!(end.status, RunStatus::Limit, "{end:?}");
        let needed = Extension::of(&plan, &end.state);
        assert_eq!((needed.max_runtime_seconds, needed.max_iterations), (Some(4), None), "{of_run}");
        fs::write(world.root.join("go"), "").unwrap();
        assert_eq!(world.resume().unwrap().status, RunStatus::Limit, "without more it is over");
        let error = world.resume_with(&more_time(1)).unwrap_err();
        assert!(error.hint().unwrap().contains("`--max-runtime` above the 2"), "{error}: {:?}", error.hint());
        let end = world.resume_with(&more_time(600)).unwrap();
        assert_eq!(end.status, RunStatus::Done, "{end:?}");
        let b = if of_run { ["a 3", "b 1"] } else { ["a 2", "a 3"] };
        assert_eq!(world.calls()[world.calls().len() - 2..], b, "{:?}", world.calls());
        let written: Plan = serde_json::from_value(world.json("plan.json")).unwrap();
        assert_eq!(written.amendments[0].change, more_time(600));
        let limits = (written.max_runtime_seconds, written.nodes[0].guardrails.max_runtime_seconds);
        assert_eq!(limits, if of_run { (Some(600), None) } else { (None, Some(600)) });
    }
}

#[test]
fn a_run_whose_money_was_spent_goes_on_with_more() {
    let mut world = World::new();
    let result = r#"{"type":"result","is_error":false,"result":"ok","session_id":"s","total_cost_usd":1.5}"#;
    world.program(
        "claude",
        &format!("echo x >> calls; echo '{{\"decision\": \"continue\"}}' > \"$STEAD_STATUS\"; echo '{result}'"),
    );
    let mut stage = node("a", 4, "");
    stage.provider = Provider::Known("claude".into());
    stage.guardrails.max_cost_usd = Some(2.0);
    stage.guardrails.on_limit = OnLimit::Fail;
    let plan = chain(vec![stage]);
    let end = world.start(&plan).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Failed, 2), "{end:?}");
    assert_eq!(Extension::of(&plan, &end.state).max_cost_usd, Some(4.0));
    let change = Change { max_cost_usd: Some(20.0), ..Change::default() };
    let end = world.resume_with(&change).unwrap();
    assert_eq!((end.status, world.calls().len(), end.state.cost_usd), (RunStatus::Done, 4, 6.0));
}

/// Only limits, and only of what is still to be done.
#[test]
fn limits_are_read_again_from_the_files() {
    let world = World::new();
    let mut started = chain(vec![node("z", 1, "say stop"), endless("a", 2), node("b", 1, "say stop")]);
    started.max_runtime_seconds = Some(9000);
    assert_eq!(world.start(&started).unwrap().status, RunStatus::Limit);
    let mut now = started.clone();
    now.nodes[0].guardrails.max_iterations = 7;
    now.nodes[1].guardrails.max_iterations = 3;
    now.nodes[1].guardrails.on_limit = OnLimit::Fail;
    now.nodes[1].prompt = "something else".into();
    now.nodes.push(node("new", 1, "say stop"));
    now.max_runtime_seconds = None;
    let change = Change { reload: Some(ReloadedLimits::of(&now)), ..Change::default() };
    let end = world.resume_with(&change).unwrap();
    assert_eq!((end.status, end.state.nodes[1].iteration_completed), (RunStatus::Failed, 3), "{end:?}");
    let written: Plan = serde_json::from_value(world.json("plan.json")).unwrap();
    assert_eq!(written.nodes[0].guardrails.max_iterations, 1, "it is done");
    assert_eq!((written.nodes.len(), written.nodes[1].prompt.as_str()), (3, "do it"));
    assert_eq!(written.max_runtime_seconds, None);
}
