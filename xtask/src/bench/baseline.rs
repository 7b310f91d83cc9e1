use std::fs;

use anyhow::{Context, Result, bail};

use crate::repository;

/// Counts the release binary had when somebody last looked.
const FILE: &str = "xtask/hook-instructions.txt";

/// How much dearer a call may become before somebody has to look.
const HEADROOM_PERCENT: u64 = 20;

pub(super) fn read() -> Result<u64> {
    let text = fs::read_to_string(repository::path(FILE)).with_context(|| format!("cannot read `{FILE}`"))?;
    parse(&text).with_context(|| format!("`{FILE}` holds no number"))
}

pub(super) fn write(count: u64) -> Result<()> {
    let text = format!(
        "# Instructions of one PreToolUse call of the release binary (callgrind, x86-64 Linux).\n\
         # CI fails {HEADROOM_PERCENT} % above. To change it: cargo xtask bench hook --accept\n{count}\n"
    );
    fs::write(repository::path(FILE), text).with_context(|| format!("cannot write `{FILE}`"))
}

fn parse(text: &str) -> Option<u64> {
    text.lines().find(|line| !line.starts_with('#'))?.trim().parse().ok()
}

/// Says how a count stands to the baseline; fails beyond the head-room.
pub(super) fn compare(count: u64, baseline: u64) -> Result<String> {
    let limit = baseline + baseline * HEADROOM_PERCENT / 100;
    if count > limit {
        bail!(
            "one hook call takes {count} instructions, more than {limit} ({baseline} in {FILE} plus \
             {HEADROOM_PERCENT} %); find out why, or accept it with `cargo xtask bench hook --accept`"
        );
    }
    Ok(format!("one hook call takes {count} instructions (baseline {baseline}, limit {limit})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_within_the_headroom_passes() {
        assert!(compare(100, 1000).is_ok());
        assert!(compare(1200, 1000).is_ok());
        let error = compare(1201, 1000).unwrap_err().to_string();
        assert!(error.contains("--accept"), "{error}");
    }

    #[test]
    fn the_number_stands_below_the_comments() {
        assert_eq!(parse("# why\n123\n"), Some(123));
        assert_eq!(parse("# why\n"), None);
        assert_eq!(parse("many\n"), None);
    }
}
