use std::collections::BTreeMap;

use serde::Serialize;
use stead_model::unix_millis;
use stead_store::{Lines, StoreError};

use super::amendment_words;
use crate::engine::{EngineError, RunFolder};
use crate::event::{EventLine, RunEvent};

/// One attempt at an iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attempt {
    pub node: String,
    pub iteration: u32,
    pub started_at: String,
    /// `None` if its engine was killed, or if it is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// `continue`, `stop`, `blocked`, the kind of failure, or empty.
    pub result: String,
    /// It counts.
    pub counts: bool,
    pub reason: String,
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    pub verified: Vec<Verdict>,
    /// Its verification kept the stage from being done.
    pub withheld: bool,
    /// It was completed without its engine.
    pub adopted: bool,
}

/// One command after an iteration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    pub command: String,
    pub green: bool,
    pub seconds: f64,
}

/// A wait for a quota.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pause {
    pub node: String,
    pub started_at: String,
    pub until: String,
}

/// When an engine worked on the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Engagement {
    pub started_at: String,
    /// The last thing it recorded.
    pub ended_at: String,
    /// It recorded its end.
    pub is_closed: bool,
}

/// What the events say.
#[derive(Default)]
pub(super) struct History {
    pub(super) attempts: Vec<Attempt>,
    pub(super) pauses: Vec<Pause>,
    pub(super) engagements: Vec<Engagement>,
    pub(super) amendments: Vec<(String, String)>,
    pub(super) warnings: Vec<(String, String)>,
    pub(super) worktrees: Vec<(String, String, String)>,
    /// Why each stage ended.
    pub(super) ends: BTreeMap<String, String>,
}

impl History {
    pub(super) fn read(folder: &RunFolder) -> Result<Self, EngineError> {
        let mut history = Self::default();
        let lines = match Lines::open(&folder.events_path()) {
            Ok(lines) => lines,
            Err(StoreError::NotAFile { .. }) => return Ok(history),
            Err(error) => return Err(error.into()),
        };
        for line in lines {
            // A line of a later version is skipped.
            if let Ok(line) = serde_json::from_str::<EventLine>(&line?.text) {
                history.take(line);
            }
        }
        Ok(history)
    }

    fn take(&mut self, line: EventLine) {
        let EventLine { ts, event, .. } = line;
        if let Some(engagement) = self.engagements.last_mut().filter(|engagement| !engagement.is_closed) {
            engagement.ended_at.clone_from(&ts);
        }
        match event {
            RunEvent::RunStarted { .. } | RunEvent::RunResumed { .. } => {
                if let Some(last) = self.engagements.last_mut() {
                    last.is_closed = true;
                }
                self.engagements.push(Engagement { started_at: ts.clone(), ended_at: ts, is_closed: false });
            }
            RunEvent::RunEnded { .. } => {
                if let Some(last) = self.engagements.last_mut() {
                    last.is_closed = true;
                }
            }
            RunEvent::PlanAmended { .. } => {
                self.amendments.extend(amendment_words(&event).map(|words| (ts, words)));
            }
            RunEvent::Warning { node, message } => {
                let node = node.map(|node| format!("{node}: ")).unwrap_or_default();
                self.warnings.push((ts, format!("{node}{message}")));
            }
            RunEvent::WorktreeKept { node, path, branch } => {
                self.worktrees.retain(|(known, ..)| *known != node);
                self.worktrees.push((node, path, branch));
            }
            RunEvent::Waiting { node, until, .. } => self.pauses.push(Pause { node, started_at: ts, until }),
            RunEvent::StageEnded { node, why, .. } => drop(self.ends.insert(node, why)),
            event => self.note(ts, event),
        }
    }

    /// What an event says about an attempt.
    fn note(&mut self, ts: String, event: RunEvent) {
        if let RunEvent::IterationStarted { node, iteration, .. } = event {
            self.attempts.push(Attempt {
                node,
                iteration,
                started_at: ts,
                ended_at: None,
                result: String::new(),
                counts: false,
                reason: String::new(),
                summary: String::new(),
                cost_usd: None,
                verified: Vec::new(),
                withheld: false,
                adopted: false,
            });
            return;
        }
        let Some(id) = event.node().map(str::to_owned) else { return };
        // What is verified again after a resume belongs to the last attempt.
        let Some(attempt) = self.attempts.iter_mut().rev().find(|attempt| attempt.node == id) else { return };
        match event {
            RunEvent::IterationEnded { decision, blocked_on, failure, reason, summary, cost_usd, .. } => {
                attempt.result = match (failure, decision) {
                    (Some(failure), _) => failure.name().to_owned(),
                    (None, _) if blocked_on.is_some() => "blocked".to_owned(),
                    (None, decision) => decision.map(|decision| decision.name().to_owned()).unwrap_or_default(),
                };
                attempt.counts = failure.is_none() && blocked_on.is_none() && decision.is_some();
                (attempt.ended_at, attempt.reason, attempt.summary) = (Some(ts), reason, summary);
                attempt.cost_usd = cost_usd;
            }
            RunEvent::Verified { command, green, seconds, .. } => {
                attempt.verified.retain(|known| known.command != command);
                attempt.verified.push(Verdict { command, green, seconds });
            }
            RunEvent::Withheld { .. } => attempt.withheld = true,
            RunEvent::Adopted { .. } => attempt.adopted = true,
            _ => {}
        }
    }
}

/// Milliseconds since 1970; 0 if it is not a time.
pub(super) fn millis(time: &str) -> i64 {
    unix_millis(time).unwrap_or_default()
}
