/// A verdict in one client's words: exactly what the hook process writes and how it exits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub stdout: String,
    pub stderr: String,
    pub exit: u8,
}

impl Reply {
    /// Says nothing and exits 0.
    pub fn silent() -> Self {
        Self::default()
    }

    /// Answers with a JSON document and exit 0.
    pub fn json(stdout: impl Into<String>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    /// Blocks by exit code 2, for clients or events that honour nothing else. Clients let an empty reason pass, so
    /// there always is one.
    pub fn block(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            stderr: if reason.trim().is_empty() { "Stead: blocked".to_owned() } else { reason },
            exit: 2,
            ..Self::default()
        }
    }
}
