use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::TraceId;

/// The version of a line of `traces.jsonl`.
pub const VERSION: u32 = 1;

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
    /// When the same was recorded again, instead of a further trace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<Repeat>,
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

stead_model::named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum TraceKind {
        Correction = "correction",
        Violation = "violation",
        Decision = "decision",
        Approval = "approval",
        Reflection = "reflection",
        /// A kind of a later version.
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

stead_model::named! {
    /// Whether somebody stands behind a trace.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum TraceStatus {
        #[default]
        Recorded = "recorded",
        /// Detected from what followed, until a person confirms it.
        Suspected = "suspected",
        Confirmed = "confirmed",
        /// A tombstone: the traces in `supersedes` are forgotten.
        Forgotten = "forgotten",
        #[serde(other)]
        Other = "other",
    }
}

stead_model::named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Scope {
        #[default]
        Project = "project",
        /// In the person's data folder, by promotion only.
        Universal = "universal",
        #[serde(other)]
        Other = "other",
    }
}

stead_model::named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum TraceSource {
        /// A gate or a guard matched.
        EnforcementHook = "enforcement_hook",
        /// A person said so.
        UserCorrection = "user_correction",
        /// An agent recorded it, or it was derived from what happened.
        AutoDetected = "auto_detected",
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

/// Where it happened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceContext {
    /// Who stored it: `agent` or `person`; nobody did if it was captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
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

/// The same trace, recorded again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Repeat {
    pub timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
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

stead_model::named! {
    /// What the agent did after it was stopped or warned.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Outcome {
        /// It went on without the denied effect.
        Complied = "complied",
        /// It stopped without doing anything else.
        GaveUp = "gave_up",
        /// It achieved the denied effect in another way.
        WentRound = "went_round",
        Appealed = "appealed",
        /// A person allowed it.
        Overridden = "overridden",
        #[serde(other)]
        Other = "other",
    }
}
