use std::collections::BTreeMap;
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

/// Counts the instructions of one call, and how often it resolved a path that it had resolved before.
pub(super) fn count_with_paths(contestant: &Contestant, folder: &Path) -> Result<(u64, u64)> {
    let log = folder.join("syscalls.log");
    let options = ["--trace-syscalls=yes", &format!("--log-file={}", log.display())];
    let count = total(&profile(contestant, folder, &options)?);
    let count = count.with_context(|| format!("the profile of `{}` has no total", contestant.name))?;
    // Paths may not be UTF-8.
    let log = fs::read(&log).with_context(|| format!("cannot read `{}`", log.display()))?;
    Ok((count, resolved_again(&String::from_utf8_lossy(&log))))
}

/// How often the link behind a path was read after the first time.
fn resolved_again(log: &str) -> u64 {
    let calls = log.lines().filter_map(|line| line.split_once("sys_readlink")?.1.split_once("(/"));
    let mut seen = BTreeMap::new();
    // A link below `/proc/self` tells about the process, not about a path that the call names: the C library and the
    // policy ask where the program is, and the next open file has the number of the last.
    for (_, path) in calls.filter(|(_, path)| !path.starts_with("proc/self/")) {
        *seen.entry(path.split(')').next()).or_insert(0_u64) += 1;
    }
    seen.values().map(|times| times - 1).sum()
}

fn profile(contestant: &Contestant, folder: &Path, options: &[&str]) -> Result<String> {
    let out = folder.join(format!("callgrind.{}.out", contestant.name.replace(' ', "-")));
    let file = format!("--callgrind-out-file={}", out.display());
    under_valgrind(contestant, &[&["--tool=callgrind", &file], options].concat())?;
    fs::read_to_string(&out).with_context(|| format!("cannot read `{}`", out.display()))
}

pub(super) fn under_valgrind(contestant: &Contestant, options: &[&str]) -> Result<()> {
    // Under valgrind and on a busy machine a call takes longer than its alarm, which `env` disables.
    let words = ["--block-signal=ALRM", "valgrind", "--quiet"].iter().chain(options);
    let under = contestant.under("env", &words.map(|&word| word.to_owned()).collect::<Vec<_>>());
    spawn::measure(&under).with_context(|| format!("cannot run `{}` under valgrind", contestant.name))?;
    Ok(())
}

fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_resolved_again_are_counted() {
        let log = "\
SYSCALL[7,1](89) sys_readlink ( 0x1ff(/tmp), 0x400, 256 ) --> [pre-fail] Failure(0x16)
SYSCALL[7,1](89) sys_readlink ( 0x2ff(/tmp/a), 0x400, 256 ) --> [pre-fail] Failure(0x2)
SYSCALL[7,1](257) sys_openat ( 4294967196, 0x4(/tmp), 524288 ) --> [async] ...
SYSCALL[7,1](267) sys_readlinkat ( 4294967196, 0x1(/tmp), 0x400, 256 ) --> [pre-fail] Failure(0x16)
SYSCALL[7,1](89) sys_readlink ( 0x3ff(/tmp), 0x400, 256 ) --> [pre-fail] Failure(0x16)
";
        assert_eq!(resolved_again(log), 2);
        assert_eq!(resolved_again(""), 0);
    }

    #[test]
    fn the_total_is_found() {
        assert_eq!(total("version: 1\nevents: Ir\nsummary: 4711\n\nfn=(1)\n"), Some(4711));
        assert_eq!(total("events: Ir\n\ntotals: 12 34\n"), Some(12));
        assert_eq!(total("version: 1\n"), None);
    }
}
