//! Removes the files of a run: under its lock, out of sight in one step, and then for good. A kill in between leaves a
//! hidden folder that the next removal sweeps up, never half a run.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::attempt::{AGENT, LOG};
use super::fault::{self, Fault, Side};
use super::folder::RunFolder;
use super::{EngineError, rebuild};
use crate::lock::RunLock;
use crate::state::{RunStatus, State};

pub(super) type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// In front of the name of a folder that is being removed; no run can have such a name.
const REMOVED: &str = ".removed-";

impl RunFolder {
    /// Returns true if no agent of the run ever started, so that nothing is lost with it.
    pub fn is_unstarted(&self) -> bool {
        let is_idle = |state: &State| {
            let mut nodes = state.nodes.iter();
            nodes.all(|at| {
                at.iteration_completed == 0 && at.cost_usd == 0.0 && !has_agent(&self.iteration_dir(&at.dir, 1))
            })
        };
        let state = self.plan().ok().and_then(|plan| rebuild::find(self, &plan).ok());
        // Without a state the engine did not get that far, unless the plan cannot be read.
        state.is_some_and(|found| found.state.as_ref().is_none_or(is_idle))
            && !has_entries(&self.path().join("worktrees"))
    }

    /// Where worktrees of the run are that may contain work.
    pub fn worktrees(&self) -> Option<PathBuf> {
        Some(self.path().join("worktrees")).filter(|path| has_entries(path))
    }
}

/// Removes a run of which no agent ever started.
pub(super) fn unstarted(folder: &RunFolder, env: Env<'_>, now: &str) -> Result<(), EngineError> {
    let started = || EngineError::HasStarted { run: folder.name().to_owned() };
    remove(folder, env, now, || if folder.is_unstarted() { Ok(()) } else { Err(started()) })
}

/// Removes a run that has ended.
pub(super) fn ended(folder: &RunFolder, env: Env<'_>, now: &str) -> Result<(), EngineError> {
    remove(folder, env, now, || {
        if let Some(path) = folder.worktrees() {
            return Err(EngineError::HasWork { run: folder.name().to_owned(), path });
        }
        match folder.state()? {
            Some(state) if state.status != RunStatus::Running => Ok(()),
            _ => Err(EngineError::NotEnded { run: folder.name().to_owned() }),
        }
    })
}

fn remove(
    folder: &RunFolder,
    env: Env<'_>,
    now: &str,
    check: impl FnOnce() -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let runs = folder.path().parent().unwrap_or(folder.path());
    sweep(runs);
    let lock = RunLock::take(folder.path(), now).map_err(|error| EngineError::of_lock(folder.name(), error))?;
    check()?;
    let fault = Fault::new(env(fault::VARIABLE));
    let aside = runs.join(format!("{REMOVED}{}-{}", folder.name(), std::process::id()));
    fault.pass(Side::Before);
    fs::rename(folder.path(), &aside).map_err(|source| EngineError::io("move aside", folder.path(), source))?;
    fault.pass(Side::After);
    drop(lock);
    fs::remove_dir_all(&aside).map_err(|source| EngineError::io("remove", &aside, source))
}

/// Removes what an earlier removal left.
fn sweep(runs: &Path) {
    for entry in fs::read_dir(runs).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(REMOVED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns true if an agent started in an iteration, in any attempt.
fn has_agent(dir: &Path) -> bool {
    let has_run = |dir: &Path| dir.join(AGENT).exists() || fs::metadata(dir.join(LOG)).is_ok_and(|data| data.len() > 0);
    let attempts = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    has_run(dir) || attempts.filter(|path| path.is_dir()).any(|path| has_run(&path))
}

fn has_entries(dir: &Path) -> bool {
    fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some())
}
