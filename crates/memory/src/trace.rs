use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of a line of `traces.jsonl`.
pub const VERSION: u32 = 1;

/// The id of a trace, a UUID. Text from outside is checked by [`TraceId::parse`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TraceId(String);

impl TraceId {
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().to_string())
    }

    pub fn parse(text: &str) -> Option<Self> {
        uuid::Uuid::try_parse(text).ok().map(|id| Self(id.to_string()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something that happened once and may matter again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trace {
    pub v: u32,
    pub id: TraceId,
    /// The id of the project.
    pub project: String,
    /// ISO 8601, UTC.
    pub timestamp: String,
    #[serde(rename = "type")]
    pub kind: TraceKind,
    pub status: TraceStatus,
    pub scope: Scope,
    pub source: TraceSource,
    pub context: TraceContext,
    pub event: TraceEvent,
    /// The files and syntax nodes that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The traces that this one replaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<TraceId>,
    /// A newer trace with the same topic replaces an older one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The effects of the call, as in the session log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Value>,
    /// The hash of the embedded text; the vector is in the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<String>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceKind {
    Correction,
    Violation,
    Decision,
    Approval,
    Reflection,
    /// A kind of a later version.
    #[default]
    #[serde(other)]
    Other,
}

/// Whether somebody stands behind a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceStatus {
    #[default]
    Recorded,
    /// Detected from what followed, until a person confirms it.
    Suspected,
    Confirmed,
    /// A tombstone: the traces in `supersedes` are forgotten.
    Forgotten,
    #[serde(other)]
    Other,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    #[default]
    Project,
    /// In the person's data folder, by promotion only.
    Universal,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceSource {
    EnforcementHook,
    UserCorrection,
    AutoDetected,
    #[default]
    #[serde(other)]
    Other,
}

/// Where it happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceEvent {
    pub what_happened: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub what_was_correct: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A file, or a syntax node in it, as it was then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Anchor {
    /// Relative to the project.
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The qualified name of a node, and its normalised hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_hash: Option<String>,
}

/// What the agent did next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Complied,
    GaveUp,
    /// It achieved the denied effect in another way.
    WentRound,
    Appealed,
    Overridden,
    #[serde(other)]
    Other,
}
