//! Applies a change requested with `--resume` to a plan: it affects only what is still to be done. Pure.

use super::board::{self, StageProgress};
use crate::state::{NodeStatus, RunStatus, State};
use crate::{Amendment, Change, Outcome, Plan, Provider};

/// The amended plan, or `None` if the change affects nothing.
pub(crate) fn amend(plan: &Plan, state: &State, change: &Change, now: String) -> Option<Plan> {
    let count = plan.nodes.len().min(state.nodes.len());
    let raised: Vec<usize> = (0..count).filter(|index| is_raised(plan, state, *index, change)).collect();
    let open: Vec<usize> = (0..count).filter(|index| is_open(plan, state, *index)).collect();
    let begun: Vec<usize> = open.iter().copied().filter(|index| is_begun(plan, state, *index)).collect();
    // A stage that has not started keeps its own limit, unless nothing else can be meant.
    let bounded = if raised.is_empty() && begun.is_empty() { &open } else { &begun };

    let mut amended = plan.clone();
    let mut nodes = Vec::new();
    for index in 0..count {
        let (is_raised, is_open) = (raised.contains(&index), open.contains(&index));
        if !is_raised && !is_open {
            continue;
        }
        let node = &mut amended.nodes[index];
        let mut is_changed = !change.inputs.is_empty();
        if let Some(most) = change.max_iterations.filter(|_| is_raised || bounded.contains(&index)) {
            node.guardrails.max_iterations = most;
            is_changed = true;
        }
        // Branches over providers keep theirs, as when a run starts.
        let has_own = node.branch.as_ref().is_some_and(|branch| branch.item.is_none());
        if let Some(provider) = change.provider.as_ref().filter(|wanted| !has_own || **wanted == Provider::Mock) {
            node.provider = provider.clone();
            is_changed = true;
        }
        if let Some(model) = &change.model {
            node.model = Some(model.clone());
            is_changed = true;
        }
        if is_changed {
            nodes.push(node.id.clone());
        }
    }
    if nodes.is_empty() {
        return None;
    }
    for input in &change.inputs {
        if !amended.initial_inputs.contains(input) {
            amended.initial_inputs.push(input.clone());
        }
    }
    amended.amendments.push(Amendment { at: now, change: change.clone(), nodes });
    Some(amended)
}

/// Clears wait times if another provider takes over: a quota belongs to the provider that stated it.
pub(crate) fn forget_quotas(before: &Plan, after: &Plan, state: &mut State) {
    for ((old, new), at) in before.nodes.iter().zip(&after.nodes).zip(&mut state.nodes) {
        if old.provider != new.provider {
            at.waiting_until = None;
        }
    }
}

/// It used up its iterations, this ended the run, and it gets more.
fn is_raised(plan: &Plan, state: &State, index: usize, change: &Change) -> bool {
    let node = &state.nodes[index];
    state.status == RunStatus::Limit
        && node.status == NodeStatus::Limit
        && node.has_used_its_iterations()
        && change.max_iterations.is_some_and(|most| most > node.iteration_completed)
        && board::stage_progress(plan, state, &plan.nodes[index].stage) == StageProgress::Ended(Outcome::Limit)
}

fn is_open(plan: &Plan, state: &State, index: usize) -> bool {
    let is_over = matches!(state.status, RunStatus::Done | RunStatus::Limit)
        || matches!(board::stage_progress(plan, state, &plan.nodes[index].stage), StageProgress::Ended(_));
    !is_over && !matches!(state.nodes[index].status, NodeStatus::Done | NodeStatus::Limit | NodeStatus::Skipped)
}

fn is_begun(plan: &Plan, state: &State, index: usize) -> bool {
    let stage = &plan.nodes[index].stage;
    state.nodes.iter().any(|node| node.stage == *stage && node.iteration > 0)
}
