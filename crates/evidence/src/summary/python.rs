//! Python's runners.

use super::line::{number, pairs, sum};
use crate::Counts;

/// `=== 3 failed, 2 passed, 1 skipped in 0.12s ===`, with or without the equals signs.
pub(super) fn pytest(text: &str) -> Option<Counts> {
    let is_time = |word: &str| word.ends_with('s') && word.trim_end_matches('s').parse::<f64>().is_ok();
    text.lines().rev().find_map(|line| {
        let line = line.trim_matches(|c: char| c == '=' || c.is_whitespace());
        let (counts, time) = line.rsplit_once(" in ")?;
        if !is_time(time.split_whitespace().next()?) {
            return None;
        }
        if counts == "no tests ran" {
            return Some(Counts::default());
        }
        let known = [
            "passed", "failed", "skipped", "error", "errors", "xfailed", "xpassed", "deselected", "warning", "warnings",
        ];
        let found: Vec<_> = pairs(counts).collect();
        if found.is_empty() || !found.iter().all(|(_, word)| known.contains(word)) {
            return None;
        }
        let failed = sum(counts, &["failed", "error", "errors"]);
        Some(Counts::of(sum(counts, &["passed", "xpassed"]), failed, sum(counts, &["skipped", "xfailed"])))
    })
}

/// `Ran 5 tests in 0.001s`, and below it `OK (skipped=1)` or `FAILED (failures=1, errors=2)`.
pub(super) fn unittest(text: &str) -> Option<Counts> {
    let lines: Vec<&str> = text.lines().collect();
    let at =
        lines.iter().rposition(|line| line.starts_with("Ran ") && line.contains(" test") && line.contains(" in "))?;
    let total = number(lines[at].split_whitespace().nth(1)?)?;
    let verdict = lines[at + 1..].iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    let inner = verdict.split_once('(').map_or("", |(_, inner)| inner.trim_end_matches(')'));
    let part = |label| {
        let pairs = inner.split(',').filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(name, _)| *name == label).filter_map(|(_, count)| number(count)).sum::<u64>()
    };
    let failed = part("failures") + part("errors") + part("unexpected successes");
    let skipped = part("skipped") + part("expected failures");
    // An unknown result counts as failed.
    let failed = if failed == 0 && !verdict.starts_with("OK") && !verdict.starts_with("NO TESTS") { 1 } else { failed };
    Some(Counts { passed: total.saturating_sub(failed + skipped), failed, skipped, total })
}
