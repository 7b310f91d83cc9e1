//! A chain that must not be continued from what stands in the project: its end is the one in the person's state folder,
//! and only the lines that this end leads back to are vouched for.
//!
//! A line that somebody wrote behind the end is not part of the chain, and never becomes one: the next append goes on
//! from the copy. A log that was cut, set back or brought from elsewhere does not lead back from the copy, either.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Chain, Head, Link};
use crate::append::open_locked;
use crate::{Durability, Exact, Line, StoreError, Tail, os, read_capped, replace_creating};

/// The length of the file with the hash of a line that is about to be written: the hash and a line end.
const NEXT_LENGTH: usize = 65;

/// How often the ends are read again if they disagree, because a writer may be at work, and how long that waits.
const TRIES: usize = 8;
const PAUSE: Duration = Duration::from_millis(1);

/// An appended line.
#[derive(Debug)]
pub struct Appended {
    pub head: Head,
    /// Why the state folder does not vouch for it. The line is in the log all the same.
    pub unvouched: Option<StoreError>,
}

stead_model::named! {
    /// Why a log, or the rest of it, is not vouched for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Cut {
        /// There is no state folder.
        NoState = "there is no state folder that vouches for its log",
        /// The state folder does not know the log: it was written elsewhere.
        Elsewhere = "its log was not written in this checkout",
        /// The end in the state folder is damaged.
        Damaged = "the end of its log, in the state folder, is damaged",
        /// The end beside the log is missing or another one.
        Head = "the head beside its log is missing or was changed",
        /// A line of the chain is missing or was changed.
        Broken = "its log was changed, cut off or set back",
    }
}

/// One line of a log that was read back.
#[derive(Clone, Debug)]
pub struct VouchedLine {
    pub record: Map<String, Value>,
    pub offset: u64,
    pub is_vouched: bool,
}

/// The lines of a log, newest first, each with whether it is vouched for. Torn lines are skipped.
pub struct Vouched {
    lines: Tail,
    chain: Chain,
    /// The hash of the next line of the chain; `None` if there is none.
    expected: Option<String>,
    /// The hash of a line behind the end whose writer was stopped before it could write the end.
    next: Option<String>,
    cut: Option<Cut>,
}

/// The end in the state folder.
enum End {
    Missing,
    Damaged,
    Known(Head),
}

impl Chain {
    /// Appends a record behind the last line that is vouched for, and returns the new end. Before the line is written,
    /// its hash is noted in the state folder, so that the line counts even if its writer is stopped right after it.
    pub fn append_vouched(
        &self,
        record: Map<String, Value>,
        durability: Durability,
        patience: Duration,
    ) -> Result<Appended, StoreError> {
        let (file, length) = open_locked(&self.log, patience)?;
        let before = self.vouched_end(&file, length)?;
        let (line, hash) = self.line_after(&before, record)?;
        let noted = self.copy.as_deref().map_or(Ok(()), |copy| note_next(&next_path(copy), &hash));
        let length = self.write_line(&file, length, &line, durability)?;
        let head = Head { seq: before.seq.saturating_add(1), hash, length, lost: Vec::new() };
        let written = head.write(&self.head, durability);
        let copied = self.copy.as_deref().map_or(Ok(()), |copy| head.vouch(copy, durability));
        let unvouched = noted.and(written).and(copied).err();
        Ok(Appended { head, unvouched })
    }

    /// Reads the log, newest line first.
    pub fn read_vouched(&self) -> Result<Vouched, StoreError> {
        // The ends first: lines that are appended meanwhile are behind them and not vouched for yet.
        let (expected, next, cut) = match self.ends() {
            Ok((end, next)) => (Some(end.hash).filter(|hash| hash != Head::NONE), next, None),
            Err(cut) => (None, None, Some(cut)),
        };
        let lines = Tail::open(&self.log)?.unchecked();
        Ok(Vouched { lines, chain: self.clone(), expected, next, cut })
    }

    /// Returns true if the log was written here, as far as its end tells. Without a state folder nobody can tell.
    pub fn is_known(&self) -> bool {
        matches!(self.ends(), Ok(_) | Err(Cut::NoState))
    }

    /// Reads the lines from an offset on, newest first, and checks none of them.
    pub fn read_unchecked(&self, offset: u64) -> Result<impl Iterator<Item = VouchedLine> + use<>, StoreError> {
        let lines = Tail::open(&self.log)?.unchecked().map_while(Result::ok);
        let lines = lines.take_while(move |line| line.offset >= offset);
        Ok(lines.filter_map(|line| {
            let record = serde_json::from_str(&line.text).ok()?;
            Some(VouchedLine { record, offset: line.offset, is_vouched: false })
        }))
    }

    /// The files outside the log that say where it ends.
    pub fn end_files(&self) -> Vec<PathBuf> {
        let next = self.copy.as_deref().map(next_path);
        [Some(self.head.clone()), self.copy.clone(), next].into_iter().flatten().collect()
    }

    /// The end to go on from. What is behind it stays in the log and outside the chain.
    fn vouched_end(&self, file: &File, length: u64) -> Result<Head, StoreError> {
        let Some(copy) = &self.copy else { return self.end(file, length) };
        if let End::Known(end) = End::read(copy) {
            let next = read_next(&next_path(copy));
            let unfinished = next.map(|next| self.find_next(file, &next, &end)).transpose()?.flatten();
            return Ok(unfinished.unwrap_or(end));
        }
        // The numbers go on, so that no two lines have the same one; the link does not. The start is written first, so
        // that the first line counts even if its writer is stopped right after it.
        let start = Head { seq: Head::read(&self.head).map_or(0, |head| head.seq), ..Head::start() };
        start.write(&self.head, Durability::Quick)?;
        let _ = start.vouch(copy, Durability::Quick);
        Ok(start)
    }

