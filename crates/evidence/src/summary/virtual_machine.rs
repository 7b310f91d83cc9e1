//! Java and .NET.

use super::line::{labelled, sum};
use crate::Counts;

/// `Tests run: 5, Failures: 1, Errors: 0, Skipped: 1`: a line per class and one for all; several modules have several.
pub(super) fn surefire(text: &str) -> Option<Counts> {
    let of = |line: &str| {
        let (_, rest) = line.split_once("Tests run:")?;
        let total = labelled(line, "tests run")?;
        let failed = labelled(rest, "failures")? + labelled(rest, "errors")?;
        let skipped = labelled(rest, "skipped").unwrap_or(0);
        Some(Counts { passed: total.saturating_sub(failed + skipped), failed, skipped, total })
    };
    let is_class = |line: &&str| line.contains("Time elapsed") || line.contains(" -- in ");
    let totals = text.lines().filter(|line| !is_class(line)).filter_map(of).reduce(Counts::plus);
    totals.or_else(|| text.lines().filter(is_class).filter_map(of).reduce(Counts::plus)).or_else(|| {
        (text.contains("No tests to run") || text.contains("There are no tests to run")).then(Counts::default)
    })
}

/// Gradle counts only when something failed; with test logging each test has a line.
pub(super) fn gradle(text: &str) -> Option<Counts> {
    let summary = text.lines().filter(|line| line.contains(" tests completed") || line.contains(" test completed"));
    let counted = summary
        .map(|line| {
            let total = sum(line, &["test", "tests"]);
            let (failed, skipped) = (sum(line, &["failed"]), sum(line, &["skipped"]));
            Counts { passed: total.saturating_sub(failed + skipped), failed, skipped, total }
        })
        .reduce(Counts::plus);
    counted.or_else(|| {
        let lines = |end: &str| {
            text.lines().filter(|line| line.contains(" > ") && line.trim_end().ends_with(end)).count() as u64
        };
        let counts = Counts::of(lines(" PASSED"), lines(" FAILED"), lines(" SKIPPED"));
        let none = || text.contains(":test NO-SOURCE").then(Counts::default);
        if counts.total > 0 { Some(counts) } else { none() }
    })
}

/// Three forms: a line per assembly, a block, and the one of newer versions.
pub(super) fn dotnet(text: &str) -> Option<Counts> {
    let of = |line: &str, passed: &str| {
        let part = |label: &str| labelled(line, label);
        Some(Counts {
            passed: part(passed)?,
            failed: part("failed")?,
            skipped: part("skipped").unwrap_or(0),
            total: part("total")?,
        })
    };
    let newest = text.lines().rev().find(|line| line.trim_start().starts_with("Test summary:"));
    if let Some(counts) = newest.and_then(|line| of(line, "succeeded")) {
        return Some(counts);
    }
    let lines =
        text.lines().filter(|line| line.contains("Failed:") && line.contains("Passed:") && line.contains("Total:"));
    if let Some(counts) = lines.filter_map(|line| of(line, "passed")).reduce(Counts::plus) {
        return Some(counts);
    }
    let block = text.split("Total tests:").last().filter(|_| text.contains("Total tests:"))?;
    let total = labelled(&format!("total {block}"), "total")?;
    let row = |label: &str| block.lines().take(6).find_map(|line| labelled(line.trim_start(), label)).unwrap_or(0);
    Some(Counts { passed: row("passed"), failed: row("failed"), skipped: row("skipped"), total })
}
