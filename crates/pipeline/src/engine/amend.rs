//! Applies a change requested with `--resume` to a plan: it affects only what is still to be done. Pure.

use super::board::{self, StageProgress};
use crate::state::{NodeStatus, RunStatus, State};
use crate::{Amendment, Change, Guardrails, Node, Outcome, Plan, Provider};

/// The amended plan, or `None` if the change affects nothing.
pub(crate) fn amend(plan: &Plan, state: &State, change: &Change, now: String) -> Option<Plan> {
    let count = plan.nodes.len().min(state.nodes.len());
    let limited: Vec<usize> = (0..count).filter(|index| is_limited(plan, state, *index)).collect();
    let open: Vec<usize> = (0..count).filter(|index| is_open(plan, state, *index)).collect();
    let begun: Vec<usize> = open.iter().copied().filter(|index| is_begun(plan, state, *index)).collect();
    // A stage that has not started keeps its own limit, unless nothing else can be meant.
    let bounded = if limited.is_empty() && begun.is_empty() { &open } else { &begun };

    let mut offered = plan.clone();
    for index in limited.iter().chain(bounded) {
        offered.nodes[*index].guardrails = extended(&plan.nodes[*index], change);
    }
    limit_run(&mut offered, change, limited.iter().chain(bounded).map(|index| &plan.nodes[*index]));
    let is_run_changed = (offered.max_runtime_seconds, offered.max_parallel)
        != (plan.max_runtime_seconds, plan.max_parallel)
        || offered.max_cost_usd != plan.max_cost_usd;
    let raised: Vec<usize> = limited.iter().copied().filter(|index| board::has_room(&offered, state, *index)).collect();

    let asks_for_more =
        change.max_iterations.is_some() || change.max_runtime_seconds.is_some() || change.max_cost_usd.is_some();
    let mut amended = Plan { nodes: plan.nodes.clone(), ..offered.clone() };
    let mut nodes = Vec::new();
    for index in (0..count).filter(|index| raised.contains(index) || open.contains(index)) {
        let node = &mut amended.nodes[index];
        let mut is_changed = is_run_changed || !change.inputs.is_empty();
        let guardrails = match raised.contains(&index) || bounded.contains(&index) {
            true => offered.nodes[index].guardrails.clone(),
            false => reloaded(&plan.nodes[index], change),
        };
        if guardrails != node.guardrails {
            node.guardrails = guardrails;
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
        // Asking for what is in force already is not a mistake.
        let is_asked = asks_for_more && (raised.contains(&index) || bounded.contains(&index));
        if is_changed || is_asked || change.reload.is_some() {
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

/// The guardrails of a node that its files set now, if they were read again.
fn reloaded(node: &Node, change: &Change) -> Guardrails {
    let read = change.reload.as_ref().and_then(|reload| reload.nodes.get(&node.id));
    read.unwrap_or(&node.guardrails).clone()
}

/// The guardrails of a node with what was asked for. Its own time and money are raised, never lowered: the options are
/// about the run.
fn extended(node: &Node, change: &Change) -> Guardrails {
    let mut limits = reloaded(node, change);
    limits.max_iterations = change.max_iterations.unwrap_or(limits.max_iterations);
    if let (Some(own), Some(most)) = (&mut limits.max_runtime_seconds, change.max_runtime_seconds) {
        *own = most.max(*own);
    }
    if let (Some(own), Some(most)) = (&mut limits.max_cost_usd, change.max_cost_usd) {
        *own = most.max(*own);
    }
    limits
}

/// Sets the limits of the run. One without any gets one only if no stage that continues has its own.
fn limit_run<'a>(plan: &mut Plan, change: &Change, nodes: impl Iterator<Item = &'a Node>) {
    if let Some(limits) = change.reload.as_ref().and_then(|reload| reload.run.as_ref()) {
        plan.max_runtime_seconds = limits.max_runtime_seconds;
        plan.max_cost_usd = limits.max_cost_usd;
        plan.max_parallel = limits.max_parallel;
    }
    let (mut own_time, mut own_cost) = (false, false);
    for node in nodes {
        own_time |= node.guardrails.max_runtime_seconds.is_some();
        own_cost |= node.guardrails.max_cost_usd.is_some();
    }
    if let Some(most) = change.max_runtime_seconds.filter(|_| plan.max_runtime_seconds.is_some() || !own_time) {
        plan.max_runtime_seconds = Some(most);
    }
    if let Some(most) = change.max_cost_usd.filter(|_| plan.max_cost_usd.is_some() || !own_cost) {
        plan.max_cost_usd = Some(most);
    }
}

/// Clears wait times if another provider takes over: a quota belongs to the provider that stated it.
pub(crate) fn forget_quotas(before: &Plan, after: &Plan, state: &mut State) {
    for ((old, new), at) in before.nodes.iter().zip(&after.nodes).zip(&mut state.nodes) {
        if old.provider != new.provider {
            at.waiting_until = None;
        }
    }
}

/// It used up its iterations, time or money, or is unverified, and this ended the run.
fn is_limited(plan: &Plan, state: &State, index: usize) -> bool {
    let progress = board::stage_progress(plan, state, &plan.nodes[index].stage);
    matches!(state.status, RunStatus::Limit | RunStatus::Unverified)
        && matches!(state.nodes[index].status, NodeStatus::Limit | NodeStatus::Unverified)
        && matches!(progress, StageProgress::Ended(Outcome::Limit | Outcome::Unverified))
}

fn is_open(plan: &Plan, state: &State, index: usize) -> bool {
    let is_over = matches!(state.status, RunStatus::Done | RunStatus::Limit | RunStatus::Unverified)
        || matches!(board::stage_progress(plan, state, &plan.nodes[index].stage), StageProgress::Ended(_));
    !is_over
        && !matches!(
            state.nodes[index].status,
            NodeStatus::Done | NodeStatus::Limit | NodeStatus::Unverified | NodeStatus::Skipped
        )
}

fn is_begun(plan: &Plan, state: &State, index: usize) -> bool {
    let stage = &plan.nodes[index].stage;
    state.nodes.iter().any(|node| node.stage == *stage && node.iteration > 0)
}
