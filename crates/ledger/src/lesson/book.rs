use std::path::{Path, PathBuf};

use stead_model::{BYTES_PER_TOKEN, nearest};
use stead_store::{Durability, Exact, amend, create_parents, read_capped, redact};

use super::document::{Document, clean, id, subject};
use super::usage::Usage;
use super::{Entry, Happened, LessonKind, LessonLine};
use crate::LedgerError;

/// The largest file that is read.
const LARGEST: usize = 4 * 1024 * 1024;

/// The lessons of a project.
#[derive(Clone, Debug)]
pub struct Lessons {
    path: PathBuf,
    log: PathBuf,
    /// How many bytes all entries may have.
    budget: usize,
    durability: Durability,
}

/// A lesson to add.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewLesson {
    pub kind: LessonKind,
    pub text: String,
    /// The evidence that it was learnt from.
    pub of: Option<String>,
    pub session: Option<String>,
}

/// What adding a lesson did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    pub id: String,
    /// It was there already, or a person dropped it.
    pub is_known: bool,
    /// The lessons that had to go.
    pub displaced: Vec<String>,
    /// How many secrets were covered.
    pub redacted: usize,
}

impl Lessons {
    pub const FILE: &str = "AGENT.md";
    /// The longest lesson, in bytes.
    pub const LONGEST: usize = 2_000;

    /// The lessons in the folder of the intents, with `tokens` for all entries.
    pub fn of(room: &Path, indexes: &Path, tokens: usize) -> Self {
        Self {
            path: room.join(Self::FILE),
            log: indexes.join(LessonLine::FILE),
            budget: tokens.saturating_mul(BYTES_PER_TOKEN),
            durability: Durability::Synced,
        }
    }

