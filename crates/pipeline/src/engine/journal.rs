//! What the engine records about a run: its state, one write at a time, and its events.
//!
//! Only a write of the state makes an iteration count. Events are written before the state that they lead to: after a
//! kill an event may be recorded twice, never lost.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use stead_model::rfc3339;
use stead_store::{Durability, Redacted, append_line, redact, replace};

use super::event_log::EventLog;
use super::fault::{Fault, Side};
use super::folder::RunFolder;
use super::{EngineError, Surroundings};
use crate::event::{EVENT_VERSION, EventLine, RunEvent};
use crate::state::{State, seconds};

/// How long an event waits for a reader that locks the log.
const PATIENCE: Duration = Duration::from_secs(10);

/// The maximum length of an agent's text in an event; the iteration's folder has all of it.
const TEXT_LIMIT: usize = 2000;

pub(crate) struct Journal<'a> {
    folder: &'a RunFolder,
    around: &'a Surroundings<'a>,
    fault: Fault,
    state: Mutex<State>,
    /// One event at a time, for observers, and what the log was after the last one.
    speaking: Mutex<EventLog>,
    elapsed_before: f64,
    since: Instant,
}

impl<'a> Journal<'a> {
    /// Takes over a state; it is not written yet.
    pub(crate) fn new(folder: &'a RunFolder, around: &'a Surroundings<'a>, state: State) -> Self {
        Self {
            folder,
            around,
            fault: Fault::new((around.env)(super::fault::VARIABLE)),
            // A state with a wrong clock must not make time run backwards.
            elapsed_before: state.elapsed_seconds.max(0.0),
            state: Mutex::new(state),
            speaking: Mutex::new(EventLog::default()),
            since: Instant::now(),
        }
    }

    pub(crate) fn now(&self) -> String {
        rfc3339((self.around.now)())
    }

    /// How long engines worked on this run in total.
    pub(crate) fn elapsed(&self) -> f64 {
        self.elapsed_before + self.since.elapsed().as_secs_f64()
    }

    pub(crate) fn state(&self) -> State {
        self.lock().clone()
    }

    /// Reads the state without copying it.
    pub(crate) fn ask<T>(&self, question: impl FnOnce(&State) -> T) -> T {
        question(&self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state on disk and in memory. If it cannot be written, both stay unchanged.
    pub(crate) fn commit(&self, change: impl FnOnce(&mut State)) -> Result<(), EngineError> {
        let written = self.speaking.lock().unwrap_or_else(PoisonError::into_inner).length();
        let mut state = self.lock();
        let mut next = state.clone();
        change(&mut next);
        next.updated_at = self.now();
        next.elapsed_seconds = seconds(self.elapsed());
        // Other threads may have written more meanwhile.
        if written > 0 {
            next.events_bytes = written;
        }
        next.cost_usd = crate::state::dollars(next.nodes.iter().map(|node| node.cost_usd).sum());
        self.fault.pass(Side::Before);
        write_json(&self.folder.state_path(), &next, Durability::Synced)?;
        self.fault.pass(Side::After);
        *state = next;
        Ok(())
    }

    /// Changes other files that decide how the run goes on, such as the feature list. Tests kill the engine here, too.
    pub(crate) fn write<T>(&self, work: impl FnOnce() -> T) -> T {
        self.fault.pass(Side::Before);
        let result = work();
        self.fault.pass(Side::After);
        result
    }

    /// Writes an event and notifies the observer.
    pub(crate) fn tell(&self, event: RunEvent) -> Result<(), EngineError> {
        let mut log = self.speaking.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.folder.events_path();
        let lost = log.mind(&path).map(|message| RunEvent::Warning { node: None, message });
        for event in lost.into_iter().chain([event]) {
            let line = EventLine { v: EVENT_VERSION, ts: self.now(), event };
            append_line(&path, Redacted::line(&line), Durability::Quick, PATIENCE)?;
            log.remember(&path);
            self.around.observer.event(&line);
        }
        Ok(())
    }

    pub(crate) fn warn(&self, node: &str, message: impl Into<String>) -> Result<(), EngineError> {
        self.tell(RunEvent::Warning { node: Some(node.to_owned()), message: message.into() })
    }
}

/// Writes a file of the run for people and programs to read.
pub(crate) fn write_json(
    path: &Path,
    value: &impl serde::Serialize,
    durability: Durability,
) -> Result<(), EngineError> {
    Ok(replace(path, Redacted::json(String::from_utf8_lossy(&to_json_lines(value)?)), durability)?)
}

/// A file of the run for people and programs to read.
pub(crate) fn to_json_lines(value: &impl serde::Serialize) -> Result<Vec<u8>, EngineError> {
    let mut bytes =
        serde_json::to_vec_pretty(value).map_err(|error| EngineError::Mismatch { why: error.to_string() })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Prepares a text from an agent for a log: without secrets, and not too long.
pub(crate) fn safe(text: &str) -> String {
    let text = redact(text.trim());
    match text.char_indices().nth(TEXT_LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
