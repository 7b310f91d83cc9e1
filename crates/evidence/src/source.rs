use serde::{Deserialize, Serialize};

/// How an item was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A hook, after a tool.
    Hook,
    /// `stead verify`.
    Verify,
    /// A run of the engine.
    Run,
    /// `stead evidence add`.
    Add,
    /// Written by a later version.
    #[default]
    #[serde(other)]
    Unknown,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Verify => "verify",
            Self::Run => "run",
            Self::Add => "add",
            Self::Unknown => "unknown",
        }
    }
}
