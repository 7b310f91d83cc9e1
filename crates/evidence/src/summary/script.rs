//! JavaScript, Ruby, PHP and Elixir.

use super::line::{before, labelled, number, sum};
use crate::Counts;

/// `Tests:       1 failed, 2 skipped, 3 passed, 6 total`
pub(super) fn jest(text: &str) -> Option<Counts> {
    let of = |line: &str| {
        let rest = line.trim_start().strip_prefix("Tests:")?;
        let total = before(rest, &["total"])?;
        let skipped = sum(rest, &["skipped", "todo"]);
        Some(Counts { passed: sum(rest, &["passed"]), failed: sum(rest, &["failed"]), skipped, total })
    };
    let counts = text.lines().filter_map(of).reduce(Counts::plus);
    // A suite that does not even load has no tests to fail.
    let suites = text.lines().filter_map(|line| line.trim_start().strip_prefix("Test Suites:"));
    let broken = suites.map(|line| sum(line, &["failed"])).sum::<u64>();
    match counts {
        Some(counts) if counts.failed == 0 && broken > 0 => Some(Counts { failed: broken, ..counts }),
        None if text.contains("No tests found") => Some(Counts::default()),
        counts => counts,
    }
}

/// `Tests  1 failed | 3 passed | 2 skipped (6)`
pub(super) fn vitest(text: &str) -> Option<Counts> {
    let row = |name: &str| {
        let lines = text.lines().rev().filter_map(|line| line.trim_start().strip_prefix(name));
        lines.filter(|rest| rest.starts_with("  ") && rest.trim_end().ends_with(')')).map(str::to_owned).next()
    };
    if let Some(tests) = row("Tests") {
        let part = |words: &[&str]| sum(&tests, words);
        let counts = Counts::of(part(&["passed"]), part(&["failed"]), part(&["skipped", "todo"]));
        let broken = row("Test Files").map_or(0, |files| sum(&files, &["failed"]));
        let failed = if counts.failed == 0 { broken } else { counts.failed };
        return Some(Counts { failed, ..counts });
    }
    (text.contains("No test files found") || text.contains("no tests")).then(Counts::default)
}

/// `5 passing (12ms)`, `1 failing`, `2 pending`, each on its line.
pub(super) fn mocha(text: &str) -> Option<Counts> {
    let row = |word: &str| {
        text.lines().rev().find_map(|line| {
            let mut words = line.split_whitespace();
            let number = number(words.next()?)?;
            (line.starts_with(' ') && words.next() == Some(word)).then_some(number)
        })
    };
    let passed = row("passing")?;
    Some(Counts::of(passed, row("failing").unwrap_or(0), row("pending").unwrap_or(0)))
}

/// `# tests 5` in one form, `ℹ tests 5` in the other.
pub(super) fn node(text: &str) -> Option<Counts> {
    let row = |word: &str| {
        text.lines().rev().find_map(|line| {
            let rest = line.trim_start().strip_prefix("# ").or_else(|| line.trim_start().strip_prefix("ℹ "))?;
            number(rest.strip_prefix(word)?.strip_prefix(' ')?.trim())
        })
    };
    let (passed, failed) = (row("pass")?, row("fail")?);
    let failed = failed + row("cancelled").unwrap_or(0);
    Some(Counts::of(passed, failed, row("skipped").unwrap_or(0) + row("todo").unwrap_or(0)))
}

/// `5 pass`, `1 fail`, and below `Ran 7 tests across 1 files.`
pub(super) fn bun(text: &str) -> Option<Counts> {
    let ran = text.lines().rev().find(|line| line.starts_with("Ran ") && line.contains(" across "))?;
    let row = |word: &str| {
        text.lines().rev().find_map(|line| {
            let (count, rest) = line.trim().split_once(' ')?;
            if rest == word { number(count) } else { None }
        })
    };
    let skipped = row("skip").unwrap_or(0) + row("todo").unwrap_or(0);
    let failed = row("fail").unwrap_or(0) + row("error").or(row("errors")).unwrap_or(0);
    let total = before(ran, &["test", "tests"])?;
    Some(Counts { passed: row("pass").unwrap_or(0), failed, skipped, total })
}

