use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_store::Tail;

/// A change of a guard file: one line of `guard-changes.jsonl`. It is announced before the file is replaced and confirmed
/// afterwards, so that a killed process leaves nothing undecided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GuardChange {
    pub v: u32,
    pub ts: String,
    /// `c-` and eight letters; both lines of a change have it.
    pub id: String,
    pub step: ChangeStep,
    /// The id of the guard, or of the pack.
    pub guard: String,
    /// The name of its file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The file is the person's own, for all projects.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub user: bool,
    /// What was done: `accept promote demote enable disable rollback`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub what: String,
    /// `person`, or `stead` for what happens by itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// The versions before and after; none before if the file is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub to: String,
    /// The modes before and after.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mode_from: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mode_to: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Fields of later versions, kept as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

stead_model::named! {
    /// What a line says about a change.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ChangeStep {
        /// The file is about to be replaced.
        Begin = "begin",
        /// It was replaced.
        Done = "done",
        /// It was not, and will not be: somebody else changed the file.
        Dropped = "dropped",
        /// A person looked at what the guard matched until then.
        Reviewed = "reviewed",
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

impl GuardChange {
    pub const FILE: &str = "guard-changes.jsonl";

    /// Written in `by` for what happens by itself.
    pub const STEAD: &str = "stead";

    /// How many lines are read for the news.
    const LINES: usize = 200;

    pub fn path(graph: &Path) -> PathBuf {
        graph.join(Self::FILE)
    }

    /// The changes since a time that nobody asked for, newest first.
    pub fn unasked(graph: &Path, since: &str) -> Vec<Self> {
        let Ok(lines) = Tail::open(&Self::path(graph)) else { return Vec::new() };
        let lines = lines.take(Self::LINES).flatten();
        let changes = lines.filter_map(|line| serde_json::from_str::<Self>(&line.text).ok());
        let changes = changes.take_while(|change| change.ts.as_str() >= since);
        changes.filter(|change| change.step == ChangeStep::Begin && change.by == Self::STEAD).collect()
    }

    /// One sentence about a change of mode.
    pub fn told(&self) -> String {
        let day = self.ts.get(..10).unwrap_or_default();
        format!("`{}` went from `{}` to `{}` on {day}: {}", self.guard, self.mode_from, self.mode_to, self.why)
    }
}
