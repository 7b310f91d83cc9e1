use std::collections::BTreeMap;

use super::{Coverage, CoverageFormat};

/// Reads the file that `go test -coverprofile` writes: `file.go:3.20,5.2 2 1`, with statements and count.
pub(super) fn read_profile(text: &str) -> Result<Coverage, String> {
    let mut blocks: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with("mode:") {
            continue;
        }
        let mut parts = line.rsplitn(3, ' ');
        let numbers = (parts.next().and_then(|count| count.trim().parse::<u64>().ok()))
            .zip(parts.next().and_then(|statements| statements.parse::<u64>().ok()));
        let ((count, statements), block) =
            numbers.zip(parts.next()).ok_or_else(|| format!("line {} is not a block of a profile", at + 1))?;
        let known = blocks.entry(block).or_insert((statements, false));
        known.1 |= count > 0;
    }
    let sum = |is_covered: &dyn Fn(bool) -> bool| {
        blocks.values().filter(|(_, hit)| is_covered(*hit)).map(|(statements, _)| statements).sum()
    };
    Coverage::counted(CoverageFormat::Go, sum(&|hit| hit), sum(&|_| true))
}

/// Reads what `go test -cover` or `go tool cover -func` printed; `None` if it is neither.
pub(super) fn read_output(text: &str) -> Option<Result<Coverage, String>> {
    let total = text.lines().rev().find_map(|line| {
        let mut words = line.split_whitespace();
        let is_total = words.next() == Some("total:") && words.next() == Some("(statements)");
        percentage(words.next().filter(|_| is_total)?)
    });
    if let Some(percent) = total {
        return Some(Coverage::estimated(CoverageFormat::Go, percent));
    }
    let packages: Vec<(f64, bool)> = text.lines().filter_map(package).collect();
    if packages.is_empty() {
        return None;
    }
    if text.lines().any(|line| line.starts_with("FAIL")) {
        return Some(Err("tests failed, so not all packages report their coverage".to_owned()));
    }
    // Packages have no weights, so this is a lower bound: the lowest of them. With `-coverpkg`, each reports the same
    // statements, and at least as many as the best one are covered.
    let shares = packages.iter().all(|(_, is_shared)| *is_shared);
    let percents = packages.iter().map(|(percent, _)| *percent);
    let percent = if shares { percents.fold(0.0, f64::max) } else { percents.fold(100.0, f64::min) };
    Some(Coverage::estimated(CoverageFormat::Go, percent))
}

/// `coverage: 83.3% of statements`, and whether it is about the statements of several packages.
fn package(line: &str) -> Option<(f64, bool)> {
    let (_, rest) = line.split_once("coverage: ")?;
    let (percent, rest) = rest.split_once(" of statements")?;
    Some((percentage(percent)?, rest.trim_start().starts_with("in ")))
}

fn percentage(word: &str) -> Option<f64> {
    word.strip_suffix('%')?.parse().ok()
}
