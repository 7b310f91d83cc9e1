//! A stage that says it is done must pass its verification, and the run says so if it does not.

use std::fs;

use stead_pipeline::{
    Change, ErrorKind, Extension, Node, NodeStatus, OnLimit, Outcome, Plan, RunEvent, RunStatus, Termination,
    VerifyMust, When,
};

use super::world::{World, chain, node};

/// Its agent always says that nothing is left to do.
fn claiming(max_iterations: u32) -> Node {
    Node {
        termination: Termination::Judgment { min_iterations: 1, consensus: 1 },
        verify: vec!["true".into(), "test -e good".into()],
        verify_must: VerifyMust::Pass,
        ..node("a", max_iterations, "say stop")
    }
}

fn withheld(world: &World) -> usize {
    world.events().iter().filter(|event| matches!(event, RunEvent::Withheld { .. })).count()
}

#[test]
fn a_red_verification_withholds_done() {
    let world = World::new();
    let mut stage = claiming(9);
    stage.provider = super::world::agent("test $STEAD_ITERATION = 3 && touch good; say stop");
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, world.calls().len(), withheld(&world)), (RunStatus::Done, 3, 2), "{end:?}");
    assert_eq!(end.state.nodes[0].unverified, None);
    let context = world.json("stage-00-a/iterations/002/context.json");
    assert_eq!(context["verification"][1]["green"], false, "{context}");
}

#[test]
fn a_claim_that_fails_to_the_end_is_unverified_and_what_follows_knows() {
    let world = World::new();
    let when = |outcome| Some(When { stage: "a".into(), outcome: vec![outcome] });
    let mut plan = chain(vec![claiming(2), node("b", 1, "say stop"), node("c", 1, "say stop")]);
    plan.nodes[1].when = when(Outcome::Done);
    plan.nodes[2].when = when(Outcome::Unverified);
    let end = world.start(&plan).unwrap();
    assert_eq!((end.status, end.exit_code()), (RunStatus::Unverified, 6), "{end:?}");
    assert_eq!(world.calls(), ["a 1", "a 2", "c 1"]);
    assert_eq!(end.state.nodes[0].status, NodeStatus::Unverified);
    let reason = end.reason.clone().unwrap();
    assert!(reason.contains("`a` would be done (2 iterations in a row decided to stop)"), "{reason}");
    assert_eq!(Extension::of(&plan, &end.state).max_iterations, Some(4));

    // Nothing was repaired: it is verified again, and no agent is started.
    let end = world.resume().unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Unverified, 3), "{end:?}");
    // With more iterations the agents continue.
    let end = world.resume_with(&Change { max_iterations: Some(3), ..Change::default() }).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Unverified, 4), "{end:?}");
    // A person repaired it.
    fs::write(world.root.join("good"), "").unwrap();
    let end = world.again().resume().unwrap();
    assert_eq!((end.status, world.calls()[3..].to_vec()), (RunStatus::Done, vec!["a 3".to_owned(), "b 1".to_owned()]));
}

#[test]
fn commands_that_only_have_to_run_do_not_keep_the_stage_going() {
    let world = World::new();
    let mut stage = claiming(9);
    stage.verify_must = VerifyMust::Run;
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Unverified, 1), "{end:?}");
    // A fixed stage ends when its iterations are done.
    let world = World::new();
    let mut stage = claiming(2);
    (stage.verify_must, stage.termination) = (VerifyMust::Run, Termination::Fixed);
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Unverified, 2), "{end:?}");
}

#[test]
fn a_limit_that_must_not_be_includes_the_verification() {
    let world = World::new();
    let mut stage = claiming(2);
    stage.guardrails.on_limit = OnLimit::Fail;
    let end = world.start(&chain(vec![stage])).unwrap();
    let error = end.error.clone().unwrap();
    assert_eq!((end.status, error.kind), (RunStatus::Failed, ErrorKind::Limit));
    assert!(error.message.contains("`test -e good` failed"), "{error:?}");
}

#[test]
fn a_stage_that_ran_out_of_iterations_is_not_called_unverified() {
    let world = World::new();
    let mut stage = claiming(2);
    stage.provider = super::world::agent("say continue");
    assert_eq!(world.start(&chain(vec![stage])).unwrap().status, RunStatus::Limit);
}

/// The queue is empty, but an earlier engine saw the verification fail.
#[test]
fn an_empty_queue_is_not_enough_after_a_red_verification() {
    let world = World::new();
    let mut stage = claiming(9);
    stage.termination = Termination::Queue { command: "cat queue".into() };
    stage.provider = super::world::agent("test $STEAD_ITERATION = 2 && exit 1; : > queue; say continue");
    fs::write(world.root.join("queue"), "one\n").unwrap();
    let plan = chain(vec![stage]);
    assert_eq!(world.start(&plan).unwrap().status, RunStatus::Failed, "it went on, and its agent failed");
    assert_eq!(world.calls().len(), 2);
    assert_eq!(world.json("state.json")["nodes"][0]["unverified"], "the queue is empty");
    fs::write(world.root.join("good"), "").unwrap();
    let end = world.resume().unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Done, 2), "{end:?}");
}

#[test]
fn a_lost_state_still_knows_what_is_unverified() {
    let world = World::new();
    let end = world.start(&chain(vec![claiming(2)])).unwrap();
    fs::remove_file(world.path("state.json")).unwrap();
    let again = world.again();
    let resumed = again.resume().unwrap();
    assert_eq!((resumed.status, world.calls().len()), (RunStatus::Unverified, 2), "{resumed:?}");
    assert_eq!(resumed.state.nodes[0].unverified, end.state.nodes[0].unverified);
}

#[test]
fn a_verification_that_was_cancelled_proves_nothing() {
    let world = World::new();
    let mut stage = claiming(9);
    stage.verify = vec!["test -e good || { touch verifying; exec sleep 600; }".into()];
    let plan: Plan = chain(vec![stage]);
    let end = world.start_and_cancel(&plan, || world.root.join("verifying").exists(), || ());
    assert_eq!((end.status, end.state.nodes[0].iteration_completed), (RunStatus::Cancelled, 1), "{end:?}");
    fs::write(world.root.join("good"), "").unwrap();
    let end = world.again().resume().unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Done, 1), "{end:?}");
}
