//! Reads agents' output for people: the end of a log, or what is added to it. Terminal control sequences are removed.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use stead_model::visible;

/// The maximum read at a time.
const REACH: u64 = 1 << 20;

/// The maximum shown of a line whose start is out of reach.
const SHOWN: usize = 4096;

/// A log that may not exist yet, read from where the last read ended.
pub(crate) struct Log {
    path: PathBuf,
    at: u64,
    /// An incomplete character at the end.
    rest: Vec<u8>,
    /// An incomplete line at the end.
    line: String,
}

impl Log {
    /// From its first byte on.
    pub(crate) fn from_start(path: &Path) -> Self {
        Self::from(path, 0)
    }

    /// From an offset on.
    pub(crate) fn from(path: &Path, at: u64) -> Self {
        Self { path: path.to_owned(), at, rest: Vec::new(), line: String::new() }
    }

    /// Returns the last lines, and continues after them.
    pub(crate) fn from_end(path: &Path, lines: usize) -> (Self, Vec<String>) {
        let length = path.metadata().map_or(0, |data| data.len());
        let mut log = Self { at: length.saturating_sub(REACH), ..Self::from_start(path) };
        let is_whole = log.at == 0;
        let text = log.read();
        let mut last: Vec<String> = text.lines().map(str::to_owned).collect();
        if !is_whole && last.len() > 1 {
            last.remove(0);
        } else if let Some(line) = last.first_mut().filter(|_| !is_whole) {
            // The line started out of reach, so this is all there is to see.
            *line = format!("…{}", end_of(line));
        }
        let from = last.len().saturating_sub(lines);
        (log, last.split_off(from))
    }

    /// Returns the whole lines that were added since; `None` if nothing was added at all.
    pub(crate) fn lines(&mut self) -> Option<Vec<String>> {
        let text = self.read();
        self.line.push_str(&text);
        let whole = self.line.rfind('\n').map_or(0, |at| at + 1);
        let lines = self.line[..whole].lines().map(str::to_owned).collect();
        self.line.drain(..whole);
        (!text.is_empty()).then_some(lines)
    }

    /// Returns what was added since; empty if nothing was.
    pub(crate) fn read(&mut self) -> String {
        let mut bytes = std::mem::take(&mut self.rest);
        if let Ok(mut file) = stead_store::open_file(&self.path)
            && file.seek(SeekFrom::Start(self.at)).is_ok()
        {
            let before = bytes.len();
            let _ = file.take(REACH).read_to_end(&mut bytes);
            self.at += (bytes.len() - before) as u64;
        }
        if let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
        {
            self.rest = bytes.split_off(error.valid_up_to());
        }
        visible(&String::from_utf8_lossy(&bytes)).into_owned()
    }
}

/// The last part of a line that is too long to be shown.
fn end_of(line: &str) -> &str {
    let from = line.len().saturating_sub(SHOWN);
    let from = (from..line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or(line.len());
    &line[from..]
}

pub(crate) fn last_lines(path: &Path, lines: usize) -> Vec<String> {
    Log::from_end(path, lines).1
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    fn log(text: &[u8]) -> (PathBuf, File) {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let path = std::env::temp_dir().join(format!("stead-log-{}-{number}", std::process::id()));
        let mut file = File::create(&path).unwrap();
        file.write_all(text).unwrap();
        (path, file)
    }

    #[test]
    fn the_last_lines_are_given_and_reading_goes_on_behind_them() {
        let (path, mut file) = log(b"one\ntwo\nthree\n");
        let (mut open, last) = Log::from_end(&path, 2);
        assert_eq!(last, ["two", "three"]);
        assert_eq!(open.read(), "");
        file.write_all("hal\u{e4}".as_bytes().split_last().unwrap().1).unwrap();
        assert_eq!(open.read(), "hal");
        file.write_all(&[0xa4, b'\n']).unwrap();
        assert_eq!(open.read(), "\u{e4}\n");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_long_log_is_read_at_its_end() {
        let (path, _file) = log(format!("{}last\n", "x".repeat(99).repeat(12_000) + "\n").as_bytes());
        assert_eq!(last_lines(&path, 5), ["last"]);
        assert_eq!(last_lines(Path::new("/nowhere/at/all"), 5), Vec::<String>::new());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_line_without_an_end_is_shown_at_its_end() {
        let text = format!("begin{}\u{e4}end", "\u{e4}".repeat(1 << 20));
        let (path, _file) = log(text.as_bytes());
        let last = last_lines(&path, 5);
        assert_eq!(last.len(), 1);
        assert!(last[0].starts_with("…\u{e4}") && last[0].ends_with("\u{e4}end"), "{}", last[0].len());
        assert!(last[0].len() <= SHOWN + "…".len());
        assert_eq!(last_lines(&path, 0), Vec::<String>::new());
        std::fs::remove_file(path).unwrap();
    }
}
