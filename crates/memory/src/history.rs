//! What agents did, as it is on record: the calls in the session log, and what came of them.

mod call;
mod standing;

pub use call::{CallKey, PastCall};
pub use standing::Standing;

pub(crate) use standing::read;

use std::path::PathBuf;

use stead_store::{Lines, StoreError};

/// How many lines are read between two reports of progress.
const STEP: u64 = 4_096;

/// The recorded calls of a project.
#[derive(Clone, Debug)]
pub struct History {
    /// The folder of the project's indexes.
    pub indexes: PathBuf,
    pub root: PathBuf,
    pub home: Option<String>,
}

/// How much of the log was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub bytes: u64,
    pub of: u64,
}

impl History {
    pub const LOG: &str = "sessions.jsonl";

    pub fn log(&self) -> PathBuf {
        self.indexes.join(Self::LOG)
    }

    /// Reads every line of the log, oldest first, in bounded memory. Torn and foreign lines are skipped.
    pub fn each(
        &self,
        progress: &mut dyn FnMut(Reading),
        see: &mut dyn FnMut(&PastCall<'_>),
    ) -> Result<(), StoreError> {
        let log = self.log();
        let of = std::fs::metadata(&log).map_or(0, |data| data.len());
        let mut number = 0;
        for line in Lines::open(&log)?.unchecked() {
            let line = line?;
            number += 1;
            if number % STEP == 0 {
                progress(Reading { bytes: line.offset, of });
            }
            if let Some(call) = PastCall::parse(&line.text) {
                see(&call);
            }
        }
        progress(Reading { bytes: of, of });
        Ok(())
    }

    pub(crate) fn root_text(&self) -> String {
        self.root.to_string_lossy().into_owned()
    }

    pub(crate) fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }
}
