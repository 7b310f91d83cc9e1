use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};

use super::callgrind::under_valgrind;
use super::contestant::Contestant;

/// The addresses of the instructions and data that one call touches, each once, in the order of their first use.
pub(super) fn addresses(contestant: &Contestant, folder: &Path) -> Result<Vec<u64>> {
    let out = folder.join("memory.log");
    let log = format!("--log-file={}", out.display());
    under_valgrind(contestant, &["--tool=lackey", "--trace-mem=yes", &log])?;
    let text = std::fs::read_to_string(&out).with_context(|| format!("cannot read `{}`", out.display()))?;
    let mut seen = BTreeSet::new();
    Ok(text.lines().filter_map(address).filter(|address| seen.insert(*address)).collect())
}

/// The address of an instruction, a load, a store or both.
fn address(line: &str) -> Option<u64> {
    let rest = ["I  ", " L ", " S ", " M "].iter().find_map(|kind| line.strip_prefix(kind))?;
    u64::from_str_radix(rest.split_once(',')?.0, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_and_data_have_addresses() {
        assert_eq!(address("I  0171a9a0,2"), Some(0x0171_a9a0));
        assert_eq!(address(" L 1ffefffa90,8"), Some(0x001f_fefffa90));
        assert_eq!(address(" S 02b79250,8"), Some(0x02b7_9250));
        assert_eq!(address(" M 02b79250,8"), Some(0x02b7_9250));
        assert_eq!(address("==3412== Counted 1 call to main()"), None);
    }
}
