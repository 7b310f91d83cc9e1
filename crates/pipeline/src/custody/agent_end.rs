use std::time::Duration;

/// How an agent ended, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentEnd {
    pub how: How,
    pub took: Duration,
    /// Processes of the agent that outlived it and had to be ended.
    pub left_behind: u32,
    /// What was kept of its standard output, see [`Heed`](super::Heed).
    pub said: String,
    /// Bytes of output that the log leaves out.
    pub left_out: u64,
    /// Why the log is not whole, when it could not be written.
    pub log_error: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    Exit(i32),
    Signal(i32),
    /// It was ended because its time was over.
    Timeout,
    /// It was ended, or not even started, because somebody asked for it.
    Cancelled,
    CannotStart(String),
}

impl AgentEnd {
    pub(crate) fn without_start(how: How) -> Self {
        Self { how, took: Duration::ZERO, left_behind: 0, said: String::new(), left_out: 0, log_error: None }
    }
}
