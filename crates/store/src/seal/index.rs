use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::machine::Machine;
use super::quick::Quick;

/// One sealed file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// Relative to the root, if it lies below it.
    pub path: String,
    /// What the file is, in a word of whoever judges changes of it.
    pub kind: String,
    /// The hash of the text in force; `None` if there was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// How the file looked last; `None` if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<String>,
    /// A change that waits for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
}

/// A change that waits for a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The record of the change.
    pub id: String,
    /// The hash of the text that was found; `None` if the file was gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A log that may only grow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedLog {
    /// Relative to the root.
    pub path: String,
    pub inode: u64,
    /// How long it was, and the hash of its last bytes then.
    pub length: u64,
    pub end: String,
}

/// All that is sealed. The text has the stamps first, for the usual look, then a JSON object for each file and log.
#[derive(Default)]
pub(super) struct Index {
    pub(super) machine: Option<Machine>,
    pub(super) files: Vec<Sealed>,
    pub(super) logs: Vec<SealedLog>,
}

impl Sealed {
    /// The hashes of the texts that must be kept for it.
    pub(super) fn hashes(&self) -> impl Iterator<Item = &str> {
        let found = self.pending.as_ref().and_then(|pending| pending.sha256.as_deref());
        self.sha256.as_deref().into_iter().chain(found)
    }
}

impl Index {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (_, objects) = Quick::split(text)?;
        let mut index = Self::default();
        for line in objects.lines() {
            if line.starts_with("{\"machine\":") {
                index.machine = serde_json::from_str(line).ok();
            } else if line.contains("\"inode\":") {
                index.logs.push(serde_json::from_str(line).ok()?);
            } else {
                index.files.push(serde_json::from_str(line).ok()?);
            }
        }
        Some(index)
    }

    pub(super) fn render(&self, root: &Path, folders: &[PathBuf]) -> String {
        let mut text = Quick::render(self, root, folders);
        let files = self.files.iter().map(|file| serde_json::to_string(file).unwrap_or_default());
        let logs = self.logs.iter().map(|log| serde_json::to_string(log).unwrap_or_default());
        let machine = self.machine.iter().map(|machine| serde_json::to_string(machine).unwrap_or_default());
        for line in machine.chain(files).chain(logs) {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}
