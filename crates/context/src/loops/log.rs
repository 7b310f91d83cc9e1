use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Redacted, StoreError, Tail, append_line, redact};

use super::LoopStatus;

/// One line of `indexes/loop-log.jsonl`: what happened to a loop, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopLine {
    pub v: u32,
    pub ts: String,
    #[serde(rename = "loop")]
    pub id: String,
    /// `started activated resumed paused cancelled held let-go handed-over`.
    pub did: String,
    pub why: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
}

/// What came of an agent's claim that a loop's task is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopClaim {
    /// The loop's check passed.
    Proven,
    /// The loop has no check.
    Unchecked,
    /// The check failed.
    Refuted,
}

impl LoopLine {
    pub const FILE: &str = "loop-log.jsonl";

    const PATIENCE: Duration = Duration::from_millis(300);

    pub(super) fn append(&self, indexes: &Path) -> Result<(), StoreError> {
        let safe = Self { why: redact(&self.why).into_owned(), ..self.clone() };
        append_line(&indexes.join(Self::FILE), Redacted::line(&safe), Durability::Quick, Self::PATIENCE)
    }

    /// Reads from the reason what came of the claim; `None` if the agent claimed nothing.
    pub fn claim(&self) -> Option<LoopClaim> {
        let is_done = self.status.as_deref() == Some(LoopStatus::Done.name());
        match self.did.as_str() {
            "let-go" if is_done && self.why.contains(" kept, `") => Some(LoopClaim::Proven),
            "let-go" if is_done && self.why.starts_with("promise ") => Some(LoopClaim::Unchecked),
            "held" | "let-go" if self.why.contains("` failed: ") => Some(LoopClaim::Refuted),
            _ => None,
        }
    }

    /// The lines, newest first, of one loop or of all.
    pub fn newest<'a>(indexes: &Path, id: Option<&'a str>) -> Result<impl Iterator<Item = Self> + use<'a>, StoreError> {
        let lines = Tail::open(&indexes.join(Self::FILE))?;
        let lines = lines.flatten().filter_map(|line| serde_json::from_str::<Self>(&line.text).ok());
        Ok(lines.filter(move |line| id.is_none_or(|id| line.id == id)))
    }
}
