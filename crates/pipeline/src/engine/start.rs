use stead_model::rfc3339;
use stead_store::Durability;
use uuid::Uuid;

use super::board;
use super::folder::{RunFolder, make_dir};
use super::journal::write_json;
use super::run::Run;
use super::{EngineError, RunEnd, Surroundings};
use crate::Plan;
use crate::custody;
use crate::event::RunEvent;
use crate::lock::{LockError, RunLock};
use crate::state::{RunStatus, State};

/// What executes a run.
pub struct Engine;

impl Engine {
    /// Begins a run and works until it has ended. The plan is frozen in the run's folder.
    pub fn start(plan: &Plan, folder: &RunFolder, around: &Surroundings<'_>) -> Result<RunEnd, EngineError> {
        let exists = || EngineError::Exists { run: folder.name().to_owned() };
        if plan.run != folder.name() {
            return Err(EngineError::Mismatch { why: format!("the plan is for run `{}`", plan.run) });
        }
        make_dir(folder.path())?;
        let _lock = take(folder, around)?;
        // Looked at under the lock, so that of two that start at once only one begins.
        if folder.is_begun() || folder.state_path().exists() {
            return Err(exists());
        }
        write_json(&folder.plan_path(), plan, Durability::Synced)?;
        begin(plan, folder, around)
    }

    /// Takes a run up where it stopped. A run that is over stays so.
    pub fn resume(folder: &RunFolder, around: &Surroundings<'_>) -> Result<RunEnd, EngineError> {
        if !folder.is_begun() {
            return Err(folder.unknown());
        }
        let _lock = take(folder, around)?;
        let plan = folder.plan()?;
        let Some(mut state) = folder.state()? else {
            return begin(&plan, folder, around);
        };
        if plan.nodes.len() != state.nodes.len() || plan.nodes.iter().zip(&state.nodes).any(|(a, b)| a.id != b.id) {
            return Err(EngineError::Mismatch { why: "`plan.json` and `state.json` name other stages".to_owned() });
        }
        // Nobody may be at work when the next agent starts.
        let survivors = custody::end_survivors(&state.run_id, &around.cancel);
        let before = state.status;
        if matches!(before, RunStatus::Done | RunStatus::Limit) {
            return Ok(RunEnd::of(folder, state));
        }
        board::reopen(&plan, &mut state);
        state.status = RunStatus::Running;
        state.resumes = state.resumes.saturating_add(1);
        (state.failed_at, state.error, state.reason, state.resume_from, state.ended_at) =
            (None, None, None, None, None);
        let run = Run::new(&plan, folder, around, state);
        let survivors = u32::try_from(survivors.len()).unwrap_or(u32::MAX);
        run.journal.tell(RunEvent::RunResumed { status: before, survivors })?;
        run.journal.commit(|_| ())?;
        run.execute()
    }
}

fn begin(plan: &Plan, folder: &RunFolder, around: &Surroundings<'_>) -> Result<RunEnd, EngineError> {
    let state = State::new(plan, Uuid::new_v4().to_string(), rfc3339((around.now)()));
    let started = RunEvent::RunStarted {
        run: plan.run.clone(),
        run_id: state.run_id.clone(),
        nodes: u32::try_from(plan.nodes.len()).unwrap_or(u32::MAX),
    };
    let run = Run::new(plan, folder, around, state);
    run.journal.tell(started)?;
    run.journal.commit(|_| ())?;
    run.execute()
}

fn take(folder: &RunFolder, around: &Surroundings<'_>) -> Result<RunLock, EngineError> {
    let run = || folder.name().to_owned();
    RunLock::take(folder.path(), &rfc3339((around.now)())).map_err(|error| match error {
        LockError::Held { holder } => {
            EngineError::Held { run: run(), holder: format!("process {}, since {}", holder.pid, holder.since) }
        }
        LockError::HeldByStranger => EngineError::Held { run: run(), holder: "it did not say which".to_owned() },
        LockError::Io { path, source } => EngineError::io("take the lock", &path, source),
    })
}
