use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_model::FileId;
use stead_store::{Durability, Redacted, create_parents, read_capped, replace};

use super::BackTest;
use crate::MemoryError;
use crate::folder::prepare;

/// The version of a proposal's file.
const VERSION: u32 = 1;

/// The largest file that is read.
const LARGEST: usize = 1024 * 1024;

/// What a pattern proposes, waiting for a person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Proposal {
    pub v: u32,
    /// The pattern's id.
    pub id: String,
    pub ts: String,
    pub kind: ProposalKind,
    /// `agent` or `person`.
    pub by: String,
    pub summary: String,
    pub evidence: Vec<String>,
    /// The guard's id.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub guard: String,
    /// The guard file, the lesson, or the diff of a definition.
    pub text: String,
    /// The mode that an existing guard should have.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mode: String,
    /// The line that is added to a definition.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub line: String,
    /// The definition that changes, below the project.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_test: Option<BackTest>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Proposal {
    /// The text of a definition with the proposed line at its end, unless it is there.
    pub fn added_to(&self, text: &str) -> String {
        if text.lines().any(|line| line.trim() == self.line.trim()) {
            return text.to_owned();
        }
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{text}{gap}{}\n", self.line)
    }
}

stead_model::named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ProposalKind {
        Guard = "guard",
        Mode = "mode",
        Lesson = "lesson",
        /// A line in an agent's definition.
        Agent = "agent",
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

/// The proposals of a project: one file each.
#[derive(Clone, Debug)]
pub struct Proposals {
    dir: PathBuf,
}

impl Proposals {
    pub const FOLDER: &str = "proposals";

    /// The proposals in the project's `graph` folder.
    pub fn of(graph: &Path) -> Self {
        Self { dir: graph.join(Self::FOLDER) }
    }

    pub fn path(&self, id: &FileId) -> PathBuf {
        self.dir.join(format!("{}.json", id.as_str()))
    }

    /// Writes a proposal, or replaces the one of the same pattern.
    pub fn write(&self, proposal: &Proposal) -> Result<PathBuf, MemoryError> {
        let unusable = |_| MemoryError::UnknownProposal { id: proposal.id.clone(), known: Vec::new() };
        let id = FileId::check(&proposal.id).map_err(unusable)?;
        let path = self.path(&id);
        if !self.dir.exists() {
            prepare(&self.dir)?;
            create_parents(&path)?;
        }
        let proposal = Proposal { v: VERSION, ..proposal.clone() };
        replace(&path, Redacted::pretty(&proposal), Durability::Synced)?;
        Ok(path)
    }

    /// Every proposal that can be read, by id.
    pub fn list(&self) -> Vec<Proposal> {
        let files = std::fs::read_dir(&self.dir).into_iter().flatten().flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
        let mut found: Vec<Proposal> = files.filter_map(|path| read(&path)).collect();
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found
    }

    /// Finds a proposal by the id of its pattern or of its guard.
    pub fn find(&self, id: &str) -> Result<Proposal, MemoryError> {
        let list = self.list();
        let known = list.iter().map(|proposal| proposal.id.clone()).collect();
        let found = list.into_iter().find(|proposal| proposal.id == id || proposal.guard == id && !id.is_empty());
        found.ok_or_else(|| MemoryError::UnknownProposal { id: id.to_owned(), known })
    }

    /// Removes a proposal that was accepted.
    pub fn remove(&self, proposal: &Proposal) {
        if let Ok(id) = FileId::check(&proposal.id) {
            let _ = std::fs::remove_file(self.path(&id));
        }
    }
}

fn read(path: &Path) -> Option<Proposal> {
    serde_json::from_slice(&read_capped(path, LARGEST).ok()??).ok()
}