/// `ok | 5 passed | 0 failed (12ms)`
pub(super) fn deno(text: &str) -> Option<Counts> {
    let line = text.lines().rev().find(|line| line.starts_with("ok | ") || line.starts_with("FAILED | "))?;
    let failed = before(line, &["failed"])?;
    Some(Counts::of(before(line, &["passed"])?, failed, sum(line, &["ignored"])))
}

/// `5 examples, 1 failure, 1 pending`
pub(super) fn rspec(text: &str) -> Option<Counts> {
    let line = text.lines().rev().find(|line| {
        before(line, &["example", "examples"]).is_some() && before(line, &["failure", "failures"]).is_some()
    })?;
    let total = before(line, &["example", "examples"])?;
    let failed = sum(line, &["failure", "failures", "error", "errors"]);
    let skipped = sum(line, &["pending"]);
    Some(Counts { passed: total.saturating_sub(failed + skipped), failed, skipped, total })
}

/// `5 runs, 10 assertions, 1 failures, 0 errors, 1 skips`; the older test-unit says `tests` and `pendings`.
pub(super) fn minitest(text: &str) -> Option<Counts> {
    let is_summary = |line: &&str| line.contains(" assertions, ") && line.contains(" failures, ");
    let of = |line: &str| {
        let total = before(line, &["runs", "tests"])?;
        let failed = sum(line, &["failures", "errors"]);
        let skipped = sum(line, &["skips", "pendings", "omissions"]);
        Some(Counts { passed: total.saturating_sub(failed + skipped), failed, skipped, total })
    };
    text.lines().filter(is_summary).filter_map(of).reduce(Counts::plus)
}

/// `OK (5 tests, 10 assertions)`, or `Tests: 5, Assertions: 10, Failures: 1, Errors: 1, Skipped: 1.`
pub(super) fn phpunit(text: &str) -> Option<Counts> {
    for line in text.lines().rev() {
        if let Some(rest) = line.strip_prefix("OK (") {
            return before(rest, &["test", "tests"]).map(|passed| Counts::of(passed, 0, 0));
        }
        if line.starts_with("Tests: ") && line.contains("Assertions: ") {
            let part = |label| labelled(line, label).unwrap_or(0);
            let (total, failed) = (part("tests"), part("failures") + part("errors"));
            let skipped = part("skipped") + part("incomplete");
            return Some(Counts { passed: total.saturating_sub(failed + skipped), failed, skipped, total });
        }
        // Laravel and Pest: `Tests:    1 failed, 3 passed (7 assertions)`
        if let Some(rest) = line.trim_start().strip_prefix("Tests:")
            && line.contains("assertions)")
        {
            let skipped = sum(rest, &["skipped", "incomplete", "todo"]);
            return Some(Counts::of(sum(rest, &["passed"]), sum(rest, &["failed"]), skipped));
        }
        if line.starts_with("No tests executed!") {
            return Some(Counts::default());
        }
    }
    None
}

/// `3 doctests, 5 tests, 1 failure, 1 excluded, 1 skipped`
pub(super) fn mix(text: &str) -> Option<Counts> {
    let is_summary = |line: &&str| {
        let starts = line.starts_with(|c: char| c.is_ascii_digit());
        starts && before(line, &["failure", "failures"]).is_some() && before(line, &["test", "tests"]).is_some()
    };
    let of = |line: &str| {
        let total = sum(line, &["test", "tests", "doctest", "doctests", "property", "properties"]);
        let failed = sum(line, &["failure", "failures", "invalid"]);
        let skipped = sum(line, &["skipped", "excluded"]);
        Counts { passed: total.saturating_sub(failed + skipped), failed, skipped, total }
    };
    text.lines().filter(is_summary).map(of).reduce(Counts::plus)
}
