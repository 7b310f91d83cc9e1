//! The limits of a stage: the `guardrails` block.

use stead_yaml::Entry;

use super::reading::Reading;
use crate::lint::Code;
use crate::{Guardrails, OnLimit, OnQuota};

/// Guardrails as far as a file sets them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    pub max_iterations: Option<u32>,
    pub max_runtime_seconds: Option<u64>,
    pub iteration_timeout_seconds: Option<u64>,
    pub max_cost_usd: Option<f64>,
    pub on_limit: Option<OnLimit>,
    pub on_quota: Option<OnQuota>,
}

const MAX_ITERATIONS: u32 = 50;

pub(crate) const KEYS: [&str; 6] =
    ["max_iterations", "max_runtime_seconds", "iteration_timeout_seconds", "max_cost_usd", "on_limit", "on_quota"];

const RETRY: [&str; 8] =
    ["max_failures", "max_retries", "retry", "retries", "retry_count", "retry_delay", "max_attempts", "backoff"];

impl Limits {
    /// Reads the whole block.
    pub(crate) fn read_block(&mut self, reading: &mut Reading, entry: &Entry) {
        for part in reading.map(entry).unwrap_or_default() {
            if !self.read_key(reading, part) && !is_retry(reading, part) {
                reading.unknown(part, &KEYS);
            }
        }
    }

    /// Reads one key of the block; returns true if it was one.
    pub(crate) fn read_key(&mut self, reading: &mut Reading, entry: &Entry) -> bool {
        match entry.key.as_str() {
            "max_iterations" => self.max_iterations = reading.count(entry),
            "max_runtime_seconds" => self.max_runtime_seconds = reading.seconds(entry),
            "iteration_timeout_seconds" => self.iteration_timeout_seconds = reading.seconds(entry),
            "max_cost_usd" => self.max_cost_usd = reading.money(entry),
            "on_limit" => {
                self.on_limit = reading.choice(entry, &[("continue", OnLimit::Continue), ("fail", OnLimit::Fail)]);
            }
            "on_quota" => {
                self.on_quota = reading.choice(entry, &[("stop", OnQuota::Stop), ("wait", OnQuota::Wait)]);
            }
            _ => return false,
        }
        true
    }

    /// Takes the values that `other` sets and keeps the rest.
    pub(crate) fn overridden_by(&self, other: &Self) -> Self {
        Self {
            max_iterations: other.max_iterations.or(self.max_iterations),
            max_runtime_seconds: other.max_runtime_seconds.or(self.max_runtime_seconds),
            iteration_timeout_seconds: other.iteration_timeout_seconds.or(self.iteration_timeout_seconds),
            max_cost_usd: other.max_cost_usd.or(self.max_cost_usd),
            on_limit: other.on_limit.or(self.on_limit),
            on_quota: other.on_quota.or(self.on_quota),
        }
    }

    /// The guardrails with all defaults filled in.
    pub(crate) fn settle(&self) -> Guardrails {
        Guardrails {
            max_iterations: self.max_iterations.unwrap_or(MAX_ITERATIONS),
            max_runtime_seconds: self.max_runtime_seconds,
            iteration_timeout_seconds: self.iteration_timeout_seconds,
            max_cost_usd: self.max_cost_usd,
            on_limit: self.on_limit.unwrap_or_default(),
            on_quota: self.on_quota.unwrap_or_default(),
        }
    }
}

/// Reports keys that used to count failures: a failure ends the run, and `--resume` continues it.
pub(crate) fn is_retry(reading: &mut Reading, entry: &Entry) -> bool {
    if !is_retry_key(&entry.key) {
        return false;
    }
    let message = format!("`{}` has no effect: a failure is never retried", entry.key);
    reading
        .findings
        .deprecation(Code::L007, &entry.key_at, message)
        .hint("remove it; continue a failed run with `--resume`");
    true
}

pub fn is_retry_key(key: &str) -> bool {
    RETRY.contains(&key)
}
