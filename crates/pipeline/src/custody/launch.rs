use std::path::PathBuf;
use std::time::Duration;

/// One agent to be started: everything that custody needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// What it reads from its standard input; nobody minds if it does not.
    pub stdin: Vec<u8>,
    pub dir: PathBuf,
    /// Set on top of the engine's own environment.
    pub env: Vec<(String, String)>,
    /// Taken out of the engine's own environment, before `env` is set.
    pub unset: Vec<String>,
    /// Gets both outputs, appended, within bounds.
    pub log: PathBuf,
    pub timeout: Option<Duration>,
    /// Put into the environment as `STEAD_RUN_ID`, by which survivors are found.
    pub run_id: String,
    pub heed: Heed,
}

/// What of an agent's standard output is kept for its reader, beside the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heed {
    /// The end of it.
    End,
    /// The lines in which one of these occurs.
    Lines(&'static [&'static str]),
}
