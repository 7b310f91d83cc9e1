use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Redacted, StoreError, read_capped, replace};

use super::feed;
use crate::{Outcome, TraceBook, TraceId};

/// The version of the file. One of another version is not used.
const VERSION: u32 = 1;

/// The largest cursor.
const LARGEST: usize = 4 * 1024 * 1024;

/// How many violations may wait for their outcome.
const OPEN: usize = 5_000;

/// How far each log was captured: a cache, whose loss only costs reading everything again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Cursor {
    v: u32,
    /// How long the book was.
    pub book: u64,
    /// Where the unread part of each log starts.
    pub logs: BTreeMap<String, u64>,
    /// Where the session log must be read again, because a session in it has not ended.
    pub sessions_from: u64,
    /// The hashes of the files that are read as a whole.
    pub files: BTreeMap<String, String>,
    /// The violations after `sessions_from`, and what is known about what followed.
    pub open: BTreeMap<TraceId, Option<Outcome>>,
}

impl Cursor {
    pub(super) const FILE: &str = "traces.captured";

    /// Reads the cursor; one that is missing, damaged or ahead of the book starts from the beginning.
    pub(super) fn read(path: &Path, book: &TraceBook) -> Self {
        let bytes = read_capped(path, LARGEST).ok().flatten();
        let cursor = bytes.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        let is_usable = |cursor: &Self| cursor.v == VERSION && cursor.book <= feed::length(book.path());
        cursor.filter(is_usable).unwrap_or(Self { v: VERSION, ..Self::default() })
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), StoreError> {
        replace(path, Redacted::line(self), Durability::Quick)
    }

    /// Where the unread part of a log starts.
    pub(super) fn log(&self, name: &str) -> u64 {
        self.logs.get(name).copied().unwrap_or(0)
    }

    pub(super) fn set_log(&mut self, name: &str, offset: u64) {
        self.logs.insert(name.to_owned(), offset);
    }

    /// Takes over the outcomes that became known.
    pub(super) fn settle(&mut self, outcomes: &HashMap<TraceId, Option<Outcome>>) {
        for (id, outcome) in &mut self.open {
            if let Some(known) = outcomes.get(id) {
                *outcome = *known;
            }
        }
        while self.open.len() > OPEN {
            self.open.pop_first();
        }
    }
}