    /// The same for the hook path, which does not sync.
    #[must_use]
    pub fn quick(self) -> Self {
        Self { durability: Durability::Quick, ..self }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The lessons in the text of such a file.
    pub fn parse(text: &str) -> Vec<Entry> {
        Document::new(text.to_owned()).entries()
    }

    /// Every lesson, in the order of the file.
    pub fn entries(&self) -> Result<Vec<Entry>, LedgerError> {
        Ok(self.document(read_capped(&self.path, LARGEST)?)?.entries())
    }

    /// Every lesson and how often it was needed, the most needed first, of equal ones the newest.
    pub fn by_use(&self) -> Result<Vec<(Entry, u64)>, LedgerError> {
        let usage = Usage::read(&self.log);
        let mut found: Vec<(Entry, u64)> =
            self.entries()?.into_iter().rev().map(|entry| (entry.clone(), usage.of(&entry.id))).collect();
        found.sort_by(|(a, used), (b, often)| often.cmp(used).then_with(|| b.date.cmp(&a.date)));
        Ok(found)
    }

    /// Returns the evidence that lessons were already learnt from.
    pub(super) fn learnt(&self) -> std::collections::HashSet<String> {
        Usage::read(&self.log).learnt
    }

    /// Adds a lesson, unless it is there already. If the entries are over budget afterwards, the least used ones go, the
    /// oldest of them first; never the new one, and never one that a person edited.
    pub fn add(&self, new: &NewLesson, now: &str) -> Result<Added, LedgerError> {
        let covered = redact(new.text.trim());
        let (redacted, text) = (covered.count(), clean(&covered));
        if text.is_empty() || text.len() > Self::LONGEST {
            let why = if text.is_empty() { "it is empty" } else { "it is longer than 2,000 bytes" };
            let value = text.chars().take(40).collect();
            let hint = Some("say it in one or two sentences".to_owned());
            return Err(LedgerError::Invalid { what: "lesson", value, why: why.to_owned(), hint });
        }
        create_parents(&self.path)?;
        let date = now.get(..10).unwrap_or_default();
        let mut added = Added { id: id(new.kind, &text), is_known: false, displaced: Vec::new(), redacted };
        amend::<LedgerError>(&self.path, LARGEST, self.durability, |old| {
            let mut document = self.document(old)?;
            let usage = Usage::read(&self.log);
            // What a person dropped is not learnt again by itself.
            let is_unwanted = new.of.is_some() && usage.dropped.contains(&added.id);
            let subject = subject(new.kind, &text);
            let same =
                document.entries().into_iter().find(|entry| entry.kind == new.kind && entry.subject() == subject);
            match same {
                Some(entry) if !is_superseded(&entry, &text) => {
                    added.id = entry.id;
                    added.is_known = true;
                    return Ok(None);
                }
                Some(entry) => document.remove(&entry),
                None if is_unwanted => {
                    added.is_known = true;
                    return Ok(None);
                }
                None => {}
            }
            document.add(new.kind, date, &text);
            added.displaced = self.make_room(&mut document, &added.id, &usage);
            Ok(Some(Exact::Edited.owned(document.into_text())))
        })?;
        let line = |did, ids| LessonLine {
            v: 1,
            ts: now.to_owned(),
            did,
            ids,
            of: new.of.clone(),
            session: new.session.clone(),
        };
        let did = if added.is_known { Happened::Again } else { Happened::Added };
        create_parents(&self.log)?;
        line(did, vec![added.id.clone()]).record(&self.log, self.durability)?;
        if !added.displaced.is_empty() {
            line(Happened::Displaced, added.displaced.clone()).record(&self.log, self.durability)?;
        }
        Ok(added)
    }

    /// Removes a lesson by its id or the beginning of it.
    pub fn drop_one(&self, typed: &str, now: &str) -> Result<Entry, LedgerError> {
        let entries = self.entries()?;
        let matching: Vec<&Entry> = entries.iter().filter(|entry| entry.id.starts_with(typed)).collect();
        let id = match matching.as_slice() {
            [one] => one.id.clone(),
            _ => {
                let near = nearest(typed, entries.iter().map(|entry| entry.id.as_str())).map(str::to_owned);
                return Err(LedgerError::UnknownLesson {
                    id: typed.to_owned(),
                    matching: matching.len(),
                    nearest: near,
                });
            }
        };
        let mut dropped = None;
        amend::<LedgerError>(&self.path, LARGEST, self.durability, |old| {
            let mut document = self.document(old)?;
            dropped = document.entries().into_iter().find(|entry| entry.id == id);
            let Some(entry) = &dropped else { return Ok(None) };
            document.remove(entry);
            Ok(Some(Exact::Edited.owned(document.into_text())))
        })?;
        let none = || LedgerError::UnknownLesson { id: typed.to_owned(), matching: 0, nearest: None };
        let entry = dropped.ok_or_else(none)?;
        let ids = vec![entry.id.clone()];
        let line = LessonLine { v: 1, ts: now.to_owned(), did: Happened::Dropped, ids, of: None, session: None };
        line.record(&self.log, self.durability)?;
        Ok(entry)
    }

    /// Records that a session was told lessons.
    pub fn told(&self, ids: Vec<String>, session: Option<&str>, now: &str) -> Result<(), LedgerError> {
        if ids.is_empty() {
            return Ok(());
        }
        let session = session.map(str::to_owned);
        let line = LessonLine { v: 1, ts: now.to_owned(), did: Happened::Told, ids, of: None, session };
        Ok(line.record(&self.log, self.durability)?)
    }

    fn document(&self, bytes: Option<Vec<u8>>) -> Result<Document, LedgerError> {
        let text = String::from_utf8(bytes.unwrap_or_default()).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let (message, hint) = ("it is not UTF-8".to_owned(), Some("save it as UTF-8".to_owned()));
            LedgerError::Malformed { path: self.path.clone(), line, message, hint }
        })?;
        Ok(Document::new(text))
    }

    fn make_room(&self, document: &mut Document, newest: &str, usage: &Usage) -> Vec<String> {
        let mut displaced = Vec::new();
        loop {
            let entries = document.entries();
            let size: usize = entries.iter().map(|entry| entry.place.len()).sum();
            let may_go = entries.iter().filter(|entry| entry.id != newest && entry.is_unedited());
            let least = may_go.min_by_key(|entry| (usage.of(&entry.id), entry.date.clone(), entry.place.start));
            let Some(entry) = least.filter(|_| size > self.budget) else { return displaced };
            document.remove(entry);
            displaced.push(entry.id.clone());
        }
    }
}

/// Returns true if an entry says that something still fails and the new text says more, and nobody edited it.
fn is_superseded(entry: &Entry, text: &str) -> bool {
    entry.kind == LessonKind::Failure
        && entry.is_unedited()
        && super::learn::is_open(&entry.text)
        && !super::learn::is_open(text)
}
