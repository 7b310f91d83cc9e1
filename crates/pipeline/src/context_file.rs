//! `context.json`: what the engine tells an agent about the iteration it is to do.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of `context.json`.
pub const CONTEXT_SCHEMA: u32 = 1;

/// How many earlier outputs of a stage are listed.
pub(crate) const PREVIOUS_LISTED: u32 = 20;

/// The content of `context.json`. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Context {
    pub schema: u32,
    /// The run's name.
    pub session: String,
    /// Empty for a single stage.
    pub pipeline: String,
    pub stage: ContextStage,
    /// How many stages the run has; branches of one count once.
    pub stage_count: u32,
    pub iteration: u32,
    pub paths: ContextPaths,
    pub inputs: ContextInputs,
    pub limits: ContextLimits,
    /// What the iteration before said it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_summary: Option<String>,
    pub consecutive_stops: u32,
    pub elapsed_seconds: f64,
    pub budget: ContextBudget,
    /// What the stage's commands said after the iteration before.
    pub verification: Vec<Verification>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<ContextBranch>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextStage {
    pub id: String,
    pub index: u32,
    pub template: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPaths {
    pub session_dir: String,
    pub stage_dir: String,
    pub progress: String,
    pub output: String,
    pub status: String,
    /// Where the agent works.
    pub work_dir: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextInputs {
    /// Outputs of other stages, by stage, in the order in which they were made.
    pub from_stage: BTreeMap<String, Vec<String>>,
    /// The last outputs of this stage, oldest first.
    pub from_previous_iterations: Vec<String>,
    /// How many there are altogether.
    pub previous_iteration_count: u32,
    /// Where all of them are.
    pub previous_iterations_dir: String,
    /// Files the run was given.
    pub initial: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContextLimits {
    pub max_iterations: u32,
    /// Until the stage or the run has used its time; `null` without a limit.
    pub remaining_seconds: Option<u64>,
    /// What this iteration may take; `null` without a limit.
    pub iteration_timeout_seconds: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContextBudget {
    pub cost_usd_used: f64,
    /// The lesser of what the stage and the run have left; `null` without a limit.
    pub cost_usd_remaining: Option<f64>,
    pub run_cost_usd_used: f64,
    pub stage_seconds_used: f64,
}

/// What one command said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    pub command: String,
    pub green: bool,
    /// `null` when a signal or the time limit ended it.
    pub exit: Option<i32>,
    /// The end of what it wrote.
    pub tail: String,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextBranch {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The git branch of its own work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
}
