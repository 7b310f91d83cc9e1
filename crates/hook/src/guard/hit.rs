use serde::{Deserialize, Serialize};

/// A guard that had something to say about an event, as the session log keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitLine {
    pub guard: String,
    /// `shadow`, `warn` or `enforce`; empty for what has no mode.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// Which text of the guard spoke: a hash of its file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// What the guard is for: `deny`, `ask`, `warn`, `rewrite`, `inject`, `continue` or `allow`.
    pub would: String,
    /// What came of it.
    pub did: Did,
    /// The sub-expression that it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// What it says.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub say: String,
    /// A mark of guard and subject, by which an override finds its like again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
}

/// What came of a hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Did {
    /// Written down, and nothing else.
    #[default]
    Recorded,
    /// The agent read it.
    Told,
    /// The agent will read it as soon as its client takes text.
    Owed,
    Asked,
    Denied,
    /// The agent was kept working.
    Held,
    Rewritten,
    Allowed,
    /// A person had allowed it.
    Overridden,
    #[serde(other)]
    Unknown,
}

impl Did {
    pub fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Told => "told",
            Self::Owed => "owed",
            Self::Asked => "asked",
            Self::Denied => "denied",
            Self::Held => "held",
            Self::Rewritten => "rewritten",
            Self::Allowed => "allowed",
            Self::Overridden => "overridden",
            Self::Unknown => "unknown",
        }
    }
}
