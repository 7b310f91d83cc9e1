use serde::{Deserialize, Serialize};

/// How Stead knows an item. Only what was observed or run is proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An agent added it.
    Claimed,
    /// A person added it.
    Person,
    /// A hook saw the command, but its result is uncertain.
    Seen,
    /// A hook saw the command and its result.
    Observed,
    /// Stead ran the command itself.
    Ran,
    /// Written by a later version; proves nothing here.
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

    /// Returns true if Stead observed or ran it.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Observed | Self::Ran)
    }
}
