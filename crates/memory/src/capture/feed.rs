//! Reads a log from an offset on.

use std::io::{Seek, SeekFrom};
use std::path::Path;

use stead_store::{Line, Lines, StoreError};

/// The lines from an offset on, with their places in the file. A file that became shorter is read from its beginning.
pub(crate) fn lines(path: &Path, from: u64) -> Result<impl Iterator<Item = Line> + use<>, StoreError> {
    let start = start(path, from);
    let opened = (start > 0).then(|| stead_store::open_file(path).ok()).flatten();
    let sought = opened.and_then(|mut file| file.seek(SeekFrom::Start(start)).ok().map(|_| file));
    let (lines, base) = match sought {
        Some(file) => (Lines::new(file, path), start),
        None => (Lines::open(path)?, 0),
    };
    Ok(lines.flatten().map(move |line| Line { offset: line.offset + base, ..line }))
}

/// Where reading goes on.
pub(super) fn start(path: &Path, from: u64) -> u64 {
    if length(path) >= from { from } else { 0 }
}

/// How long a file is.
pub(crate) fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |data| data.len())
}

/// The end of the last whole line: a torn one is read again when its writer has finished it.
pub(super) fn end_of(line: &Line) -> u64 {
    line.offset + line.text.len() as u64
}
