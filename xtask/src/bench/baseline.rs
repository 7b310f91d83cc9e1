use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::repository;

/// The accepted counts of the shipped binary.
const FILE: &str = "xtask/hook-instructions.txt";

/// How much more expensive a call may become before the check fails.
const HEADROOM_PERCENT: u64 = 20;

/// Instructions by the name of the call.
pub(super) type Counts = BTreeMap<String, u64>;

pub(super) fn read() -> Result<Counts> {
    let text = fs::read_to_string(repository::path(FILE)).with_context(|| format!("cannot read `{FILE}`"))?;
    parse(&text).with_context(|| format!("`{FILE}` has a line without a number"))
}

pub(super) fn write(counts: &Counts) -> Result<()> {
    let mut text = format!(
        "# Instructions of PreToolUse calls and of a mix of 200 calls (callgrind, shipped binary, x86-64 Linux).\n\
         # CI fails {HEADROOM_PERCENT} % above. To change it: cargo xtask bench hook --accept\n"
    );
    for (name, count) in counts {
        text.push_str(&format!("{name}: {count}\n"));
    }
    fs::write(repository::path(FILE), text).with_context(|| format!("cannot write `{FILE}`"))
}

fn parse(text: &str) -> Option<Counts> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|line| {
            let (name, count) = line.rsplit_once(':')?;
            Some((name.trim().to_owned(), count.trim().parse().ok()?))
        })
        .collect()
}

/// Compares the counts with the baseline, one line each; fails if one exceeds its limit.
pub(super) fn compare(counts: &Counts, baseline: &Counts) -> Result<String> {
    let (mut lines, mut over) = (Vec::new(), Vec::new());
    for (name, count) in counts {
        let Some(before) = baseline.get(name) else {
            over.push(format!("`{name}` is {count} and has no line in {FILE}"));
            continue;
        };
        let limit = before + before * HEADROOM_PERCENT / 100;
        match *count > limit {
            true => over.push(format!("`{name}` is {count}, more than {limit} ({before} plus {HEADROOM_PERCENT} %)")),
            false => lines.push(format!("`{name}` is {count} (baseline {before}, limit {limit})")),
        }
    }
    if over.is_empty() {
        return Ok(lines.join("\n"));
    }
    bail!("{}; find out why, or accept it with `cargo xtask bench hook --accept`", over.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(count: u64) -> Counts {
        [("a call".to_owned(), count)].into()
    }

    #[test]
    fn a_count_within_the_headroom_passes() {
        assert!(compare(&counts(100), &counts(1000)).is_ok());
        assert!(compare(&counts(1200), &counts(1000)).is_ok());
        let error = compare(&counts(1201), &counts(1000)).unwrap_err().to_string();
        assert!(error.contains("--accept"), "{error}");
        let error = compare(&counts(1), &Counts::new()).unwrap_err().to_string();
        assert!(error.contains("no line"), "{error}");
    }

    #[test]
    fn numbers_stand_below_the_comments() {
        assert_eq!(parse("# why: 3\na call: 123\n"), Some(counts(123)));
        assert_eq!(parse("# why\n"), Some(Counts::new()));
        assert_eq!(parse("a call: many\n"), None);
        assert_eq!(parse("123\n"), None);
    }
}
