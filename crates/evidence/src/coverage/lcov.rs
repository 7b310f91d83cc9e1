use std::collections::BTreeMap;

use super::{Coverage, CoverageFormat};

/// What is known of one source file. The same file may have several records, one per test.
#[derive(Default)]
struct File {
    lines: BTreeMap<u64, bool>,
    /// The summary, for tools that leave the lines out.
    found: u64,
    hit: u64,
}

pub(super) fn read(text: &str) -> Result<Coverage, String> {
    let mut files: BTreeMap<&str, File> = BTreeMap::new();
    let mut open: Option<&str> = None;
    for (at, line) in text.lines().enumerate() {
        let bad = || format!("line {}: `{}` is not a number", at + 1, line.trim());
        let number = |text: &str| text.trim().parse::<u64>().map_err(|_| bad());
        let (key, value) = line.split_once(':').unwrap_or((line.trim(), ""));
        match (key, open) {
            ("SF", _) => open = Some(value.trim()),
            ("end_of_record", _) => open = None,
            ("DA", Some(name)) => {
                let mut parts = value.split(',');
                let line = number(parts.next().unwrap_or_default())?;
                let count = parts.next().unwrap_or_default().trim();
                // Some tools write negative or fractional counts.
                let count: f64 = count.parse().map_err(|_| bad())?;
                *files.entry(name).or_default().lines.entry(line).or_default() |= count > 0.0;
            }
            ("LF", Some(name)) => {
                let file = files.entry(name).or_default();
                file.found = file.found.max(number(value)?);
            }
            ("LH", Some(name)) => {
                let file = files.entry(name).or_default();
                file.hit = file.hit.max(number(value)?);
            }
            _ => {}
        }
    }
    if let Some(name) = open {
        return Err(format!("it is cut off: the record of `{name}` has no end"));
    }
    let count = |file: &File| match file.lines.is_empty() {
        true => (file.hit, file.found),
        false => (file.lines.values().filter(|hit| **hit).count() as u64, file.lines.len() as u64),
    };
    let (covered, total) = files.values().map(count).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    Coverage::counted(CoverageFormat::Lcov, covered, total)
}
