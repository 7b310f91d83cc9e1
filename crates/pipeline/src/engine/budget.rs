//! How much time and money is left for a node. A pure function of the plan and the counters.

use std::time::Duration;

use crate::state::{NodeState, State};
use crate::{Node, Plan};

/// What is left; `None` without a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Budget {
    /// In seconds, the lesser of the stage's and the run's.
    pub(crate) time: Option<f64>,
    /// In dollars, the lesser of the stage's and the run's.
    pub(crate) cost: Option<f64>,
    of_run: Which,
}

/// Whether the run's limit is the nearer one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Which {
    time: bool,
    cost: bool,
}

/// What ends an agent that takes too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The iteration's time limit: a failure.
    Iteration,
    /// The time limit of the stage or the run: a limit.
    Budget,
}

impl Budget {
    /// Computes it from what was used: `run_seconds` by the run, `node_seconds` by the node, so far.
    pub(crate) fn of(
        plan: &Plan,
        state: &State,
        node: &Node,
        at: &NodeState,
        run_seconds: f64,
        node_seconds: f64,
    ) -> Self {
        let guardrails = &node.guardrails;
        let (time, run_time) = lesser(
            guardrails.max_runtime_seconds.map(|most| most as f64 - node_seconds),
            plan.max_runtime_seconds.map(|most| most as f64 - run_seconds),
        );
        let run_cost: f64 = state.nodes.iter().map(|node| node.cost_usd).sum();
        let (cost, run_cost) = lesser(
            guardrails.max_cost_usd.map(|most| most - at.cost_usd),
            plan.max_cost_usd.map(|most| most - run_cost),
        );
        Self { time, cost, of_run: Which { time: run_time, cost: run_cost } }
    }

    /// Returns what is exhausted, if anything.
    pub(crate) fn exhausted(&self) -> Option<String> {
        let whose = |of_run| if of_run { "run" } else { "stage" };
        if self.time.is_some_and(|left| left <= 0.0) {
            return Some(format!("the {}'s time limit is exhausted", whose(self.of_run.time)));
        }
        if self.cost.is_some_and(|left| left <= 0.0) {
            return Some(format!("the {}'s budget is exhausted", whose(self.of_run.cost)));
        }
        None
    }

    /// How long the next agent may take, and what it means if it takes longer.
    pub(crate) fn timeout(&self, iteration: Option<u64>) -> Option<(Duration, Bound)> {
        let iteration = iteration.map(|most| most as f64);
        let time = self.time.map(|left| left.max(0.0));
        match (iteration, time) {
            (None, None) => None,
            (Some(most), Some(left)) if left < most => Some((duration(left), Bound::Budget)),
            (Some(most), _) => Some((duration(most), Bound::Iteration)),
            (None, Some(left)) => Some((duration(left), Bound::Budget)),
        }
    }
}

/// A century is as good as no limit, and more than clocks can add.
fn duration(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, 3.2e9))
}

/// The lesser, and whether it is the second.
fn lesser(one: Option<f64>, other: Option<f64>) -> (Option<f64>, bool) {
    match (one, other) {
        (Some(one), Some(other)) if other < one => (Some(other), true),
        (Some(one), _) => (Some(one), false),
        (None, other) => (other, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(time: Option<f64>, iteration: Option<u64>, expected: Option<(u64, Bound)>) {
        let budget = Budget { time, ..Budget::default() };
        let expected = expected.map(|(seconds, bound)| (Duration::from_secs(seconds), bound));
        assert_eq!(budget.timeout(iteration), expected, "{time:?} {iteration:?}");
    }

    #[test]
    fn the_nearer_limit_counts() {
        check(None, None, None);
        check(None, Some(5), Some((5, Bound::Iteration)));
        check(Some(5.0), Some(5), Some((5, Bound::Iteration)));
        check(Some(4.0), Some(5), Some((4, Bound::Budget)));
        check(Some(-4.0), None, Some((0, Bound::Budget)));
        check(None, Some(u64::MAX), Some((3_200_000_000, Bound::Iteration)));
        assert_eq!(lesser(Some(1.0), Some(2.0)), (Some(1.0), false));
        assert_eq!(lesser(Some(3.0), Some(2.0)), (Some(2.0), true));
        assert_eq!(lesser(None, Some(2.0)), (Some(2.0), true));
    }

    #[test]
    fn what_is_used_up_is_named() {
        let spent = Budget { cost: Some(0.0), time: Some(1.0), of_run: Which { cost: true, ..Which::default() } };
        assert_eq!(spent.exhausted().as_deref(), Some("the run's budget is exhausted"));
        let late = Budget { time: Some(-1.0), ..Budget::default() };
        assert_eq!(late.exhausted().as_deref(), Some("the stage's time limit is exhausted"));
        assert_eq!(Budget { time: Some(0.1), cost: Some(0.1), ..Budget::default() }.exhausted(), None);
    }
}
