//! What each guard did, counted from the logs of the project.

use std::collections::BTreeMap;

use serde::Deserialize;
use stead_guard::protection::GATE;
use stead_guard::{Listed, Origin, State};
use stead_hook::{Appeal, HitCount, HitLine, Override};
use stead_memory::{GuardRecord, Standing};
use stead_model::unix_millis;
use stead_pattern::Pattern;
use stead_store::{Line, Lines, StoreError, Tail};

use crate::error::CliError;
use crate::patterns::versions;
use crate::project::{Project, now_millis};

/// A guard is noisy if it blocked, or would have blocked, this many calls and a fifth were appealed or overridden.
const NOISY: u64 = 5;

/// A guard is dormant after this many calls without a hit.
const DORMANT: u64 = 200;

/// How many lines are read for a short report.
const RECENT: usize = 5_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    pub(crate) evaluations: u64,
    pub(crate) hits: u64,
    pub(crate) came_to: HitCount,
    pub(crate) appeals: u64,
    /// Appeals that a person upheld.
    pub(crate) upheld: u64,
    pub(crate) overrides: u64,
    pub(crate) last: Option<String>,
    /// Hits since a person last looked at them.
    unreviewed: u64,
}

/// Counts by guard, and events by name.
#[derive(Default)]
pub(crate) struct Counts {
    by_guard: BTreeMap<String, Count>,
    events: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct LogLine {
    ts: String,
    event: String,
    #[serde(default)]
    hits: Vec<HitLine>,
}

impl Counts {
    /// Counts everything since a time.
    pub(crate) fn read(project: &Project, since: &str) -> Result<Self, CliError> {
        let mut counts = Self::default();
        for line in Lines::open(&project.indexes().join("sessions.jsonl"))? {
            counts.take(&line?, since, "");
        }
        counts.decisions(project, since)?;
        Ok(counts)
    }

    /// Counts the last few thousand calls only.
    pub(crate) fn recent(project: &Project) -> Result<Self, CliError> {
        let mut counts = Self::default();
        for line in Tail::open(&project.indexes().join("sessions.jsonl"))?.unchecked().take(RECENT) {
            counts.take(&line?, "", "");
        }
        Ok(counts)
    }

    fn take(&mut self, line: &Line, since: &str, reviewed: &str) {
        let Ok(line) = serde_json::from_str::<LogLine>(&line.text) else { return };
        if line.ts.as_str() < since {
            return;
        }
        *self.events.entry(line.event).or_default() += 1;
        for hit in &line.hits {
            let count = self.by_guard.entry(hit.guard.clone()).or_default();
            count.hits += 1;
            count.came_to.add(hit);
            count.unreviewed += u64::from(line.ts.as_str() > reviewed);
            count.last = count.last.take().max(Some(line.ts.clone()));
        }
    }

    fn decisions(&mut self, project: &Project, since: &str) -> Result<(), StoreError> {
        let Standing { overrides, upheld, open } = Standing::read(&project.indexes())?;
        let is_recent = |ts: &str| ts >= since;
        for Appeal { guards, .. } in open.into_iter().filter(|line| is_recent(&line.ts)) {
            guards.into_iter().for_each(|guard| self.by_guard.entry(guard).or_default().appeals += 1);
        }
        for Appeal { guards, .. } in upheld.into_iter().filter(|line| is_recent(&line.ts)) {
            guards.into_iter().for_each(|guard| self.by_guard.entry(guard).or_default().upheld += 1);
        }
        for Override { guard, .. } in overrides.into_iter().filter(|line| is_recent(&line.ts)) {
            self.by_guard.entry(guard).or_default().overrides += 1;
        }
        Ok(())
    }

    /// The counts of a guard that is judged at these events.
    pub(crate) fn of(&self, id: &str, on: &[&str]) -> Count {
        let evaluations = on.iter().map(|on| self.events.get(*on).copied().unwrap_or(0)).sum();
        Count { evaluations, ..self.by_guard.get(id).cloned().unwrap_or_default() }
    }
}

impl Count {
    pub(crate) fn marks(&self, id: &str) -> Vec<&'static str> {
        let mut marks = Vec::new();
        if self.hits == 0 && self.evaluations >= DORMANT && id != GATE {
            marks.push("dormant");
        }
        let stopped = self.came_to.stopped + self.came_to.shadow + self.came_to.overridden;
        if stopped >= NOISY && (self.appeals + self.overrides) * 5 >= stopped {
            marks.push("noisy");
        }
        marks
    }
}

/// Returns true if a guard of the project is about files in folders that do not exist.
pub(crate) fn is_orphaned(project: &Project, guard: &Listed) -> bool {
    if guard.origin != Origin::Project || guard.state != State::Active || guard.paths.is_empty() {
        return false;
    }
    let is_gone = |path: &String| {
        let root = Pattern::parse(path).search_root().filter(|root| root.contains('/') || path.contains("/*"));
        root.is_some_and(|root| !root.is_empty() && !project.root().join(root).exists())
    };
    guard.paths.iter().all(is_gone)
}

/// What is known about the guards of a file since they have their mode.
pub(crate) fn record_of(project: &Project, file_id: &str, members: &[&Listed]) -> Result<GuardRecord, CliError> {
    let versions = versions(project);
    let since = versions.changes(file_id)?.into_iter().rev().find(|change| change.mode_from != change.mode_to);
    let since = since.map(|change| change.ts).unwrap_or_default();
    let reviewed = versions.reviewed(file_id)?.unwrap_or_default();
    let (mut counts, mut first) = (Counts::default(), None);
    for line in Lines::open(&project.indexes().join("sessions.jsonl"))? {
        let line = line?;
        if first.is_none() {
            first = serde_json::from_str::<LogLine>(&line.text).ok().map(|line| line.ts);
        }
        counts.take(&line, &since, &reviewed);
    }
    counts.decisions(project, &since)?;
    let began = if since.is_empty() { first.unwrap_or_default() } else { since };
    let age = unix_millis(&began).map_or(0, |began| now_millis() - began);
    let mut record =
        GuardRecord { days: u64::try_from(age / (24 * 3600 * 1000)).unwrap_or(0), ..GuardRecord::default() };
    for guard in members {
        let count = counts.of(&guard.id, &guard.on);
        record.evaluations = record.evaluations.max(count.evaluations);
        record.hits += count.hits;
        record.unreviewed += count.unreviewed;
        record.false_positives += count.overrides + count.upheld;
        record.tests += guard.tests;
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_is_dormant_or_noisy_by_its_counts() {
        let check = |evaluations, blocked, appeals, expected: &[&str]| {
            let count = Count {
                evaluations,
                hits: blocked,
                came_to: HitCount { stopped: blocked, ..HitCount::default() },
                appeals,
                ..Count::default()
            };
            assert_eq!(count.marks("g"), expected, "{count:?}");
        };
        check(199, 0, 0, &[]);
        check(200, 0, 0, &["dormant"]);
        check(200, 5, 0, &[]);
        check(200, 5, 1, &["noisy"]);
        check(10, 4, 4, &[]);
    }
}
