use serde::{Deserialize, Serialize};

use crate::{Branch, Guardrails, Node, OnFailure, OnQuota, Plan, Provider};

/// How a run works on the feature list: frozen in its plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Orchestrate {
    /// Who tests; whoever codes is the provider of the nodes.
    pub tester: Provider,
    /// The features to work on; all if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Each feature has its own git worktree and branch.
    #[serde(default)]
    pub worktrees: bool,
    /// The time limit of an agent, unless the feature has its own.
    pub timeout_seconds: u64,
    /// How long a claim lasts unless it is renewed.
    pub lease_seconds: u64,
    /// Who may refuse that a proven feature becomes tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
}

/// An agent that reads the task and the change, and may veto.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judge {
    pub provider: Provider,
    /// Instructions in addition to the built-in ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
}

/// What the plan of an orchestrating run is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrchestratePlan {
    pub run: String,
    pub created_at: String,
    pub provider: Provider,
    pub model: Option<String>,
    pub max_parallel: u32,
    pub max_cost_usd: Option<f64>,
    pub max_runtime_seconds: Option<u64>,
    pub on_quota: OnQuota,
    pub orchestrate: Orchestrate,
}

impl OrchestratePlan {
    /// What `pipeline` in the plan and the state of such a run says.
    pub const NAME: &'static str = "orchestrate";

    /// The limit of a worker: no list has as much work.
    pub const ITERATIONS: u32 = 1_000_000;

    /// A plan of as many workers as may run at once. Each takes one feature after the other.
    pub fn plan(self) -> Plan {
        let workers = self.max_parallel.max(1);
        let node = |number: u32| {
            let is_alone = workers == 1;
            let id = if is_alone { "work".to_owned() } else { format!("work.{number}") };
            Node {
                dir: format!("stage-00-{id}"),
                id,
                stage: "work".into(),
                template: Self::NAME.into(),
                branch: (!is_alone).then(|| Branch { name: number.to_string(), item: None }),
                guardrails: Guardrails {
                    max_iterations: Self::ITERATIONS,
                    on_quota: self.on_quota,
                    ..Guardrails::default()
                },
                provider: self.provider.clone(),
                model: self.model.clone(),
                ..Node::default()
            }
        };
        Plan {
            schema: crate::PLAN_SCHEMA,
            pipeline: Some(Self::NAME.into()),
            max_parallel: workers,
            // A worker takes one feature after the other, so it would never finish.
            on_failure: OnFailure::Stop,
            max_cost_usd: self.max_cost_usd,
            max_runtime_seconds: self.max_runtime_seconds,
            nodes: (1..=workers).map(node).collect(),
            run: self.run,
            created_at: self.created_at,
            orchestrate: Some(self.orchestrate),
            ..Plan::default()
        }
    }
}
