use super::*;
use crate::When;
use crate::engine::testing::{fan, needing, node, plan, state};

use NodeStatus::{Blocked, Cancelled, Done, Failed, Limit, Pending, Quota, Running, Skipped};

#[track_caller]
fn check_join(join: Join, statuses: &[NodeStatus], expected: StageProgress) {
    let plan = fan(join, statuses.len());
    assert_eq!(stage_progress(&plan, &state(&plan, statuses), "a"), expected, "{join:?} {statuses:?}");
}

#[test]
fn joins_count_successes() {
    let (all, first, two) = (Join::All, Join::First, Join::Quorum { count: 2 });
    check_join(all, &[Done, Running], StageProgress::Open);
    check_join(all, &[Done, Done], StageProgress::Ended(Outcome::Done));
    check_join(all, &[Done, Limit], StageProgress::Ended(Outcome::Limit));
    check_join(all, &[Done, Failed, Running], StageProgress::Broken(Failed));
    check_join(all, &[Skipped, Skipped], StageProgress::Ended(Outcome::Skipped));
    check_join(all, &[Done, Cancelled], StageProgress::Open);
    check_join(first, &[Failed, Running], StageProgress::Open);
    check_join(first, &[Failed, Done, Running], StageProgress::Ended(Outcome::Done));
    check_join(first, &[Failed, Failed], StageProgress::Broken(Failed));
    check_join(first, &[Failed, Limit], StageProgress::Ended(Outcome::Limit));
    check_join(two, &[Done, Failed, Running], StageProgress::Open);
    check_join(two, &[Done, Failed, Failed], StageProgress::Broken(Failed));
    check_join(two, &[Done, Done, Failed], StageProgress::Ended(Outcome::Done));
    check_join(two, &[Done, Limit, Failed], StageProgress::Ended(Outcome::Limit));
    check_join(Join::Quorum { count: 9 }, &[Done, Done], StageProgress::Ended(Outcome::Done));
    check_join(all, &[Quota, Blocked, Running], StageProgress::Broken(Blocked));
    check_join(all, &[Quota, Failed, Blocked], StageProgress::Broken(Failed));
}

#[test]
fn nodes_start_when_what_they_need_has_ended() {
    let plan = plan(vec![node("a"), needing("b", &["a"]), needing("c", &["a"]), needing("d", &["b", "c"])]);
    let check = |statuses: &[NodeStatus], live: &[usize], expected: &[usize]| {
        let steps = steps(&plan, &state(&plan, statuses), &live.iter().copied().collect());
        let expected: Vec<Step> = expected.iter().map(|index| Step::Start(*index)).collect();
        assert_eq!(steps, expected, "{statuses:?}");
    };
    check(&[Pending, Pending, Pending, Pending], &[], &[0]);
    check(&[Running, Pending, Pending, Pending], &[0], &[]);
    check(&[Done, Pending, Pending, Pending], &[], &[1, 2]);
    check(&[Done, Running, Done, Pending], &[1], &[]);
    check(&[Done, Limit, Skipped, Pending], &[], &[3]);
    check(&[Failed, Pending, Pending, Pending], &[], &[]);
}

#[test]
fn caps_hold() {
    let mut fanned = fan(Join::All, 5);
    fanned.max_parallel = 3;
    let live = BTreeSet::new();
    let start = |plan: &Plan| steps(plan, &state(plan, &[]), &live).len();
    assert_eq!(start(&fanned), 3);
    for node in &mut fanned.nodes {
        node.stage_parallel = Some(2);
    }
    assert_eq!(start(&fanned), 2);
    fanned.max_parallel = 0;
    assert_eq!(start(&fanned), 1);
}

#[test]
fn a_condition_skips_and_a_skipped_need_does_not() {
    let mut plan = plan(vec![node("a"), node("b"), needing("c", &["b"])]);
    plan.nodes[1].when = Some(When { stage: "a".into(), outcome: vec![Outcome::Limit] });
    let next = |statuses: &[NodeStatus]| steps(&plan, &state(&plan, statuses), &BTreeSet::new());
    assert_eq!(next(&[Pending, Pending, Pending]), [Step::Start(0)]);
    assert_eq!(next(&[Done, Pending, Pending]), [Step::Skip(1)]);
    assert_eq!(next(&[Limit, Pending, Pending]), [Step::Start(1)]);
    assert_eq!(next(&[Done, Skipped, Pending]), [Step::Start(2)]);
}

#[test]
fn enough_branches_end_the_others() {
    let plan = fan(Join::First, 3);
    let won = state(&plan, &[Done, Running, Pending, Pending]);
    let live = BTreeSet::from([1]);
    assert_eq!(losers(&plan, &won, &live), [1]);
    // `b` waits until the loser is really gone.
    assert_eq!(steps(&plan, &won, &live), [Step::GiveUp(2)]);
    let over = state(&plan, &[Done, Cancelled, Cancelled, Pending]);
    assert_eq!(steps(&plan, &over, &BTreeSet::new()), [Step::Start(3)]);
}

#[test]
fn a_run_ends_as_its_stages_did() {
    let plan = plan(vec![node("a"), needing("b", &["a"])]);
    let check = |statuses: &[NodeStatus], expected| {
        assert_eq!(verdict(&plan, &state(&plan, statuses)), expected, "{statuses:?}");
    };
    check(&[Done, Done], RunStatus::Done);
    check(&[Done, Skipped], RunStatus::Done);
    check(&[Limit, Done], RunStatus::Limit);
    check(&[Failed, Pending], RunStatus::Failed);
    check(&[Done, Blocked], RunStatus::Blocked);
    check(&[Quota, Pending], RunStatus::Quota);
    check(&[Done, Cancelled], RunStatus::Cancelled);
}

#[test]
fn what_ended_a_run_is_tried_again() {
    let plan = fan(Join::First, 3);
    let check = |status, before: &[NodeStatus], after: &[NodeStatus]| {
        let mut state = state(&plan, before);
        state.status = status;
        reopen(&plan, &mut state);
        let got: Vec<NodeStatus> = state.nodes.iter().map(|node| node.status).collect();
        assert_eq!(got, after, "{status:?} {before:?}");
    };
    check(RunStatus::Failed, &[Failed, Failed, Failed, Pending], &[Pending, Pending, Pending, Pending]);
    check(RunStatus::Running, &[Failed, Running, Pending, Pending], &[Failed, Pending, Pending, Pending]);
    check(RunStatus::Running, &[Done, Running, Pending, Pending], &[Done, Cancelled, Pending, Pending]);
    check(RunStatus::Cancelled, &[Done, Cancelled, Failed, Cancelled], &[Done, Cancelled, Failed, Pending]);
    check(RunStatus::Quota, &[Done, Failed, Cancelled, Quota], &[Done, Failed, Cancelled, Pending]);
}
