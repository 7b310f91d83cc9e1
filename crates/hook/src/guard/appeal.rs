use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An objection to a verdict: one line of `appeals.jsonl`. It unblocks nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Appeal {
    pub v: u32,
    pub ts: String,
    pub verdict: String,
    /// The guards that matched.
    #[serde(default)]
    pub guards: Vec<String>,
    /// `agent` or `person`.
    pub by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub text: String,
    /// A person confirmed an objection: the verdict was wrong. The line is no objection of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub upheld: bool,
    /// Fields of later versions, kept as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Appeal {
    pub const FILE: &str = "appeals.jsonl";

    /// The values of `by`.
    pub const AGENT: &str = "agent";
    pub const PERSON: &str = "person";

    pub fn path(indexes: &Path) -> PathBuf {
        indexes.join(Self::FILE)
    }
}
