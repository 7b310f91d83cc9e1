use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Durability, StoreError, read_capped, replace, replace_creating};

/// A head is short; what is longer is none.
const LIMIT: usize = 64 * 1024;

/// The number of rollbacks that are remembered.
const ROLLBACKS: usize = 16;

/// The end of a chain: the number and hash of its last line, and how long the file is with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub seq: u64,
    pub hash: String,
    pub length: u64,
    /// Only in the copy: ends of this chain that were lost, and the line that was written in place of what followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Lost>,
}

/// An end of a chain that is no longer in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// The number of the last line before the loss.
    pub after: u64,
    /// The number and hash of the last line that was lost.
    pub seq: u64,
    pub hash: String,
}

impl Head {
    /// Before the first line.
    pub(super) const NONE: &str = "0000000000000000000000000000000000000000000000000000000000000000";

    pub(super) fn start() -> Self {
        Self { hash: Self::NONE.to_owned(), ..Self::default() }
    }

    /// Reads a head; `None` if there is none or if it is corrupt.
    pub(super) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&read_capped(path, LIMIT).ok()??).ok()
    }

    fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    pub(super) fn write(&self, path: &Path, durability: Durability) -> Result<(), StoreError> {
        replace(path, self.text().as_bytes(), durability)
    }

    /// Replaces the copy, and notes if the copy knew a later end than the one that this line continues.
    pub(super) fn copy(&self, path: &Path, before: &Self, durability: Durability) -> Result<(), StoreError> {
        let known = Self::read(path).unwrap_or_else(Self::start);
        let mut lost = known.lost;
        let contradicts = known.seq > before.seq || known.seq == before.seq && known.hash != before.hash;
        if known.seq > 0 && contradicts {
            lost.push(Lost { after: before.seq, seq: known.seq, hash: known.hash });
            if lost.len() > ROLLBACKS {
                lost.remove(1);
            }
        }
        Self { lost, ..self.clone() }.replace_copy(path, durability)
    }

    pub(super) fn replace_copy(&self, path: &Path, durability: Durability) -> Result<(), StoreError> {
        replace_creating(path, self.text().as_bytes(), durability)
    }
}