    /// The line with a noted hash behind the end.
    fn find_next(&self, file: &File, next: &str, end: &Head) -> Result<Option<Head>, StoreError> {
        if next == end.hash {
            return Ok(None);
        }
        let file =
            file.try_clone().map_err(|source| StoreError::Io { doing: "read", path: self.log.clone(), source })?;
        for line in Tail::new(file, &self.log)?.unchecked() {
            let line = line?;
            if line.offset < end.length {
                break;
            }
            let link = self.link_of(&line, &[next]);
            if let Some(Link { seq, hash, .. }) = link.filter(|link| link.hash == next && link.prev == end.hash) {
                let length = line.offset + line.text.len() as u64;
                return Ok(Some(Head { seq, hash, length, lost: Vec::new() }));
            }
        }
        Ok(None)
    }

    /// The valid link of a line that contains one of these hashes. Other lines are not parsed.
    fn link_of(&self, line: &Line, hashes: &[&str]) -> Option<Link> {
        if !hashes.iter().any(|hash| line.text.contains(hash)) {
            return None;
        }
        let record: Value = serde_json::from_str(&line.text).ok()?;
        self.read_link(&record).filter(|link| link.is_valid)
    }

    /// The end that the state folder knows, and the noted hash behind it, if the head beside the log agrees.
    fn ends(&self) -> Result<(Head, Option<String>), Cut> {
        let copy = self.copy.as_deref().ok_or(Cut::NoState)?;
        let mut found = Err(Cut::Head);
        for attempt in 0..TRIES {
            if attempt > 0 {
                thread::sleep(PAUSE);
            }
            let end = match End::read(copy) {
                End::Known(end) => end,
                End::Missing => return Err(Cut::Elsewhere),
                End::Damaged => {
                    found = Err(Cut::Damaged);
                    continue;
                }
            };
            let next = read_next(&next_path(copy));
            let head = Head::read(&self.head);
            let is_end = |head: &Head| head.hash == end.hash && head.seq == end.seq;
            let is_next = |head: &Head| Some(&head.hash) == next.as_ref() && Some(head.seq) == end.seq.checked_add(1);
            match head {
                Some(head) if is_end(&head) || is_next(&head) => return Ok((end, next)),
                _ => found = Err(Cut::Head),
            }
        }
        found
    }
}

impl Vouched {
    /// Why the lines from here on are not vouched for. Once all lines are read, a line that was not found counts.
    pub fn cut(&self) -> Option<Cut> {
        self.cut.or(self.expected.as_ref().map(|_| Cut::Broken))
    }

    /// Returns true if no further line can be vouched for.
    pub fn is_done(&self) -> bool {
        self.expected.is_none() && self.next.is_none()
    }

    fn is_vouched(&mut self, text: &str, record: &Value) -> bool {
        let Some(expected) = &self.expected else { return self.is_first(text, record) };
        let is_near = text.contains(expected.as_str());
        let Some(link) = Some(record).filter(|_| is_near).and_then(|record| self.chain.read_link(record)) else {
            return false;
        };
        if !link.is_valid {
            return false;
        }
        if link.hash == *expected {
            self.expected = Some(link.prev).filter(|prev| prev != Head::NONE);
            self.next = None;
            return true;
        }
        // It contains the end as the line before it.
        let is_next = link.prev == *expected && Some(&link.hash) == self.next.as_ref();
        if is_next {
            self.next = None;
        }
        is_next
    }

    /// The first line of a chain, whose writer was stopped before it could write the end.
    fn is_first(&mut self, text: &str, record: &Value) -> bool {
        let Some(next) = self.next.clone().filter(|next| text.contains(next.as_str())) else { return false };
        let link = self.chain.read_link(record);
        let is_it = link.is_some_and(|link| link.is_valid && link.hash == next && link.prev == Head::NONE);
        if is_it {
            self.next = None;
        }
        is_it
    }
}

impl Iterator for Vouched {
    type Item = Result<VouchedLine, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            let Ok(record @ Value::Object(_)) = serde_json::from_str::<Value>(&line.text) else { continue };
            let is_vouched = self.is_vouched(&line.text, &record);
            let Value::Object(record) = record else { continue };
            return Some(Ok(VouchedLine { record, offset: line.offset, is_vouched }));
        }
    }
}

impl End {
    fn read(path: &Path) -> Self {
        match (Head::read(path), std::fs::symlink_metadata(path)) {
            (Some(head), _) => Self::Known(head),
            (None, Err(error)) if error.kind() == std::io::ErrorKind::NotFound => Self::Missing,
            (None, _) => Self::Damaged,
        }
    }
}

/// The file with the hash of the line that is about to be written, beside the copy.
fn next_path(copy: &Path) -> PathBuf {
    copy.with_extension("next")
}

fn read_next(path: &Path) -> Option<String> {
    let bytes = read_capped(path, NEXT_LENGTH).ok()??;
    let text = std::str::from_utf8(&bytes).ok()?.trim_end();
    (text.len() == NEXT_LENGTH - 1).then(|| text.to_owned())
}

fn note_next(path: &Path, hash: &str) -> Result<(), StoreError> {
    let text = format!("{hash}\n");
    let is_written = os::open_to_overwrite(path).is_ok_and(|mut file| {
        file.metadata().is_ok_and(|data| data.is_file() && data.len() == NEXT_LENGTH as u64)
            && file.write_all(text.as_bytes()).is_ok()
    });
    if is_written { Ok(()) } else { replace_creating(path, Exact::Own.bytes(&text), Durability::Quick) }
}
