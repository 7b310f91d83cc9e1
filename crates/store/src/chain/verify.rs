use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, BufRead, BufReader};

use serde_json::Value;

use super::head::Head;
use super::{Chain, Link};
use crate::error::At;
use crate::{LINE_LIMIT, StoreError};

stead_model::named! {
    /// What happened to a line of a chain.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum FlawKind {
        /// The line is not what was written.
        Edit = "edit",
        /// The line was not written by an append.
        Insertion = "insertion",
        /// The line was written at another place.
        Reorder = "reorder",
        /// Lines before this one are missing.
        Deletion = "deletion",
        /// Lines after the last one are missing.
        Truncation = "truncation",
        /// The project's copy is older than what the person's state folder knows.
        Rollback = "rollback",
        /// The chain was computed again, up to this line or further.
        Rewrite = "rewrite",
        /// The end of the chain is not recorded beside the log.
        NoHead = "no head",
    }
}

/// Where a chain is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Counted from 1; the place where a missing line was.
    pub line: usize,
    pub kind: FlawKind,
    /// How many lines are concerned.
    pub count: u64,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind.name())?;
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, " ({count} lines)"),
        }
    }
}

/// What a check of a chain found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// The lines whose link is right.
    pub lines: usize,
    /// In the order of lines.
    pub flaws: Vec<Flaw>,
    /// Lines that a killed writer left unfinished; no harm is done.
    pub torn: Vec<usize>,
}

/// A line that claims a place in the chain.
struct Entry {
    line: usize,
    link: Link,
}

impl Chain {
    /// Checks every link, and the end against the head and its copy.
    pub fn verify(&self) -> Result<Verified, StoreError> {
        let mut found = Verified::default();
        let mut entries = Vec::new();
        let (mut foreign, mut unread) = (Vec::new(), Vec::new());
        // The heads first: lines that are appended meanwhile are then ahead of them, never behind.
        let head = Head::read(&self.head);
        let copy = self.copy.as_deref().and_then(Head::read);
        let count = self.each_line(&mut |line, bytes| match serde_json::from_slice::<Value>(bytes) {
            Ok(record) => match self.read_link(&record) {
                Some(link) => entries.push(Entry { line, link }),
                None => foreign.push(line),
            },
            Err(_) => unread.push(line),
        })?;
        let mut flaws: Vec<Flaw> = foreign.iter().map(|line| Flaw::at(*line, FlawKind::Insertion)).collect();
        let spine = spine(&entries, &mut flaws);
        let missing = links(&spine, &unread, &mut flaws);
        let last = spine.iter().copied().max_by_key(|entry| entry.link.seq);
        ends(last, head.as_ref(), copy.as_ref(), count, &spine, &mut flaws);
        found.torn = unread.into_iter().filter(|line| !missing.contains(line)).collect();
        flaws.sort_by_key(|flaw| (flaw.line, flaw.kind));
        flaws.dedup_by_key(|flaw| (flaw.line, flaw.kind));
        let flawed: BTreeSet<usize> = flaws.iter().map(|flaw| flaw.line).collect();
        found.lines = entries.iter().filter(|entry| !flawed.contains(&entry.line)).count();
        found.flaws = flaws;
        Ok(found)
    }

    /// Takes the present end as the right one. For a person who knows why the chain is broken.
    pub fn accept(&self) -> Result<(), StoreError> {
        let (file, length) = crate::append::open_locked(&self.log, std::time::Duration::from_secs(2))?;
        let head = self.last_linked(&file, 0)?.unwrap_or_else(Head::start);
        let head = Head { length, ..head };
        head.write(&self.head, crate::Durability::Synced)?;
        match &self.copy {
            Some(copy) => head.replace_copy(copy, crate::Durability::Synced),
            None => Ok(()),
        }
    }

