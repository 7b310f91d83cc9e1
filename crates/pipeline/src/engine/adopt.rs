//! Agents that finished their work while no engine was there to see it: the engine was killed, the agent wrote a valid
//! status and ended. Its iteration counts, instead of being repeated.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use stead_feature::FeatureList;

use super::attempt::{self, AGENT};
use super::folder::RunFolder;
use super::iteration::IterationFiles;
use super::node_run::NodeRun;
use super::{EngineError, Surroundings};
use crate::custody::{self, Cancel, Ended, How, Started};
use crate::event::RunEvent;
use crate::provider;
use crate::state::{NodeState, NodeStatus, State};
use crate::status::{Decision, Status};

/// The agents of unfinished iterations, as their files name them.
pub fn agents(folder: &RunFolder, state: &State) -> Vec<Started> {
    state.nodes.iter().filter_map(|at| Started::read(&current(folder, at).join(AGENT))).collect()
}

/// The nodes whose agent finished while no engine was there. An attempt that failed or was cancelled is recorded as such in
/// its files, so it is none of them.
pub(super) fn finished(folder: &RunFolder, state: &State, around: &Surroundings<'_>) -> BTreeSet<usize> {
    let is_finished = |at: &NodeState| {
        // If it was the engine that failed, it would fail again in the same way.
        let dir = current(folder, at);
        at.status != NodeStatus::Failed
            && Started::read(&dir.join(AGENT)).is_some_and(|started| started.has_finished())
            && valid_status(&dir).is_some()
            && !is_list_changed(&dir, around)
    };
    state.nodes.iter().enumerate().filter(|(_, at)| is_finished(at)).map(|(index, _)| index).collect()
}

/// Ends what a dead engine left running. Agents among it are first recorded as ended by force, so that no later engine takes
/// them for finished.
pub(super) fn end_survivors(folder: &RunFolder, state: &State, cancel: &Cancel) -> Vec<Ended> {
    for at in &state.nodes {
        let path = current(folder, at).join(AGENT);
        if let Some(started) = Started::read(&path).filter(|started| !started.has_ended && !started.has_finished()) {
            started.ended(&How::Cancelled).write(&path);
        }
    }
    custody::end_survivors(&state.run_id, &agents(folder, state), cancel)
}

/// The folder of a node's next iteration.
fn current(folder: &RunFolder, at: &NodeState) -> std::path::PathBuf {
    folder.iteration_dir(&at.dir, at.iteration_completed + 1)
}

/// The status of a completed iteration.
fn valid_status(dir: &Path) -> Option<Status> {
    let status = Status::read(&dir.join(attempt::STATUS)).ok()?;
    (status.decision != Decision::Error && status.blocked_on.is_none()).then_some(status)
}

/// Returns true if the feature list was changed since the agent started: the engine compares it with what it was before,
/// and that is lost.
fn is_list_changed(dir: &Path, around: &Surroundings<'_>) -> bool {
    let Some(support) = around.features else { return false };
    match (modified(&support.ground.features.join(FeatureList::FILE)), modified(&dir.join(attempt::CONTEXT))) {
        (Some(list), Some(started)) => list >= started,
        (list, _) => list.is_some(),
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).and_then(|data| data.modified()).ok()
}

impl NodeRun<'_> {
    /// Completes the iteration of an agent that finished while no engine was there. `None` if it cannot; then the iteration
    /// is repeated.
    pub(super) fn adopt(&mut self, files: &IterationFiles) -> Result<Option<bool>, EngineError> {
        if !std::mem::take(&mut self.may_adopt) || self.run.plan.orchestrate.is_some() {
            return Ok(None);
        }
        let Some(status) = valid_status(&files.dir) else { return Ok(None) };
        let end = provider::logged_end(self.provider(), &files.file(attempt::LOG));
        let worked = self.worked(files, end);
        if worked.quota.is_some() {
            return Ok(None);
        }
        let (node, iteration) = (self.node.id.clone(), files.iteration);
        self.run.journal.tell(RunEvent::Adopted { node, iteration })?;
        self.warn_about_form(&status)?;
        self.run.mind()?;
        self.complete(files, status, &worked, started(files)).map(Some)
    }
}

/// When an agent started, by its files: from its context to its status it took as long.
fn started(files: &IterationFiles) -> Instant {
    let took = match (modified(&files.file(attempt::CONTEXT)), modified(&files.file(attempt::STATUS))) {
        (Some(from), Some(until)) => until.duration_since(from).unwrap_or_default(),
        _ => Duration::ZERO,
    };
    let now = Instant::now();
    now.checked_sub(took).unwrap_or(now)
}
