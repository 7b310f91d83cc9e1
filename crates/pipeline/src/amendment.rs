//! Changes of a frozen plan: a person makes them when resuming a run, and the plan records them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Guardrails, Plan, Provider};

/// What a person wants to change from now on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    /// The time limit of the run in total, and of unfinished stages that have a lower one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_runtime_seconds: Option<u64>,
    /// The budget of the run in total, and of unfinished stages that have a lower one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Additional files for the agents to read, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// Limits that were read again from the files of the stage or pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reload: Option<ReloadedLimits>,
}

impl Change {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The limits that the files of a run set now. Nothing else of them is taken.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReloadedLimits {
    /// Of the whole run; `None` for a single stage, which sets none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunLimits>,
    /// By the node's id.
    pub nodes: BTreeMap<String, Guardrails>,
}

/// The limits of a run as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunLimits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_runtime_seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    pub max_parallel: u32,
}

impl ReloadedLimits {
    /// The limits of a newly compiled plan.
    pub fn of(plan: &Plan) -> Self {
        let run = plan.pipeline.as_ref().map(|_| RunLimits {
            max_runtime_seconds: plan.max_runtime_seconds,
            max_cost_usd: plan.max_cost_usd,
            max_parallel: plan.max_parallel,
        });
        Self { run, nodes: plan.nodes.iter().map(|node| (node.id.clone(), node.guardrails.clone())).collect() }
    }
}

/// A change as the plan records it. The nodes contain the values in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Amendment {
    pub at: String,
    #[serde(flatten)]
    pub change: Change,
    /// The nodes that it changed, or that get the new inputs.
    pub nodes: Vec<String>,
}
