use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::At;
use crate::file::open_regular;
use crate::line::Reading;
use crate::{LINE_LIMIT, Line, StoreError};

/// Reads a log from its beginning, one line at a time, in bounded memory. Torn and foreign lines are skipped and
/// counted.
pub struct Lines<R = File> {
    reader: Option<BufReader<R>>,
    path: PathBuf,
    offset: u64,
    /// Torn lines are left to the caller.
    unchecked: bool,
    skipped: u64,
}

impl Lines<File> {
    /// Opens a log. A log that does not exist yet has no lines.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let file = open_regular(path)?.map(|(file, _)| file);
        Ok(Self { reader: file.map(BufReader::new), path: path.to_owned(), offset: 0, unchecked: false, skipped: 0 })
    }
}

impl<R: Read> Lines<R> {
    /// Reads lines from another source; `name` appears in errors.
    pub fn new(reader: R, name: &Path) -> Self {
        Self { reader: Some(BufReader::new(reader)), path: name.to_owned(), offset: 0, unchecked: false, skipped: 0 }
    }

    /// Returns torn lines too: for a caller who parses every line and so finds those himself.
    pub fn unchecked(mut self) -> Self {
        self.unchecked = true;
        self
    }

    /// How many torn or foreign lines were skipped so far.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    fn reading(&self, bytes: &[u8], offset: u64) -> Reading {
        if self.unchecked { Line::take(bytes, offset) } else { Line::read(bytes, offset) }
    }

    /// Reads one line; of a line that is too long it keeps only enough to tell. `None` at the end.
    fn next_bytes(&mut self) -> io::Result<Option<(Vec<u8>, u64)>> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let start = self.offset;
        let mut bytes = Vec::new();
        loop {
            let chunk = match reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok((self.offset > start).then_some((bytes, start)));
            }
            let (part, used) = match chunk.iter().position(|byte| *byte == b'\n') {
                Some(end) => (&chunk[..end], end + 1),
                None => (chunk, chunk.len()),
            };
            let room = (LINE_LIMIT + 1).saturating_sub(bytes.len());
            bytes.extend_from_slice(&part[..part.len().min(room)]);
            let ended = part.len() < used;
            reader.consume(used);
            self.offset += used as u64;
            if ended {
                return Ok(Some((bytes, start)));
            }
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = Result<Line, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_bytes() {
                Ok(None) => return None,
                Ok(Some((bytes, offset))) => match self.reading(&bytes, offset) {
                    Reading::Whole(line) => return Some(Ok(line)),
                    Reading::Blank => {}
                    Reading::Broken => self.skipped += 1,
                },
                Err(error) => {
                    self.reader = None;
                    return Some(Err(error).at("read", &self.path));
                }
            }
        }
    }
}
