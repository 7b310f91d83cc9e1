//! Turns what the project's logs recorded into traces: denials and shadow hits with what the agent did next, overrides,
//! reflections, failures, decisions, changes of intents, and suspected corrections.
//!
//! It never runs on the hook path. The next command that reads or writes traces does it, so a session's last events are
//! captured by whoever asks next. A trace's id is derived from what it is made of, so nothing is captured twice: the
//! cursor only saves reading, and can be deleted.

mod call;
mod change;
mod cursor;
mod document;
mod effect;
pub(crate) mod feed;
mod negation;
mod record;
mod session;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use stead_store::{Durability, StoreError, create_parents, take_turn};

use crate::{Memory, MemoryError, Outcome, Trace, TraceBook, TraceId, TraceStatus, VERSION};
use cursor::Cursor;

/// How long another process that captures is waited for.
const TURN: Duration = Duration::from_millis(300);

/// How long the book's lock is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is captured from, and where the cursor is.
#[derive(Clone, Debug)]
pub struct Capture<'a> {
    pub memory: &'a Memory,
    /// The root of the project.
    pub root: PathBuf,
    pub context: PathBuf,
    pub features: PathBuf,
    pub intents: PathBuf,
    pub cache: PathBuf,
    /// In milliseconds since 1970.
    pub now: i64,
}

/// What a capture wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    pub added: usize,
    /// Traces whose outcome became known.
    pub updated: usize,
}

/// What a log line becomes.
enum Draft {
    New(Box<Trace>),
    /// What the agent did after a violation that was captured before, or is captured now.
    Outcome(TraceId, Outcome),
    /// The second half of a reflection.
    Prevention(TraceId, String),
}

impl Draft {
    fn new(trace: Trace) -> Self {
        Self::New(Box::new(trace))
    }
}

impl Capture<'_> {
    /// Captures what is new. Returns nothing if another process is at it, which then captures everything.
    pub fn run(&self) -> Result<Captured, MemoryError> {
        let path = self.cache.join(Cursor::FILE);
        create_parents(&path)?;
        let _turn = match take_turn(&path, TURN) {
            Err(StoreError::Locked { .. }) => return Ok(Captured::default()),
            turn => turn?,
        };
        let book = &self.memory.book;
        let before = Cursor::read(&path, book);
        let mut cursor = before.clone();
        let mut drafts = Vec::new();
        session::read(self, &mut cursor, &mut drafts)?;
        change::read(self, &mut cursor, &mut drafts)?;
        record::read(self, &mut cursor, &mut drafts)?;
        let documents = document::read(self, &mut cursor);
        let mut known = Known::read(book, if documents.is_empty() { before.book } else { 0 })?;
        drafts.extend(documents.into_iter().map(Draft::new));
        let mut captured = Captured::default();
        for draft in drafts {
            known.apply(draft, book, &mut captured)?;
        }
        cursor.settle(&known.outcomes);
        cursor.book = std::fs::metadata(book.path()).map_or(0, |data| data.len());
        if cursor != before {
            cursor.write(&path)?;
        }
        Ok(captured)
    }

    fn id(&self, key: &str) -> TraceId {
        TraceId::of_key(&self.memory.project, key)
    }

    /// A trace that is derived from something with a key of its own.
    fn trace(&self, key: &str, timestamp: &str) -> Trace {
        Trace {
            v: VERSION,
            id: self.id(key),
            project: self.memory.project.clone(),
            timestamp: timestamp.to_owned(),
            ..Trace::default()
        }
    }
}

/// What the book has already, as far as it matters.
struct Known {
    ids: HashSet<TraceId>,
    outcomes: HashMap<TraceId, Option<Outcome>>,
}

impl Known {
    /// The traces that were written from an offset on: those that a killed process left without moving the cursor.
    fn read(book: &TraceBook, from: u64) -> Result<Self, MemoryError> {
        let mut known = Self { ids: HashSet::new(), outcomes: HashMap::new() };
        for line in feed::lines(book.path(), from)? {
            let Some(line) = crate::TraceLine::parse(line) else { continue };
            known.outcomes.insert(line.trace.id.clone(), line.trace.outcome);
            known.ids.insert(line.trace.id);
        }
        Ok(known)
    }

    fn apply(&mut self, draft: Draft, book: &TraceBook, captured: &mut Captured) -> Result<(), MemoryError> {
        match draft {
            Draft::New(trace) if self.ids.contains(&trace.id) => {}
            Draft::New(trace) => {
                book.append(&trace, Durability::Quick, PATIENCE)?;
                captured.added += 1;
                self.outcomes.insert(trace.id.clone(), trace.outcome);
                self.ids.insert(trace.id.clone());
            }
            Draft::Outcome(id, outcome) => {
                let rank = |outcome: Option<Outcome>| outcome.map_or(0, rank);
                let is_stronger = |old: Option<Outcome>| rank(Some(outcome)) > rank(old);
                if self.outcomes.get(&id).is_some_and(|old| !is_stronger(*old)) {
                    return Ok(());
                }
                if let Some(old) = last_state(book, &id)? {
                    self.outcomes.insert(id, old.outcome);
                    if is_stronger(old.outcome) {
                        self.outcomes.insert(old.id.clone(), Some(outcome));
                        book.append(&Trace { outcome: Some(outcome), ..old }, Durability::Quick, PATIENCE)?;
                        captured.updated += 1;
                    }
                }
            }
            Draft::Prevention(id, text) => {
                if let Some(mut old) = last_state(book, &id)?.filter(|old| old.event.what_was_correct.is_empty()) {
                    old.event.what_was_correct = text;
                    book.append(&old, Durability::Quick, PATIENCE)?;
                    captured.updated += 1;
                }
            }
        }
        Ok(())
    }
}

/// A stronger fact replaces a weaker one, never the other way round.
fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Other => 0,
        Outcome::Complied | Outcome::GaveUp => 1,
        Outcome::Appealed => 2,
        Outcome::Overridden => 3,
        Outcome::WentRound => 4,
    }
}

/// The last line of a trace; `None` if there is none or it was forgotten.
fn last_state(book: &TraceBook, id: &TraceId) -> Result<Option<Trace>, MemoryError> {
    for line in book.mentioning(id.as_str())? {
        let trace = line.trace;
        if trace.id == *id {
            return Ok(Some(trace));
        }
        if trace.status == TraceStatus::Forgotten && trace.supersedes.contains(id) {
            return Ok(None);
        }
    }
    Ok(None)
}
