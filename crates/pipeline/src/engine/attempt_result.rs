//! What an agent's end means: six distinct failures, checked in this order, so that a status can never hide how the
//! agent really ended. Pure.

use std::time::Duration;

use super::budget::Bound;
use crate::custody::How;
use crate::state::ErrorKind;
use crate::status::{Decision, Status, StatusProblem};

/// The result of an attempt at an iteration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AttemptResult {
    /// It is complete, and this is the agent's status.
    Complete(Status),
    /// The agent is waiting for a person. Whatever it decided, the iteration is not done and repeats when the run
    /// continues.
    Blocked(Status),
    Failed {
        kind: ErrorKind,
        message: String,
    },
    /// The provider's quota is exhausted, until this time if it says so.
    Quota {
        until: Option<i64>,
    },
    Cancelled,
    /// The time limit of the stage or the run is exhausted.
    TimeUp,
}

pub(crate) fn judge(
    how: &How,
    timeout: Option<(Duration, Bound)>,
    quota: Option<Option<i64>>,
    status: Result<Status, StatusProblem>,
) -> AttemptResult {
    let failed = |kind, message: String| AttemptResult::Failed { kind, message };
    if *how == How::Cancelled {
        return AttemptResult::Cancelled;
    }
    if let Some(until) = quota {
        return AttemptResult::Quota { until };
    }
    match how {
        How::Exit(0) => {}
        How::Exit(code) => return failed(ErrorKind::Exit, format!("the agent exited with code {code}")),
        How::Signal(signal) => return failed(ErrorKind::Signal, format!("the agent was killed by signal {signal}")),
        How::Timeout => {
            return match timeout {
                Some((_, Bound::Budget)) => AttemptResult::TimeUp,
                Some((most, Bound::Iteration)) => {
                    failed(ErrorKind::Timeout, format!("the agent took longer than {} s", most.as_secs()))
                }
                None => failed(ErrorKind::Timeout, "the agent took too long".to_owned()),
            };
        }
        How::Cancelled => return AttemptResult::Cancelled,
        How::CannotStart(why) => return failed(ErrorKind::Start, format!("the agent could not start: {why}")),
    }
    match status {
        Err(StatusProblem::Missing) => failed(ErrorKind::MissingStatus, "the agent wrote no `status.json`".to_owned()),
        Err(StatusProblem::Unsaid(word)) => {
            let message = format!(
                "the agent's answer has no line that starts with `{word}:`, which `output_parse` looks for, and it \
                 wrote no `status.json`"
            );
            failed(ErrorKind::MissingStatus, message)
        }
        Err(StatusProblem::Invalid(why)) => failed(
            ErrorKind::InvalidStatus,
            format!("the agent's `status.json` is invalid: {why}; it was kept as `status.rejected`"),
        ),
        Ok(status) if status.blocked_on.is_some() => AttemptResult::Blocked(status),
        Ok(status) if status.decision == Decision::Error => {
            let reason = match status.reason.trim() {
                "" => status.errors.first().map_or("the agent reported `error` without a reason", String::as_str),
                reason => reason,
            };
            failed(ErrorKind::AgentError, reason.to_owned())
        }
        Ok(status) => AttemptResult::Complete(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str) -> Result<Status, StatusProblem> {
        Status::parse(text.as_bytes()).map_err(StatusProblem::Invalid)
    }

    #[track_caller]
    fn check(how: How, status: Result<Status, StatusProblem>, expected: &str) {
        let timeout = Some((Duration::from_secs(5), Bound::Iteration));
        let got = match judge(&how, timeout, None, status) {
            AttemptResult::Failed { kind, message } => format!("{}: {message}", kind.name()),
            AttemptResult::Complete(status) => status.decision.name().to_owned(),
            AttemptResult::Blocked(_) => "blocked".to_owned(),
            other => format!("{other:?}"),
        };
        assert_eq!(got, expected, "{how:?}");
    }

    #[test]
    fn six_failures_are_told_apart() {
        let good = r#"{"decision": "stop"}"#;
        check(How::Exit(0), status(good), "stop");
        check(How::Exit(0), status(r#"{"decision": "continue"}"#), "continue");
        check(How::Exit(7), status(good), "exit: the agent exited with code 7");
        check(How::Signal(9), status(good), "signal: the agent was killed by signal 9");
        check(How::Timeout, status(good), "timeout: the agent took longer than 5 s");
        check(How::Exit(0), Err(StatusProblem::Missing), "missing-status: the agent wrote no `status.json`");
        check(
            How::Exit(0),
            Err(StatusProblem::Unsaid("PLATEAU".into())),
            "missing-status: the agent's answer has no line that starts with `PLATEAU:`, which `output_parse` looks for, and it wrote no `status.json`",
        );
        check(
            How::Exit(0),
            Err(StatusProblem::Invalid("it is a folder".into())),
            "invalid-status: the agent's `status.json` is invalid: it is a folder; it was kept as `status.rejected`",
        );
        check(How::Exit(0), status(r#"{"decision": "error", "reason": "no key"}"#), "agent-error: no key");
        check(How::Exit(0), status(r#"{"decision": "error", "errors": ["e1"]}"#), "agent-error: e1");
        check(How::CannotStart("gone".into()), status(good), "start: the agent could not start: gone");
    }

    #[test]
    fn a_person_a_quota_and_a_cancel_are_no_failures() {
        check(How::Exit(0), status(r#"{"decision": "error", "blocked_on": "person"}"#), "blocked");
        check(
            How::Exit(1),
            status(r#"{"decision": "stop", "blocked_on": "person"}"#),
            "exit: the agent exited with code 1",
        );
        check(How::Cancelled, status(r#"{"decision": "stop"}"#), "Cancelled");
        let quota = judge(&How::Exit(1), None, Some(Some(7)), Err(StatusProblem::Missing));
        assert_eq!(quota, AttemptResult::Quota { until: Some(7) });
        let budget = Some((Duration::from_secs(5), Bound::Budget));
        assert_eq!(judge(&How::Timeout, budget, None, Err(StatusProblem::Missing)), AttemptResult::TimeUp);
    }
}
