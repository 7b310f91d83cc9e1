use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Call, Meeting};

/// What the model does, turn by turn. A session whose prompt holds a lane's marker follows that lane; the others follow
/// the main one.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub(super) lanes: Vec<Lane>,
    pub(super) main: Vec<Turn>,
}

/// The turns of the sessions that a marker tells apart.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) marker: String,
    pub(super) turns: Vec<Turn>,
}

/// One answer of the model: text, tool calls or both.
#[derive(Clone, Default)]
pub struct Turn {
    pub(super) text: Option<String>,
    pub(super) calls: Vec<Call>,
    pub(super) input_tokens: Option<u64>,
    pub(super) pause: Duration,
    pub(super) meeting: Option<Meeting>,
    pub(super) action: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Script {
    /// A script for sessions without a marker.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self { lanes: Vec::new(), main: turns.into_iter().collect() }
    }

    /// Adds the turns of sessions in whose user text `marker` stands, such as a sub-agent's.
    #[must_use]
    pub fn lane(mut self, marker: impl Into<String>, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.lanes.push(Lane { marker: marker.into(), turns: turns.into_iter().collect() });
        self
    }
}

impl Turn {
    pub fn say(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    pub fn call(call: Call) -> Self {
        Self { calls: vec![call], ..Self::default() }
    }

    /// Adds a call to the same answer.
    #[must_use]
    pub fn and_call(mut self, call: Call) -> Self {
        self.calls.push(call);
        self
    }

    /// Reports so many tokens of input; many make a client compact.
    #[must_use]
    pub fn with_input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }

    /// Waits for turns of other sessions before answering.
    #[must_use]
    pub fn meeting(mut self, meeting: &Meeting) -> Self {
        self.meeting = Some(meeting.clone());
        self
    }

    /// Does something to the world while the client waits for this answer, then gives the client time to notice.
    #[must_use]
    pub fn after(mut self, action: impl Fn() + Send + Sync + 'static, pause: Duration) -> Self {
        self.action = Some(Arc::new(action));
        self.pause = pause;
        self
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").field("text", &self.text).field("calls", &self.calls).finish_non_exhaustive()
    }
}
