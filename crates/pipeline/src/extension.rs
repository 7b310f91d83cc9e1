use crate::Plan;
use crate::state::{ErrorKind, NodeState, NodeStatus, State};

/// What a run needs to continue after it reached its limits: each limit doubled, until it is above what was used. An agent
/// may take and cost more than what was left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extension {
    pub max_iterations: Option<u32>,
    pub max_runtime_seconds: Option<u64>,
    pub max_cost_usd: Option<f64>,
    /// What was used of the time and money that are exhausted.
    pub seconds_used: f64,
    pub usd_used: f64,
}

impl Extension {
    /// Derives it from the stages that reached a limit.
    pub fn of(plan: &Plan, state: &State) -> Self {
        let mut needed = Self::default();
        let run_cost: f64 = state.nodes.iter().map(|node| node.cost_usd).sum();
        for (node, at) in plan.nodes.iter().zip(&state.nodes).filter(|(_, at)| is_limited(at)) {
            needed.add_iterations(at);
            let times = [
                (node.guardrails.max_runtime_seconds, at.elapsed_seconds),
                (plan.max_runtime_seconds, state.elapsed_seconds),
            ];
            for (most, used) in times.into_iter().filter_map(|(most, used)| Some((most? as f64, used))) {
                if used >= most {
                    let more = doubled(most, used) as u64;
                    needed.max_runtime_seconds = needed.max_runtime_seconds.max(Some(more));
                    needed.seconds_used = needed.seconds_used.max(used);
                }
            }
            let costs = [(node.guardrails.max_cost_usd, at.cost_usd), (plan.max_cost_usd, run_cost)];
            for (most, used) in costs.into_iter().filter_map(|(most, used)| Some((most?, used))) {
                if used >= most {
                    needed.max_cost_usd = Some(needed.max_cost_usd.unwrap_or_default().max(doubled(most, used)));
                    needed.usd_used = needed.usd_used.max(used);
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

/// A limit doubled, until it is above what was used.
fn doubled(most: f64, used: f64) -> f64 {
    let mut more = most.max(f64::MIN_POSITIVE) * 2.0;
    while more <= used && more.is_finite() {
        more *= 2.0;
    }
    more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doubled_limit_is_above_what_was_used() {
        for (most, used, expected) in [(3.0, 3.0, 6.0), (1.0, 1.5, 2.0), (1.0, 5.0, 8.0), (1.0, 2.0, 4.0)] {
            assert_eq!(doubled(most, used), expected, "{most} {used}");
        }
        assert!(doubled(0.0, 1.0) > 1.0 && doubled(1.0, f64::INFINITY).is_infinite());
    }
}
