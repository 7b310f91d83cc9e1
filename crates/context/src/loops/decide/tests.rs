//! Every way a stop can go, one row each.

use proptest::prelude::*;

use super::super::{Counts, Owner, Starter};
use super::*;

const NOW: i64 = 1_794_771_930_000;

fn running() -> Loop {
    Loop {
        id: "x".into(),
        created_at: rfc3339(NOW),
        updated_at: rfc3339(NOW),
        status: LoopStatus::Active,
        reason: None,
        iteration: 1,
        max_iterations: 25,
        promises: vec!["DONE".into(), "BLOCKED".into()],
        source_packet_id: None,
        verify: None,
        verify_seconds: 300,
        then_run: None,
        max_minutes: 0,
        max_repeats: 3,
        started_by: Starter::Person,
        lease: Some(Lease {
            owner: Owner::new("h", "s").unwrap(),
            started: rfc3339(NOW),
            expires: rfc3339(NOW + Lease::MILLIS),
        }),
        counts: Counts::default(),
    }
}

fn stop(said: LastMessage<'_>) -> Stop<'_> {
    Stop { said, again: false, waiting: 0, cap: None, now: NOW, check: None }
}

fn red() -> Option<Check> {
    Some(Check::Red { how: "exit 101".into(), tail: "1 test failed".into() })
}

/// Shows a decision in a line: `hold: why`, `check`, `go: why`, `done: why`.
fn show(decision: &Decision) -> String {
    match decision {
        Decision::Check => "check".into(),
        Decision::Hold { why, .. } => format!("hold: {why}"),
        Decision::LetGo { status: None, why } => format!("go: {why}"),
        Decision::LetGo { status: Some(status), why } => format!("{status}: {why}"),
        Decision::HandOver { why } => format!("hand over: {why}"),
    }
}

#[track_caller]
fn check(mut state: Loop, stop: Stop<'_>, expected: &str) -> Loop {
    let decision = decide(&mut state, "Fix it.", &stop);
    assert_eq!(show(&decision), expected);
    if let Decision::Hold { prompt, .. } = &decision {
        assert!(prompt.contains("Fix it.") && prompt.len() < 7_900, "{prompt}");
    }
    state
}

#[test]
fn a_stop_without_the_promise_is_held() {
    let after = check(running(), stop(LastMessage::Message("not yet")), "hold: no promise given");
    assert_eq!((after.iteration, after.counts.holds, after.status), (2, 1, LoopStatus::Active));
    check(running(), stop(LastMessage::Message("```\n<promise>DONE</promise>\n```")), "hold: no promise given");
    let other = stop(LastMessage::Message("<promise>DONE</promise> but <promise>MAYBE</promise>"));
    check(running(), other, "hold: `MAYBE` is not a promise of this loop");
    check(running(), stop(LastMessage::Untold), "hold: this client does not send the agent's message");
    let no_promise = Loop { promises: Vec::new(), ..running() };
    check(
        no_promise.clone(),
        stop(LastMessage::Message("<promise>DONE</promise>")),
        "hold: it runs until a limit is reached",
    );
    check(no_promise, stop(LastMessage::Unread), "hold: it runs until a limit is reached");
}

#[test]
fn a_kept_promise_ends_the_loop() {
    let after = check(running(), stop(LastMessage::Message("<promise>DONE</promise>")), "done: promise `DONE` kept");
    assert_eq!((after.status, after.reason.as_deref()), (LoopStatus::Done, Some("promise `DONE` kept")));
    assert_eq!(after.iteration, 1);
    check(running(), stop(LastMessage::Message("<promise> BLOCKED </promise>")), "done: promise `BLOCKED` kept");
    let busy = Stop { waiting: 2, ..stop(LastMessage::Message("<promise>DONE</promise>")) };
    check(running(), busy, "done: promise `DONE` kept");
}

#[test]
fn the_check_must_be_green_too() {
    let checked = Loop { verify: Some("cargo test".into()), ..running() };
    let done = LastMessage::Message("<promise>DONE</promise>");
    let after = check(checked.clone(), stop(done), "check");
    assert_eq!(after, checked, "nothing changes before the check was run");
    check(
        checked.clone(),
        Stop { check: Some(Check::Green), ..stop(done) },
        "done: promise `DONE` kept, `cargo test` passed",
    );
    check(checked.clone(), Stop { check: red(), ..stop(done) }, "hold: `cargo test` failed: exit 101");
    check(checked.clone(), stop(LastMessage::Message("not yet")), "hold: no promise given");
    let last = Loop { iteration: 25, ..checked.clone() };
    check(last.clone(), Stop { check: red(), ..stop(done) }, "limit: 25 of 25 iterations used");
    check(last, Stop { check: Some(Check::Green), ..stop(done) }, "done: promise `DONE` kept, `cargo test` passed");
    let bare = Loop { promises: Vec::new(), ..checked.clone() };
    check(bare.clone(), stop(LastMessage::Message("x")), "check");
    check(
        bare,
        Stop { check: Some(Check::Green), ..stop(LastMessage::Unread) },
        "done: its check kept, `cargo test` passed",
    );
    check(
        checked,
        Stop { check: Some(Check::Green), ..stop(LastMessage::Untold) },
        "done: its check kept, `cargo test` passed",
    );
}

#[test]
fn a_red_check_shows_its_end() {
    let mut state = Loop { verify: Some("cargo test".into()), ..running() };
    let stop = Stop { check: red(), ..stop(LastMessage::Message("<promise>DONE</promise>")) };
    let Decision::Hold { prompt, .. } = decide(&mut state, "Fix it.", &stop) else { panic!("it was let go") };
    assert!(prompt.contains("1 test failed") && prompt.contains("exit 101") && prompt.contains("2 of 25"), "{prompt}");
}

#[test]
fn what_could_not_be_read_holds_nobody() {
    let after = check(running(), stop(LastMessage::Unread), "go: the agent's last message could not be read");
    assert_eq!((after.iteration, after.status), (1, LoopStatus::Active));
}

#[test]
fn sub_agents_at_work_are_waited_for() {
    let after =
        check(running(), Stop { waiting: 2, ..stop(LastMessage::Message("x")) }, "go: 2 sub-agents are still running");
    assert_eq!((after.iteration, after.status), (1, LoopStatus::Active));
}

#[test]
fn iterations_are_bounded() {
    let at = |iteration, max_iterations| Loop { iteration, max_iterations, ..running() };
    check(at(2, 3), stop(LastMessage::Message("x")), "hold: no promise given");
    check(at(3, 3), stop(LastMessage::Message("x")), "limit: 3 of 3 iterations used");
    check(at(9, 3), stop(LastMessage::Untold), "limit: 9 of 3 iterations used");
    check(at(u32::MAX, 0), stop(LastMessage::Message("x")), "hold: no promise given");
}

#[test]
fn minutes_are_bounded() {
    let timed = Loop { max_minutes: 10, ..running() };
    let at = |minutes: i64| Stop { now: NOW + minutes * 60_000, ..stop(LastMessage::Message("x")) };
    check(timed.clone(), at(9), "hold: no promise given");
    check(timed, at(10), "limit: 10 of 10 minutes used");
}

#[test]
fn a_clock_set_back_neither_holds_for_ever_nor_ends_early() {
    let timed = Loop { max_minutes: 10, ..running() };
    let at = |minutes: i64, said| Stop { now: NOW + minutes * 60_000, ..stop(LastMessage::Message(said)) };
    let after = check(timed, at(6, "a"), "hold: no promise given");
    // Ten hours back: no time has passed, the loop goes on and says so.
    let back = -600 + 6;
    let told = "hold: no promise given; the clock was set back by 36000 s, which is not counted";
    let after = check(after, at(back, "b"), told);
    let after = check(after, at(back + 3, "c"), "hold: no promise given");
    check(after, at(back + 4, "d"), "limit: 10 of 10 minutes used");
}

#[test]
fn the_same_answer_again_and_again_pauses() {
    let mut state = running();
    for expected in ["hold: no promise given", "hold: no promise given"] {
        state = check(state, stop(LastMessage::Message("I am  waiting")), expected);
    }
    let after =
        check(state.clone(), stop(LastMessage::Message("I am\nwaiting ")), "paused: the same answer 3 times in a row");
    assert_eq!(after.status, LoopStatus::Paused);
    check(
        Loop { max_repeats: 0, ..state.clone() },
        stop(LastMessage::Message("I am waiting")),
        "hold: no promise given",
    );
    check(state, stop(LastMessage::Message("something new")), "hold: no promise given");
}

/// One client sends all that was said in a turn, and more each time.
#[test]
fn a_client_that_repeats_the_turn_is_heard_once() {
    let again = |said| Stop { again: true, ..stop(LastMessage::Message(said)) };
    let mut state = check(
        Loop { verify: Some("false".into()), ..running() },
        Stop { check: red(), ..stop(LastMessage::Message("one <promise>DONE</promise>")) },
        "hold: `false` failed: exit 101",
    );
    state = check(state, again("one <promise>DONE</promise>\ntwo"), "hold: no promise given");
    state = check(state, again("one <promise>DONE</promise>\ntwo\ntwo"), "hold: no promise given");
    check(state, again("one <promise>DONE</promise>\ntwo\ntwo\ntwo"), "paused: the same answer 3 times in a row");
}

#[test]
fn the_clients_own_cap_is_announced_one_before() {
    let mut state = running();
    for number in 1..=8_u32 {
        let said = number.to_string();
        let stop = Stop { again: number > 1, cap: Some(8), ..stop(LastMessage::Message(&said)) };
        let Decision::Hold { prompt, why } = decide(&mut state, "Fix it.", &stop) else { panic!("it was let go") };
        assert_eq!(prompt.contains("in a row"), number >= 7, "{number}: {prompt}");
        assert_eq!(why.contains("no further"), number == 8, "{number}: {why}");
        assert_eq!(state.counts.holds, number);
    }
    // One more is asked about but would be ignored.
    let beyond = Stop { again: true, cap: Some(8), ..stop(LastMessage::Message("beyond")) };
    let why = "go: no promise given; this client allows at most 8 blocks in a row; the loop stays active";
    let state_then = check(state.clone(), beyond, why);
    assert_eq!((state_then.iteration, state_then.status), (state.iteration, LoopStatus::Active));
    // A new turn starts the count again, and a client with a single hold is told at once.
    let fresh = Stop { cap: Some(8), ..stop(LastMessage::Message("new")) };
    let Decision::Hold { prompt, .. } = decide(&mut state, "Fix it.", &fresh) else { panic!("it was let go") };
    assert!(!prompt.contains("in a row"), "{prompt}");
    let single = Stop { cap: Some(1), ..stop(LastMessage::Message("newer")) };
    let Decision::Hold { prompt, .. } = decide(&mut state, "Fix it.", &single) else { panic!("it was let go") };
    assert!(prompt.contains("in a row"), "{prompt}");
}

#[test]
fn a_lease_ends_and_is_prolonged_by_holding() {
    let late = Stop { now: NOW + Lease::MILLIS + 1, ..stop(LastMessage::Message("x")) };
    let ended = format!("paused: its lease expired at {}", rfc3339(NOW + Lease::MILLIS));
    check(running(), late, &ended);
    let after =
        check(running(), Stop { now: NOW + 1_000, ..stop(LastMessage::Message("x")) }, "hold: no promise given");
    assert_eq!(after.lease.unwrap().expires, rfc3339(NOW + 1_000 + Lease::MILLIS));
    let mut broken = running();
    broken.lease.as_mut().unwrap().expires = "some day".into();
    check(broken, stop(LastMessage::Message("x")), "paused: its lease expired at some day");
}

proptest! {
    /// Whatever the agent says and the clock does, a loop with a bound ends.
    #[test]
    fn a_bounded_loop_ends(said in prop::collection::vec(".{0,20}", 30), clock in prop::collection::vec(-100_000_000i64..100_000, 30)) {
        let mut state = Loop { max_iterations: 20, ..running() };
        for (said, now) in said.iter().zip(clock) {
            let stop = Stop { now: NOW + now, again: true, ..stop(LastMessage::Message(said)) };
            if let Decision::LetGo { status: Some(_), .. } = decide(&mut state, "Fix it.", &stop) {
                return Ok(());
            }
        }
        prop_assert!(false, "still {:?}", state);
    }
}

#[test]
fn at_the_clients_cap_a_run_goes_on() {
    let state = Loop { id: "20261115T194530Z-überall".into(), then_run: Some("stage work".into()), ..running() };
    let capped = |holds: u32| Stop { cap: Some(3), again: holds > 0, ..stop(LastMessage::Message("not yet")) };
    let with = |holds: u32| Loop { counts: Counts { holds, ..Counts::default() }, ..state.clone() };
    check(with(0), capped(0), "hold: no promise given");
    check(with(1), capped(1), "hold: no promise given");
    let why = "this client allows at most 3 blocks in a row; run `loop-20261115t194530z` goes on";
    let after = check(with(2), capped(2), &format!("hand over: {why}"));
    assert_eq!((after.status, after.reason.as_deref(), after.left()), (LoopStatus::Paused, Some(why), Some(24)));
    let done = Stop { cap: Some(3), again: true, ..stop(LastMessage::Message("<promise>DONE</promise>")) };
    check(with(2), done, "done: promise `DONE` kept");
}
