//! Compiles what a hook tells an agent after something matched or failed: of all traces the few that hold, are specific
//! and say what was correct. It runs off the hook path; the hook only looks a key up in the file that this writes.

mod choose;

use std::path::Path;
use std::time::Duration;

use stead_hook::{Precedent, PrecedentKey, Precedents};

use crate::capture::feed;
use crate::search::Tree;
use crate::{Memory, MemoryError, Pattern, PatternBook, Scope, Traces};
use choose::Choice;

/// How much of each book is read, from its end. What is older is found by a search.
const WINDOW: u64 = 2 * 1024 * 1024;

/// How many traces are compiled.
const MOST: usize = 1_000;

/// How many patterns describe the project.
const PATTERNS: usize = 3;

/// After this time the files are compared again that traces are about.
const OLD: Duration = Duration::from_secs(3600);

/// What precedents are compiled from.
#[derive(Clone, Copy, Debug)]
pub struct PrecedentSources<'a> {
    pub memory: &'a Memory,
    /// The root of the project, with the cache.
    pub root: &'a Path,
    /// The checkout that anchors are relative to.
    pub work: &'a Path,
    /// The folder of the patterns.
    pub graph: &'a Path,
    /// The person's home folder, without a slash at its end.
    pub home: Option<&'a str>,
}

impl PrecedentSources<'_> {
    /// Compiles the precedents if something changed since the last time. Returns whether it did.
    pub fn refresh(&self) -> Result<bool, MemoryError> {
        let source = self.source();
        let age = std::fs::metadata(Precedents::path(self.root)).and_then(|data| data.modified());
        let is_old = age.ok().and_then(|time| time.elapsed().ok()).is_none_or(|age| age > OLD);
        if !is_old && Precedents::read(self.root).is_some_and(|known| known.source() == source) {
            return Ok(false);
        }
        let is_first = source.split(' ').all(|length| length == "0");
        if is_first && !Precedents::path(self.root).exists() {
            return Ok(false);
        }
        Precedents::write(self.root, &source, &self.compile()?)?;
        Ok(true)
    }

    /// How long the files are that it reads. They only grow.
    fn source(&self) -> String {
        let book = feed::length(self.memory.book.path());
        let universal = self.memory.universal.as_ref().map_or(0, |book| feed::length(book.path()));
        let patterns = feed::length(PatternBook::of(self.graph).path());
        format!("{book} {universal} {patterns}")
    }

    fn compile(&self) -> Result<Vec<(String, Precedent)>, MemoryError> {
        let traces = Traces::recent(&self.memory.book, self.memory.universal.as_ref(), WINDOW)?;
        let mut known: Vec<_> = traces.iter().collect();
        known.sort_by(|a, b| b.trace.timestamp.cmp(&a.trace.timestamp));
        let mut tree = Tree::of(self.work);
        let mut entries = self.of_patterns()?;
        let mut count = 0;
        for known in known {
            let is_here = known.trace.project == self.memory.project;
            let Some(choice) = Choice::of(&known.trace, is_here, self.root, self.home) else { continue };
            if traces.superseded_by(&known.trace.id).is_some() || !choice.is_fresh(&mut tree) {
                continue;
            }
            let precedent = choice.precedent(self.work);
            let for_all = (known.trace.scope == Scope::Universal).then(|| PrecedentKey::Project.to_string());
            entries.extend(choice.keys.into_iter().chain(for_all).map(|key| (key, precedent.clone())));
            count += 1;
            if count == MOST {
                break;
            }
        }
        Ok(entries)
    }

    /// The patterns that happened most often, for whoever starts on the project.
    fn of_patterns(&self) -> Result<Vec<(String, Precedent)>, MemoryError> {
        let mut patterns: Vec<Pattern> = PatternBook::of(self.graph).read()?.into_values().collect();
        patterns.sort_by(|a, b| (b.count, &b.ts).cmp(&(a.count, &a.ts)));
        let entry = |pattern: &Pattern| (PrecedentKey::Project.to_string(), pattern.precedent());
        Ok(patterns.iter().take(PATTERNS).map(entry).collect())
    }
}

impl Pattern {
    /// The pattern as an agent is told.
    pub fn precedent(&self) -> Precedent {
        Precedent {
            ts: self.ts.clone(),
            id: self.id.clone(),
            kind: "pattern".to_owned(),
            what: self.summary.clone(),
            ..Precedent::default()
        }
    }
}

#[cfg(test)]
mod tests;
