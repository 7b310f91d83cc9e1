use std::path::PathBuf;
use std::time::Duration;

/// One agent to start: everything custody needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Its standard input; it need not read it.
    pub stdin: Vec<u8>,
    pub dir: PathBuf,
    /// Set on top of the engine's own environment.
    pub env: Vec<(String, String)>,
    /// Removed from the engine's own environment before `env` is set.
    pub unset: Vec<String>,
    /// Both outputs are appended here, within limits.
    pub log: PathBuf,
    pub timeout: Option<Duration>,
    /// Set as `STEAD_RUN_ID` in the environment, by which survivors are found.
    pub run_id: String,
    pub capture: Capture,
    /// Where to note which process it is.
    pub record: Option<PathBuf>,
}

/// What to keep of an agent's standard output for its reader, besides the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capture {
    /// The end of the output.
    End,
    /// The lines that contain one of these.
    Lines(&'static [&'static str]),
}
