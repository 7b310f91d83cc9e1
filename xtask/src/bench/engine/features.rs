//! What a run on the feature list adds to its agents: the mock answers at once, so all that is left is Stead's own work
//! and one verifier per feature.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// How many features the run has.
pub(super) const MANY: u32 = 200;

/// A feature is implemented, then tested.
const TRANSITIONS: u32 = 2;

/// What one transition took: on average, and early and late in the run.
#[derive(Clone, Copy)]
pub(super) struct FeatureRun {
    pub(super) each: Duration,
    pub(super) first: Duration,
    pub(super) last: Duration,
}

/// Writes a list of pending features and their files.
pub(super) fn write(project: &Path, count: u32) -> Result<()> {
    let folder = project.join(".agent/features");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    let mut list = "{\"features\": [".to_owned();
    for number in 0..count {
        let comma = if number == 0 { "" } else { "," };
        fs::write(project.join(format!("feature-{number}.txt")), "good\n")?;
        write!(
            list,
            "{comma}\n{{\"id\": \"f{number}\", \"title\": \"Feature {number}\", \"status\": \"pending\", \
             \"files\": [\"feature-{number}.txt\"], \"verifiers\": [\"cat feature-{number}.txt\"]}}"
        )?;
    }
    list.push_str("\n]}\n");
    fs::write(folder.join("feature-list.json"), list).context("cannot write the feature list")
}

/// Runs `stead orchestrate`, whose events are in that file, and returns what one transition took.
pub(super) fn measure(command: &mut Command, count: u32, events: &Path) -> Result<FeatureRun> {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output().context("cannot start stead")?;
    let took = start.elapsed();
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && said.contains(&format!("\"tested\": {count}")),
        "`{}` answered `{said}{}`",
        crate::program::spell(command),
        String::from_utf8_lossy(&output.stderr)
    );
    let events = fs::read_to_string(events).with_context(|| format!("cannot read `{}`", events.display()))?;
    let (first, last) = early_and_late(&moments(&events)).context("the run left too few events")?;
    Ok(FeatureRun { each: took / (count * TRANSITIONS), first, last })
}

/// When features changed, in milliseconds of the day.
fn moments(events: &str) -> Vec<u64> {
    let moment = |line: &str| {
        let event: Value =
            serde_json::from_str(line).ok().filter(|event: &Value| event["event"] == "feature-changed")?;
        let clock = event["ts"].as_str()?.split_once('T')?.1.trim_end_matches('Z').to_owned();
        let mut parts = clock.split([':', '.']).map(|part| part.parse::<u64>().ok());
        let mut part = || parts.next()?;
        Some(((part()? * 60 + part()?) * 60 + part()?) * 1000 + part()?)
    };
    events.lines().filter_map(moment).collect()
}

/// The median time between two changes in the first and in the last quarter of a run.
fn early_and_late(moments: &[u64]) -> Option<(Duration, Duration)> {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let gaps: Vec<u64> = moments.windows(2).map(|two| (two[1] + DAY - two[0]) % DAY).collect();
    let quarter = gaps.len() / 4;
    let median = |gaps: &[u64]| {
        let mut gaps = gaps.to_vec();
        gaps.sort_unstable();
        gaps.get(gaps.len() / 2).map(|gap| Duration::from_millis((*gap).max(1)))
    };
    Some((median(gaps.get(..quarter)?)?, median(gaps.get(gaps.len() - quarter..)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_gets_slower_is_seen() {
        let line = |millis: u64| {
            let ts = format!("2026-11-17T23:59:{:02}.{:03}Z", millis / 1000, millis % 1000);
            format!("{{\"event\":\"feature-changed\",\"ts\":\"{ts}\"}}\n{{\"event\":\"other\"}}\n")
        };
        let steps = (0..40_u64).scan(0, |at, step| {
            *at += if step < 20 { 4 } else { 9 };
            Some(*at)
        });
        let found = moments(&steps.map(line).collect::<String>());
        assert_eq!(found.len(), 40);
        assert_eq!(early_and_late(&found), Some((Duration::from_millis(4), Duration::from_millis(9))));
        assert_eq!(early_and_late(&found[..2]), None);
    }
}
