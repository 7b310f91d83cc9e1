//! The text of `AGENT.md`. Entries are found, added and removed by their place in the text, so that whatever else a
//! person wrote, inside the block or outside, keeps its bytes.

use std::ops::Range;

use serde::Serialize;
use stead_store::sha256;

use super::LessonKind;

const BEGIN: &str = "<!-- stead:lessons -->";
const END: &str = "<!-- /stead:lessons -->";

const HEAD: &str = "# Lessons

What agents learned in this project. `stead lesson` adds and removes entries between the two marks; everything else in
this file is yours.

";

/// What stands between the subject of a failure and what became of it.
pub(super) const ARROW: &str = " → ";

/// One lesson in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    pub id: String,
    pub kind: LessonKind,
    /// The day it was added; empty if somebody removed it.
    pub date: String,
    pub text: String,
    #[serde(skip)]
    pub(super) place: Range<usize>,
}

impl Entry {
    /// Returns true if the text is still the one that the id was made for.
    pub fn is_unedited(&self) -> bool {
        self.id == id(self.kind, &self.text)
    }

    /// The text by which duplicates are recognised. Failures are the same if the same thing failed.
    pub(super) fn subject(&self) -> String {
        subject(self.kind, &self.text)
    }
}

/// The id of a lesson: a hash of its text, so that branches can be merged and edits are noticed.
pub(super) fn id(kind: LessonKind, text: &str) -> String {
    let hash = sha256(format!("{}\0{}", kind.name(), normal(text)).as_bytes());
    format!("L-{}", &hash[..8])
}

pub(super) fn subject(kind: LessonKind, text: &str) -> String {
    match kind {
        // Counts and times differ between two runs that fail alike.
        LessonKind::Failure => {
            let failure = normal(text.split(ARROW).next().unwrap_or_default());
            let mut subject = String::new();
            for c in failure.chars() {
                match c.is_ascii_digit() {
                    true if subject.ends_with('0') => {}
                    true => subject.push('0'),
                    false => subject.push(c),
                }
            }
            subject
        }
        _ => normal(text),
    }
}

