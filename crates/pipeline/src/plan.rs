//! A compiled run: what the engine executes, frozen into `plan.json` when the run starts.

use serde::{Deserialize, Serialize};

use crate::Amendment;
use crate::orchestrate::Orchestrate;

/// Everything a run needs to know; nothing is read from stage or pipeline files after it was compiled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Plan {
    pub schema: u32,
    /// The run's name: what the older files call `session`.
    pub run: String,
    /// `None` for a single stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<String>,
    pub created_at: String,
    pub sources: Vec<Source>,
    /// How many agents may run at once.
    pub max_parallel: u32,
    /// Budget of the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_runtime_seconds: Option<u64>,
    /// What a failed stage does to those that run beside it.
    #[serde(default)]
    pub on_failure: OnFailure,
    /// Files given by `--input`, absolute.
    #[serde(default)]
    pub initial_inputs: Vec<String>,
    /// Every node comes after what it needs.
    pub nodes: Vec<Node>,
    /// The run works on the feature list; its nodes are the workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orchestrate: Option<Orchestrate>,
    /// What people changed when they resumed the run, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amendments: Vec<Amendment>,
}

/// A source of the plan with its hash (git's blob hash). Built-in ones start with `builtin:`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    pub path: String,
    pub sha1: String,
}

/// One stage of the run, or one branch of a fanned-out stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The position of the stage in the pipeline; branches of one stage share it.
    pub index: u32,
    /// Unique in the plan. A branch is `<stage>.<branch>`.
    pub id: String,
    /// The stage's id without the branch; others name it in `needs` and `inputs`.
    pub stage: String,
    pub template: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    /// The folder below the run's, such as `stage-00-ideas`.
    pub dir: String,
    /// The prompt as written, with its variables.
    pub prompt: String,
    pub termination: Termination,
    pub guardrails: Guardrails,
    /// A tracked path below the project, variables resolved; `None` keeps it in the stage's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    pub provider: Provider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default)]
    pub inputs: Vec<Input>,
    /// Ids of stages (not branches) that must end before.
    #[serde(default)]
    pub needs: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    /// If the stage is fanned out: how many of its branches must succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<Join>,
    /// The maximum number of parallel branches of this stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_parallel: Option<u32>,
    /// Runs in its own git worktree.
    #[serde(default)]
    pub worktree: bool,
    /// A folder of mock answers; those of built-in stages are in `fixture_texts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixtures: Option<String>,
    /// Mock answers of a built-in stage by file name.
    #[serde(default)]
    pub fixture_texts: Vec<(String, String)>,
    /// Commands the engine runs after each iteration; their results are in the next `context.json`.
    #[serde(default)]
    pub verify: Vec<String>,
    /// What a failing command of `verify` does to the end of the stage.
    #[serde(default)]
    pub verify_must: VerifyMust,
    /// The intent that is bound to the agents before they start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// A test with mock answers: how many items its queue has at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mock_queue: Option<u32>,
    /// v2: how the status is derived from the agent's output, such as `plateau:PLATEAU reasoning:REASONING`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_parse: Option<String>,
    /// v2 without `output_parse`: the engine tells the agent how to write its status.
    #[serde(default)]
    pub explain_status: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    pub name: String,
    /// The list item of this branch; `${ITEM}` in the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Termination {
    #[default]
    Fixed,
    Judgment {
        min_iterations: u32,
        consensus: u32,
    },
    Queue {
        /// A shell command that prints one line per open item; no output means done.
        command: String,
    },
    /// Until no feature of the list is ready to be coded.
    Features {
        /// Only these.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        category: Option<String>,
        /// Only those with one of these.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        labels: Vec<String>,
    },
    Promise {
        /// Texts of the promise tag that end the stage.
        promises: Vec<String>,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Guardrails {
    pub max_iterations: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_runtime_seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration_timeout_seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    #[serde(default)]
    pub on_limit: OnLimit,
    #[serde(default)]
    pub on_quota: OnQuota,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnLimit {
    #[default]
    Continue,
    Fail,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// They finish; nothing new starts.
    #[default]
    Finish,
    /// They are ended.
    Stop,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnQuota {
    /// The run ends with the exit code for quota and can be resumed.
    #[default]
    Stop,
    /// The run waits until the time the provider stated.
    Wait,
}

/// What the commands of `verify` decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerifyMust {
    /// The stage is not done before they pass: it continues, up to its limits.
    Pass,
    /// They only have to run: the stage ends when it says so, and is `unverified` if they failed.
    #[default]
    Run,
}

/// Who does the work.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// A known agent program, by its harness name.
    Known(String),
    /// Any command; the prompt is its standard input.
    Command(Vec<String>),
    #[default]
    Mock,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// A stage's id.
    pub from: String,
    pub select: Select,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Select {
    #[default]
    Latest,
    All,
}

/// A condition on how a needed stage ended; otherwise the node is skipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct When {
    pub stage: String,
    /// Any of these.
    pub outcome: Vec<Outcome>,
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Done,
    /// Reached its maximum of iterations, time or money without being done.
    Limit,
    /// Would be done, but its verification failed.
    Unverified,
    Skipped,
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Join {
    All,
    /// The first success ends the others.
    First,
    Quorum {
        count: u32,
    },
}
