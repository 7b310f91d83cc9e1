use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use memchr::memrchr;

use crate::error::At;
use crate::file::open_regular;
use crate::line::Reading;
use crate::{LINE_LIMIT, Line, StoreError};

const BLOCK: u64 = 16 * 1024;

/// Reads a log from its end, newest line first, block by block: the cost depends on how much is read, not on the size
/// of the log. It yields the lines of [`crate::Lines`] in reverse and counts the same ones as skipped.
pub struct Tail<R = File> {
    reader: Option<R>,
    path: PathBuf,
    /// Bytes from `start` to the line end of the next line to return (or the end of the file).
    held: Vec<u8>,
    start: u64,
    /// The next line end is before this offset; the bytes after it are known to have none.
    searched: usize,
    /// The current line exceeds the limit; its bytes were dropped.
    too_long: bool,
    /// Torn lines are left to the caller.
    unchecked: bool,
    skipped: u64,
}

impl Tail<File> {
    /// Opens a log. A log that does not exist yet has no lines.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        match open_regular(path)? {
            Some((file, _)) => Self::new(file, path),
            None => Ok(Self::at(None, path, 0)),
        }
    }
}

impl<R: Read + Seek> Tail<R> {
    /// Reads lines from another source; `name` appears in errors.
    pub fn new(mut reader: R, name: &Path) -> Result<Self, StoreError> {
        let end = reader.seek(SeekFrom::End(0)).at("read", name)?;
        Ok(Self::at(Some(reader), name, end))
    }

    fn at(reader: Option<R>, path: &Path, end: u64) -> Self {
        let (path, held) = (path.to_owned(), Vec::new());
        Self { reader, path, held, start: end, searched: 0, too_long: false, unchecked: false, skipped: 0 }
    }

    /// Returns torn lines too: for a caller who parses only a few of the lines and so finds those himself.
    pub fn unchecked(mut self) -> Self {
        self.unchecked = true;
        self
    }

    /// How many torn or foreign lines were skipped so far.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Prepends the block before the buffered bytes. `false` at the beginning of the file.
    fn fetch(&mut self) -> io::Result<bool> {
        let Some(reader) = &mut self.reader else { return Ok(false) };
        let size = self.start.min(BLOCK);
        if size == 0 {
            return Ok(false);
        }
        let from = self.start - size;
        // The block is at most 16 KiB, so it fits any `usize`.
        let mut block = vec![0; size as usize];
        reader.seek(SeekFrom::Start(from))?;
        reader.read_exact(&mut block)?;
        self.searched = block.len();
        block.append(&mut self.held);
        self.held = block;
        self.start = from;
        Ok(true)
    }

    /// Takes the last line off the buffer. `None` at the beginning of the file.
    fn next_reading(&mut self) -> io::Result<Option<Reading>> {
        loop {
            if let Some(end) = memrchr(b'\n', &self.held[..self.searched]) {
                let bytes = self.held.split_off(end + 1);
                self.held.pop();
                self.searched = self.held.len();
                return Ok(Some(self.read(&bytes, end as u64 + 1)));
            }
            self.searched = 0;
            if self.held.len() > LINE_LIMIT {
                self.too_long = true;
                self.held.clear();
            }
            if !self.fetch()? {
                let done = self.reader.take().is_none();
                let bytes = std::mem::take(&mut self.held);
                return Ok((!done).then(|| self.read(&bytes, 0)));
            }
        }
    }

    fn read(&mut self, bytes: &[u8], from_start: u64) -> Reading {
        if std::mem::take(&mut self.too_long) {
            return Reading::Broken;
        }
        let offset = self.start + from_start;
        if self.unchecked { Line::take(bytes, offset) } else { Line::read(bytes, offset) }
    }
}

impl<R: Read + Seek> Iterator for Tail<R> {
    type Item = Result<Line, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_reading() {
                Ok(None) => return None,
                Ok(Some(Reading::Whole(line))) => return Some(Ok(line)),
                Ok(Some(Reading::Blank)) => {}
                Ok(Some(Reading::Broken)) => self.skipped += 1,
                Err(error) => {
                    self.reader = None;
                    self.held.clear();
                    self.searched = 0;
                    return Some(Err(error).at("read", &self.path));
                }
            }
        }
    }
}
