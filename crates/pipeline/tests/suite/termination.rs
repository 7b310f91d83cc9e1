use std::fs;

use stead_pipeline::{ErrorKind, OnLimit, Outcome, RunEvent, RunStatus, Termination};

use super::world::{World, chain, node};

#[test]
fn judgment_ends_when_enough_agree() {
    let world = World::new();
    let mut stage = node("a", 9, "case $STEAD_ITERATION in 1|4|5) say stop;; *) say continue;; esac");
    stage.termination = Termination::Judgment { min_iterations: 2, consensus: 2 };
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, end.state.nodes[0].iteration_completed), (RunStatus::Done, 5));
    assert_eq!(end.state.nodes[0].consecutive_stops, 2);
    assert_eq!(world.json("stage-00-a/iterations/005/context.json")["consecutive_stops"], 1);
    assert_eq!(world.json("stage-00-a/iterations/005/context.json")["previous_summary"], "a 4");
}

#[test]
fn a_limit_is_not_success_and_the_pipeline_goes_on() {
    let world = World::new();
    let mut stage = node("a", 2, "say continue");
    stage.termination = Termination::Judgment { min_iterations: 2, consensus: 2 };
    let end = world.start(&chain(vec![stage.clone(), node("b", 1, "say stop")])).unwrap();
    assert_eq!((end.status, end.exit_code()), (RunStatus::Limit, 3));
    assert_eq!(world.calls(), ["a 1", "a 2", "b 1"]);
    assert_eq!(end.state.nodes[0].outcome, Some(Outcome::Limit));

    let world = World::new();
    stage.guardrails.on_limit = OnLimit::Fail;
    let end = world.start(&chain(vec![stage, node("b", 1, "say stop")])).unwrap();
    assert_eq!((end.status, end.error.unwrap().kind), (RunStatus::Failed, ErrorKind::Limit));
    assert_eq!(world.calls(), ["a 1", "a 2"]);
    let again = world.resume().unwrap();
    assert_eq!((again.status, world.calls().len()), (RunStatus::Failed, 2), "used up is used up");
}

#[test]
fn a_queue_is_worked_off() {
    let world = World::new();
    fs::write(world.root.join("todo"), "one\n\n  \ntwo\n").unwrap();
    let mut stage = node("a", 9, "sed -i 1,2d todo; say continue");
    stage.termination = Termination::Queue { command: "cat todo; echo noise >&2".into() };
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Done, 2));
    let counts: Vec<u64> = world
        .events()
        .into_iter()
        .filter_map(|event| if let RunEvent::QueueCounted { left, .. } = event { Some(left) } else { None })
        .collect();
    assert_eq!(counts, [2, 1, 0]);
}

#[test]
fn an_empty_queue_needs_no_agent() {
    let world = World::new();
    let mut stage = node("a", 9, "say continue");
    stage.termination = Termination::Queue { command: "true".into() };
    let end = world.start(&chain(vec![stage, node("b", 1, "say stop")])).unwrap();
    assert_eq!((end.status, world.calls()), (RunStatus::Done, vec!["b 1".to_owned()]));
}

#[test]
fn a_queue_that_cannot_be_asked_is_not_empty() {
    let world = World::new();
    let mut stage = node("a", 9, "rm todo; say stop");
    fs::write(world.root.join("todo"), "one\n").unwrap();
    stage.termination = Termination::Queue { command: "cat todo".into() };
    let end = world.start(&chain(vec![stage, node("b", 1, "say stop")])).unwrap();
    let error = end.error.unwrap();
    assert_eq!((end.status, error.kind, end.resume_from), (RunStatus::Failed, ErrorKind::Queue, Some(2)));
    assert_eq!(world.calls(), ["a 1"], "the iteration itself counts");
    fs::write(world.root.join("todo"), "").unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
    assert_eq!(world.calls(), ["a 1", "b 1"]);
}

#[test]
fn a_promise_is_read_from_the_last_words() {
    let world = World::new();
    let mut stage = node(
        "a",
        9,
        "say continue; test $STEAD_ITERATION -eq 3 && echo '<promise>ALL DONE</promise>' || echo '`<promise>ALL DONE</promise>` is not yet so'",
    );
    stage.termination = Termination::Promise { promises: vec!["ALL DONE".into()] };
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Done, 3));
}

#[test]
fn an_old_stages_status_is_derived() {
    let world = World::new();
    let mut stage = node(
        "a",
        9,
        "test $STEAD_ITERATION -gt 1 && echo 'PLATEAU: true' || echo 'PLATEAU: false'; echo 'REASONING: r'",
    );
    stage.termination = Termination::Judgment { min_iterations: 1, consensus: 2 };
    stage.output_parse = Some("plateau:PLATEAU reasoning:REASONING".into());
    let end = world.start(&chain(vec![stage.clone()])).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Done, 3));
    let status = world.json("stage-00-a/iterations/003/status.json");
    assert_eq!((&status["decision"], &status["reason"]), (&"stop".into(), &"r".into()));
    let world = World::new();
    stage.provider = super::world::agent("echo nothing");
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!(end.error.unwrap().kind, ErrorKind::MissingStatus);
}
