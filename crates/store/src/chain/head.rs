use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::fence::open_stays_inside;
use crate::{Durability, Exact, StoreError, os, read_capped, replace, replace_creating};

/// A head is short; what is longer is none.
const LIMIT: usize = 64 * 1024;

/// How long a head without losses is. The longest numbers fit.
const WIDTH: usize = 192;

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

    /// Padded, so that every head without losses has the same length.
    fn text(&self) -> String {
        format!("{:<width$}\n", serde_json::to_string(self).unwrap_or_default(), width = WIDTH - 1)
    }

    pub(super) fn write(&self, path: &Path, durability: Durability) -> Result<(), StoreError> {
        if durability == Durability::Quick && self.overwrite(path) {
            return Ok(());
        }
        replace(path, Exact::Own.owned(self.text()), durability)
    }

    /// Writes over an existing head of the same length: one write of less than a block, under the log's lock. Replacing
    /// the file would make the file system write it out each time. A head that a power cut damages is found again by
    /// the lines of the log.
    fn overwrite(&self, path: &Path) -> bool {
        let text = self.text();
        let Ok(mut file) = os::open_to_overwrite(path) else { return false };
        let is_ours = |data: &std::fs::Metadata| data.is_file() && data.len() == WIDTH as u64;
        text.len() == WIDTH
            && file.metadata().is_ok_and(|data| is_ours(&data))
            && open_stays_inside(path, &file).is_ok()
            && file.write_all(text.as_bytes()).is_ok()
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
        let copy = Self { lost, ..self.clone() };
        // What was lost is known nowhere else, so such a copy is never written over.
        if durability == Durability::Quick && copy.lost.is_empty() && copy.overwrite(path) {
            return Ok(());
        }
        copy.replace_copy(path, durability)
    }

    /// Writes the copy of a chain that goes on from nothing else than it.
    pub(super) fn vouch(&self, path: &Path, durability: Durability) -> Result<(), StoreError> {
        if durability == Durability::Quick && self.overwrite(path) {
            return Ok(());
        }
        self.replace_copy(path, durability)
    }

    pub(super) fn replace_copy(&self, path: &Path, durability: Durability) -> Result<(), StoreError> {
        replace_creating(path, Exact::Own.owned(self.text()), durability)
    }
}
