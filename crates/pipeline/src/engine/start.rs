use std::ffi::OsString;

use stead_model::rfc3339;
use uuid::Uuid;

use super::folder::{RunFolder, make_dir};
use super::frozen::Frozen;
use super::run::Run;
use super::{EngineError, RunEnd, Surroundings, discard, output_path, resume, worktree};
use crate::custody::Ended;
use crate::event::RunEvent;
use crate::lock::RunLock;
use crate::state::State;
use crate::{Change, Plan};

/// Executes runs.
pub struct Engine;

impl Engine {
    /// Starts a run and works until it has ended. The plan is frozen in the run's folder.
    pub fn start(plan: &Plan, folder: &RunFolder, around: &Surroundings<'_>) -> Result<RunEnd, EngineError> {
        let exists = || EngineError::Exists { run: folder.name().to_owned() };
        if plan.run != folder.name() {
            return Err(EngineError::Mismatch { why: format!("the plan is for run `{}`", plan.run) });
        }
        for (node, output) in plan.nodes.iter().filter_map(|node| Some((node, node.output.as_ref()?))) {
            output_path::check(around.root, output).map_err(|why| EngineError::Output {
                stage: node.stage.clone(),
                output: output.clone(),
                why,
            })?;
        }
        if let Some(node) = plan.nodes.iter().find(|node| node.worktree) {
            worktree::base(around.root).map_err(|why| EngineError::NoTrees { stage: node.stage.clone(), why })?;
        }
        make_dir(folder.path())?;
        let lock = take(folder, around)?;
        // Checked under the lock, so that only one of two concurrent starts wins.
        if folder.is_begun() || folder.state_path().exists() {
            return Err(exists());
        }
        let frozen = Frozen::of(plan.clone())?;
        frozen.write(folder)?;
        begin(&frozen, folder, &lock, around)
    }

    /// Resumes a run where it stopped. A finished run stays finished.
    pub fn resume(folder: &RunFolder, around: &Surroundings<'_>) -> Result<RunEnd, EngineError> {
        Self::resume_changed(folder, &Change::default(), around)
    }

    /// Resumes a run where it stopped, with changes to what is still to be done. The plan records the change.
    pub fn resume_changed(
        folder: &RunFolder,
        change: &Change,
        around: &Surroundings<'_>,
    ) -> Result<RunEnd, EngineError> {
        if !folder.is_begun() {
            return Err(folder.unknown());
        }
        let lock = take(folder, around)?;
        resume::resume(folder, change, &lock, around)
    }

    /// What is still to be done in a run with this change, as a plan; it changes nothing. A node needs only what is still to
    /// be done, too, so that those without needs start first.
    pub fn ahead(folder: &RunFolder, change: &Change, now: &str) -> Result<Plan, EngineError> {
        resume::ahead(folder, change, now)
    }

    /// Removes a run of which no agent ever started.
    pub fn discard_unstarted(
        folder: &RunFolder,
        env: &dyn Fn(&str) -> Option<OsString>,
        now: &str,
    ) -> Result<(), EngineError> {
        discard::unstarted(folder, env, now)
    }

    /// Removes the files of a run that has ended and left no worktrees.
    pub fn discard_ended(
        folder: &RunFolder,
        env: &dyn Fn(&str) -> Option<OsString>,
        now: &str,
    ) -> Result<(), EngineError> {
        discard::ended(folder, env, now)
    }

    /// Ends what a dead engine left running, and cancels the run.
    pub fn end_left(folder: &RunFolder, around: &Surroundings<'_>) -> Result<Vec<Ended>, EngineError> {
        if !folder.is_begun() {
            return Err(folder.unknown());
        }
        let _lock = take(folder, around)?;
        resume::end_left(folder, around)
    }
}

pub(super) fn begin(
    frozen: &Frozen,
    folder: &RunFolder,
    lock: &RunLock,
    around: &Surroundings<'_>,
) -> Result<RunEnd, EngineError> {
    let plan = &frozen.plan;
    let mut state = State::new(plan, Uuid::new_v4().to_string(), rfc3339((around.now)()));
    state.plan_sha1 = Some(frozen.sha1.clone());
    let started = RunEvent::RunStarted {
        run: plan.run.clone(),
        run_id: state.run_id.clone(),
        nodes: u32::try_from(plan.nodes.len()).unwrap_or(u32::MAX),
        plan_sha1: Some(frozen.sha1.clone()),
        pid: std::process::id(),
    };
    let run = Run::new(frozen, folder, lock, around, state);
    run.journal.tell(started)?;
    run.journal.commit(|_| ())?;
    run.execute()
}

fn take(folder: &RunFolder, around: &Surroundings<'_>) -> Result<RunLock, EngineError> {
    RunLock::take(folder.path(), &rfc3339((around.now)())).map_err(|error| EngineError::of_lock(folder.name(), error))
}
