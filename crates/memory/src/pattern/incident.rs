use stead_guard::Caller;
use stead_model::Effects;

use super::{Cause, Touch};
use crate::TraceEvent;
use crate::history::CallKey;

/// One mistake.
#[derive(Clone, Debug)]
pub struct Incident {
    pub(crate) cause: Cause,
    /// The ids of verdicts, traces and calls that show it.
    pub evidence: Vec<String>,
    pub ts: String,
    pub session: Option<String>,
    pub caller: Caller,
    pub harness: String,
    pub tool: String,
    /// The call itself, if its client gave it an id.
    pub call: Option<CallKey>,
    /// The recorded effects of a call without an id, by which it is found in the log.
    pub(crate) twin: Option<String>,
    /// What the call would have done.
    pub effects: Option<Effects>,
    /// The effects that matter, simplified.
    pub(crate) touches: Vec<Touch>,
    /// What a trace says about it.
    pub text: TraceEvent,
}

impl Incident {
    pub fn role(&self) -> Option<&str> {
        self.caller.role()
    }
}
