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

stead_model::named! {
    /// What came of a hit.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Did {
        /// Written down, and nothing else.
        #[default]
        Recorded = "recorded",
        /// The agent read it.
        Told = "told",
        /// The agent will read it as soon as its client takes text.
        Owed = "owed",
        Asked = "asked",
        Denied = "denied",
        /// The agent was kept working.
        Held = "held",
        Rewritten = "rewritten",
        Allowed = "allowed",
        /// A person had allowed it.
        Overridden = "overridden",
        #[serde(other)]
        Unknown = "unknown",
    }
}
