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

/// A session that was open at the last look at one of its events. The session log says so as well, but it lies in the
/// project, and whoever removes the project folder removes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSession {
    pub harness: String,
    pub session: String,
    /// When that event was, in milliseconds since 1970.
    pub seen: i64,
}

/// All that is sealed. The text has the stamps first, for the usual look, then JSON objects: the head, and one for each
/// file and log.
#[derive(Default)]
pub(super) struct Index {
    pub(super) head: Head,
    pub(super) files: Vec<Sealed>,
    pub(super) logs: Vec<SealedLog>,
}

/// How the head begins.
const HEAD: &str = "{\"machine\":";

/// What a seal says about where and when it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    /// Where inodes and times say something.
    pub(super) machine: Option<Machine>,
    /// The sessions that were open; `None` if nobody has counted them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) open: Option<Vec<OpenSession>>,
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
            if line.starts_with(HEAD) {
                index.head = serde_json::from_str(line).unwrap_or_default();
            } else if line.contains("\"inode\":") {
                index.logs.push(serde_json::from_str(line).ok()?);
            } else {
                index.files.push(serde_json::from_str(line).ok()?);
            }
        }
        Some(index)
    }

    /// The sessions that a text says were open. Reads one line of it.
    pub(super) fn open_sessions(text: &str) -> Option<Vec<OpenSession>> {
        let (_, objects) = Quick::split(text)?;
        let head = objects.lines().next().filter(|line| line.starts_with(HEAD))?;
        serde_json::from_str::<Head>(head).ok()?.open
    }

    pub(super) fn render(&self, root: &Path, folders: &[PathBuf]) -> String {
        let mut text = Quick::render(self, root, folders);
        let files = self.files.iter().map(|file| serde_json::to_string(file).unwrap_or_default());
        let logs = self.logs.iter().map(|log| serde_json::to_string(log).unwrap_or_default());
        let head = std::iter::once(serde_json::to_string(&self.head).unwrap_or_default());
        for line in head.chain(files).chain(logs) {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}
