use super::{Coverage, CoverageFormat, go};
use crate::text::plain;

/// Reads what a test runner printed.
pub(super) fn read(text: &str) -> Result<Coverage, String> {
    let text = &*plain(text);
    if let Some((covered, total)) = text.lines().rev().find_map(total) {
        return Coverage::counted(CoverageFormat::CoveragePy, covered, total);
    }
    go::read_output(text).unwrap_or_else(|| {
        Err("no coverage report was recognised; expected lcov, Cobertura, coverage.py, Go or Istanbul".to_owned())
    })
}

/// The last line of a table of coverage.py: `TOTAL 20 5 75%`, or with branches `TOTAL 20 5 8 2 71%`. Its percentage
/// mixes branches in, so the lines are counted.
fn total(line: &str) -> Option<(u64, u64)> {
    let mut words = line.split_whitespace();
    let numbers: Vec<&str> = if words.next() == Some("TOTAL") { words.collect() } else { return None };
    let (percent, counts) = numbers.split_last()?;
    percent.strip_suffix('%')?.parse::<f64>().ok()?;
    let counts: Vec<u64> = counts.iter().map(|count| count.parse().ok()).collect::<Option<_>>()?;
    match *counts.as_slice() {
        [statements, missed] | [statements, missed, _, _] => Some((statements.checked_sub(missed)?, statements)),
        _ => None,
    }
}
