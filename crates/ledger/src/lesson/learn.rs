//! What test runs, builds and linters teach: a failure and how it was solved, and failures that stayed.

use std::collections::BTreeSet;

use stead_model::unix_millis;

use super::document::ARROW;
use super::{LessonKind, Lessons, NewLesson};
use crate::LedgerError;
use crate::trace::{FileOp, Ledger, Record};

/// How many files and names one lesson lists.
const SHOWN: usize = 5;

/// How many lines of the ledger are searched for what changed.
const LINES: usize = 500;

/// How much of an output's line a lesson quotes, and of a command.
const QUOTED: usize = 120;
const COMMAND: usize = 200;

const STILL: &str = "still failing when session";

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Passed,
    Failed,
    /// It is not known, so it neither fails nor solves anything.
    Unknown,
}

/// A test run, build or check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The id of its evidence.
    pub id: String,
    pub ts: String,
    pub command: String,
    pub dir: Option<String>,
    pub runner: Option<String>,
    pub feature: Option<String>,
    /// It ran every test of the project.
    pub is_whole: bool,
    pub end: RunEnd,
    /// The outcome in a few words, and the line of the output that says most.
    pub outcome: String,
    pub telling: Option<String>,
    pub session: Option<String>,
}

impl Run {
    /// Returns true if both runs check the same thing.
    fn is_like(&self, other: &Self) -> bool {
        let is_same = self.dir == other.dir && words(&self.command).eq(words(&other.command));
        is_same || self.feature.is_some() && self.feature == other.feature
    }

    /// Returns true if this run checks at least what the other one does.
    fn covers(&self, other: &Self) -> bool {
        self.is_like(other) || self.is_whole && self.runner.is_some() && self.runner == other.runner
    }
}

fn words(command: &str) -> impl Iterator<Item = &str> {
    command.split_whitespace()
}

/// A run that failed, and the first one like it in a row.
struct Failure<'r> {
    first: &'r Run,
    last: &'r Run,
}

/// What to learn from.
pub struct Learning<'a> {
    /// Oldest first.
    pub runs: &'a [Run],
    pub ledger: &'a Ledger,
    /// The session that ended, whose open failures are recorded.
    pub ended: Option<&'a str>,
    pub now: &'a str,
}

/// What was learnt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// The ids of the new lessons.
    pub ids: Vec<String>,
    /// A failure is not solved yet, so its run is needed again.
    pub has_open: bool,
}

/// Adds the lessons of runs. Evidence that lessons were learnt from before is skipped.
pub fn learn(lessons: &Lessons, learning: &Learning<'_>) -> Result<Learnt, LedgerError> {
    let mut open: Vec<Failure<'_>> = Vec::new();
    let mut new: Vec<NewLesson> = Vec::new();
    let mut known = None;
    for run in learning.runs {
        match run.end {
            RunEnd::Unknown => {}
            RunEnd::Failed => match open.iter_mut().find(|failure| run.is_like(failure.last)) {
                Some(failure) => failure.last = run,
                None => open.push(Failure { first: run, last: run }),
            },
            RunEnd::Passed => {
                let (solved, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|failure| run.covers(failure.last));
                open = rest;
                if !solved.is_empty() && !known.get_or_insert_with(|| lessons.learnt()).contains(&run.id) {
                    new.extend(solved.iter().map(|failure| learning.solved(failure, run)));
                }
            }
        }
    }
    if let Some(session) = learning.ended {
        let stayed = open.iter().filter(|failure| failure.last.session.as_deref() == Some(session));
        for failure in stayed {
            if !known.get_or_insert_with(|| lessons.learnt()).contains(&failure.last.id) {
                new.push(learning.stayed(failure, session));
            }
        }
    }
    let mut ids = Vec::new();
    for mut lesson in new {
        let end = lesson.text.floor_char_boundary((Lessons::LONGEST - 200).min(lesson.text.len()));
        lesson.text.truncate(end);
        ids.push(lessons.add(&lesson, learning.now)?.id);
    }
    Ok(Learnt { ids, has_open: !open.is_empty() })
}

