use std::collections::{HashMap, HashSet};
use std::ops::Range;

use stead_model::unix_millis;

use super::key::line_keys;
use crate::trace::{ContributorKind, FileNote, FileOp, NodeNote, Record};

/// A record as the questions need it.
#[derive(Debug)]
pub struct Held {
    pub record: Record,
    /// The writer, if it is not this machine.
    pub peer: Option<String>,
    pub(super) files: Vec<HeldFile>,
    /// When, and the place in the ledger: records are ordered by it.
    pub(super) order: Order,
}

/// When a record was made, and its place in the ledger.
pub(super) type Order = (i64, usize, u32);

/// What a record says about one file.
#[derive(Debug)]
pub(super) struct HeldFile {
    pub(super) path: String,
    pub(super) after: Option<String>,
    /// Each range: its lines in the file after the call, counted from 0, and their hashes.
    pub(super) ranges: Vec<(Range<usize>, Vec<u64>)>,
    /// How often it added each text.
    counts: HashMap<u64, usize>,
    /// Texts that the call only moved, indented or formatted.
    pub(super) kept: HashSet<u64>,
    /// Texts with several copies, of which nobody knows which one it added or removed.
    pub(super) again: HashSet<u64>,
    pub(super) nodes: Vec<NodeNote>,
}

/// Who stands behind a record. Two records of the same owner agree about a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    kind: ContributorKind,
    session: Option<String>,
    agent: Option<String>,
    intent: Option<String>,
    peer: Option<String>,
}

impl Held {
    pub(super) fn of(record: Record, peer: Option<String>, place: (usize, u32)) -> Self {
        let time = unix_millis(&record.timestamp).unwrap_or(i64::MAX);
        let notes = record.stead().map(|note| note.files.as_slice()).unwrap_or_default();
        let files = notes.iter().map(|note| HeldFile::of(note, &record)).collect();
        Self { record, peer, files, order: (time, place.0, place.1) }
    }

    /// The paths of the files that it removed a text from, and how many of it.
    pub(super) fn removed_from(&self, key: u64) -> impl Iterator<Item = (&str, isize)> {
        let notes = self.record.stead().map(|note| note.files.as_slice()).unwrap_or_default();
        let count = move |gone: &str| line_keys(gone).into_iter().filter(|gone| *gone == key).count() as isize;
        notes.iter().map(move |note| (note.path.as_str(), count(&note.gone))).filter(|(_, count)| *count > 0)
    }

    /// The path that it renamed a file to.
    pub(super) fn renamed(&self, from: &str) -> Option<&str> {
        let mut notes = self.record.stead()?.files.iter();
        notes
            .find(|note| note.op == FileOp::Rename && note.from.as_deref() == Some(from))
            .map(|note| note.path.as_str())
    }

    pub(super) fn owner(&self) -> Owner {
        let note = self.record.stead();
        Owner {
            kind: self.record.contributor(),
            session: self.record.session().map(str::to_owned),
            agent: note.and_then(|note| note.agent.clone()),
            intent: self.record.intent().map(str::to_owned),
            peer: self.peer.clone(),
        }
    }
}

impl HeldFile {
    fn of(note: &FileNote, record: &Record) -> Self {
        let hashes = line_keys(&note.lines);
        let trace = record.files.iter().find(|file| file.path == note.path);
        let ranges = trace.into_iter().flat_map(|file| &file.conversations).flat_map(|talk| &talk.ranges);
        let mut at = 0;
        let mut held = Vec::new();
        for range in ranges {
            let (Some(start), Some(end)) = (range.start_line.checked_sub(1), usize::try_from(range.end_line).ok())
            else {
                continue;
            };
            let lines = start as usize..end;
            let Some(own) = hashes.get(at..at + lines.len()) else { break };
            at += lines.len();
            held.push((lines, own.to_vec()));
        }
        // Hashes that do not cover the ranges say nothing.
        if at != hashes.len() {
            held.clear();
        }
        let kept: HashSet<u64> = line_keys(&note.kept).into_iter().collect();
        let mut counts = HashMap::new();
        for hash in held.iter().flat_map(|(_, hashes)| hashes).filter(|hash| !kept.contains(hash)) {
            *counts.entry(*hash).or_default() += 1;
        }
        Self {
            path: note.path.clone(),
            after: note.after.clone(),
            ranges: held,
            counts,
            kept,
            again: line_keys(&note.again).into_iter().collect(),
            nodes: note.nodes.clone(),
        }
    }

    /// How often it added a text.
    pub(super) fn count(&self, key: u64) -> usize {
        self.counts.get(&key).copied().unwrap_or(0)
    }

    /// Returns true if it added the line with this number (from 0) and text.
    pub(super) fn added_at(&self, line: usize, key: u64) -> bool {
        let at = |(lines, hashes): &(Range<usize>, Vec<u64>)| {
            line.checked_sub(lines.start).and_then(|at| hashes.get(at)) == Some(&key)
        };
        !self.kept.contains(&key) && self.ranges.iter().any(at)
    }
}
