mod property;

use super::*;
use crate::{BlockedOn, Claim, Document, NeedsHuman, Opened, Proven, Row, Status, Summary};

const NOW: i64 = 1_800_000_000_000;
const LEASE: i64 = 60_000;

/// Rows as `id status`, with `retries` and `needs` where they matter.
fn state(rows: &[(&str, Status, u64, &[&str])]) -> State {
    let rows = rows.iter().map(|(id, status, retries, needs)| Row {
        status: *status,
        retries: *retries,
        attempts: *retries,
        depends_on: needs.iter().map(|id| (*id).to_owned()).collect(),
        ..Row::new(id)
    });
    State { outline: Some(Outline { rows: rows.collect(), ..Outline::default() }), session: SessionState::default() }
}

fn claimed(feature: &str, owner: &str) -> Event {
    Event::Claimed { feature: feature.into(), owner: owner.into(), expires: NOW + LEASE, command_id: None, tree: None }
}

fn implemented(feature: &str) -> Event {
    Event::Implemented { feature: feature.into(), files_changed: vec!["src/a".into()] }
}

fn passed(feature: &str) -> Event {
    let proof = Proven::attest(feature, vec!["e1".into()]).unwrap();
    Event::Passed { feature: feature.into(), proof }
}

fn failed(feature: &str) -> Event {
    Event::Failed { feature: feature.into(), summary: "boom".into(), evidence: vec!["e2".into()] }
}

fn row<'a>(state: &'a State, id: &str) -> &'a Row {
    state.outline.as_ref().unwrap().find(id).unwrap()
}

#[track_caller]
fn go(state: &State, event: &Event) -> Step {
    step(state, event, NOW, &Rules::default()).unwrap()
}

#[track_caller]
fn refuses(state: &State, event: &Event, why: &str) {
    let refused = step(state, event, NOW, &Rules::default()).unwrap_err();
    assert!(refused.why.contains(why), "{event:?}: {}", refused.why);
}

fn what_now(state: &State) -> Action {
    next(state.outline.as_ref(), &state.session, NOW, &Rules::default())
}

fn code(feature: &str) -> Action {
    Action::Code { feature: feature.into(), again: None }
}

fn test(feature: &str) -> Action {
    Action::Test { feature: feature.into() }
}

use Status::{Blocked, Implemented, Pending, Skipped, Tested};

#[test]
fn no_list_asks_for_an_initializer() {
    assert_eq!(what_now(&State::default()), Action::Initialize);
}

#[test]
fn a_pending_feature_is_coded() {
    assert_eq!(what_now(&state(&[("a", Tested, 0, &[]), ("b", Pending, 0, &[])])), code("b"));
}

#[test]
fn an_implemented_feature_is_tested() {
    let state = state(&[("a", Pending, 0, &[]), ("b", Pending, 0, &[])]);
    let coding = go(&state, &claimed("a", "x")).state;
    assert_eq!(row(&coding, "a").status, Status::Claimed);
    let done = go(&coding, &implemented("a"));
    assert_eq!(done.action, test("a"));
    assert_eq!((row(&done.state, "a").attempts, done.state.session.claims.len()), (0, 0));
    assert_eq!(done.state.session.files_changed["a"], ["src/a"]);
}

#[test]
fn a_passed_feature_makes_room_for_the_next() {
    let passed = go(&state(&[("a", Implemented, 0, &[]), ("b", Pending, 0, &[])]), &passed("a"));
    assert_eq!(passed.action, code("b"));
    assert_eq!((row(&passed.state, "a").status, row(&passed.state, "a").attempts), (Tested, 1));
}

#[test]
fn the_first_failure_is_coded_again_with_what_failed() {
    let once = go(&state(&[("a", Implemented, 0, &[]), ("b", Pending, 0, &[])]), &failed("a"));
    let Action::Code { feature, again: Some(failure) } = once.action else { panic!("{:?}", once.action) };
    assert_eq!((feature.as_str(), failure.summary.as_str(), failure.evidence.len()), ("a", "boom", 1));
    assert_eq!((row(&once.state, "a").retries, row(&once.state, "a").status), (1, Pending));
}

#[test]
fn the_second_failure_blocks_and_the_next_feature_follows() {
    let twice = go(&state(&[("a", Implemented, 1, &[]), ("b", Pending, 0, &[])]), &failed("a"));
    assert_eq!(twice.action, code("b"));
    let blocked = row(&twice.state, "a");
    let seen = (blocked.status, blocked.blocked_on, blocked.retries, blocked.attempts);
    assert_eq!(seen, (Blocked, Some(BlockedOn::Verifier), 2, 2));
}

