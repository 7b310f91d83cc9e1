use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use stead_store::{Lines, Source, sha256};

use crate::{Trace, TraceBook};

/// How much of the beginning and of the end of the indexed part shows that a log is still the same.
const CHECKED: u64 = 4_096;

/// How much more than the known length of a line is read: white space before it.
const SLACK: u64 = 64;

/// A file with traces.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    /// What names it in the index, wherever the project lies.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Who else wrote it. Others replace and forget only their own traces.
    pub(crate) peer: Option<String>,
}

impl Log {
    /// The traces of this machine, of this person in all projects, and of others, in this order: of one id, the first
    /// counts.
    pub(crate) fn all(book: &TraceBook, universal: Option<&TraceBook>) -> Vec<Self> {
        let of = |Source { path, peer }| {
            let name = peer.as_ref().map_or(TraceBook::FILE.to_owned(), |peer| format!("{}/{peer}", TraceBook::PEERS));
            Self { name, path, peer }
        };
        let universal =
            universal.map(|book| Self { name: "universal".to_owned(), path: book.path().to_owned(), peer: None });
        let mut all: Vec<Self> = book.sources().into_iter().map(of).collect();
        all.splice(1..1, universal);
        all
    }

    /// How long the file is now. What is no file has no traces.
    pub(crate) fn length(&self) -> u64 {
        fs::metadata(&self.path).ok().filter(fs::Metadata::is_file).map_or(0, |data| data.len())
    }

    /// The end of the last line before `length` that has its line end: what follows may still be written.
    pub(crate) fn end_of_lines(&self, from: u64, length: u64) -> io::Result<u64> {
        let mut file = stead_store::open_file(&self.path)?;
        let mut end = length;
        let mut block = Vec::new();
        while end > from {
            let start = end.saturating_sub(CHECKED).max(from);
            block.clear();
            file.seek(SeekFrom::Start(start))?;
            Read::by_ref(&mut file).take(end - start).read_to_end(&mut block)?;
            if let Some(at) = block.iter().rposition(|byte| *byte == b'\n') {
                return Ok(start + at as u64 + 1);
            }
            end = start;
        }
        Ok(from)
    }

    /// The traces between two offsets, each with the offset and the length of its line. Torn lines and those that are no
    /// traces are skipped.
    pub(crate) fn traces(&self, from: u64, to: u64) -> io::Result<impl Iterator<Item = (u64, u32, Trace)>> {
        let mut file = stead_store::open_file(&self.path)?;
        file.seek(SeekFrom::Start(from))?;
        let lines = Lines::new(file.take(to.saturating_sub(from)), &self.path);
        Ok(lines.map_while(Result::ok).filter_map(move |line| {
            let trace = serde_json::from_str(&line.text).ok()?;
            Some((from + line.offset, u32::try_from(line.text.len()).ok()?, trace))
        }))
    }

    /// Reads one trace.
    pub(crate) fn trace_at(file: &mut File, offset: u64, length: u32) -> Option<Trace> {
        let mut bytes = Vec::with_capacity(length as usize + SLACK as usize);
        file.seek(SeekFrom::Start(offset)).ok()?;
        file.take(u64::from(length) + SLACK).read_to_end(&mut bytes).ok()?;
        serde_json::Deserializer::from_slice(&bytes).into_iter().next()?.ok()
    }

    /// Identifies the part before `end`. A log that was rewritten has another one.
    pub(crate) fn fingerprint(&self, end: u64) -> io::Result<String> {
        let mut file = stead_store::open_file(&self.path)?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(end.min(CHECKED)).read_to_end(&mut bytes)?;
        file.seek(SeekFrom::Start(end.saturating_sub(CHECKED)))?;
        file.take(end.min(CHECKED)).read_to_end(&mut bytes)?;
        Ok(sha256(&bytes))
    }
}
