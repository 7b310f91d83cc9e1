//! Runs from outside: their state, listing them, and stopping one.

use std::path::Path;

use serde::Serialize;
use stead_model::unix_millis;
use stead_store::{StoreError, Tail};

use super::folder::{RunFolder, names, unlocked_engine};
use super::{EngineError, rebuild};
use crate::event::EventLine;
use crate::lock::{Holder, Look, RunLock};
use crate::state::{NodeStatus, RunStatus, State, seconds};

stead_model::named! {
    /// The status of a run, seen from outside.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ViewStatus {
        Running = "running",
        /// Its state says that it runs, but its engine is dead.
        Interrupted = "interrupted",
        Done = "done",
        Failed = "failed",
        Limit = "limit",
        Unverified = "unverified",
        Blocked = "blocked",
        Quota = "quota",
        Cancelled = "cancelled",
    }
}

impl ViewStatus {
    fn of(status: RunStatus, has_engine: bool) -> Self {
        match status {
            _ if has_engine => Self::Running,
            RunStatus::Running => Self::Interrupted,
            RunStatus::Done => Self::Done,
            RunStatus::Failed => Self::Failed,
            RunStatus::Limit => Self::Limit,
            RunStatus::Unverified => Self::Unverified,
            RunStatus::Blocked => Self::Blocked,
            RunStatus::Quota => Self::Quota,
            RunStatus::Cancelled => Self::Cancelled,
        }
    }

    /// Returns true if `--resume` would continue it.
    pub fn can_resume(self) -> bool {
        !matches!(self, Self::Running | Self::Done | Self::Limit)
    }
}

/// A run. Reading it costs the same whatever its history.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunView {
    pub run: String,
    pub status: ViewStatus,
    /// The engine's process, if it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    pub state: State,
    /// The last events, newest first.
    pub recent: Vec<EventLine>,
}

impl RunView {
    /// Reads a run with its last `events` events.
    pub fn read(folder: &RunFolder, events: usize) -> Result<Self, EngineError> {
        let look = RunLock::look(folder.path());
        let state = match folder.state() {
            Ok(Some(state)) => state,
            Ok(None) | Err(EngineError::Damaged { .. }) => {
                let plan = folder.plan()?;
                // Without any events it was killed, or is being read, between its plan and its first state.
                let found = rebuild::find(folder, &plan)?.state;
                found.unwrap_or_else(|| State::new(&plan, String::new(), String::new()))
            }
            Err(error) => return Err(error),
        };
        let engine = match look {
            Look::Held(holder) => Some(holder),
            Look::Left => None,
            Look::Gone => unlocked_engine(&state),
        };
        let mut recent = Vec::new();
        let log = match Tail::open(&folder.events_path()) {
            // `lost_events` says what is wrong with it.
            Err(StoreError::NotAFile { .. }) => None,
            opened => Some(opened?),
        };
        for line in log.into_iter().flatten().take(events) {
            // A line of a later version is not an error.
            recent.extend(serde_json::from_str::<EventLine>(&line?.text).ok());
        }
        Ok(Self {
            run: folder.name().to_owned(),
            status: ViewStatus::of(state.status, engine.is_some()),
            pid: engine.map(|engine| engine.pid),
            state,
            recent,
        })
    }

    /// The same with the time since its engine last wrote: a state is not written while an agent works.
    #[must_use]
    pub fn as_of(mut self, now: i64) -> Self {
        let written = unix_millis(&self.state.updated_at);
        if let (ViewStatus::Running, RunStatus::Running, Some(written)) = (self.status, self.state.status, written) {
            // The clock may have been set back since.
            let further = now.saturating_sub(written).max(0) as f64 / 1000.0;
            self.state.elapsed_seconds = seconds(self.state.elapsed_seconds + further);
            for node in self.state.nodes.iter_mut().filter(|node| node.status == NodeStatus::Running) {
                node.elapsed_seconds = seconds(node.elapsed_seconds + further);
            }
        }
        self
    }
}

/// All runs of a project, the latest first. Unreadable ones are named in the second list.
pub fn list_runs(runs: &Path) -> (Vec<RunView>, Vec<String>) {
    let mut views = Vec::new();
    let mut unread = Vec::new();
    for name in names(runs) {
        let view = RunFolder::at(runs, &name).and_then(|folder| RunView::read(&folder, 0));
        match view {
            Ok(view) => views.push(view),
            Err(_) => unread.push(name),
        }
    }
    views.sort_by(|a, b| b.state.started_at.cmp(&a.state.started_at).then_with(|| a.run.cmp(&b.run)));
    (views, unread)
}

/// Asks the engine of a run to end in an orderly way. It has not ended yet when this returns; see
/// [`RunFolder::engine`].
pub fn request_stop(folder: &RunFolder) -> Result<Holder, EngineError> {
    if !folder.is_begun() {
        return Err(folder.unknown());
    }
    let not_running = || EngineError::NotRunning { run: folder.name().to_owned() };
    let holder = folder.engine().ok_or_else(not_running)?;
    if holder.ask_to_end() { Ok(holder) } else { Err(not_running()) }
}
