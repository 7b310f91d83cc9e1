use serde::{Deserialize, Serialize};

/// A guard that matched an event, in the session log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitLine {
    pub guard: String,
    /// `shadow`, `warn` or `enforce`; empty for what has no mode.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// The version of the guard: a hash of its file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The guard's `then`: `deny`, `ask`, `warn`, `rewrite`, `inject`, `continue` or `allow`.
    pub would: String,
    /// What it did.
    pub did: Did,
    /// The part of the command that it matched.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// Its message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub say: String,
    /// A hash of guard and subject, by which an override is found.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
}

stead_model::named! {
    /// What a hit did.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Did {
        /// Only recorded.
        #[default]
        Recorded = "recorded",
        /// The agent read it.
        Told = "told",
        /// The agent will read it at the next event at which its client accepts text.
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
