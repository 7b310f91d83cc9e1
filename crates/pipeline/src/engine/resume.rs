//! Resumes a run: what is left of it, what to change, and what is still to do. The caller holds the run's lock.

use std::collections::BTreeSet;
use std::fs;

use stead_model::rfc3339;
use uuid::Uuid;

use super::folder::RunFolder;
use super::frozen::Frozen;
use super::journal::Journal;
use super::node_end::NodeEnd;
use super::rebuild::{self, FoundState};
use super::run::Run;
use super::start::begin;
use super::{EngineError, RunEnd, Surroundings, adopt, amend, board};
use crate::custody::{self, Ended};
use crate::event::RunEvent;
use crate::lock::{Holder, RunLock};
use crate::state::{NodeState, NodeStatus, RunStatus, State, seconds};
use crate::{Change, Extension, Plan};

pub(super) fn resume(
    folder: &RunFolder,
    change: &Change,
    lock: &RunLock,
    around: &Surroundings<'_>,
) -> Result<RunEnd, EngineError> {
    let frozen = Frozen::read(folder)?;
    let FoundState { state, damage } = rebuild::find(folder, &frozen.plan)?;
    let fresh = || State::new(&frozen.plan, String::new(), rfc3339((around.now)()));
    let is_new = state.is_none() && damage.is_none();
    let mut state = state.unwrap_or_else(fresh);
    frozen.check(folder, &state)?;
    check_nodes(&frozen.plan, &state)?;
    check_orphaned(folder, &state)?;
    // Before anything is ended: whoever is still at work has not finished.
    let finished = adopt::finished(folder, &state, around);
    // Nothing may be running when the next agent starts.
    let survivors = adopt::end_survivors(folder, &state, &around.cancel);
    let next = match change.is_empty() {
        true => None,
        false => Some(amended(&frozen, folder, &state, change, around)?),
    };
    if is_new {
        // Killed between its plan and its first state.
        let plan = next.unwrap_or(frozen);
        plan.write(folder)?;
        return begin(&plan, folder, lock, around);
    }
    if damage.is_some() {
        rebuild::put_aside(&folder.state_path())?;
        state.run_id = Some(state.run_id).filter(|id| !id.is_empty()).unwrap_or_else(|| Uuid::new_v4().to_string());
    }

    let before = state.status;
    let in_force = next.as_ref().unwrap_or(&frozen);
    amend::forget_quotas(&frozen.plan, &in_force.plan, &mut state);
    let raised = board::reopen(&in_force.plan, &mut state);
    let is_over = matches!(before, RunStatus::Done | RunStatus::Limit | RunStatus::Unverified) && raised.is_empty();
    if !is_over {
        state.begin_again();
    }
    state.plan_sha1 = Some(frozen.sha1.clone());
    state.next_plan_sha1 = next.as_ref().map(|next| next.sha1.clone());
    let lost = folder.lost_events(&state);
    if fs::symlink_metadata(folder.events_path()).is_ok_and(|data| !data.is_file()) {
        rebuild::put_aside(&folder.events_path())?;
    }
    let mut run = Run::new(in_force, folder, lock, around, state);
    run.finished = finished;
    if is_over {
        if damage.is_some() {
            run.journal.commit(|_| ())?;
        }
        return Ok(RunEnd::of(folder, run.journal.state()));
    }
    let survivors = u32::try_from(survivors.len()).unwrap_or(u32::MAX);
    run.journal.tell(RunEvent::RunResumed { status: before, survivors, pid: std::process::id() })?;
    if let Some(lost) = lost {
        run.journal.tell(RunEvent::Warning { node: None, message: lost.to_owned() })?;
    }
    if let Some(damage) = damage {
        let message = format!("`state.json` was rebuilt from the run's other files: {damage}");
        run.journal.tell(RunEvent::Warning { node: None, message })?;
    }
    if let Some(next) = &next {
        tell_amendment(&run, next)?;
    }
    warn_about_ended(&run, &raised)?;
    run.journal.commit(|_| ())?;
    if let Some(next) = &next {
        // The state names both plans while one replaces the other.
        next.write(folder)?;
        run.journal.commit(|state| state.plan_sha1 = state.next_plan_sha1.take())?;
    }
    run.execute()
}

/// What is still to be done, as a plan. If nothing is, it has no nodes.
pub(super) fn ahead(folder: &RunFolder, change: &Change, now: &str) -> Result<Plan, EngineError> {
    let Frozen { mut plan, .. } = Frozen::read(folder)?;
    let found = rebuild::find(folder, &plan)?.state;
    let mut state = found.unwrap_or_else(|| State::new(&plan, String::new(), now.to_owned()));
    check_nodes(&plan, &state)?;
    if !change.is_empty() {
        // A change that affects nothing is refused when the run continues.
        plan = amend::amend(&plan, &state, change, now.to_owned()).unwrap_or(plan);
    }
    // They are verified again, which needs no agent unless they have room for another iteration.
    let is_checked =
        |index: usize| state.nodes[index].status == NodeStatus::Unverified && !board::has_room(&plan, &state, index);
    let checked: Vec<bool> = (0..plan.nodes.len()).map(is_checked).collect();
    board::reopen(&plan, &mut state);
    let mut open = state.nodes.iter().zip(checked).map(|(at, is_checked)| !at.is_over() && !is_checked);
    plan.nodes.retain(|_| open.next().unwrap_or_default());
    let stages: BTreeSet<String> = plan.nodes.iter().map(|node| node.stage.clone()).collect();
    for node in &mut plan.nodes {
        node.needs.retain(|stage| stages.contains(stage));
    }
    Ok(plan)
}

