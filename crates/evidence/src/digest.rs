//! Reduces a long log to the few lines that matter: crashes, errors and warnings, each kind of line once with its
//! count, and the first and last lines. It reads the log once, in bounded memory.

mod reading;
mod render;
mod sign;

use std::collections::{HashMap, VecDeque};
use std::io::BufRead;
use std::path::Path;

use regex_lite::Regex;

use crate::{EvidenceError, Severity};
use reading::Reading;

/// What to search for.
#[derive(Clone, Debug, Default)]
pub struct DigestOptions<'a> {
    /// Only lines that match this regular expression count.
    pub grep: Option<&'a str>,
}

/// A summary of a log.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    pub lines: u64,
    pub bytes: u64,
    /// Kinds of lines that matter, in the order of their first occurrence.
    pub groups: Vec<Group>,
    /// How many kinds of lines were dropped.
    pub dropped: u64,
    pub head: Vec<(u64, String)>,
    pub tail: VecDeque<(u64, String)>,
}

/// Lines that differ only in numbers.
#[derive(Clone, Debug)]
pub struct Group {
    pub severity: Severity,
    pub count: u64,
    /// The numbers of the first and the last of them.
    pub first: u64,
    pub last: u64,
    /// The first of them with the lines around it.
    pub lines: Vec<(u64, String)>,
}

/// How many kinds of each severity are kept.
const MOST: usize = 400;

/// Lines before a hit, after it, and after it while they look like parts of it.
const BEFORE: usize = 2;
const AFTER: usize = 2;
const TRACE: usize = 12;

const HEAD: usize = 5;
const TAIL: usize = 8;

/// Reads a log to its end.
pub fn digest(log: impl BufRead, name: &Path, options: &DigestOptions<'_>) -> Result<Digest, EvidenceError> {
    let grep = options.grep.map(|pattern| {
        Regex::new(pattern)
            .map_err(|error| EvidenceError::Pattern { pattern: pattern.to_owned(), why: error.to_string() })
    });
    let mut digester = Digester { grep: grep.transpose()?, ..Digester::default() };
    let mut reading = Reading::new(log);
    while let Some(line) = reading.next().map_err(|source| EvidenceError::Unread { path: name.to_owned(), source })? {
        digester.take(line);
    }
    let Digester { mut digest, last, .. } = digester;
    digest.bytes = reading.bytes();
    digest.tail = last.iter().map(|(number, line)| (*number, sign::shown(line))).collect();
    Ok(digest)
}

#[derive(Default)]
struct Digester {
    grep: Option<Regex>,
    digest: Digest,
    /// Groups by severity and shape.
    known: HashMap<(u8, u64), usize>,
    /// The last lines as bytes. They change with every line, so they become text only when they are shown.
    last: VecDeque<(u64, Vec<u8>)>,
    /// The group whose first hit still collects following lines, and how many it has.
    open: Option<(usize, usize)>,
}

impl Digester {
    fn take(&mut self, line: &[u8]) {
        self.digest.lines += 1;
        let number = self.digest.lines;
        let found = match &self.grep {
            Some(grep) => {
                let text = String::from_utf8_lossy(line);
                grep.is_match(&text).then(|| sign::severity(line).unwrap_or(Severity::Asked))
            }
            None => sign::severity(line),
        };
        match found {
            Some(severity) => self.hit(severity, number, line),
            None => self.follow(number, line),
        }
        if self.digest.head.len() < HEAD {
            self.digest.head.push((number, sign::shown(line)));
        }
        let mut room = if self.last.len() == TAIL { self.last.pop_front().unwrap_or_default().1 } else { Vec::new() };
        room.clear();
        room.extend_from_slice(line);
        self.last.push_back((number, room));
    }

    fn hit(&mut self, severity: Severity, number: u64, line: &[u8]) {
        let key = (severity as u8, sign::shape(line));
        if let Some(&at) = self.known.get(&key) {
            let group = &mut self.digest.groups[at];
            group.count += 1;
            group.last = number;
            self.open = None;
            return;
        }
        if self.digest.groups.iter().filter(|group| group.severity == severity).count() >= MOST {
            self.digest.dropped += 1;
            self.open = None;
            return;
        }
        // Lines that another group already shows are not shown twice.
        let shown = self.digest.groups.last().and_then(|group| group.lines.last()).map_or(0, |(number, _)| *number);
        let before = self.last.iter().skip(self.last.len().saturating_sub(BEFORE)).filter(|(at, _)| *at > shown);
        let mut lines: Vec<_> = before.map(|(at, line)| (*at, sign::shown(line))).collect();
        lines.push((number, sign::shown(line)));
        self.known.insert(key, self.digest.groups.len());
        self.open = Some((self.digest.groups.len(), 0));
        self.digest.groups.push(Group { severity, count: 1, first: number, last: number, lines });
    }

    /// Adds a line to the preceding hit.
    fn follow(&mut self, number: u64, line: &[u8]) {
        let Some((at, count)) = self.open else { return };
        let text = sign::shown(line);
        let is_part = text.starts_with([' ', '\t']) || text.starts_with("at ") || text.starts_with("Caused by");
        if count < AFTER || (is_part && count < TRACE) {
            self.digest.groups[at].lines.push((number, text));
            self.open = Some((at, count + 1));
        } else {
            self.open = None;
        }
    }
}

#[cfg(test)]
mod tests;
