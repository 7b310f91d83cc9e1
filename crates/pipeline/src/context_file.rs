//! `context.json`: what the engine tells an agent about its iteration.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of `context.json`.
pub(crate) const CONTEXT_SCHEMA: u32 = 1;

/// How many earlier outputs of a stage are listed.
pub(crate) const PREVIOUS_LISTED: u32 = 20;

/// The content of `context.json`. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Context {
    pub schema: u32,
    /// The run's name.
    pub session: String,
    /// Empty for a single stage.
    pub pipeline: String,
    pub stage: ContextStage,
    /// How many stages the run has; branches of one count once.
    pub stage_count: u32,
    pub iteration: u32,
    /// Which attempt at this iteration it is, from 1.
    pub attempt: u32,
    /// The attempt before, which does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_attempt: Option<ContextAttempt>,
    pub paths: ContextPaths,
    pub inputs: ContextInputs,
    pub limits: ContextLimits,
    /// The summary of the previous iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_summary: Option<String>,
    pub consecutive_stops: u32,
    pub elapsed_seconds: f64,
    pub budget: ContextBudget,
    /// The results of the stage's commands after the previous iteration.
    pub verification: Vec<Verification>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<ContextBranch>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContextStage {
    pub id: String,
    pub index: u32,
    pub template: String,
}

/// An attempt that does not count: its agent failed, or its engine was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContextAttempt {
    /// Where its files are: log, status, output, notes.
    pub dir: String,
    /// What changed in the work tree since it started and is not committed; `null` without git.
    pub changed_files: Option<Vec<String>>,
    /// The commits since it started, newest first.
    pub commits: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContextPaths {
    pub session_dir: String,
    pub stage_dir: String,
    pub progress: String,
    pub output: String,
    pub status: String,
    /// The folder the agent works in.
    pub work_dir: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContextInputs {
    /// Outputs of other stages, by stage, in the order of creation.
    pub from_stage: BTreeMap<String, Vec<String>>,
    /// The last outputs of this stage, oldest first.
    pub from_previous_iterations: Vec<String>,
    /// How many there are in total.
    pub previous_iteration_count: u32,
    /// Where all of them are.
    pub previous_iterations_dir: String,
    /// Files given to the run.
    pub initial: Vec<String>,
    /// Work trees of the stages it gets input from, or needs, that contain work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worktrees: Vec<ContextWorktree>,
}

/// The work tree of another branch. Its work is on the git branch, or not yet committed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContextWorktree {
    /// The stage's id, and that of its branch.
    pub stage: String,
    pub node: String,
    pub path: String,
    pub git_branch: String,
    /// The commit it started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContextLimits {
    pub max_iterations: u32,
    /// Until the stage's or the run's time limit; `null` without a limit.
    pub remaining_seconds: Option<u64>,
    /// The limit of this iteration; `null` without a limit.
    pub iteration_timeout_seconds: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContextBudget {
    pub cost_usd_used: f64,
    /// The lesser of the stage's and the run's remaining budget; `null` without a limit.
    pub cost_usd_remaining: Option<f64>,
    pub run_cost_usd_used: f64,
    pub stage_seconds_used: f64,
}

/// The result of one command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Verification {
    pub command: String,
    pub green: bool,
    /// `null` if a signal or the time limit ended it.
    pub exit: Option<i32>,
    /// The end of its output.
    pub tail: String,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContextBranch {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The git branch of its own worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
}
