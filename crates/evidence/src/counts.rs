use std::fmt;

use serde::{Deserialize, Serialize};

/// How many tests a runner reports, and how they ended. If a runner counts only packages, these are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    #[serde(default)]
    pub passed: u64,
    #[serde(default)]
    pub failed: u64,
    #[serde(default)]
    pub skipped: u64,
    /// Everything the runner counted, whatever the result.
    #[serde(default)]
    pub total: u64,
}

impl Counts {
    /// Computes the total from its parts.
    pub(crate) fn of(passed: u64, failed: u64, skipped: u64) -> Self {
        let total = passed.saturating_add(failed).saturating_add(skipped);
        Self { passed, failed, skipped, total }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            skipped: self.skipped.saturating_add(other.skipped),
            total: self.total.saturating_add(other.total),
        }
    }

    /// Returns true if at least one test passed or failed.
    pub fn ran(self) -> bool {
        self.passed > 0 || self.failed > 0
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 { write!(f, ", {} skipped", self.skipped) } else { Ok(()) }
    }
}
