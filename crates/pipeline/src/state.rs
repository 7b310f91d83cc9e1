//! `state.json`: the state of a run. It contains counters only, so that writing it costs the same after ten iterations
//! and after ten thousand; the history is in `events.jsonl`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Node, Outcome, Plan};

/// The version of `state.json`.
pub(crate) const STATE_SCHEMA: u32 = 1;

stead_model::named! {
    /// The status of a run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum RunStatus {
        Running = "running",
        Done = "done",
        Failed = "failed",
        /// Ended, but a stage used up its iterations, time or money first.
        Limit = "limit",
        /// Ended, but a stage that would be done failed its verification.
        Unverified = "unverified",
        /// An agent is waiting for a person.
        Blocked = "blocked",
        /// A provider's quota is exhausted.
        Quota = "quota",
        Cancelled = "cancelled",
    }
}

impl RunStatus {
    /// The exit code of a command that ran it.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed | Self::Running => 1,
            Self::Limit => 3,
            Self::Blocked => 4,
            Self::Quota => 5,
            Self::Unverified => 6,
            Self::Cancelled => 130,
        }
    }
}

stead_model::named! {
    /// The status of a stage, or of one branch of it.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum NodeStatus {
        #[default]
        Pending = "pending",
        Running = "running",
        /// For a provider's quota, until `waiting_until`.
        Waiting = "waiting",
        Done = "done",
        Limit = "limit",
        /// It would be done, but its verification failed.
        Unverified = "unverified",
        Skipped = "skipped",
        Failed = "failed",
        Blocked = "blocked",
        Quota = "quota",
        /// The run was cancelled, or enough other branches succeeded.
        Cancelled = "cancelled",
    }
}

stead_model::named! {
    /// What kind of failure ended a stage. The first six are the agent's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum ErrorKind {
        /// The agent exited with a code other than 0.
        Exit = "exit",
        /// A signal killed the agent.
        Signal = "signal",
        /// The agent exceeded the iteration's time limit.
        Timeout = "timeout",
        MissingStatus = "missing-status",
        InvalidStatus = "invalid-status",
        /// The agent itself reported `decision: error`.
        AgentError = "agent-error",
        /// The agent could not start.
        Start = "start",
        /// No hook of the agent arrived, so nothing that it did was checked.
        Unheard = "unheard",
        /// The queue's command failed, so it is unknown whether there is work left.
        Queue = "queue",
        /// The stage reached a limit and has `on_limit: fail`.
        Limit = "limit",
        /// Features are blocked, or wait for one that is.
        Feature = "feature",
        /// The worktree of a branch could not be created.
        Worktree = "worktree",
        /// The engine itself failed: a file of the run, or the tracked output, cannot be written.
        Engine = "engine",
    }
}

/// A failure as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    #[serde(rename = "type")]
    pub kind: ErrorKind,
    pub message: String,
    pub timestamp: String,
    /// The node's id.
    pub stage: String,
}

/// The content of `state.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct State {
    pub schema: u32,
    pub run: String,
    /// Set in the environment of every process the run starts.
    pub run_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<String>,
    pub status: RunStatus,
    pub started_at: String,
    pub updated_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// How long engines worked on it in total.
    pub elapsed_seconds: f64,
    pub cost_usd: f64,
    /// How often it was resumed.
    #[serde(default)]
    pub resumes: u32,
    /// The hash of the plan in force (git's blob hash), so that a changed plan is detected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_sha1: Option<String>,
    /// The hash of an amended plan that is about to replace it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_plan_sha1: Option<String>,
    /// How long `events.jsonl` was at least, so that a shorter one is noticed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub events_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The iteration, in the stage that ended the run, with which it continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_from: Option<u32>,
    /// In the plan's order.
    pub nodes: Vec<NodeState>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The state of one node of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeState {
    pub id: String,
    pub stage: String,
    /// Its folder below the run's.
    pub dir: String,
    pub status: NodeStatus,
    /// The current iteration, or the last one.
    pub iteration: u32,
    pub iteration_completed: u32,
    pub max_iterations: u32,
    pub consecutive_stops: u32,
    /// Including failed attempts.
    pub cost_usd: f64,
    /// Without waiting for a quota.
    pub elapsed_seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_until: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// Its provider does not report costs, so `cost_usd` is too low.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cost_unknown: bool,
    /// Whether the stage's own output existed after the last completed iteration; unset for a tracked one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_output: Option<bool>,
    /// The commit that its worktree started from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_base: Option<String>,
    /// Why it would be done after the last completed iteration, if only its verification prevents that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified: Option<String>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl State {
    /// Starts a run.
    pub fn new(plan: &Plan, run_id: String, now: String) -> Self {
        Self {
            schema: STATE_SCHEMA,
            run: plan.run.clone(),
            run_id,
            pipeline: plan.pipeline.clone(),
            status: RunStatus::Running,
            started_at: now.clone(),
            updated_at: now,
            ended_at: None,
            elapsed_seconds: 0.0,
            cost_usd: 0.0,
            resumes: 0,
            plan_sha1: None,
            next_plan_sha1: None,
            events_bytes: 0,
            failed_at: None,
            error: None,
            reason: None,
            resume_from: None,
            nodes: plan.nodes.iter().map(NodeState::new).collect(),
            extra: Map::new(),
        }
    }

    /// Counts that an engine resumes it, and clears how it ended.
    pub(crate) fn begin_again(&mut self) {
        self.status = RunStatus::Running;
        self.resumes = self.resumes.saturating_add(1);
        (self.failed_at, self.error, self.reason, self.resume_from, self.ended_at) = (None, None, None, None, None);
    }

    pub fn node(&self, id: &str) -> Option<&NodeState> {
        self.nodes.iter().find(|node| node.id == id)
    }
}

impl NodeState {
    fn new(node: &Node) -> Self {
        Self {
            id: node.id.clone(),
            stage: node.stage.clone(),
            dir: node.dir.clone(),
            status: NodeStatus::Pending,
            iteration: 0,
            iteration_completed: 0,
            max_iterations: node.guardrails.max_iterations,
            consecutive_stops: 0,
            cost_usd: 0.0,
            elapsed_seconds: 0.0,
            outcome: None,
            waiting_until: None,
            error: None,
            cost_unknown: false,
            has_output: None,
            worktree_base: None,
            unverified: None,
            extra: Map::new(),
        }
    }

    /// Returns true if nothing is left to do for it.
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// Returns true if it ran out of iterations; false if it ran out of time or money.
    pub fn has_used_its_iterations(&self) -> bool {
        self.iteration_completed >= self.max_iterations
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// Rounds to what a person reads.
pub(crate) fn seconds(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Rounds money to a thousandth of a cent, so that sums stay readable.
pub(crate) fn dollars(value: f64) -> f64 {
    (value * 100_000.0).round() / 100_000.0
}
