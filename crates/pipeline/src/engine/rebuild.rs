//! Rebuilds a lost or corrupt state from the other files of the run, so that no finished iteration is repeated.
//!
//! The events contain everything that counts. If they are lost too, the folders of the iterations are used; the last
//! one of a stage then proves nothing, because nobody knows whether it was judged.

use std::fs;
use std::path::Path;

use stead_model::unix_millis;
use stead_store::{Lines, StoreError};

use super::folder::RunFolder;
use super::{EngineError, attempt, board};
use crate::event::{EventLine, RunEvent};
use crate::state::{ErrorKind, NodeState, NodeStatus, RunStatus, State, dollars, seconds};
use crate::status::{Decision, Status};
use crate::{Node, Outcome, Plan, Provider};

/// The state of a run, and what is wrong with its file.
pub(crate) struct FoundState {
    /// `None` if the run did not get that far.
    pub(crate) state: Option<State>,
    pub(crate) damage: Option<String>,
}

/// Reads the state, or rebuilds it.
pub(crate) fn find(folder: &RunFolder, plan: &Plan) -> Result<FoundState, EngineError> {
    let damage = match folder.state() {
        Ok(Some(state)) => return Ok(FoundState { state: Some(state), damage: None }),
        Ok(None) => None,
        Err(EngineError::Damaged { why, .. }) => Some(why),
        Err(other) => return Err(other),
    };
    let state = match from_events(folder, plan)? {
        Some(state) => Some(state),
        None => from_folders(folder, plan),
    };
    let damage = damage.or_else(|| state.is_some().then(|| "it is missing".to_owned()));
    Ok(FoundState { state, damage })
}

/// Moves a corrupt file of the run aside and keeps it, as in `state.damaged`.
pub(crate) fn put_aside(path: &Path) -> Result<(), EngineError> {
    let exists = |path: &Path| fs::symlink_metadata(path).is_ok();
    if !exists(path) {
        return Ok(());
    }
    let numbered = (2..).map(|number| path.with_extension(format!("damaged-{number}")));
    let mut names = std::iter::once(path.with_extension("damaged")).chain(numbered);
    let free = names.find(|name| !exists(name)).unwrap_or_else(|| path.to_owned());
    fs::rename(path, free).map_err(|source| EngineError::io("move aside", path, source))
}

