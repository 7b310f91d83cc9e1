use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::At;
use crate::fault::moment;
use crate::fence::{open_stays_inside, stays_inside};
use crate::file::follow;
use crate::{Durability, LINE_LIMIT, Redacted, StoreError, os};

/// How long the first wait for a lock lasts; each further wait doubles, up to the second value.
const WAITS: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(4));

/// Appends one line to a log and creates the file if needed. The line is written in one piece under an exclusive lock;
/// the call waits for the lock no longer than `patience`. A torn line left by a killed writer is terminated first.
/// Afterwards the whole line is in the log, or nothing of it.
pub fn append_line<'a>(
    path: &Path,
    line: impl Into<Redacted<'a>>,
    durability: Durability,
    patience: Duration,
) -> Result<(), StoreError> {
    append_bytes(path, line.into().as_bytes(), durability, patience)
}

fn append_bytes(path: &Path, line: &[u8], durability: Durability, patience: Duration) -> Result<(), StoreError> {
    if line.contains(&b'\n') {
        return Err(StoreError::LineBreak { path: path.to_owned() });
    }
    if line.len() > LINE_LIMIT {
        return Err(StoreError::LineTooLong { path: path.to_owned(), length: line.len(), limit: LINE_LIMIT });
    }
    let (file, length) = open_locked(path, patience)?;
    let mut bytes = Vec::with_capacity(line.len() + 2);
    if length > 0 && os::byte_at(&file, length - 1).at("read", path)? != b'\n' {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(line);
    bytes.push(b'\n');
    moment();
    if let Err(error) = (&file).write_all(&bytes) {
        // Part of the line may have been written. The lock is still held, so no other line is cut.
        let _ = file.set_len(length);
        return Err(error).at("append to", path);
    }
    moment();
    if durability == Durability::Synced {
        file.sync_data().at("sync", path)?;
    }
    Ok(())
}

/// Opens and locks the log and returns its length under the lock.
pub(crate) fn open_locked(path: &Path, patience: Duration) -> Result<(File, u64), StoreError> {
    let mut waiting = Waiting::new(patience);
    loop {
        let file = open_inside(path)?;
        lock(&file, path, &mut waiting)?;
        let data = file.metadata().at("look at", path)?;
        if !data.is_file() {
            return Err(StoreError::NotAFile { path: path.to_owned() });
        }
        if !os::is_unlinked(&data) {
            return Ok((file, data.len()));
        }
        // Another process replaced the file while this one waited; the next round opens the new one.
        waiting.pause(path)?;
    }
}

/// Opens the log, or creates it, unless a link leads it out of its project. Once a file is open nobody can change where
/// it lies, so the check comes after.
fn open_inside(path: &Path) -> Result<File, StoreError> {
    let file = match os::open_to_append(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let target = follow(path)?;
            stays_inside(path, &target)?;
            os::create_to_append(&target).at("open", path)?
        }
        opened => opened.at("open", path)?,
    };
    open_stays_inside(path, &file)?;
    Ok(file)
}

/// Polls for the lock, because standard locks have no time limit.
pub(crate) fn lock(file: &File, path: &Path, waiting: &mut Waiting) -> Result<(), StoreError> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => waiting.pause(path)?,
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error).at("lock", path),
        }
    }
}

/// A time limit with growing pauses.
pub(crate) struct Waiting {
    patience: Duration,
    since: Option<Instant>,
    nap: Duration,
}

impl Waiting {
    pub(crate) fn new(patience: Duration) -> Self {
        Self { patience, since: None, nap: WAITS.0 }
    }

    fn pause(&mut self, path: &Path) -> Result<(), StoreError> {
        let since = *self.since.get_or_insert_with(Instant::now);
        let left = self.patience.saturating_sub(since.elapsed());
        if left.is_zero() {
            return Err(StoreError::Locked { path: path.to_owned(), waited_ms: self.patience.as_millis() });
        }
        thread::sleep(self.nap.min(left));
        self.nap = (self.nap * 2).min(WAITS.1);
        Ok(())
    }
}
