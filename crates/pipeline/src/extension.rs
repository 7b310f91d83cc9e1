use crate::state::{ErrorKind, NodeState, NodeStatus, State};
use crate::{Node, Plan};

/// What a run needs to continue after it reached its limits: twice of what it used up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extension {
    pub max_iterations: Option<u32>,
    pub max_runtime_seconds: Option<u64>,
    pub max_cost_usd: Option<f64>,
}

impl Extension {
    /// Derives it from the stages that reached a limit.
    pub fn of(plan: &Plan, state: &State) -> Self {
        let mut needed = Self::default();
        let run_cost: f64 = state.nodes.iter().map(|node| node.cost_usd).sum();
        for (node, at) in plan.nodes.iter().zip(&state.nodes).filter(|(_, at)| is_limited(at)) {
            needed.add_iterations(at);
            let own = |limit: Option<u64>, used: f64| limit.filter(|most| used >= *most as f64);
            let time = own(node.guardrails.max_runtime_seconds, at.elapsed_seconds)
                .max(own(plan.max_runtime_seconds, state.elapsed_seconds));
            needed.max_runtime_seconds = needed.max_runtime_seconds.max(time.map(|most| most.saturating_mul(2)));
            for (most, used) in costs(plan, node, at, run_cost) {
                if used >= most {
                    needed.max_cost_usd = Some(needed.max_cost_usd.unwrap_or_default().max(most * 2.0));
                }
            }
        }
        needed
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add_iterations(&mut self, at: &NodeState) {
        if at.has_used_its_iterations() {
            self.max_iterations = self.max_iterations.max(Some(at.max_iterations.saturating_mul(2)));
        }
    }
}

fn is_limited(at: &NodeState) -> bool {
    matches!(at.status, NodeStatus::Limit | NodeStatus::Unverified)
        || at.error.as_ref().is_some_and(|error| error.kind == ErrorKind::Limit)
}

/// The budgets that apply to a node, and what was used of each.
fn costs(plan: &Plan, node: &Node, at: &NodeState, run_cost: f64) -> impl Iterator<Item = (f64, f64)> {
    let own = node.guardrails.max_cost_usd.map(|most| (most, at.cost_usd));
    own.into_iter().chain(plan.max_cost_usd.map(|most| (most, run_cost)))
}