    /// Passes each line that is not blank, with its number, and returns the number of the last.
    fn each_line(&self, see: &mut dyn FnMut(usize, &[u8])) -> Result<usize, StoreError> {
        let file = match crate::open_file(&self.log) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error).at("open", &self.log),
        };
        let mut reader = BufReader::with_capacity(256 * 1024, file);
        let (mut number, mut bytes) = (0, Vec::new());
        loop {
            bytes.clear();
            let mut limited = io::Read::take(&mut reader, LINE_LIMIT as u64 + 2);
            if limited.read_until(b'\n', &mut bytes).at("read", &self.log)? == 0 {
                return Ok(number);
            }
            number += 1;
            if bytes.last() != Some(&b'\n') && bytes.len() > LINE_LIMIT {
                // No append writes this; the rest of it is skipped.
                skip_line(&mut reader).at("read", &self.log)?;
            }
            if !bytes.trim_ascii().is_empty() {
                see(number, &bytes);
            }
        }
    }
}

fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let chunk = reader.fill_buf()?;
        let (used, ended) = match chunk.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (chunk.len(), chunk.is_empty()),
        };
        reader.consume(used);
        if ended {
            return Ok(());
        }
    }
}

impl Flaw {
    fn at(line: usize, kind: FlawKind) -> Self {
        Self { line, kind, count: 1 }
    }
}

/// One entry for each number, in the order of numbers. Of several with the same number the one that its neighbours
/// link to is kept; the others were inserted. Entries out of order were moved.
fn spine<'a>(entries: &'a [Entry], flaws: &mut Vec<Flaw>) -> Vec<&'a Entry> {
    let mut by_seq: BTreeMap<u64, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        by_seq.entry(entry.link.seq).or_default().push(entry);
    }
    // Of identical lines the one that stands between its neighbours is the original.
    let is_at_home = |entry: &Entry| {
        let at = entries.partition_point(|other| other.line < entry.line);
        let near = |at: usize, seq: u64| entries.get(at).is_some_and(|other| other.link.seq == seq);
        near(at.wrapping_sub(1), entry.link.seq.wrapping_sub(1)) || near(at + 1, entry.link.seq.wrapping_add(1))
    };
    let hashes: BTreeSet<(u64, &str)> = entries.iter().map(|entry| (entry.link.seq, &*entry.link.hash)).collect();
    let links: BTreeSet<(u64, &str)> = entries.iter().map(|entry| (entry.link.seq, &*entry.link.prev)).collect();
    let chosen = |seq: u64, rivals: &[&'a Entry]| -> Option<&'a Entry> {
        let score = |entry: &&&Entry| {
            let follows = hashes.contains(&(seq.wrapping_sub(1), &*entry.link.prev));
            let leads = links.contains(&(seq.wrapping_add(1), &*entry.link.hash));
            (entry.link.is_valid, leads, follows, is_at_home(entry), std::cmp::Reverse(entry.line))
        };
        rivals.iter().max_by_key(score).copied()
    };
    let spine: Vec<&Entry> = by_seq.iter().filter_map(|(seq, rivals)| chosen(*seq, rivals)).collect();
    for rivals in by_seq.values().filter(|rivals| rivals.len() > 1) {
        let kept = |entry: &Entry| spine.binary_search_by_key(&entry.link.seq, |known| known.link.seq);
        let others = rivals.iter().filter(|entry| kept(entry).is_ok_and(|at| spine[at].line != entry.line));
        flaws.extend(others.map(|entry| Flaw::at(entry.line, FlawKind::Insertion)));
    }
    flaws.extend(moved(&spine).into_iter().map(|line| Flaw::at(line, FlawKind::Reorder)));
    spine
}

/// The lines of a spine that do not fit the order of the others: all but a longest run of rising lines.
fn moved(spine: &[&Entry]) -> Vec<usize> {
    if spine.is_sorted_by_key(|entry| entry.line) {
        return Vec::new();
    }
    // Patience sorting: `ends[n]` is the entry that ends the best run of length n + 1.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (index, entry) in spine.iter().enumerate() {
        let at = ends.partition_point(|end| spine[*end].line < entry.line);
        before.push(at.checked_sub(1).map(|at| ends[at]));
        match ends.get_mut(at) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let (mut kept, mut next) = (vec![false; spine.len()], ends.last().copied());
    while let Some(index) = next {
        kept[index] = true;
        next = before[index];
    }
    spine.iter().zip(kept).filter(|(_, kept)| !kept).map(|(entry, _)| entry.line).collect()
}

