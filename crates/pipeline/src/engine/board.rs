//! Which nodes can start, which are skipped, and how a stage ended: pure functions of plan and state.

use std::collections::BTreeSet;

use super::budget::Budget;
use crate::state::{NodeState, NodeStatus, RunStatus, State};
use crate::{Join, Node, Outcome, Plan};

/// The progress of a stage, over all its branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StageProgress {
    Open,
    Ended(Outcome),
    /// It can no longer succeed: failed, blocked, or out of quota.
    Broken(NodeStatus),
}

/// What to do with a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Start(usize),
    /// Its condition is not met.
    Skip(usize),
    /// Enough other branches succeeded.
    GiveUp(usize),
}

fn nodes_of<'a>(plan: &'a Plan, stage: &'a str) -> impl Iterator<Item = (usize, &'a Node)> {
    plan.nodes.iter().enumerate().filter(move |(_, node)| node.stage == stage)
}

/// Returns the progress of a stage.
pub(crate) fn stage_progress(plan: &Plan, state: &State, stage: &str) -> StageProgress {
    let (mut total, mut done, mut limit, mut unverified, mut skipped, mut open) = (0, 0, 0, 0, 0, 0);
    let mut broken: Option<NodeStatus> = None;
    let mut join = Join::All;
    for (index, node) in nodes_of(plan, stage) {
        total += 1;
        join = node.join.unwrap_or(join);
        match state.nodes.get(index).map_or(NodeStatus::Pending, |node| node.status) {
            NodeStatus::Done => done += 1,
            NodeStatus::Limit => limit += 1,
            NodeStatus::Unverified => unverified += 1,
            NodeStatus::Skipped => skipped += 1,
            NodeStatus::Pending | NodeStatus::Running | NodeStatus::Waiting | NodeStatus::Cancelled => open += 1,
            bad => broken = Some(broken.map_or(bad, |worst| worse(worst, bad))),
        }
    }
    if total > 0 && skipped == total {
        return StageProgress::Ended(Outcome::Skipped);
    }
    let wanted = match join {
        Join::All => total - skipped,
        Join::First => 1,
        Join::Quorum { count } => (count as usize).clamp(1, total.max(1)),
    };
    if done >= wanted {
        return StageProgress::Ended(Outcome::Done);
    }
    match broken {
        Some(how) if done + limit + unverified + open < wanted => StageProgress::Broken(how),
        _ if open > 0 => StageProgress::Open,
        _ if unverified > 0 => StageProgress::Ended(Outcome::Unverified),
        _ => StageProgress::Ended(Outcome::Limit),
    }
}

/// Why a stage can no longer succeed; `None` if every branch had to.
pub(crate) fn missed(plan: &Plan, stage: &str) -> Option<String> {
    match nodes_of(plan, stage).find_map(|(_, node)| node.join)? {
        Join::All => None,
        Join::First => Some("no branch can still succeed".to_owned()),
        Join::Quorum { count } => Some(format!("the quorum of {count} can no longer be reached")),
    }
}

/// The branches of a stage with this status.
pub(crate) fn branches<'a>(plan: &'a Plan, state: &State, stage: &'a str, how: NodeStatus) -> Vec<&'a str> {
    let stands = |index: usize| state.nodes.get(index).is_some_and(|at| at.status == how);
    nodes_of(plan, stage).filter(|(index, _)| stands(*index)).map(|(_, node)| node.id.as_str()).collect()
}

/// A failure outweighs waiting for a person, which outweighs a quota.
fn worse(one: NodeStatus, other: NodeStatus) -> NodeStatus {
    let weight = |status| match status {
        NodeStatus::Failed => 2,
        NodeStatus::Blocked => 1,
        _ => 0,
    };
    if weight(other) > weight(one) { other } else { one }
}

/// The first stage that can no longer succeed, by the node that broke it.
pub(crate) fn broken(plan: &Plan, state: &State) -> Option<(usize, NodeStatus)> {
    plan.nodes.iter().enumerate().find_map(|(index, node)| match stage_progress(plan, state, &node.stage) {
        StageProgress::Broken(how) if state.nodes.get(index).is_some_and(|node| node.status == how) => {
            Some((index, how))
        }
        _ => None,
    })
}

/// What can be done now; `live` are the nodes that have a thread.
pub(crate) fn steps(plan: &Plan, state: &State, live: &BTreeSet<usize>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut starting = live.clone();
    for (index, node) in plan.nodes.iter().enumerate() {
        let is_pending = state.nodes.get(index).is_some_and(|node| node.status == NodeStatus::Pending);
        if !is_pending || live.contains(&index) {
            continue;
        }
        if matches!(stage_progress(plan, state, &node.stage), StageProgress::Ended(_)) {
            steps.push(Step::GiveUp(index));
            continue;
        }
        let mut needed = node.needs.iter().chain(node.when.iter().map(|when| &when.stage));
        if !needed.all(|stage| settled(plan, state, live, stage).is_some()) {
            continue;
        }
        let holds = node.when.as_ref().is_none_or(|when| {
            settled(plan, state, live, &when.stage).is_some_and(|outcome| when.outcome.contains(&outcome))
        });
        let same_stage = starting.iter().filter(|other| plan.nodes[**other].stage == node.stage).count();
        let has_room = starting.len() < plan.max_parallel.max(1) as usize
            && node.stage_parallel.is_none_or(|most| same_stage < most.max(1) as usize);
        if !holds {
            steps.push(Step::Skip(index));
        } else if has_room {
            starting.insert(index);
            steps.push(Step::Start(index));
        }
    }
    steps
}

