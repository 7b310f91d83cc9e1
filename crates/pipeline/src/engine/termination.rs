//! When a stage is done: a pure function of the plan and the last iteration's result.

use stead_context::last_promise;

use crate::status::Decision;
use crate::{Outcome, Termination};

/// What is known after an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Brought<'a> {
    pub(crate) completed: u32,
    pub(crate) max_iterations: u32,
    pub(crate) consecutive_stops: u32,
    /// The agent's last message; for `promise`.
    pub(crate) message: Option<&'a str>,
    /// How many items are open; for `queue`, if its command ran.
    pub(crate) queue_left: Option<u64>,
}

/// Returns the reason to end a stage, or `None` to continue.
pub(crate) fn judge(termination: &Termination, brought: &Brought<'_>) -> Option<(Outcome, String)> {
    let at_most = brought.completed >= brought.max_iterations;
    let done = match termination {
        Termination::Fixed if at_most => Some(all(brought.max_iterations, "done")),
        Termination::Fixed => None,
        Termination::Judgment { min_iterations, consensus } => {
            let agreed = brought.consecutive_stops >= (*consensus).max(1) && brought.completed >= *min_iterations;
            agreed.then(|| match brought.consecutive_stops {
                1 => "the agent decided to stop".to_owned(),
                stops => format!("{stops} iterations in a row decided to stop"),
            })
        }
        Termination::Queue { .. } | Termination::Features { .. }
            if brought.queue_left == Some(0) && brought.completed == 0 =>
        {
            Some("nothing to do: the queue is empty".to_owned())
        }
        Termination::Queue { .. } | Termination::Features { .. } => {
            (brought.queue_left == Some(0)).then(|| "the queue is empty".to_owned())
        }
        Termination::Promise { promises } => {
            let kept = brought.message.and_then(last_promise).filter(|said| promises.contains(said));
            kept.map(|said| format!("the agent promised `{said}`"))
        }
    };
    match done {
        Some(why) => Some((Outcome::Done, why)),
        None if at_most => Some((Outcome::Limit, all(brought.max_iterations, "used"))),
        None => None,
    }
}

fn all(iterations: u32, are: &str) -> String {
    if iterations == 1 {
        format!("its only iteration is {are}")
    } else {
        format!("all {iterations} iterations are {are}")
    }
}

/// Counts how many iterations in a row decided to stop.
pub(crate) fn stops(before: u32, decision: Decision) -> u32 {
    if decision == Decision::Stop { before.saturating_add(1) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(termination: &Termination, brought: &Brought<'_>, expected: Option<Outcome>) {
        assert_eq!(judge(termination, brought).map(|(outcome, _)| outcome), expected, "{termination:?} {brought:?}");
    }

    fn after(completed: u32, consecutive_stops: u32) -> Brought<'static> {
        Brought { completed, max_iterations: 5, consecutive_stops, ..Brought::default() }
    }

    #[test]
    fn fixed_does_not_listen() {
        check(&Termination::Fixed, &after(4, 4), None);
        check(&Termination::Fixed, &after(5, 0), Some(Outcome::Done));
    }

    #[test]
    fn judgment_wants_agreement_after_enough_iterations() {
        let two = Termination::Judgment { min_iterations: 3, consensus: 2 };
        check(&two, &after(1, 1), None);
        check(&two, &after(2, 2), None);
        check(&two, &after(3, 3), Some(Outcome::Done));
        check(&two, &after(4, 1), None);
        check(&two, &after(5, 1), Some(Outcome::Limit));
        check(&two, &after(5, 2), Some(Outcome::Done));
        check(&Termination::Judgment { min_iterations: 0, consensus: 0 }, &after(1, 0), None);
        assert_eq!(
            [(0, Decision::Stop), (3, Decision::Continue), (1, Decision::Stop)].map(|(n, d)| stops(n, d)),
            [1, 0, 2]
        );
    }

    #[test]
    fn a_queue_that_was_not_asked_is_not_empty() {
        let queue = Termination::Queue { command: "x".into() };
        check(&queue, &after(1, 1), None);
        check(&queue, &Brought { queue_left: Some(2), ..after(1, 0) }, None);
        check(&queue, &Brought { queue_left: Some(0), ..after(1, 0) }, Some(Outcome::Done));
        check(&queue, &Brought { queue_left: Some(2), ..after(5, 0) }, Some(Outcome::Limit));
        check(&queue, &Brought { queue_left: Some(0), ..after(0, 0) }, Some(Outcome::Done));
    }

    #[test]
    fn only_a_promise_that_was_asked_for_counts() {
        let promise = Termination::Promise { promises: vec!["DONE".into(), "ALL GREEN".into()] };
        let said = |message| Brought { message: Some(message), ..after(1, 0) };
        check(&promise, &said("it is <promise>DONE</promise>"), Some(Outcome::Done));
        check(&promise, &said("<promise>ALL   GREEN</promise>"), Some(Outcome::Done));
        check(&promise, &said("<promise>DONE</promise> <promise>NOT YET</promise>"), None);
        check(&promise, &said("```\n<promise>DONE</promise>\n```"), None);
        check(&promise, &said("DONE"), None);
        check(&promise, &after(1, 3), None);
        check(&promise, &after(5, 0), Some(Outcome::Limit));
    }
}
