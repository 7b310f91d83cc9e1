//! Rust, Go, C and Swift.

use serde::Deserialize;

use super::line::{before, labelled, number, sum};
use crate::Counts;

/// One line per test binary: `test result: ok. 5 passed; 0 failed; 1 ignored; …`.
pub(super) fn cargo(text: &str) -> Option<Counts> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("test result: "));
    lines
        .filter_map(|line| {
            let passed = before(line, &["passed"])?;
            Some(Counts::of(passed, before(line, &["failed"])?, sum(line, &["ignored"])))
        })
        .reduce(Counts::plus)
}

/// `Summary [ 0.012s] 5 tests run: 4 passed (1 slow), 1 failed, 2 skipped`
pub(super) fn nextest(text: &str) -> Option<Counts> {
    let line = text.lines().rev().find(|line| line.trim_start().starts_with("Summary [") && line.contains(" run:"))?;
    let counts = line.split_once(" run:").map_or("", |(_, counts)| counts);
    let failed = sum(counts, &["failed", "timed", "exec"]);
    Some(Counts::of(sum(counts, &["passed"]), failed, sum(counts, &["skipped"])))
}

/// Plain Go lists only packages; with `-v` its tests, with `-json` both.
pub(super) fn go(text: &str) -> Option<Counts> {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Event<'a> {
        #[serde(borrow)]
        action: std::borrow::Cow<'a, str>,
        #[serde(default)]
        test: Option<std::borrow::Cow<'a, str>>,
    }
    let (mut tests, mut packages, mut broken, mut found) = (Counts::default(), Counts::default(), 0, false);
    for line in text.lines() {
        if line.starts_with('{') && line.contains("\"Action\"") {
            let Ok(event) = serde_json::from_str::<Event<'_>>(line) else { continue };
            // Sub-tests are part of their test.
            if event.test.as_deref().is_none_or(|test| test.contains('/')) {
                found = true;
                continue;
            }
            match event.action.as_ref() {
                "pass" => tests.passed += 1,
                "fail" => tests.failed += 1,
                "skip" => tests.skipped += 1,
                _ => {}
            }
            continue;
        }
        match line {
            line if line.starts_with("--- PASS: ") => tests.passed += 1,
            line if line.starts_with("--- FAIL: ") => tests.failed += 1,
            line if line.starts_with("--- SKIP: ") => tests.skipped += 1,
            line if line.starts_with("ok  \t") || line.starts_with("ok \t") => {
                found = true;
                if !line.contains("[no tests to run]") {
                    packages.passed += 1;
                }
            }
            line if line.starts_with("FAIL\t") => {
                packages.failed += 1;
                broken += u64::from(line.contains("[build failed]") || line.contains("[setup failed]"));
            }
            line if line.starts_with("?   \t") || line.contains("[no test files]") => found = true,
            _ => {}
        }
    }
    let counted = if tests == Counts::default() { packages } else { Counts { failed: tests.failed + broken, ..tests } };
    (found || counted != Counts::default()).then(|| Counts::of(counted.passed, counted.failed, counted.skipped))
}

/// `100% tests passed, 0 tests failed out of 5`
pub(super) fn ctest(text: &str) -> Option<Counts> {
    if text.contains("No tests were found!!!") {
        return Some(Counts::default());
    }
    let line = text.lines().rev().find(|line| line.contains("% tests passed") && line.contains("out of"))?;
    let failed = labelled(&line.replace(" tests failed", ""), "tests passed,").unwrap_or(0);
    let total = labelled(line, "out of")?;
    let skipped = text.lines().filter(|line| line.contains("(Skipped)") || line.contains("(Not Run)")).count() as u64;
    let skipped = skipped.min(total);
    Some(Counts::of(total.saturating_sub(failed).saturating_sub(skipped), failed, skipped))
}

/// XCTest has a line per suite and a last one for all; Swift Testing has its own line.
pub(super) fn swift(text: &str) -> Option<Counts> {
    let old = text.lines().rev().find_map(|line| {
        let rest = line.trim_start().strip_prefix("Executed ")?;
        let total = before(rest, &["test", "tests"])?;
        let failed = before(rest, &["failure", "failures"]).unwrap_or(0).min(total);
        let skipped = labelled_skips(rest).min(total - failed);
        Some(Counts::of(total - failed - skipped, failed, skipped))
    });
    let new = text.lines().rev().find_map(|line| {
        let (_, rest) = line.split_once("Test run with ")?;
        let total = before(rest, &["test", "tests"])?;
        let failed = before(rest, &["issue", "issues"]).unwrap_or(u64::from(rest.contains(" failed "))).min(total);
        Some(Counts::of(total - failed, failed, 0))
    });
    match (old, new) {
        (Some(old), Some(new)) => Some(old.plus(new)),
        (old, new) => old.or(new),
    }
}

/// `with 1 test skipped and 0 failures`
fn labelled_skips(line: &str) -> u64 {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "skipped");
    at.and_then(|at| number(words.get(at.checked_sub(2)?)?)).unwrap_or(0)
}
