use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::{Seal, SealedLog};
use crate::{os, sha256};

/// How many bytes before the end are compared.
const END: u64 = 512;

/// What happened to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLook {
    /// It is as it was, or lines were appended.
    Grew,
    Gone,
    Shorter,
    /// It was replaced, or what was in it has changed.
    Rewritten,
}

impl SealedLog {
    /// Seals a log as it is; `None` if there is none.
    pub fn seal(seal: &Seal, relative: &str) -> Option<Self> {
        let path = seal.path_of(relative);
        let data = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let end = end_at(&path, data.len())?;
        Some(Self { path: relative.to_owned(), inode: os::stamp(&data).number, length: data.len(), end })
    }

    /// Seals it again, if it has grown.
    pub fn renew(self, seal: &Seal) -> Option<Self> {
        match fs::metadata(seal.path_of(&self.path)) {
            Ok(data) if data.len() == self.length && os::stamp(&data).number == self.inode => Some(self),
            _ => Self::seal(seal, &self.path),
        }
    }

    /// Compares a log with its seal.
    pub fn compare(&self, seal: &Seal) -> LogLook {
        let path = seal.path_of(&self.path);
        match fs::metadata(&path) {
            Err(_) => LogLook::Gone,
            Ok(data) if data.len() < self.length => LogLook::Shorter,
            Ok(data) if os::stamp(&data).number != self.inode => LogLook::Rewritten,
            Ok(_) if end_at(&path, self.length).as_ref() != Some(&self.end) => LogLook::Rewritten,
            Ok(_) => LogLook::Grew,
        }
    }
}

/// The hash of the last bytes before an offset.
fn end_at(path: &Path, length: u64) -> Option<String> {
    let mut file = crate::open_file(path).ok()?;
    let count = length.min(END);
    file.seek(SeekFrom::Start(length - count)).ok()?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes).ok()?;
    Some(sha256(&bytes))
}
