//! A provider whose quota is exhausted: the node waits if it may, across engines, and not forever.

use std::time::Duration;

use stead_model::{rfc3339, unix_millis};

use super::EngineError;
use super::node_end::NodeEnd;
use super::node_run::NodeRun;
use super::wait::{self, Waited};
use crate::OnQuota;
use crate::event::RunEvent;
use crate::state::{NodeState, NodeStatus};

impl NodeRun<'_> {
    /// Continues a wait that an earlier engine started.
    pub(super) fn sit_out(&mut self, at: &NodeState) -> Result<Option<NodeEnd>, EngineError> {
        let until = at.waiting_until.as_deref().and_then(unix_millis);
        match until {
            Some(until) if self.node.guardrails.on_quota == OnQuota::Wait && until > (self.run.around.now)() => {
                self.wait_until(until, "the provider's quota is exhausted")
            }
            _ => Ok(None),
        }
    }

    /// Waits for a quota. `Some` if waiting is not allowed, or the wait was ended.
    pub(super) fn wait_for_quota(&mut self, until: Option<i64>, why: &str) -> Result<Option<NodeEnd>, EngineError> {
        match until {
            Some(until) if self.node.guardrails.on_quota == OnQuota::Wait => self.wait_until(until, why),
            Some(until) => Ok(Some(NodeEnd::quota(why, Some(rfc3339(until))))),
            None if self.node.guardrails.on_quota == OnQuota::Wait => self.back_off(why),
            None => Ok(Some(NodeEnd::quota(why, None))),
        }
    }

    /// Tries again later if the provider states no time: after longer and longer pauses, but not forever.
    fn back_off(&mut self, why: &str) -> Result<Option<NodeEnd>, EngineError> {
        let Some(pause) = wait::back_off(self.quotas, wait::jitter()) else {
            let why = format!("{why}; it stated no time, and {} tries did not help", self.quotas);
            return Ok(Some(NodeEnd::quota(&why, None)));
        };
        let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
        let until = (self.run.around.now)().saturating_add(pause);
        self.wait(until, why, self.quotas + 1)
    }

    fn wait_until(&mut self, until: i64, why: &str) -> Result<Option<NodeEnd>, EngineError> {
        self.wait(until, why, 0)
    }

    /// `tries` counts the pauses if the provider stated no time.
    fn wait(&mut self, until: i64, why: &str, tries: u32) -> Result<Option<NodeEnd>, EngineError> {
        let least = wait::least(self.quotas);
        self.quotas += 1;
        let now = self.run.around.now;
        let span = wait::span(now(), until, least);
        let run_left = self.run.plan.max_runtime_seconds.map(|most| most as f64 - self.run.journal.elapsed());
        let fits = |span: &Duration| run_left.is_none_or(|left| span.as_secs_f64() < left);
        let Some(span) = span.filter(fits) else {
            // Not recorded as a time to wait for: whoever resumes wants to try.
            let why = format!("{why} until {}, which is too long to wait", rfc3339(until));
            return Ok(Some(NodeEnd::quota(&why, None)));
        };
        let stated = rfc3339(until);
        self.run.journal.tell(RunEvent::Waiting { node: self.node.id.clone(), until: stated.clone(), tries })?;
        self.set_waiting(Some(stated))?;
        match wait::wait(now, until, span, least, &self.cancel) {
            // The time stays in the state: whoever resumes continues to wait.
            Waited::Cancelled => Ok(Some(self.cancelled())),
            Waited::Over => self.set_waiting(None).map(|()| None),
        }
    }

    fn set_waiting(&self, until: Option<String>) -> Result<(), EngineError> {
        self.run.journal.commit(|state| {
            let node = &mut state.nodes[self.index];
            node.status = if until.is_some() { NodeStatus::Waiting } else { NodeStatus::Running };
            node.waiting_until = until;
        })
    }

    pub(super) fn forget_quotas(&mut self) {
        self.quotas = 0;
    }
}
