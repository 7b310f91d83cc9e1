use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use stead_store::{RedactStream, redact_tail};

use super::bounds::Bounds;
use crate::os;

/// An agent's log: the beginning of its output is written immediately, of the rest only the end is kept.
pub(crate) struct Log {
    file: File,
    /// How much may still be written immediately.
    room: usize,
    keep: usize,
    end: Vec<u8>,
    left_out: u64,
    error: Option<io::Error>,
    /// One for each voice: a secret of one may have the other's words in between.
    streams: [RedactStream; 2],
}

/// How much more is kept than is written, so that no half of a secret is left at the beginning of the end.
const SLACK: usize = 16 * 1024;

/// Which of its two outputs an agent used.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Voice {
    Output,
    Errors,
}

impl Log {
    pub(crate) fn open(path: &Path, bounds: &Bounds) -> io::Result<Self> {
        let file = os::open_log(path)?;
        Ok(Self {
            file,
            room: bounds.head,
            keep: bounds.tail,
            end: Vec::new(),
            left_out: 0,
            error: None,
            streams: Default::default(),
        })
    }

    /// Takes a piece of output; whole lines are written, without secrets.
    pub(crate) fn take(&mut self, voice: Voice, piece: &[u8]) {
        let stream = &mut self.streams[voice as usize];
        // Most of a flood of output is dropped, so it is not searched before the end is known.
        let lines = if self.room > 0 { stream.take(piece) } else { stream.take_lines(piece) };
        self.put(&lines);
    }

    fn put(&mut self, bytes: &[u8]) {
        let (now, later) = bytes.split_at(bytes.len().min(self.room));
        self.room -= now.len();
        self.write(now);
        self.end.extend_from_slice(later);
        // Moved rarely, so that a flood of output costs little more than reading it.
        let most = self.keep + SLACK;
        if self.end.len() > most * 2 {
            let surplus = self.end.len() - most;
            self.end.drain(..surplus);
            self.left_out += surplus as u64;
        }
    }

    /// The end of the output as it is written, and how much of it is dropped.
    fn last(&mut self) -> Vec<u8> {
        let end = std::mem::take(&mut self.end);
        let text = String::from_utf8_lossy(&end);
        let safe = redact_tail(&text, self.keep);
        let kept = match safe.count() {
            // Bytes that are no text stay as they were.
            0 => end[end.len().saturating_sub(self.keep)..].to_vec(),
            _ => safe.into_owned().into_bytes(),
        };
        self.left_out += end.len().saturating_sub(kept.len()) as u64;
        kept
    }

    /// Writes the end, and how much is missing before it.
    pub(crate) fn finish(mut self) -> (u64, Option<String>) {
        let rest = self.streams.each_mut().map(RedactStream::finish).concat();
        self.put(&rest);
        let end = self.last();
        if self.left_out > 0 {
            self.write(format!("\n[stead: {} bytes omitted]\n", self.left_out).as_bytes());
        }
        self.write(&end);
        (self.left_out, self.error.map(|error| error.to_string()))
    }

    /// An agent continues if its log fails: its work counts more than its output.
    fn write(&mut self, bytes: &[u8]) {
        if self.error.is_none() && !bytes.is_empty() {
            self.error = self.file.write_all(bytes).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&str], expected: &str) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.log");
        let bounds = Bounds { head: 4, tail: 3, ..Bounds::USUAL };
        let mut log = Log::open(&path, &bounds).unwrap();
        pieces.iter().for_each(|piece| log.take(Voice::Output, piece.as_bytes()));
        log.finish();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected, "{pieces:?}");
    }

    #[test]
    fn head_and_tail_are_kept() {
        check(&[], "");
        check(&["abc"], "abc");
        check(&["abcd"], "abcd");
        check(&["abcd", "ef"], "abcdef");
        check(&["abcdefg"], "abcdefg");
        check(&["abcdefgh"], "abcd\n[stead: 1 bytes omitted]\nfgh");
        check(&["ab", "cd", "ef", "gh", "ij", "kl", "mn"], "abcd\n[stead: 7 bytes omitted]\nlmn");
    }

    #[test]
    fn a_secret_is_covered_although_the_other_voice_interrupts_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.log");
        let mut log = Log::open(&path, &Bounds::USUAL).unwrap();
        let secret = format!("{}_{}", "ghp", "a1B2".repeat(9));
        let (first, second) = secret.split_at(11);
        log.take(Voice::Output, format!("key {first}").as_bytes());
        log.take(Voice::Errors, b"warning\nanother ");
        log.take(Voice::Output, format!("{second} end").as_bytes());
        log.finish();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "warning\nkey [redacted] endanother ");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_the_log_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("agent.log");
        std::os::unix::fs::symlink(dir.path().join("elsewhere"), &path).unwrap();
        assert!(Log::open(&path, &Bounds::USUAL).is_err());
    }
}
