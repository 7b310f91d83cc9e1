use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::contestant::Contestant;
use super::spawn;

/// Counts the instructions of one call. The environment is the contestant's own, so the count can be repeated.
pub(super) fn count(contestant: &Contestant, folder: &Path) -> Result<u64> {
    total(&profile(contestant, folder, &[])?)
        .with_context(|| format!("the profile of `{}` has no total", contestant.name))
}

/// The addresses of the instructions that one call went through, as far as its calls and jumps tell.
pub(super) fn addresses(contestant: &Contestant, folder: &Path) -> Result<Vec<u64>> {
    let text = profile(contestant, folder, &["--dump-instr=yes", "--compress-pos=no"])?;
    Ok(text.lines().filter_map(address).collect())
}

fn profile(contestant: &Contestant, folder: &Path, options: &[&str]) -> Result<String> {
    let out = folder.join(format!("callgrind.{}.out", contestant.name.replace(' ', "-")));
    let mut words = vec!["--tool=callgrind".to_owned(), "--quiet".to_owned()];
    words.push(format!("--callgrind-out-file={}", out.display()));
    words.extend(options.iter().map(|&option| option.to_owned()));
    let under = contestant.under("valgrind", &words);
    spawn::measure(&under).with_context(|| format!("cannot count `{}` under valgrind", contestant.name))?;
    fs::read_to_string(&out).with_context(|| format!("cannot read `{}`", out.display()))
}

/// The address of a line about an instruction.
fn address(line: &str) -> Option<u64> {
    u64::from_str_radix(line.strip_prefix("0x")?.split(' ').next()?, 16).ok()
}

fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_addresses() {
        assert_eq!(address("0xb5e010 0 38"), Some(0x00b5_e010));
        assert_eq!(address("calls=1 0xb1dbc0 0"), None);
    }

    #[test]
    fn the_total_is_found() {
        assert_eq!(total("version: 1\nevents: Ir\nsummary: 4711\n\nfn=(1)\n"), Some(4711));
        assert_eq!(total("events: Ir\n\ntotals: 12 34\n"), Some(12));
        assert_eq!(total("version: 1\n"), None);
    }
}
