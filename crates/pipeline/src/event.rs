//! `events.jsonl`: what happened in a run, one event per line. Observers get the same lines.

use serde::{Deserialize, Serialize};

use crate::Change;
use crate::state::{ErrorKind, NodeStatus, RunError, RunStatus};
use crate::status::{BlockedOn, Decision};

/// The version of a line.
pub(crate) const EVENT_VERSION: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventLine {
    pub v: u32,
    pub ts: String,
    #[serde(flatten)]
    pub event: RunEvent,
}

/// What happened. `node` is the id of a stage, or of a branch of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum RunEvent {
    RunStarted {
        run: String,
        run_id: String,
        nodes: u32,
        /// The hash of its plan, from which a lost state is rebuilt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan_sha1: Option<String>,
        /// The engine's process.
        #[serde(default, skip_serializing_if = "is_zero")]
        pid: u32,
    },
    RunResumed {
        /// Its status before.
        status: RunStatus,
        /// Processes of the previous engine that were still alive and were ended.
        survivors: u32,
        #[serde(default, skip_serializing_if = "is_zero")]
        pid: u32,
    },
    /// Somebody changed what is still to be done.
    PlanAmended {
        #[serde(flatten)]
        change: Change,
        nodes: Vec<String>,
        plan_sha1: String,
    },
    StageStarted {
        node: String,
        stage: String,
        iteration: u32,
        max_iterations: u32,
        provider: String,
        /// The commit that its worktree started from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worktree_base: Option<String>,
    },
    IterationStarted {
        node: String,
        iteration: u32,
        max_iterations: u32,
    },
    /// This iteration was started before and not recorded.
    Repeated {
        node: String,
        iteration: u32,
        /// Its files are in `attempt-<n>` of its folder.
        attempt: u32,
    },
    /// The agent finished while no engine was there, and its iteration counts.
    Adopted {
        node: String,
        iteration: u32,
    },
    IterationEnded {
        node: String,
        iteration: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision: Option<Decision>,
        /// The agent is waiting for somebody, and the iteration does not count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocked_on: Option<BlockedOn>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<ErrorKind>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        summary: String,
        consecutive_stops: u32,
        seconds: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// The provider's own id of the conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<String>,
        /// Processes the agent left running; they were ended.
        #[serde(default, skip_serializing_if = "is_zero")]
        left_behind: u32,
    },
    /// An agent gets a command object.
    Assigned {
        node: String,
        iteration: u32,
        agent: String,
        task: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feature: Option<String>,
        /// The id of the command object, which is in the iteration's folder.
        command: String,
    },
    /// The work on a feature led to this status.
    FeatureChanged {
        node: String,
        iteration: u32,
        feature: String,
        /// What happened, as in the history of `session-state.json`.
        what: String,
        status: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<String>,
    },
    Verified {
        node: String,
        iteration: u32,
        command: String,
        green: bool,
        seconds: f64,
    },
    /// The stage would be done, but its verification failed, so it continues.
    Withheld {
        node: String,
        iteration: u32,
        /// Why it would be done.
        why: String,
    },
    QueueCounted {
        node: String,
        iteration: u32,
        left: u64,
        /// `features`, if it is the feature list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        queue: Option<String>,
    },
    Waiting {
        node: String,
        until: String,
        /// The provider stated no time: which try the next one is.
        #[serde(default, skip_serializing_if = "is_zero")]
        tries: u32,
    },
    StageEnded {
        node: String,
        status: NodeStatus,
        iterations: u32,
        seconds: f64,
        cost_usd: f64,
        why: String,
    },
    WorktreeKept {
        node: String,
        path: String,
        branch: String,
    },
    Warning {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<String>,
        message: String,
    },
    RunEnded {
        status: RunStatus,
        seconds: f64,
        cost_usd: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<RunError>,
    },
    /// A kind that a later version writes.
    #[serde(other)]
    Unknown,
}

impl RunEvent {
    /// The node it is about.
    pub fn node(&self) -> Option<&str> {
        match self {
            Self::StageStarted { node, .. }
            | Self::IterationStarted { node, .. }
            | Self::Repeated { node, .. }
            | Self::Adopted { node, .. }
            | Self::IterationEnded { node, .. }
            | Self::Assigned { node, .. }
            | Self::FeatureChanged { node, .. }
            | Self::Verified { node, .. }
            | Self::Withheld { node, .. }
            | Self::QueueCounted { node, .. }
            | Self::Waiting { node, .. }
            | Self::StageEnded { node, .. }
            | Self::WorktreeKept { node, .. }
            | Self::Warning { node: Some(node), .. } => Some(node),
            Self::RunStarted { .. }
            | Self::RunResumed { .. }
            | Self::PlanAmended { .. }
            | Self::RunEnded { .. }
            | Self::Warning { node: None, .. }
            | Self::Unknown => None,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(event: RunEvent, expected: &str) {
        let line = EventLine { v: EVENT_VERSION, ts: "T".into(), event };
        let text = serde_json::to_string(&line).unwrap();
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<EventLine>(&text).unwrap(), line);
    }

    #[test]
    fn lines_are_read_back() {
        check(
            RunEvent::Repeated { node: "a".into(), iteration: 2, attempt: 1 },
            r#"{"v":1,"ts":"T","event":"repeated","node":"a","iteration":2,"attempt":1}"#,
        );
        check(
            RunEvent::IterationEnded {
                node: "a".into(),
                iteration: 2,
                decision: Some(Decision::Stop),
                blocked_on: None,
                failure: None,
                reason: String::new(),
                summary: "s".into(),
                consecutive_stops: 1,
                seconds: 0.5,
                cost_usd: None,
                session: None,
                left_behind: 0,
            },
            r#"{"v":1,"ts":"T","event":"iteration-ended","node":"a","iteration":2,"decision":"stop","summary":"s","consecutive_stops":1,"seconds":0.5}"#,
        );
    }

    #[test]
    fn an_amendment_is_read_back() {
        let change = Change {
            max_iterations: Some(9),
            provider: Some(crate::Provider::Known("codex".into())),
            ..Change::default()
        };
        check(
            RunEvent::PlanAmended { change, nodes: vec!["a".into()], plan_sha1: "h".into() },
            r#"{"v":1,"ts":"T","event":"plan-amended","max_iterations":9,"provider":{"known":"codex"},"nodes":["a"],"plan_sha1":"h"}"#,
        );
    }

    #[test]
    fn a_later_kind_is_no_error() {
        let line = serde_json::from_str::<EventLine>(r#"{"v":1,"ts":"T","event":"sang","node":"a"}"#).unwrap();
        assert_eq!(line.event, RunEvent::Unknown);
    }
}