fn normal(text: &str) -> String {
    one_line(text).trim_end_matches(['.', '!']).to_lowercase()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text as an entry can hold it: one line, and nothing in it that could be a mark.
pub(super) fn clean(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    one_line(&text).replace("<!--", "<! --").replace("-->", "-- >")
}

/// The whole file.
#[derive(Clone, Debug)]
pub(super) struct Document {
    text: String,
    /// The line end of the file.
    end: &'static str,
}

impl Document {
    pub(super) fn new(text: String) -> Self {
        let first = text.split_inclusive('\n').next().unwrap_or_default();
        let end = if first.ends_with("\r\n") { "\r\n" } else { "\n" };
        Self { text, end }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// The block without its marks; up to the end of the file if somebody removed the last mark.
    fn block(&self) -> Option<Range<usize>> {
        let mut begin = None;
        for (place, line) in self.lines(0..self.text.len()) {
            match (begin, line.trim()) {
                (None, BEGIN) => begin = Some(place.end),
                (Some(begin), END) => return Some(begin..place.start),
                _ => {}
            }
        }
        begin.map(|begin| begin..self.text.len())
    }

    /// The lines of a part with their ends, and where they are.
    fn lines(&self, part: Range<usize>) -> impl Iterator<Item = (Range<usize>, &str)> {
        let mut at = part.start;
        self.text[part].split_inclusive('\n').map(move |line| {
            let place = at..at + line.len();
            at = place.end;
            (place, line)
        })
    }

    /// Every entry, in the order of the file.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut kind = LessonKind::Lesson;
        let mut found: Vec<Entry> = Vec::new();
        let mut is_open = false;
        for (place, line) in self.block().into_iter().flat_map(|block| self.lines(block)) {
            if let Some(title) = heading(line) {
                kind = LessonKind::ALL.into_iter().find(|kind| kind.heading() == title).unwrap_or_default();
                is_open = false;
            } else if let Some((id, rest)) = opening(line) {
                let (date, text) = dated(rest);
                found.push(Entry { id: id.to_owned(), kind, date: date.to_owned(), text: one_line(text), place });
                is_open = true;
            } else if is_open && line.starts_with([' ', '\t']) && !line.trim().is_empty() {
                // Somebody wrapped the entry.
                if let Some(last) = found.last_mut() {
                    last.text = format!("{} {}", last.text, one_line(line));
                    last.place.end = place.end;
                }
            } else {
                is_open = false;
            }
        }
        found
    }

    /// Adds an entry at the end of its section and returns its id. The text must be clean.
    pub(super) fn add(&mut self, kind: LessonKind, date: &str, text: &str) -> String {
        let id = id(kind, text);
        let entry = format!("- [{id}] {date}: {text}{}", self.end);
        let block = match self.block() {
            Some(block) => block,
            None => self.open(),
        };
        match self.section_end(kind, &block) {
            Some((at, has_entries)) => {
                let blank = if has_entries { "" } else { self.end };
                self.insert(at, &format!("{blank}{entry}"));
            }
            None => {
                let end = self.end;
                let before = &self.text[..block.end];
                let gap = if before.ends_with("\n\n") || before.ends_with("\n\r\n") { "" } else { end };
                let closing = if block.end < self.text.len() { end } else { "" };
                self.insert(block.end, &format!("{gap}## {}{end}{end}{entry}{closing}", kind.heading()));
            }
        }
        id
    }

    /// Adds the marks at the end of the file and returns the block between them.
    fn open(&mut self) -> Range<usize> {
        let end = self.end;
        if self.text.trim_start_matches('\u{feff}').is_empty() {
            self.text.push_str(HEAD);
        } else {
            let text = self.text.as_str();
            let gap = match text.ends_with("\n\n") || text.ends_with("\n\r\n") {
                true => String::new(),
                false if text.ends_with('\n') => end.to_owned(),
                false => format!("{end}{end}"),
            };
            self.text.push_str(&gap);
        }
        self.text.push_str(&format!("{BEGIN}{end}{end}"));
        let at = self.text.len();
        self.text.push_str(&format!("{END}{end}"));
        at..at
    }

    /// Where the next entry of a section belongs, and whether it has entries; `None` if there is no such section.
    fn section_end(&self, kind: LessonKind, block: &Range<usize>) -> Option<(usize, bool)> {
        let mut lines = self.lines(block.clone()).skip_while(|(_, line)| heading(line) != Some(kind.heading()));
        let (head, _) = lines.next()?;
        let section = head.end..lines.find(|(_, line)| heading(line).is_some()).map_or(block.end, |(at, _)| at.start);
        let last = self.entries().into_iter().rev().find(|entry| section.contains(&entry.place.start));
        Some(last.map_or((head.end, false), |entry| (entry.place.end, true)))
    }

    fn insert(&mut self, at: usize, text: &str) {
        // The last line of a file may lack its end.
        let gap = if at > 0 && !self.text[..at].ends_with('\n') { self.end } else { "" };
        self.text.insert_str(at, &format!("{gap}{text}"));
    }

    /// Removes an entry.
    pub(super) fn remove(&mut self, entry: &Entry) {
        self.text.replace_range(entry.place.clone(), "");
    }
}

fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("## ").map(str::trim)
}

/// The id of an entry's first line and what follows it.
fn opening(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("- [").or_else(|| line.strip_prefix("* ["))?;
    let (id, rest) = rest.split_once(']')?;
    let is_id =
        id.strip_prefix("L-").is_some_and(|hash| hash.len() >= 4 && hash.bytes().all(|b| b.is_ascii_hexdigit()));
    is_id.then_some((id, rest))
}

fn dated(rest: &str) -> (&str, &str) {
    match rest.trim_start().split_once(':') {
        Some((date, text)) if is_date(date) => (date, text),
        _ => ("", rest),
    }
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, b)| if matches!(at, 4 | 7) { b == b'-' } else { b.is_ascii_digit() })
}