/// Checks the links along the spine. Returns the unreadable lines that stand where a line is missing.
fn links(spine: &[&Entry], unread: &[usize], flaws: &mut Vec<Flaw>) -> BTreeSet<usize> {
    let mut garbled = BTreeSet::new();
    let (mut seq, mut hash, mut line) = (0, Head::NONE, 0);
    for entry in spine {
        let Link { seq: own, prev, is_valid, .. } = &entry.link;
        let gap = own - seq - u64::from(*own > seq);
        if gap > 0 {
            // A line that cannot be read may be what became of a missing one.
            let first = unread.partition_point(|at| *at < line);
            let between = &unread[first..unread.partition_point(|at| *at < entry.line).max(first)];
            let edited = between.len().min(usize::try_from(gap).unwrap_or(usize::MAX));
            for at in &between[..edited] {
                flaws.push(Flaw::at(*at, FlawKind::Edit));
                garbled.insert(*at);
            }
            let count = gap - edited as u64;
            if count > 0 {
                flaws.push(Flaw { line: entry.line, kind: FlawKind::Deletion, count });
            }
        } else if prev != hash && line > 0 {
            // The line before has another hash than when this one was written.
            flaws.push(Flaw::at(line, FlawKind::Edit));
        } else if prev != hash {
            flaws.push(Flaw::at(entry.line, FlawKind::Edit));
        }
        if !is_valid {
            flaws.push(Flaw::at(entry.line, FlawKind::Edit));
        }
        (seq, hash, line) = (*own, &entry.link.hash, entry.line);
    }
    garbled
}

/// Checks the end of the chain.
fn ends(
    last: Option<&Entry>,
    head: Option<&Head>,
    copy: Option<&Head>,
    count: usize,
    spine: &[&Entry],
    flaws: &mut Vec<Flaw>,
) {
    let end = last.map_or(0, |entry| entry.link.seq);
    let at = |seq: u64| spine.binary_search_by_key(&seq, |entry| entry.link.seq).ok().map(|index| spine[index]);
    let mut missing = 0;
    match head {
        Some(head) if head.seq > end => {
            missing = head.seq;
            flaws.push(Flaw { line: count + 1, kind: FlawKind::Truncation, count: head.seq - end });
        }
        Some(head) => {
            flaws.extend(rewritten(head, &at));
            // One line may have been written by a process that was killed before it wrote the head.
            let unknown = spine.iter().filter(|entry| entry.link.seq > head.seq.saturating_add(1));
            flaws.extend(unknown.map(|entry| Flaw::at(entry.line, FlawKind::Insertion)));
        }
        None if end > 1 => flaws.push(Flaw::at(count, FlawKind::NoHead)),
        None => {}
    }
    let Some(copy) = copy else { return };
    if copy.seq > end && copy.seq > missing {
        flaws.push(Flaw { line: count + 1, kind: FlawKind::Rollback, count: copy.seq - end });
    } else if missing == 0 {
        flaws.extend(rewritten(copy, &at));
    }
    for lost in &copy.lost {
        let line = at(lost.after.saturating_add(1)).map_or(count + 1, |entry| entry.line);
        let count = lost.seq.saturating_sub(lost.after);
        flaws.push(Flaw { line, kind: FlawKind::Rollback, count });
    }
}

/// The line that a head names, if it has another hash than the head says.
fn rewritten<'a>(head: &Head, at: &dyn Fn(u64) -> Option<&'a Entry>) -> Option<Flaw> {
    let entry = at(head.seq)?;
    (entry.link.hash != head.hash).then(|| Flaw::at(entry.line, FlawKind::Rewrite))
}
