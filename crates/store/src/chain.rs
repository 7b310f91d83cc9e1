//! A log as a hash chain: each line has the hash of the line before it, so that a changed, inserted, moved or removed
//! line is found. The end of the chain is kept in a file beside the log, so that removed last lines are found, and in
//! the person's state folder, so that a project folder that was restored to an earlier state is found.
//!
//! This makes tampering evident, not impossible: whoever can write all three files can write a new chain.

mod head;
mod verify;
mod vouched;

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

pub use head::{Head, Lost};
pub use verify::{Flaw, FlawKind, Verified};
pub use vouched::{Appended, Cut, Vouched, VouchedLine};

use crate::append::open_locked;
use crate::canonical::canonical_object;
use crate::error::At;
use crate::{Durability, LINE_LIMIT, Redacted, StoreError, os, sha256};

const SEQ: &str = "seq";
const PREV: &str = "prev";
const HASH: &str = "hash";

/// A log whose lines are linked.
#[derive(Clone, Debug)]
pub struct Chain {
    pub log: PathBuf,
    /// The end of the chain, beside the log.
    pub head: PathBuf,
    /// The same in the person's state folder, if there is one.
    pub copy: Option<PathBuf>,
    /// The names that lead to the object in a line that has the link: `seq`, `prev` and `hash`.
    pub link: &'static [&'static str],
}

impl Chain {
    /// Appends a record as one line and returns the new end. Link and line are made under the log's lock. If the process
    /// ends before the head is written, the next append finds the line.
    pub fn append(
        &self,
        record: Map<String, Value>,
        durability: Durability,
        patience: Duration,
    ) -> Result<Head, StoreError> {
        let (file, length) = open_locked(&self.log, patience)?;
        let before = self.end(&file, length)?;
        let (line, hash) = self.line_after(&before, record)?;
        let length = self.write_line(&file, length, &line, durability)?;
        let head = Head { seq: before.seq.saturating_add(1), hash, length, lost: Vec::new() };
        // The line is written. A head that could not be is one line behind, which is valid and mended by the next.
        let _ = head.write(&self.head, durability);
        if let Some(copy) = &self.copy {
            let _ = head.copy(copy, &before, durability);
        }
        Ok(head)
    }

    /// The line of a record that follows an end, and its hash.
    fn line_after(&self, before: &Head, record: Map<String, Value>) -> Result<(String, String), StoreError> {
        // Before the hash is made, which is over what is written.
        let mut record = without_secrets(record);
        let hash = self.seal(&mut record, before.seq.saturating_add(1), &before.hash);
        let line = serde_json::to_string(&record).unwrap_or_default();
        if line.len() > LINE_LIMIT {
            let (path, length) = (self.log.clone(), line.len());
            return Err(StoreError::LineTooLong { path, length, limit: LINE_LIMIT });
        }
        Ok((line, hash))
    }

    /// Writes a line behind a log of this length, under its lock, and returns the new length.
    fn write_line(&self, file: &File, length: u64, line: &str, durability: Durability) -> Result<u64, StoreError> {
        let mut bytes = Vec::with_capacity(line.len() + 2);
        if length > 0 && os::byte_at(file, length - 1).at("read", &self.log)? != b'\n' {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        if let Err(error) = (&*file).write_all(&bytes) {
            // The lock is still held, so no other line is cut.
            let _ = file.set_len(length);
            return Err(error).at("append to", &self.log);
        }
        if durability == Durability::Synced {
            file.sync_data().at("sync", &self.log)?;
        }
        Ok(length + bytes.len() as u64)
    }

    /// The end of the chain as far as it is known: by the head, unless lines follow that it does not know.
    fn end(&self, file: &File, length: u64) -> Result<Head, StoreError> {
        let head = Head::read(&self.head);
        match head {
            // If the file is shorter, lines were cut off. The chain goes on from the head, so that the gap stays visible.
            Some(head) if head.length >= length => Ok(head),
            // Written before the first line: whoever finds a log without a head knows that it is not a chain of ours.
            None if length == 0 => {
                let start = Head::start();
                start.write(&self.head, Durability::Quick)?;
                Ok(start)
            }
            head => {
                let known = head.unwrap_or_else(Head::start);
                Ok(self.last_linked(file, known.length)?.unwrap_or(Head { length, ..known }))
            }
        }
    }

    /// The last line with a valid hash, at or after an offset.
    fn last_linked(&self, file: &File, from: u64) -> Result<Option<Head>, StoreError> {
        let file = file.try_clone().at("read", &self.log)?;
        for line in crate::Tail::new(file, &self.log)? {
            let line = line?;
            if line.offset < from {
                break;
            }
            let end = line.offset + line.text.len() as u64;
            let link = serde_json::from_str(&line.text).ok().and_then(|record| self.read_link(&record));
            if let Some(link) = link.filter(|link| link.is_valid) {
                return Ok(Some(Head { seq: link.seq, hash: link.hash, length: end, lost: Vec::new() }));
            }
        }
        Ok(None)
    }

    /// Puts the link into a record and returns its hash.
    fn seal(&self, record: &mut Map<String, Value>, seq: u64, prev: &str) -> String {
        edit(record, self.link, &mut |link| {
            link.shift_remove(HASH);
            link.insert(SEQ.to_owned(), seq.into());
            link.insert(PREV.to_owned(), prev.into());
        });
        let hash = digest(record);
        edit(record, self.link, &mut |link| drop(link.insert(HASH.to_owned(), hash.as_str().into())));
        hash
    }

    /// The link of a record, and whether its hash is right.
    fn read_link(&self, record: &Value) -> Option<Link> {
        let link = self.link.iter().try_fold(record, |at, name| at.get(name))?;
        let text = |name: &str| link.get(name)?.as_str().map(str::to_owned);
        let (seq, prev, hash) = (link.get(SEQ)?.as_u64()?, text(PREV)?, text(HASH)?);
        let mut bare = record.as_object()?.clone();
        edit(&mut bare, self.link, &mut |link| drop(link.shift_remove(HASH)));
        let is_valid = digest(&bare) == hash;
        Some(Link { seq, prev, hash, is_valid })
    }
}

/// The record without its secrets.
fn without_secrets(record: Map<String, Value>) -> Map<String, Value> {
    let line = Redacted::line(&record);
    if line.count() == 0 {
        return record;
    }
    serde_json::from_str(&line).unwrap_or_default()
}

/// What links a line to the one before it.
struct Link {
    seq: u64,
    prev: String,
    hash: String,
    is_valid: bool,
}

/// Edits the object that a path of names leads to; what is missing on the way is created.
fn edit(record: &mut Map<String, Value>, names: &[&str], change: &mut dyn FnMut(&mut Map<String, Value>)) {
    let Some((name, rest)) = names.split_first() else { return change(record) };
    if !record.get(*name).is_some_and(Value::is_object) {
        record.insert((*name).to_owned(), Map::new().into());
    }
    if let Some(Value::Object(inner)) = record.get_mut(*name) {
        edit(inner, rest, change);
    }
}

fn digest(record: &Map<String, Value>) -> String {
    sha256(canonical_object(record))
}