/// How a stage ended, once none of its branches is running.
fn settled(plan: &Plan, state: &State, live: &BTreeSet<usize>, stage: &str) -> Option<Outcome> {
    match stage_progress(plan, state, stage) {
        StageProgress::Ended(outcome) if !live.iter().any(|index| plan.nodes[*index].stage == stage) => Some(outcome),
        _ => None,
    }
}

/// Running branches of stages that already have enough successes.
pub(crate) fn losers(plan: &Plan, state: &State, live: &BTreeSet<usize>) -> Vec<usize> {
    let is_lost =
        |index: &&usize| matches!(stage_progress(plan, state, &plan.nodes[**index].stage), StageProgress::Ended(_));
    live.iter().filter(is_lost).copied().collect()
}

/// How the run ends when nothing is running.
pub(crate) fn verdict(plan: &Plan, state: &State) -> RunStatus {
    if let Some((_, how)) = broken(plan, state) {
        return run_status(how);
    }
    let mut status = RunStatus::Done;
    for node in &plan.nodes {
        match stage_progress(plan, state, &node.stage) {
            // What is claimed and wrong outweighs what is incomplete.
            StageProgress::Ended(Outcome::Unverified) => status = RunStatus::Unverified,
            StageProgress::Ended(Outcome::Limit) if status == RunStatus::Done => status = RunStatus::Limit,
            StageProgress::Ended(_) => {}
            StageProgress::Open | StageProgress::Broken(_) => return RunStatus::Cancelled,
        }
    }
    status
}

pub(crate) fn run_status(how: NodeStatus) -> RunStatus {
    match how {
        NodeStatus::Blocked => RunStatus::Blocked,
        NodeStatus::Quota => RunStatus::Quota,
        _ => RunStatus::Failed,
    }
}

/// Prepares a state for resuming. What ended the run is tried again; a branch that failed without harm stays failed,
/// unless the run itself failed. Nodes that reached a limit continue if the plan now gives them more, and unverified ones
/// are verified again; these nodes are returned.
pub(crate) fn reopen(plan: &Plan, state: &mut State) -> Vec<usize> {
    let raised = raise(plan, state);
    let tries_again = matches!(state.status, RunStatus::Failed | RunStatus::Blocked | RunStatus::Quota);
    for index in 0..state.nodes.len().min(plan.nodes.len()) {
        let over = matches!(stage_progress(plan, state, &plan.nodes[index].stage), StageProgress::Ended(_));
        let node = &mut state.nodes[index];
        let again = match node.status {
            NodeStatus::Running | NodeStatus::Waiting | NodeStatus::Cancelled => !over,
            NodeStatus::Failed | NodeStatus::Blocked | NodeStatus::Quota => tries_again && !over,
            _ => false,
        };
        if again {
            reset(node);
        } else if over && matches!(node.status, NodeStatus::Running | NodeStatus::Waiting) {
            node.status = NodeStatus::Cancelled;
        }
        if node.status == NodeStatus::Pending {
            node.max_iterations = plan.nodes[index].guardrails.max_iterations;
        }
    }
    raised
}

/// Returns true if the plan leaves a node iterations, time and money.
pub(crate) fn has_room(plan: &Plan, state: &State, index: usize) -> bool {
    let (node, at) = (&plan.nodes[index], &state.nodes[index]);
    let budget = Budget::of(plan, state, node, at, state.elapsed_seconds, at.elapsed_seconds);
    node.guardrails.max_iterations > at.iteration_completed && budget.exhausted().is_none()
}

/// Reopens nodes that reached a limit and may continue, those that are unverified, and nodes skipped because of that.
fn raise(plan: &Plan, state: &mut State) -> Vec<usize> {
    let is_raised = |index: &usize| match state.nodes[*index].status {
        NodeStatus::Limit => has_room(plan, state, *index),
        // Somebody may have repaired what failed, so it is verified again.
        NodeStatus::Unverified => state.status == RunStatus::Unverified,
        _ => false,
    };
    let raised: Vec<usize> = (0..plan.nodes.len().min(state.nodes.len())).filter(is_raised).collect();
    let downstream = after(plan, &raised);
    for (index, node) in state.nodes.iter_mut().enumerate() {
        if raised.contains(&index) || (downstream.contains(&index) && node.status == NodeStatus::Skipped) {
            reset(node);
        }
    }
    raised
}

/// The nodes that depend on any of these, directly or not.
pub(crate) fn after(plan: &Plan, nodes: &[usize]) -> BTreeSet<usize> {
    let mut stages: BTreeSet<&str> = nodes.iter().map(|index| plan.nodes[*index].stage.as_str()).collect();
    let mut found = BTreeSet::new();
    // In the plan's order, every node comes after what it needs.
    for (index, node) in plan.nodes.iter().enumerate() {
        let mut needed = node.needs.iter().chain(node.when.iter().map(|when| &when.stage));
        if needed.any(|stage| stages.contains(stage.as_str())) {
            found.insert(index);
            stages.insert(&node.stage);
        }
    }
    found
}

fn reset(node: &mut NodeState) {
    node.status = NodeStatus::Pending;
    node.outcome = None;
    node.error = None;
}

#[cfg(test)]
mod tests;
