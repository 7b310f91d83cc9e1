use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_model::{rfc3339, unix_millis};
use stead_store::Tail;

/// A person's time-limited permission for something a guard blocked: one line of `overrides.jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Override {
    pub v: u32,
    pub ts: String,
    /// The overridden verdict.
    pub verdict: String,
    pub guard: String,
    /// The hash of guard and subject; see [`crate::HitLine`].
    pub about: String,
    /// The subject in a few words, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    pub until: String,
    pub reason: String,
    /// The session of the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The person, as the system names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Fields of later versions, kept as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Override {
    pub const FILE: &str = "overrides.jsonl";

    /// The maximum duration, in milliseconds; older lines are not read.
    pub const LONGEST: i64 = 24 * 3600 * 1000;

    /// How many lines are read.
    const LINES: usize = 500;

    pub fn path(indexes: &Path) -> PathBuf {
        indexes.join(Self::FILE)
    }

    /// Returns true if it applies at this time.
    pub fn holds(&self, now_millis: i64) -> bool {
        let began = unix_millis(&self.ts).is_some_and(|ts| ts <= now_millis && now_millis - ts <= Self::LONGEST);
        began && unix_millis(&self.until).is_some_and(|until| now_millis < until)
    }

    /// The overrides that apply now, newest first. An unreadable file allows nothing.
    pub fn in_force(indexes: &Path, now_millis: i64) -> Vec<Self> {
        Self::trusted_in_force(indexes, now_millis, &|_| true)
    }

    /// Those of them whose line is trusted: one that came with a repository was not given by a person here.
    pub(crate) fn trusted_in_force(indexes: &Path, now_millis: i64, is_trusted: &dyn Fn(&str) -> bool) -> Vec<Self> {
        let Ok(lines) = Tail::open(&Self::path(indexes)) else { return Vec::new() };
        Self::holding(lines.take(Self::LINES).flatten().map(|line| line.text), now_millis, is_trusted)
    }

    /// The same of a text.
    pub(crate) fn in_force_of(text: &str, now_millis: i64, is_trusted: &dyn Fn(&str) -> bool) -> Vec<Self> {
        Self::holding(text.lines().rev().take(Self::LINES).map(str::to_owned), now_millis, is_trusted)
    }

    fn holding(lines: impl Iterator<Item = String>, now_millis: i64, is_trusted: &dyn Fn(&str) -> bool) -> Vec<Self> {
        let earliest = rfc3339(now_millis - Self::LONGEST);
        lines
            .filter_map(|line| Some((serde_json::from_str::<Self>(&line).ok()?, line)))
            .take_while(|(line, _)| line.ts >= earliest)
            .filter(|(line, text)| line.holds(now_millis) && is_trusted(text))
            .map(|(line, _)| line)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_794_771_930_123;

    #[test]
    fn an_override_ends() {
        let check = |since: i64, lasts: i64, expected: bool| {
            let one = Override { ts: rfc3339(NOW - since), until: rfc3339(NOW - since + lasts), ..Override::default() };
            assert_eq!(one.holds(NOW), expected, "{since} {lasts}");
        };
        check(1_000, 600_000, true);
        check(600_000, 600_000, false);
        check(-1_000, 600_000, false);
        // Whatever it says, none lasts longer than a day.
        check(Override::LONGEST + 1_000, 10 * Override::LONGEST, false);
        assert!(!Override { until: "some day".into(), ts: rfc3339(NOW), ..Override::default() }.holds(NOW));
    }
}
