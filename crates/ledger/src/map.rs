//! The intent map: which files, and which functions and types in them, were changed for which intent.
//!
//! The ledger is the truth. What it says is folded into a state in the cache, line by line as the ledger grows, and
//! `intent_map.md` shows it with the line numbers that the files have now. A person's notes in the page are kept.

mod page;
mod place;
mod search;
mod state;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stead_store::{Durability, Edited, Exact, amend, create_parents, read_capped, replace_creating};

use crate::LedgerError;
use crate::intent::{Intent, IntentFile};
use crate::trace::Ledger;

pub use place::Placed;
pub use search::{Answer, Asked, PromptText, Reason};
use state::MapState;

/// The largest page that is read.
const LARGEST: usize = 16 * 1024 * 1024;

/// The map of a project.
#[derive(Clone, Debug)]
pub struct IntentMap {
    /// The folder of the intents.
    room: PathBuf,
    /// The state, which can be rebuilt.
    state: PathBuf,
    /// The checkout whose files are shown.
    root: PathBuf,
}

/// How much work an update may be.
#[derive(Clone, Copy, Debug)]
pub struct MapBudget {
    /// For reading files again.
    pub time: Duration,
    /// How many new lines of the ledger are read.
    pub lines: usize,
}

impl MapBudget {
    /// At a stop.
    pub const HOOK: Self = Self { time: Duration::from_millis(300), lines: 500 };
    /// When somebody waits for a command anyway.
    pub const COMMAND: Self = Self { time: Duration::from_secs(20), lines: usize::MAX };
}

/// What an update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Updated {
    Unchanged,
    Written,
    /// It was more than the budget allows; the next command does the rest.
    Later,
}

impl IntentMap {
    pub const FILE: &str = "intent_map.md";
    /// The state, below the cache.
    pub const STATE: &str = "intent-map.json";

    pub fn of(room: &Path, cache: &Path, root: &Path) -> Self {
        Self { room: room.to_owned(), state: cache.join(Self::STATE), root: root.to_owned() }
    }

    pub fn path(&self) -> PathBuf {
        self.room.join(Self::FILE)
    }

    /// Brings the map up to date with the ledger. A page that would say the same is not written.
    pub fn update(&self, ledger: &Ledger, budget: MapBudget) -> Result<Updated, LedgerError> {
        let mut state = MapState::read(&self.state);
        let until = Instant::now() + budget.time;
        if !state.is_behind(ledger) && !state.is_unfinished && self.path().exists() {
            return Ok(Updated::Unchanged);
        }
        if !state.fold(ledger, budget.lines)? {
            return Ok(Updated::Later);
        }
        if state.has_nothing() {
            self.write_state(&state)?;
            return Ok(Updated::Unchanged);
        }
        state.is_unfinished = !state.look(&self.root, until);
        let intents = self.intents();
        create_parents(&self.path())?;
        let edited = amend::<LedgerError>(&self.path(), LARGEST, Durability::Quick, |old| {
            let old = old.map(String::from_utf8).transpose().map_err(|error| self.not_text(&error.utf8_error()))?;
            let page = page::render(&state, &intents, old.as_deref());
            Ok((old.as_deref() != Some(page.as_str())).then(|| Exact::Edited.owned(page)))
        })?;
        self.write_state(&state)?;
        Ok(match edited {
            _ if state.is_unfinished => Updated::Later,
            Edited::Changed => Updated::Written,
            Edited::Unchanged => Updated::Unchanged,
        })
    }

    /// Answers where something is, best first; empty if nothing recorded matches.
    pub fn find(&self, ledger: &Ledger, asked: &Asked<'_>) -> Result<Vec<Answer>, LedgerError> {
        let mut state = MapState::read(&self.state);
        state.fold(ledger, usize::MAX)?;
        state.look(&self.root, Instant::now() + MapBudget::COMMAND.time);
        let notes = match read_capped(&self.path(), LARGEST)? {
            Some(bytes) => page::notes(&String::from_utf8_lossy(&bytes)).of_intents,
            None => BTreeMap::new(),
        };
        Ok(search::search(&state, &self.intents(), &notes, ledger, &self.root, asked))
    }

    /// The intents in the order of their file; none if there is no file or it cannot be read.
    fn intents(&self) -> Vec<Intent> {
        IntentFile::read(&self.room).map(|file| file.intents).unwrap_or_default()
    }

    /// A page with other bytes may hold notes, so it is not rewritten.
    fn not_text(&self, error: &std::str::Utf8Error) -> LedgerError {
        let message = format!("it is not UTF-8 after {} bytes", error.valid_up_to());
        let hint = Some("save it as UTF-8".to_owned());
        LedgerError::Malformed { path: self.path(), line: 0, message, hint }
    }

    fn write_state(&self, state: &MapState) -> Result<(), LedgerError> {
        Ok(replace_creating(&self.state, Exact::Own.bytes(&state.to_bytes()), Durability::Quick)?)
    }
}
