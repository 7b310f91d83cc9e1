//! A line for the next session: a decision, an open question, or an approach that failed.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stead_store::{Durability, Redacted, Tail, append_line, redact};

use crate::{ContextError, Scope};

const PATIENCE: Duration = Duration::from_secs(5);

/// How many lines a reader searches.
const LINES: usize = 1_000;

stead_model::named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum NoteKind {
        Decision = "decision",
        Question = "question",
        Failed = "failed",
    }
}

/// One line of `indexes/notes.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub v: u32,
    pub ts: String,
    pub kind: NoteKind,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl Note {
    pub const FILE: &str = "notes.jsonl";
    pub const LIMIT: usize = 8_000;

    /// Appends the note without its secrets, and returns how many there were.
    pub fn record(mut self, log: &Path) -> Result<usize, ContextError> {
        let covered = redact(self.text.trim());
        if covered.is_empty() {
            return Err(ContextError::NoteEmpty);
        }
        if covered.len() > Self::LIMIT {
            return Err(ContextError::NoteTooLong { length: covered.len(), limit: Self::LIMIT });
        }
        let count = covered.count();
        self.text = covered.into_owned();
        append_line(log, Redacted::line(&self), Durability::Synced, PATIENCE)?;
        Ok(count)
    }
}

/// The notes of a scope, oldest first, without duplicates.
pub fn notes(log: &Path, scope: &Scope<'_>) -> Result<Vec<Note>, ContextError> {
    let mut found: Vec<Note> = Vec::new();
    for line in Tail::open(log)?.take(LINES) {
        let Ok(note) = serde_json::from_str::<Note>(&line?.text) else { continue };
        if scope.covers(note.session.as_deref(), &note.ts)
            && !found.iter().any(|known| known.kind == note.kind && known.text == note.text)
        {
            found.push(note);
        }
    }
    found.reverse();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use stead_model::rfc3339;

    use super::*;

    const NOW: i64 = 1_794_771_930_123;

    fn note(age: i64, session: Option<&str>, text: &str) -> Note {
        let (ts, session) = (rfc3339(NOW - age), session.map(str::to_owned));
        Note { v: 1, ts, kind: NoteKind::Decision, text: text.to_owned(), harness: None, session }
    }

    #[test]
    fn a_session_finds_its_own_notes_and_nobodys() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join(Note::FILE);
        let old = 3 * 24 * 3600 * 1000;
        assert_eq!(note(old, Some("s1"), "own and old").record(&log).unwrap(), 0);
        note(old, None, "nobody's and old").record(&log).unwrap();
        note(9, Some("s2"), "other's").record(&log).unwrap();
        assert_eq!(note(8, None, "nobody's password=abc1").record(&log).unwrap(), 1);
        note(7, Some("s1"), "twice").record(&log).unwrap();
        note(6, Some("s1"), "twice").record(&log).unwrap();
        let texts = |session| {
            let scope = Scope { session, now: NOW };
            notes(&log, &scope).unwrap().into_iter().map(|note| note.text).collect::<Vec<_>>()
        };
        assert_eq!(texts(Some("s1")), ["own and old", "nobody's password=[redacted]", "twice"]);
        assert_eq!(texts(None), ["other's", "nobody's password=[redacted]", "twice"]);
        assert!(matches!(note(1, None, " \n").record(&log), Err(ContextError::NoteEmpty)));
        let long = "x".repeat(Note::LIMIT + 1);
        assert!(matches!(note(1, None, &long).record(&log), Err(ContextError::NoteTooLong { .. })));
    }
}
