//! Handles a stop with files: finds the loop, decides, and logs the decision.

use super::decide::{Decision, Stop, decide};
use super::{ActiveLoop, Loop, LoopLine, LoopStatus, Loops, Owner, Starter};
use crate::ContextError;
use stead_model::rfc3339;

/// Which loop concerns a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreground {
    Nothing,
    /// A loop runs in the project, but not in this session.
    Others {
        id: String,
    },
    Own {
        id: String,
    },
}

/// What the hook has to do about a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Run this command first and ask again.
    Check { command: String, seconds: u32, started_by: Starter },
    Held {
        prompt: String,
        /// Such as `2 of 6`.
        progress: String,
    },
    /// `ended` is the loop's new status, if this stop changed it.
    LetGo { why: String, ended: Option<LoopStatus> },
    /// The client allows no further block: start this run, with at most so many iterations.
    HandOver { then_run: String, run: String, left: Option<u32>, why: String },
}

impl Loops {
    /// Finds the loop of a session with one small file.
    pub fn foreground(&self, session: &str) -> Result<Foreground, ContextError> {
        let active = ActiveLoop::read(&self.indexes)?;
        if let Some(id) = active.of_session(session) {
            return Ok(Foreground::Own { id: id.to_owned() });
        }
        let other = active.sessions().next().map(|(_, id)| Foreground::Others { id: id.to_owned() });
        Ok(other.unwrap_or(Foreground::Nothing))
    }

    /// Decides about a stop of `owner`, which has `id` in the foreground. Nothing is blocked that could not be
    /// recorded: otherwise no limit would ever be reached.
    pub fn stop(&self, id: &str, owner: &Owner, stop: &Stop<'_>) -> Result<Answer, ContextError> {
        let (decision, state) = self.change(id, |file| {
            let decision = match not_theirs(&file.state, owner) {
                Some(why) => Decision::LetGo { status: None, why },
                None => {
                    let text = file.prompt();
                    decide(&mut file.state, &text, stop)
                }
            };
            Ok((decision, file.state.clone()))
        })?;
        if state.status != LoopStatus::Active {
            ActiveLoop::change(&self.indexes, |active| active.take(id))?;
        }
        let (did, why) = match &decision {
            Decision::Check => {
                let command = state.verify.clone().unwrap_or_default();
                return Ok(Answer::Check { command, seconds: state.verify_seconds, started_by: state.started_by });
            }
            Decision::Hold { why, .. } => ("held", why.clone()),
            Decision::LetGo { why, .. } => ("let-go", why.clone()),
            Decision::HandOver { why } => ("handed-over", why.clone()),
        };
        // The decision is recorded; a missing log line must not reverse it.
        let _ = self.log(&state, did, &why, Some(owner), stop.now);
        Ok(match decision {
            Decision::Hold { prompt, .. } => Answer::Held { prompt, progress: state.progress() },
            Decision::LetGo { status, .. } => Answer::LetGo { why, ended: status },
            Decision::HandOver { .. } => Answer::HandOver {
                run: state.run_name(),
                left: state.left(),
                then_run: state.then_run.unwrap_or_default(),
                why,
            },
            Decision::Check => Answer::LetGo { why, ended: None },
        })
    }

    /// Logs a stop that a loop did not block.
    pub fn pass(&self, id: &str, owner: Option<&Owner>, why: &str, now: i64) -> Result<(), ContextError> {
        let state = self.read(id)?.state;
        Ok(self.log(&state, "let-go", why, owner, now)?)
    }

    /// Logs that a loop could not be read, so that nothing was blocked. A loop whose file is gone holds nobody any more.
    pub fn trouble(&self, id: &str, error: &ContextError, owner: Option<&Owner>, now: i64) -> Result<(), ContextError> {
        if matches!(error, ContextError::UnknownId { .. }) {
            ActiveLoop::change(&self.indexes, |active| active.take(id))?;
        }
        let line = LoopLine {
            v: 1,
            ts: rfc3339(now),
            id: id.to_owned(),
            did: "let-go".to_owned(),
            why: error.to_string(),
            harness: owner.map(|owner| owner.harness().to_owned()),
            session: owner.map(|owner| owner.session().to_owned()),
            ..LoopLine::default()
        };
        Ok(line.append(&self.indexes)?)
    }
}

/// Returns why a loop does not apply to this session, if so.
fn not_theirs(state: &Loop, owner: &Owner) -> Option<String> {
    if state.status != LoopStatus::Active {
        return Some(format!("the loop is {}", state.status));
    }
    match &state.lease {
        Some(lease) if lease.owner == *owner => None,
        Some(lease) => Some(format!("the loop belongs to `{}`", lease.owner)),
        None => Some("the loop belongs to no session".to_owned()),
    }
}

#[cfg(test)]
mod tests;
