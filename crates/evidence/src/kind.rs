use serde::{Deserialize, Serialize};

/// How Stead knows an item. Only what was observed or run can carry a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An agent brought it.
    Claimed,
    /// A person brought it.
    Person,
    /// A hook saw the command, but not for certain how it ended.
    Seen,
    /// A hook saw the command and how it ended.
    Observed,
    /// Stead ran the command itself.
    Ran,
    /// Written by a later version; counts for nothing here.
    #[default]
    #[serde(other)]
    Unknown,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Claimed => "claimed",
            Self::Person => "person",
            Self::Seen => "seen",
            Self::Observed => "observed",
            Self::Ran => "ran",
        }
    }

    /// Says whether Stead itself vouches for it.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Observed | Self::Ran)
    }
}
