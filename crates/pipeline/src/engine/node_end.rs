use super::board;
use super::journal::safe;
use crate::event::RunEvent;
use crate::state::{ErrorKind, NodeState, NodeStatus, RunError, RunStatus, State};
use crate::{OnLimit, Outcome, Plan};

/// How a node ends, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NodeEnd {
    Done(String),
    Limit(String),
    /// Why it would be done, and what prevents it.
    Unverified {
        done: String,
        why: String,
    },
    Skipped(String),
    Failed(ErrorKind, String),
    Blocked(String),
    /// Until this time, if the provider stated it.
    Quota(String, Option<String>),
    Cancelled(String),
}

impl NodeEnd {
    /// A limit, which is a failure if the stage says so.
    pub(crate) fn limit(on_limit: OnLimit, why: String) -> Self {
        match on_limit {
            OnLimit::Continue => Self::Limit(why),
            OnLimit::Fail => Self::Failed(ErrorKind::Limit, why),
        }
    }

    /// An exhausted quota, with the time of its renewal if known.
    pub(crate) fn quota(why: &str, until: Option<String>) -> Self {
        let why = match &until {
            Some(until) => format!("{why} until {until}"),
            None => why.to_owned(),
        };
        Self::Quota(why, until)
    }

    fn status(&self) -> NodeStatus {
        match self {
            Self::Done(_) => NodeStatus::Done,
            Self::Limit(_) => NodeStatus::Limit,
            Self::Unverified { .. } => NodeStatus::Unverified,
            Self::Skipped(_) => NodeStatus::Skipped,
            Self::Failed(..) => NodeStatus::Failed,
            Self::Blocked(_) => NodeStatus::Blocked,
            Self::Quota(..) => NodeStatus::Quota,
            Self::Cancelled(_) => NodeStatus::Cancelled,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Done(_) => Some(Outcome::Done),
            Self::Limit(_) => Some(Outcome::Limit),
            Self::Unverified { .. } => Some(Outcome::Unverified),
            Self::Skipped(_) => Some(Outcome::Skipped),
            Self::Failed(..) => Some(Outcome::Failed),
            Self::Blocked(_) | Self::Quota(..) | Self::Cancelled(_) => None,
        }
    }

    pub(crate) fn why(&self) -> &str {
        match self {
            Self::Done(why)
            | Self::Limit(why)
            | Self::Unverified { why, .. }
            | Self::Skipped(why)
            | Self::Failed(_, why)
            | Self::Blocked(why)
            | Self::Quota(why, _)
            | Self::Cancelled(why) => why,
        }
    }

    /// Reports that a node ended like this; `at` is its position.
    pub(crate) fn event(&self, at: &NodeState) -> RunEvent {
        RunEvent::StageEnded {
            node: at.id.clone(),
            status: self.status(),
            iterations: at.iteration_completed,
            seconds: at.elapsed_seconds,
            cost_usd: at.cost_usd,
            why: safe(self.why()),
        }
    }

    /// Ends the node in the state, and the run if its stage can no longer succeed, in one write.
    pub(crate) fn apply(&self, plan: &Plan, state: &mut State, index: usize, now: &str) {
        let node = &mut state.nodes[index];
        node.status = self.status();
        node.outcome = self.outcome();
        if let Self::Failed(kind, message) = self {
            let error =
                RunError { kind: *kind, message: safe(message), timestamp: now.to_owned(), stage: node.id.clone() };
            node.error = Some(error);
        }
        match self {
            Self::Unverified { done, .. } => node.unverified = Some(safe(done)),
            Self::Done(_) => node.unverified = None,
            _ => {}
        }
        if let Self::Quota(_, Some(until)) = self {
            node.waiting_until = Some(until.clone());
        }
        let is_worse = |how| how == NodeStatus::Failed && state.status != RunStatus::Failed;
        if let Some((culprit, how)) = board::broken(plan, state)
            && (state.reason.is_none() || is_worse(how))
        {
            let node = &state.nodes[culprit];
            let stage = &plan.nodes[culprit].stage;
            let why = node.error.as_ref().map_or_else(|| safe(self.why()), |error| error.message.clone());
            let why = match board::missed(plan, stage) {
                Some(missed) => {
                    let named = board::branches(plan, state, stage, how);
                    let named: Vec<String> = named.iter().map(|id| format!("`{id}`")).collect();
                    format!("{missed}: {} {}: {why}", named.join(", "), how.name())
                }
                None => why,
            };
            state.error = node.error.clone().map(|error| RunError { message: why.clone(), ..error });
            state.resume_from = Some(node.iteration_completed + 1);
            state.reason = Some(why);
            state.status = board::run_status(how);
            if how == NodeStatus::Failed {
                state.failed_at = Some(now.to_owned());
            }
        }
    }
}