#[test]
fn nothing_pending_ends_with_a_summary() {
    let state =
        state(&[("a", Tested, 0, &[]), ("b", Skipped, 0, &[]), ("c", Blocked, 2, &[]), ("d", Pending, 0, &["c"])]);
    let Action::End { summary } = what_now(&state) else { panic!() };
    let expected =
        Summary { tested: 1, skipped: 1, blocked: vec!["c".into()], waiting: vec!["d".into()], ..Summary::default() };
    assert_eq!(summary, expected);
    assert!(!summary.is_complete());
}

#[test]
fn a_dependency_comes_first() {
    let state = state(&[("a", Pending, 0, &["b"]), ("b", Pending, 0, &[])]);
    assert_eq!(what_now(&state), code("b"));
    refuses(&state, &claimed("a", "x"), "depends on `b`");
    let after = go(&go(&state, &implemented("b")).state, &passed("b"));
    assert_eq!(after.action, code("a"));
    assert_eq!(go(&state, &Event::Skipped { feature: "b".into(), why: String::new() }).action, code("a"));
}

#[test]
fn priority_decides_then_the_order() {
    let mut state = state(&[("a", Pending, 0, &[]), ("b", Pending, 0, &[]), ("c", Pending, 0, &[])]);
    let rows = &mut state.outline.as_mut().unwrap().rows;
    rows[1].priority = Some(5);
    rows[2].priority = Some(5);
    assert_eq!(what_now(&state), code("b"));
    let rules = Rules { only: vec!["c".into()], ..Rules::default() };
    assert_eq!(next(state.outline.as_ref(), &state.session, NOW, &rules), code("c"));
}

#[test]
fn nobody_claims_what_is_claimed_until_the_lease_ends() {
    let state = go(&state(&[("a", Pending, 0, &[])]), &claimed("a", "x")).state;
    refuses(&state, &claimed("a", "y"), "is claimed by x until");
    refuses(&state, &Event::ClaimExpired { feature: "a".into() }, "is claimed by x");
    let Action::Wait { until, why } = what_now(&state) else { panic!() };
    assert_eq!((until, why.as_str()), (NOW + LEASE, "`a` is claimed by x"));
    let renewed = go(&state, &claimed("a", "x")).state;
    assert_eq!(renewed.session.claims.len(), 1);
    let later = NOW + LEASE;
    assert_eq!(next(state.outline.as_ref(), &state.session, later, &Rules::default()), code("a"));
    let free = step(&state, &Event::ClaimExpired { feature: "a".into() }, later, &Rules::default()).unwrap();
    assert_eq!((row(&free.state, "a").status, free.state.session.claims.len()), (Pending, 0));
    let taken =
        Event::Claimed { feature: "a".into(), owner: "y".into(), expires: later + LEASE, command_id: None, tree: None };
    let taken = step(&state, &taken, later, &Rules::default()).unwrap();
    assert_eq!(taken.state.session.claims.iter().map(|claim: &Claim| claim.owner.as_str()).collect::<Vec<_>>(), ["y"]);
}

#[test]
fn a_tester_claims_without_changing_the_status() {
    let state = go(&state(&[("a", Implemented, 0, &[])]), &claimed("a", "x")).state;
    assert_eq!(row(&state, "a").status, Implemented);
    refuses(&state, &claimed("a", "y"), "is claimed by x");
    assert!(matches!(what_now(&state), Action::Wait { .. }));
    assert!(go(&state, &passed("a")).state.session.claims.is_empty());
}

#[test]
fn a_person_is_asked_last_and_answers() {
    let begun = state(&[("a", Pending, 1, &[]), ("b", Pending, 0, &[])]);
    let asked = go(&begun, &Event::NeedsPerson { feature: "a".into(), question: "which port?".into() });
    assert_eq!(asked.action, code("b"));
    let alone = go(&asked.state, &Event::Skipped { feature: "b".into(), why: String::new() });
    assert_eq!(alone.action, Action::AskPerson { feature: "a".into(), question: "which port?".into() });
    refuses(&asked.state, &claimed("a", "x"), "is blocked on human");
    let answered = go(&alone.state, &Event::Answered { feature: "a".into(), answer: "8080".into() });
    assert_eq!(answered.action, code("a"));
    let asked = NeedsHuman { question: "which port?".into(), answer: Some("8080".into()), ..NeedsHuman::default() };
    assert_eq!(
        (row(&answered.state, "a").needs_human.as_deref(), row(&answered.state, "a").retries),
        (Some(&asked), 0)
    );
    refuses(&begun, &Event::Answered { feature: "a".into(), answer: String::new() }, "asked nothing");
}