/// The lock is ours, but an engine whose lock was deleted may still work, and its agents are not ours to end.
fn check_orphaned(folder: &RunFolder, state: &State) -> Result<(), EngineError> {
    match custody::living_engine(&state.run_id) {
        Some(engine) => Err(EngineError::held(folder.name(), &Holder::of(&engine, &state.started_at))),
        None => Ok(()),
    }
}

fn check_nodes(plan: &Plan, state: &State) -> Result<(), EngineError> {
    let is_same =
        plan.nodes.len() == state.nodes.len() && plan.nodes.iter().zip(&state.nodes).all(|(a, b)| a.id == b.id);
    let mismatch = || EngineError::Mismatch { why: "`plan.json` and `state.json` name different stages".to_owned() };
    if is_same { Ok(()) } else { Err(mismatch()) }
}

fn amended(
    frozen: &Frozen,
    folder: &RunFolder,
    state: &State,
    change: &Change,
    around: &Surroundings<'_>,
) -> Result<Frozen, EngineError> {
    let settled = || {
        let limited = state.nodes.iter().filter(|at| at.status == NodeStatus::Limit && at.has_used_its_iterations());
        EngineError::Settled {
            run: folder.name().to_owned(),
            status: state.status.name(),
            most: limited.map(|at| at.iteration_completed).min(),
            needed: Extension::of(&frozen.plan, state),
        }
    };
    let plan = amend::amend(&frozen.plan, state, change, rfc3339((around.now)()));
    Frozen::of(plan.ok_or_else(settled)?)
}

fn tell_amendment(run: &Run<'_>, next: &Frozen) -> Result<(), EngineError> {
    let Some(amendment) = next.plan.amendments.last() else { return Ok(()) };
    let (change, nodes) = (amendment.change.clone(), amendment.nodes.clone());
    run.journal.tell(RunEvent::PlanAmended { change, nodes, plan_sha1: next.sha1.clone() })
}

/// A finished stage is not repeated, even if an earlier one continues.
fn warn_about_ended(run: &Run<'_>, raised: &[usize]) -> Result<(), EngineError> {
    for index in board::after(run.plan, raised) {
        let status = run.journal.ask(|state| state.nodes[index].status);
        if matches!(status, NodeStatus::Done | NodeStatus::Limit | NodeStatus::Unverified) {
            let message = "it already ended and will not see new results of earlier stages";
            run.journal.warn(&run.plan.nodes[index].id, message)?;
        }
    }
    Ok(())
}

/// Ends what a dead engine left running. A run that has ended has nothing to end.
pub(super) fn end_left(folder: &RunFolder, around: &Surroundings<'_>) -> Result<Vec<Ended>, EngineError> {
    let FoundState { state, damage } = rebuild::find(folder, &folder.plan()?)?;
    let not_running = || EngineError::NotRunning { run: folder.name().to_owned() };
    let state = state.filter(|state| state.status == RunStatus::Running).ok_or_else(not_running)?;
    check_orphaned(folder, &state)?;
    let ended = adopt::end_survivors(folder, &state, &around.cancel);
    if damage.is_some() {
        rebuild::put_aside(&folder.state_path())?;
    }
    let elapsed = seconds(state.elapsed_seconds);
    let cost_usd = state.cost_usd;
    let journal = Journal::new(folder, around, state);
    let status = RunStatus::Cancelled;
    let why = "its engine had died, so it was stopped";
    let is_at_work = |at: &&NodeState| matches!(at.status, NodeStatus::Running | NodeStatus::Waiting);
    for at in journal.state().nodes.iter().filter(is_at_work) {
        journal.tell(NodeEnd::Cancelled(why.to_owned()).event(at))?;
    }
    journal.tell(RunEvent::RunEnded { status, seconds: elapsed, cost_usd, error: None })?;
    let now = journal.now();
    journal.commit(|state| {
        (state.status, state.ended_at) = (status, Some(now));
        for at in state.nodes.iter_mut().filter(|at| is_at_work(&&**at)) {
            at.status = NodeStatus::Cancelled;
        }
        let open = state.nodes.iter().find(|node| !node.is_over());
        state.resume_from = open.map(|node| node.iteration_completed + 1);
        state.reason = Some(why.to_owned());
    })?;
    Ok(ended)
}
