use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::contestant::Contestant;
use super::spawn;

/// Counts the instructions of one call. The environment is the contestant's own, so the count can be repeated.
pub(super) fn count(contestant: &Contestant, folder: &Path) -> Result<u64> {
    let out = folder.join(format!("callgrind.{}.out", contestant.name.replace(' ', "-")));
    let under = contestant.under(
        "valgrind",
        &["--tool=callgrind".to_owned(), "--quiet".to_owned(), format!("--callgrind-out-file={}", out.display())],
    );
    spawn::measure(&under).with_context(|| format!("cannot count `{}` under valgrind", contestant.name))?;
    let text = fs::read_to_string(&out).with_context(|| format!("cannot read `{}`", out.display()))?;
    total(&text).with_context(|| format!("`{}` has no total", out.display()))
}

fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_found() {
        assert_eq!(total("version: 1\nevents: Ir\nsummary: 4711\n\nfn=(1)\n"), Some(4711));
        assert_eq!(total("events: Ir\n\ntotals: 12 34\n"), Some(12));
        assert_eq!(total("version: 1\n"), None);
    }
}