#[test]
fn quota_waits_and_counts_no_attempt() {
    let state = go(&state(&[("a", Pending, 0, &[])]), &claimed("a", "x")).state;
    let until = NOW + 5_000;
    let waiting = go(&state, &Event::Quota { feature: Some("a".into()), until });
    assert_eq!(waiting.action, Action::Wait { until, why: "no quota left".into() });
    assert_eq!((row(&waiting.state, "a").status, row(&waiting.state, "a").attempts), (Pending, 0));
    assert_eq!(next(waiting.state.outline.as_ref(), &waiting.state.session, until, &Rules::default()), code("a"));
}

#[test]
fn a_spent_budget_ends_until_the_next_start() {
    let state = state(&[("a", Pending, 0, &[])]);
    let ended = go(&state, &Event::BudgetSpent { what: "max-cost".into() });
    let Action::End { summary } = &ended.action else { panic!() };
    assert_eq!((summary.why.as_deref(), summary.open.len()), (Some("max-cost is used up"), 1));
    assert_eq!(go(&ended.state, &Event::Started).action, code("a"));
}

#[test]
fn an_attempt_that_died_with_its_engine_does_not_count() {
    let state = go(&state(&[("a", Pending, 1, &[])]), &claimed("a", "x")).state;
    let died = go(&state, &Event::DiedWithEngine { feature: "a".into() }).state;
    let row = row(&died, "a");
    assert_eq!((row.status, row.attempts, row.retries, died.session.claims.len()), (Pending, 1, 1, 0));
}

#[test]
fn a_handoff_that_fails_returns_to_the_state_before() {
    let begun = state(&[("a", Implemented, 0, &[])]);
    let back = go(&begun, &Event::HandoffFailed { feature: "a".into(), why: "no list".into() });
    assert_eq!(
        (row(&back.state, "a").status, row(&back.state, "a").attempts, back.action),
        (Implemented, 0, test("a"))
    );
    let twice = go(&back.state, &Event::TimedOut { feature: "a".into() });
    assert_eq!(row(&twice.state, "a").status, Blocked);
    let coding = go(&state(&[("a", Pending, 0, &[])]), &claimed("a", "x")).state;
    let late = go(&coding, &Event::TimedOut { feature: "a".into() }).state;
    assert_eq!((row(&late, "a").status, row(&late, "a").attempts, row(&late, "a").retries), (Pending, 1, 1));
}

#[test]
fn unblocking_keeps_the_attempts() {
    let state = state(&[("a", Blocked, 2, &[])]);
    let free = go(&state, &Event::Unblocked { feature: "a".into() });
    assert_eq!((row(&free.state, "a").retries, row(&free.state, "a").attempts, &free.action), (0, 2, &code("a")));
    refuses(&free.state, &Event::Unblocked { feature: "a".into() }, "is not blocked");
}

#[test]
fn a_conflict_waits_for_a_person_with_both_branches() {
    let state = go(&state(&[("a", Implemented, 0, &[])]), &passed("a")).state;
    let conflict = go(&state, &Event::Conflict { feature: "a".into(), branches: vec!["main".into(), "f/a".into()] });
    let question = "merge the branches `main` and `f/a` by hand";
    assert_eq!(conflict.action, Action::AskPerson { feature: "a".into(), question: question.into() });
    assert_eq!(row(&conflict.state, "a").status, Blocked);
}

#[test]
fn vetoes_and_recoveries_are_counted() {
    let state = state(&[("a", Implemented, 0, &[])]);
    let vetoed = go(&state, &Event::Vetoed { feature: "a".into(), why: "no test".into() }).state;
    assert_eq!((row(&vetoed, "a").status, vetoed.session.vetoes), (Pending, 1));
    let again = go(&go(&vetoed, &implemented("a")).state, &passed("a")).state;
    assert_eq!((again.session.vetoes, again.session.recoveries), (1, 1));
}

#[test]
fn an_event_that_comes_twice_changes_nothing() {
    let tested = go(&state(&[("a", Implemented, 0, &[])]), &passed("a")).state;
    assert_eq!(go(&tested, &passed("a")).changes, []);
    refuses(&tested, &implemented("a"), "is tested already");
    let pending = state(&[("a", Pending, 0, &[])]);
    refuses(&pending, &failed("a"), "nothing to test");
    let other = Event::Passed { feature: "a".into(), proof: Proven::attest("b", vec!["e".into()]).unwrap() };
    refuses(&pending, &other, "is not what was proven");
    refuses(&pending, &claimed("z", "x"), "is not in the list");
}