fn from_events(folder: &RunFolder, plan: &Plan) -> Result<Option<State>, EngineError> {
    let lines = match Lines::open(&folder.events_path()) {
        Ok(lines) => lines,
        Err(StoreError::NotAFile { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut replay = Replay { plan, state: None, before: 0.0, since: None };
    for line in lines {
        // A line of a later version contains nothing that this version counts.
        if let Ok(line) = serde_json::from_str::<EventLine>(&line?.text) {
            replay.take(line);
        }
    }
    // If nothing was started there is nothing to lose, and the run simply starts.
    let is_begun =
        |state: &State| state.status != RunStatus::Running || state.nodes.iter().any(|node| node.iteration > 0);
    Ok(replay.state.filter(is_begun).map(|mut state| {
        state.cost_usd = dollars(state.nodes.iter().map(|node| node.cost_usd).sum());
        state
    }))
}

/// The state that follows from the events so far.
struct Replay<'a> {
    plan: &'a Plan,
    state: Option<State>,
    /// The time of engines before the current one.
    before: f64,
    since: Option<i64>,
}

impl Replay<'_> {
    fn take(&mut self, line: EventLine) {
        if let RunEvent::RunStarted { run_id, plan_sha1, .. } = &line.event {
            let mut state = State::new(self.plan, run_id.clone(), line.ts.clone());
            state.plan_sha1.clone_from(plan_sha1);
            (self.state, self.before, self.since) = (Some(state), 0.0, unix_millis(&line.ts));
            return;
        }
        let Some(state) = &mut self.state else { return };
        state.updated_at.clone_from(&line.ts);
        if let (RunStatus::Running, Some(since), Some(now)) = (state.status, self.since, unix_millis(&line.ts)) {
            state.elapsed_seconds = seconds(self.before + (now.saturating_sub(since)).max(0) as f64 / 1000.0);
        }
        match line.event {
            RunEvent::RunResumed { status, .. } => {
                state.status = status;
                board::reopen(self.plan, state);
                state.begin_again();
                (self.before, self.since) = (state.elapsed_seconds, unix_millis(&line.ts));
            }
            RunEvent::PlanAmended { change, nodes, plan_sha1 } => {
                for (at, node) in state.nodes.iter_mut().zip(&self.plan.nodes) {
                    if nodes.contains(&at.id) && change.provider.as_ref() == Some(&node.provider) {
                        at.waiting_until = None;
                    }
                }
                if let Some(next) = state.next_plan_sha1.replace(plan_sha1) {
                    state.plan_sha1 = Some(next);
                }
            }
            RunEvent::RunEnded { status, seconds, error, .. } => {
                state.status = status;
                state.elapsed_seconds = seconds;
                state.failed_at = (status == RunStatus::Failed).then(|| line.ts.clone());
                state.reason = error.as_ref().map(|error| error.message.clone());
                if let Some(error) = &error
                    && let Some(node) = state.nodes.iter_mut().find(|node| node.id == error.stage)
                {
                    node.error = Some(error.clone());
                }
                (state.error, state.ended_at) = (error, Some(line.ts));
            }
            event => {
                let id = event.node().map(str::to_owned);
                let Some(index) = id.and_then(|id| state.nodes.iter().position(|node| node.id == id)) else { return };
                if let Some(node) = self.plan.nodes.get(index) {
                    note(&mut state.nodes[index], node, event);
                }
            }
        }
    }
}

/// What an event of a node changes in its counters.
fn note(at: &mut NodeState, node: &Node, event: RunEvent) {
    match event {
        RunEvent::StageStarted { iteration, max_iterations, worktree_base, .. } => {
            (at.status, at.iteration, at.max_iterations) = (NodeStatus::Running, iteration, max_iterations);
            at.worktree_base = worktree_base.or(at.worktree_base.take());
        }
        RunEvent::IterationStarted { iteration, .. } => {
            (at.status, at.iteration) = (NodeStatus::Running, iteration);
            // A restarted node was reported as ended, but its engine did not live to record it.
            at.iteration_completed = at.iteration_completed.min(iteration.saturating_sub(1));
        }
        RunEvent::IterationEnded {
            iteration,
            decision,
            blocked_on,
            failure,
            consecutive_stops,
            seconds: took,
            cost_usd,
            ..
        } => {
            at.elapsed_seconds = seconds(at.elapsed_seconds + took);
            at.cost_usd = dollars(at.cost_usd + cost_usd.unwrap_or_default());
            // An attempt rejected for its quota, cancelled or never started had no cost to report.
            let has_worked = decision.is_some() || failure.is_some_and(|failure| failure != ErrorKind::Start);
            at.cost_unknown |= has_worked && cost_usd.is_none() && node.provider != Provider::Mock;
            // Its output was kept before this was reported.
            if blocked_on.is_none() && matches!(decision, Some(Decision::Continue | Decision::Stop)) {
                (at.iteration_completed, at.consecutive_stops) = (iteration, consecutive_stops);
                (at.waiting_until, at.unverified) = (None, None);
            }
        }
        RunEvent::Withheld { why, .. } => at.unverified = Some(why),
        RunEvent::Waiting { until, .. } => (at.status, at.waiting_until) = (NodeStatus::Waiting, Some(until)),
        RunEvent::StageEnded { status, iterations, seconds, cost_usd, why, .. } => {
            match status {
                NodeStatus::Unverified => drop(at.unverified.get_or_insert(why)),
                NodeStatus::Done => at.unverified = None,
                _ => {}
            }
            (at.status, at.iteration_completed) = (status, at.iteration_completed.max(iterations));
            (at.elapsed_seconds, at.cost_usd) = (seconds, cost_usd);
            at.outcome = match status {
                NodeStatus::Done => Some(Outcome::Done),
                NodeStatus::Limit => Some(Outcome::Limit),
                NodeStatus::Unverified => Some(Outcome::Unverified),
                NodeStatus::Skipped => Some(Outcome::Skipped),
                NodeStatus::Failed => Some(Outcome::Failed),
                _ => None,
            };
        }
        _ => {}
    }
}

/// `None` if no stage was started.
fn from_folders(folder: &RunFolder, plan: &Plan) -> Option<State> {
    let is_begun = |node: &Node| folder.stage_dir(node).join("iterations").is_dir();
    if !plan.nodes.iter().any(is_begun) {
        return None;
    }
    let mut state = State::new(plan, String::new(), plan.created_at.clone());
    for (node, at) in plan.nodes.iter().zip(&mut state.nodes).filter(|(node, _)| is_begun(node)) {
        let mut kept = 0;
        while is_kept(&folder.iteration_dir(&node.dir, kept + 1)) {
            kept += 1;
        }
        let is_followed = plan.nodes.iter().any(|other| other.needs.contains(&node.stage) && is_begun(other));
        let is_last = !folder.iteration_dir(&node.dir, kept + 1).is_dir();
        at.iteration_completed = if is_last && !is_followed { kept.saturating_sub(1) } else { kept };
        at.iteration = at.iteration_completed;
        if is_followed {
            (at.status, at.outcome) = (NodeStatus::Done, Some(Outcome::Done));
        }
    }
    Some(state)
}

fn is_kept(dir: &Path) -> bool {
    dir.join(attempt::OUTPUT).is_file()
        && Status::read(&dir.join(attempt::STATUS))
            .is_ok_and(|status| status.decision != Decision::Error && status.blocked_on.is_none())
}
