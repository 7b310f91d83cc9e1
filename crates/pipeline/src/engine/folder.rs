use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use stead_model::{FileId, nearest};
use stead_store::{StoreError, create_parents, read_capped};

use super::frozen::Frozen;
use super::{EngineError, attempt, rebuild};
use crate::lock::{Holder, Look, RunLock};
use crate::state::{NodeState, RunStatus, STATE_SCHEMA, State};
use crate::status::Status;
use crate::{Node, Plan, custody};

const STATE_LIMIT: usize = 16 * 1024 * 1024;

/// The newest `plan.json` version this program reads.
pub(crate) const PLAN_SCHEMA: u32 = 1;

/// Where one run stores its files. The folder need not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
    name: String,
}

impl RunFolder {
    /// Names a run in the folder of runs.
    pub fn at(runs: &Path, name: &str) -> Result<Self, EngineError> {
        match FileId::check(name) {
            Ok(_) => Ok(Self { path: runs.join(name), name: name.to_owned() }),
            Err(problem) => Err(EngineError::BadName { name: name.to_owned(), why: problem.to_string() }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn plan_path(&self) -> PathBuf {
        self.path.join("plan.json")
    }

    pub fn state_path(&self) -> PathBuf {
        self.path.join("state.json")
    }

    pub fn events_path(&self) -> PathBuf {
        self.path.join("events.jsonl")
    }

    /// Returns true if a run with this name was started.
    pub fn is_begun(&self) -> bool {
        self.plan_path().is_file()
    }

    /// Reads the frozen plan of the run.
    pub fn plan(&self) -> Result<Plan, EngineError> {
        Ok(Frozen::read(self)?.plan)
    }

    /// Reads the plan, and rejects it if it is not the one the run was started with.
    pub fn trusted_plan(&self) -> Result<Plan, EngineError> {
        let frozen = Frozen::read(self)?;
        if let Some(state) = rebuild::find(self, &frozen.plan)?.state {
            frozen.check(self, &state)?;
        }
        Ok(frozen.plan)
    }

    /// Reads the run's state; `None` if its engine did not get that far.
    pub fn state(&self) -> Result<Option<State>, EngineError> {
        let path = self.state_path();
        let damaged = |why: String| EngineError::Damaged { path: path.clone(), why };
        let bytes = match read_capped(&path, STATE_LIMIT) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            Err(StoreError::NotAFile { .. }) => return Err(damaged("it is not a regular file".to_owned())),
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::FileTooLarge => {
                return Err(damaged(source.to_string()));
            }
            Err(error) => return Err(error.into()),
        };
        match serde_json::from_slice::<State>(&bytes) {
            Ok(state) if state.schema > STATE_SCHEMA => {
                Err(EngineError::Newer { path: self.state_path(), found: state.schema, known: STATE_SCHEMA })
            }
            Ok(state) => Ok(Some(state)),
            Err(error) => Err(damaged(error.to_string())),
        }
    }

    /// The engine that works on the run, if any.
    pub fn engine(&self) -> Option<Holder> {
        match RunLock::look(&self.path) {
            Look::Held(holder) => Some(holder),
            Look::Left => None,
            Look::Gone => unlocked_engine(&self.state().ok().flatten()?),
        }
    }

    /// What is wrong with the history of a run in this state, if anything is.
    pub fn lost_events(&self, state: &State) -> Option<&'static str> {
        match fs::symlink_metadata(self.events_path()) {
            _ if state.nodes.iter().all(|at| at.iteration == 0) => None,
            Ok(data) if data.is_file() && data.len() >= state.events_bytes.max(1) => None,
            Ok(data) if data.is_file() && data.len() > 0 => {
                Some("`events.jsonl` was shortened; what happened in the run is not recorded completely")
            }
            Ok(data) if data.is_file() => Some("`events.jsonl` was emptied; what happened in the run is not recorded"),
            _ => Some("`events.jsonl` is missing; what happened in the run is not recorded"),
        }
    }

    /// The status of a node's last completed iteration, if its file still exists.
    pub fn last_status(&self, at: &NodeState) -> Option<Status> {
        (at.iteration_completed > 0).then(|| self.iteration_status(at, at.iteration_completed)).flatten()
    }

    /// The status of one of a node's iterations, if its file still exists.
    pub(crate) fn iteration_status(&self, at: &NodeState, iteration: u32) -> Option<Status> {
        Status::read(&self.iteration_dir(&at.dir, iteration).join(attempt::STATUS)).ok()
    }

    /// The error for a run that was never started.
    pub fn unknown(&self) -> EngineError {
        if self.state_path().is_file() {
            return EngineError::Damaged { path: self.plan_path(), why: "it is missing".to_owned() };
        }
        if self.path.is_dir() {
            return EngineError::NotBegun { run: self.name.clone() };
        }
        let names = self.path.parent().map(names).unwrap_or_default();
        let near = nearest(&self.name, names.iter().map(String::as_str)).map(str::to_owned);
        EngineError::UnknownRun { run: self.name.clone(), nearest: near }
    }

    pub fn stage_dir(&self, node: &Node) -> PathBuf {
        self.path.join(&node.dir)
    }

    /// The folder of one iteration.
    pub fn iteration_dir(&self, dir: &str, iteration: u32) -> PathBuf {
        self.path.join(dir).join("iterations").join(iteration_name(iteration))
    }
}

/// The engine of a run whose lock is gone: agents can delete it, and then the agents show whether their engine is
/// alive. The lock is checked before the state is read, because an engine releases it after its last state.
pub(crate) fn unlocked_engine(state: &State) -> Option<Holder> {
    let is_running = state.status == RunStatus::Running;
    let engine = is_running.then(|| custody::living_engine(&state.run_id)).flatten()?;
    Some(Holder::of(&engine, &state.started_at))
}

/// Three digits, or more if needed.
pub(crate) fn iteration_name(iteration: u32) -> String {
    format!("{iteration:03}")
}

/// The names of all runs, in name order.
pub(crate) fn names(runs: &Path) -> Vec<String> {
    let mut names: Vec<String> = match fs::read_dir(runs) {
        Ok(entries) => entries
            .flatten()
            .filter(|entry| entry.path().join("plan.json").is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| FileId::check(name).is_ok())
            .collect(),
        Err(_) => Vec::new(),
    };
    names.sort();
    names
}

/// Makes sure that a folder exists. One that a link leads out of the project is refused.
pub(crate) fn make_dir(path: &Path) -> Result<(), EngineError> {
    create_parents(&path.join("plan.json"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_have_as_many_digits_as_they_need() {
        assert_eq!([1, 42, 999, 1000, 12_345].map(iteration_name), ["001", "042", "999", "1000", "12345"]);
    }
}
