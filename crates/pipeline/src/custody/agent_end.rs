use std::time::Duration;

/// How an agent ended, and its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentEnd {
    pub how: How,
    pub took: Duration,
    /// Processes of the agent that outlived it and were killed.
    pub left_behind: u32,
    /// What was kept of its standard output, see [`Capture`](super::Capture).
    pub said: String,
    /// Bytes of output that the log omits.
    pub left_out: u64,
    /// Why the log is incomplete, if it could not be written.
    pub log_error: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    Exit(i32),
    Signal(i32),
    /// It was ended because its time was up.
    Timeout,
    /// It was ended, or not started, because of a cancellation.
    Cancelled,
    CannotStart(String),
}

impl AgentEnd {
    pub(crate) fn without_start(how: How) -> Self {
        Self { how, took: Duration::ZERO, left_behind: 0, said: String::new(), left_out: 0, log_error: None }
    }
}