impl Learning<'_> {
    fn solved(&self, failure: &Failure<'_>, run: &Run) -> NewLesson {
        let changed = self.changed(&failure.first.ts, &run.ts, None);
        let passed = quoted(&run.command, COMMAND);
        let end = match changed.is_empty() {
            true => format!("{passed} passed later without a recorded change; it may be flaky"),
            false => format!("{passed} passed after changes to {}", changed.shown()),
        };
        NewLesson {
            kind: LessonKind::Failure,
            text: format!("{}{ARROW}{end}", described(failure.first)),
            of: Some(run.id.clone()),
            session: run.session.clone(),
        }
    }

    fn stayed(&self, failure: &Failure<'_>, session: &str) -> NewLesson {
        let changed = self.changed("", self.now, Some(session));
        let by = if changed.is_empty() { String::new() } else { format!("; it changed {}", changed.shown()) };
        let session = quoted(session, QUOTED);
        NewLesson {
            kind: LessonKind::Failure,
            text: format!("{}{ARROW}{STILL} {session} ended{by}", described(failure.last)),
            of: Some(failure.last.id.clone()),
            session: failure.last.session.clone(),
        }
    }

    /// What the ledger says was changed between two moments, by one session or by anybody.
    fn changed(&self, since: &str, until: &str, session: Option<&str>) -> Changed {
        let (since, until) = (unix_millis(since).unwrap_or(0), unix_millis(until).unwrap_or(i64::MAX));
        let mut changed = Changed::default();
        for source in self.ledger.sources().iter().filter(|source| source.peer.is_none()) {
            let Ok(lines) = Ledger::read_back(source) else { continue };
            for record in lines.take(LINES).flatten().map(|line| line.record) {
                let Some(at) = unix_millis(&record.timestamp) else { continue };
                if at < since {
                    break;
                }
                if at <= until && (session.is_none() || record.session() == session) {
                    changed.take(&record);
                }
            }
        }
        changed
    }
}

/// Returns true if a lesson says that something still fails.
pub(super) fn is_open(text: &str) -> bool {
    text.split_once(ARROW).is_some_and(|(_, end)| end.starts_with(STILL))
}

/// Files that changed, and the functions and types in them.
#[derive(Default)]
struct Changed {
    files: Vec<String>,
    names: BTreeSet<(String, String)>,
}

impl Changed {
    fn take(&mut self, record: &Record) {
        for path in record.paths().filter(|path| !path.is_empty()) {
            if !self.files.iter().any(|known| known == path) {
                self.files.push(path.to_owned());
            }
        }
        let notes = record.stead().into_iter().flat_map(|note| &note.files).filter(|file| file.op != FileOp::Delete);
        for file in notes {
            self.names.extend(file.nodes.iter().map(|node| (file.path.clone(), node.name.clone())));
        }
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn shown(&self) -> String {
        let shown = self.files.iter().take(SHOWN).map(|path| {
            let names = self.names.iter().filter(|(file, name)| file == path && !name.is_empty());
            let names: Vec<&str> = names.take(3).map(|(_, name)| name.as_str()).collect();
            match names.is_empty() {
                true => quoted(path, QUOTED),
                false => format!("{} ({})", quoted(path, QUOTED), names.join(", ")),
            }
        });
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if let Some(more) = self.files.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            text.push_str(&format!(" and {more} more"));
        }
        text
    }
}

fn described(run: &Run) -> String {
    let command = quoted(&run.command, COMMAND);
    match &run.telling {
        Some(line) => format!("{command} failed ({}): {}", run.outcome, quoted(line, QUOTED)),
        None => format!("{command} failed ({})", run.outcome),
    }
}

/// A text as code, cut; it cannot end the quotation or the subject.
fn quoted(text: &str, most: usize) -> String {
    let text = text.replace('`', "'").replace('→', "->");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.floor_char_boundary(most.min(text.len()));
    let cut = if end < text.len() { "…" } else { "" };
    format!("`{}{cut}`", &text[..end])
}

/// The line of an output that says most about a failure; the last that has words if none names one.
pub fn telling_line(output: &str) -> Option<String> {
    const SIGNS: &[&str] = &["panicked", "assert", "exception", "error", "expected", "fail", "✗", "✕", "warning"];
    let lines = || output.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let named = SIGNS.iter().find_map(|sign| lines().find(|line| line.to_lowercase().contains(sign)));
    named.or_else(|| lines().next_back()).map(str::to_owned)
}
