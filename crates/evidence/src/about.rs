use serde::{Deserialize, Serialize};

/// What a piece of evidence is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum About {
    /// A test run.
    Test,
    /// Something was compiled or type-checked.
    Build,
    /// A linter ran.
    Lint,
    /// Another command of the feature's verifiers.
    Check,
    /// A file, such as a screenshot.
    File,
    /// The output of something that ran elsewhere.
    Output,
    /// The response of a service.
    Response,
    /// Written by a later version.
    #[default]
    #[serde(other)]
    Unknown,
}

impl About {
    pub fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Build => "build",
            Self::Lint => "lint",
            Self::Check => "check",
            Self::File => "file",
            Self::Output => "output",
            Self::Response => "response",
            Self::Unknown => "unknown",
        }
    }
}
