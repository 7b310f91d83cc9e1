use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stead_store::seal::CHANGES;
use stead_store::{Durability, Lines, Redacted, StoreError, append_line};

use super::kind::Kind;
use crate::record::PATIENCE;

stead_model::named! {
    /// What became of a change that weakens.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Outcome {
        /// The file is as it was.
        PutBack = "put back",
        /// The file has changed; what was sealed still applies.
        #[default]
        InForce = "still in force",
        /// No session was open, so it was a person's change.
        TakenOver = "taken over",
        /// A log lost lines, which nobody can put back.
        Lost = "lost",
        /// A person accepted the change.
        Accepted = "accepted",
    }
}

/// A call that was under way when a file changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallInFlight {
    #[serde(default)]
    pub harness: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    pub since: String,
}

/// One line of `tampered.jsonl`: a sealed file was changed so that it weakens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tampering {
    pub v: u32,
    pub ts: String,
    pub id: String,
    pub outcome: Outcome,
    /// As the seal names it.
    pub path: String,
    pub kind: String,
    /// How it weakens.
    pub why: String,
    /// When the file changed.
    pub changed_at: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallInFlight>,
    /// The change equals what git has checked out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_git: bool,
    /// Where the changed file was moved to, below the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displaced: Option<String>,
    /// The hash of the text that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

impl Tampering {
    /// The log of a seal.
    pub(super) fn log(dir: &Path) -> PathBuf {
        dir.join(CHANGES)
    }

    pub(super) fn append(&self, dir: &Path) -> Result<(), StoreError> {
        append_line(&Self::log(dir), Redacted::line(self), Durability::Quick, PATIENCE)
    }

    /// Reads the log, oldest first. A later line about the same change replaces an earlier one.
    pub(super) fn read(dir: &Path) -> Vec<Self> {
        let Ok(lines) = Lines::open(&Self::log(dir)) else { return Vec::new() };
        let mut all: Vec<Self> = Vec::new();
        for line in lines.flatten().filter_map(|line| serde_json::from_str::<Self>(&line.text).ok()) {
            match all.iter_mut().find(|known| known.id == line.id) {
                Some(known) => *known = line,
                None => all.push(line),
            }
        }
        all
    }

    /// Returns true if nobody needs to hear of it: a person accepted it, or it was left in force and is no more there.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.outcome, Outcome::Accepted | Outcome::InForce)
    }

    /// Returns true if only values of a person's file were put back, and the rest stayed as it was found.
    pub fn is_of_values(&self) -> bool {
        let is_persons = self.kind == Kind::Settings.name() && Path::new(&self.path).is_absolute();
        self.outcome == Outcome::PutBack && is_persons
    }

    /// The change in one line, such as `put back: .agent/guards/infra.yaml`.
    pub fn shown(&self) -> String {
        match self.outcome {
            Outcome::InForce if self.kind == Kind::Settings.name() => {
                let (path, at) = (&self.path, &self.changed_at);
                format!("{}: {path} (changed {at}; the client reads the file as it is)", self.outcome.name())
            }
            Outcome::InForce => format!("{}: {} (changed {})", self.outcome.name(), self.path, self.changed_at),
            outcome => format!("{}: {}", outcome.name(), self.path),
        }
    }
}
