use serde::Serialize;
use serde_json::{Value, json};

use super::{HealthCheck, HealthUnit};

/// How many examples are shown, and how much of each.
const EXAMPLES: usize = 5;
const CHARACTERS: usize = 120;

stead_model::named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum HealthStatus {
        Ok = "ok",
        Warn = "warn",
        /// There is nothing on record, or too little.
        NotMeasured = "not-measured",
    }
}

/// What a check counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Measure {
    pub(super) found: usize,
    pub(super) of: usize,
    pub(super) examples: Vec<String>,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq)]
pub struct HealthFinding {
    pub check: HealthCheck,
    pub status: HealthStatus,
    /// How many were found, among how many.
    pub found: usize,
    pub of: usize,
    /// The first few of what was found.
    pub examples: Vec<String>,
}

impl HealthFinding {
    pub(super) fn new(check: HealthCheck, measure: Measure) -> Self {
        let Measure { found, of, mut examples } = measure;
        examples.truncate(EXAMPLES);
        examples.iter_mut().for_each(shorten);
        let mut finding = Self { check, status: HealthStatus::NotMeasured, found, of, examples };
        if of >= check.least() {
            let is_over = finding.value().is_some_and(|value| value > check.threshold());
            finding.status = if is_over { HealthStatus::Warn } else { HealthStatus::Ok };
        }
        finding
    }

    /// The number that is compared with the threshold; `None` if nothing was looked at.
    pub fn value(&self) -> Option<f64> {
        match self.check.unit() {
            _ if self.of == 0 => None,
            HealthUnit::Count => Some(self.found as f64),
            HealthUnit::Share => Some(self.found as f64 / self.of as f64),
        }
    }

    pub fn json(&self) -> Value {
        let check = self.check;
        json!({
            "check": check, "anti_pattern": check.anti_pattern(), "status": self.status, "value": self.value(),
            "unit": check.unit(), "threshold": check.threshold(), "found": self.found, "of": self.of,
            "least": check.least(), "advice": check.advice(), "examples": self.examples,
        })
    }
}

/// Makes one short line of a text that somebody wrote.
fn shorten(text: &mut String) {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    *text = match line.char_indices().nth(CHARACTERS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    };
}
