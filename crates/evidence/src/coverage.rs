//! How many lines tests reach, as the tools write it: lcov, Cobertura, coverage.py, Go and Istanbul. The format is
//! recognised by the content. A file that is cut off, contradicts itself or covers nothing is an error, not a number.

mod go;
mod json;
mod lcov;
mod terminal;
mod xml;

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use stead_store::read_capped;

use crate::EvidenceError;

/// The largest report that is read.
const LIMIT: usize = 256 * 1024 * 1024;

stead_model::named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CoverageFormat {
        Lcov = "lcov",
        Cobertura = "cobertura",
        CoveragePy = "coverage.py",
        Go = "go",
        Istanbul = "istanbul",
    }
}

/// What a report says about all files together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    pub format: CoverageFormat,
    /// From 0 to 100. Go counts statements instead of lines.
    pub percent: f64,
    /// The covered lines and all lines, if the report has them.
    pub lines: Option<(u64, u64)>,
}

impl Coverage {
    fn counted(format: CoverageFormat, covered: u64, total: u64) -> Result<Self, String> {
        match (covered, total) {
            (_, 0) => Err("it covers no lines".to_owned()),
            (covered, total) if covered > total => Err(format!("{covered} of {total} lines are covered")),
            #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 lines")]
            (covered, total) => {
                let percent = covered as f64 * 100.0 / total as f64;
                Ok(Self { format, percent, lines: Some((covered, total)) })
            }
        }
    }

    fn estimated(format: CoverageFormat, percent: f64) -> Result<Self, String> {
        match percent {
            0.0..=100.0 => Ok(Self { format, percent, lines: None }),
            _ => Err(format!("{percent} is not a percentage")),
        }
    }

    /// Returns true if at least this percentage is covered.
    pub fn meets(&self, percent: f64) -> bool {
        is_enough(self.percent, percent)
    }
}

/// Compares percentages: 0.29 × 100 is a little less than 29.
pub(crate) fn is_enough(percent: f64, wanted: f64) -> bool {
    percent + 1e-9 >= wanted
}

/// Reads a report, and when the file was written.
pub fn read_coverage(path: &Path) -> Result<(Coverage, SystemTime), EvidenceError> {
    let bad = |why: String| EvidenceError::Coverage { path: path.to_owned(), why };
    let bytes = read_capped(path, LIMIT)?.ok_or_else(|| bad("there is no such file".to_owned()))?;
    let unread = |source| EvidenceError::Unread { path: path.to_owned(), source };
    let written = fs::metadata(path).and_then(|data| data.modified()).map_err(unread)?;
    let coverage = parse_coverage(&String::from_utf8_lossy(&bytes)).map_err(bad)?;
    Ok((coverage, written))
}

/// Reads the text of a report, or what a test runner printed. The error says what is wrong with it.
pub fn parse_coverage(text: &str) -> Result<Coverage, String> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.split_whitespace().next() {
        None => Err("it is empty".to_owned()),
        Some(first) if first.starts_with('{') => json::read(text),
        Some(first) if first.starts_with('<') => xml::read(text),
        Some("mode:") => go::read_profile(text),
        Some(_) if text.lines().any(|line| line.starts_with("SF:")) => lcov::read(text),
        Some(_) => terminal::read(text),
    }
}

#[cfg(test)]
mod tests;
