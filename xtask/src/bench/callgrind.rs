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

/// The addresses of the instructions that one call executed, as far as its calls and jumps show.
pub(super) fn addresses(contestant: &Contestant, folder: &Path) -> Result<Vec<u64>> {
    let text = profile(contestant, folder, &["--dump-instr=yes", "--compress-pos=no"])?;
    Ok(text.lines().filter_map(address).collect())
}

fn profile(contestant: &Contestant, folder: &Path, options: &[&str]) -> Result<String> {
    let out = folder.join(format!("callgrind.{}.out", contestant.name.replace(' ', "-")));
    // Under valgrind and on a busy machine a call takes longer than its alarm, which `env` disables.
    let mut words: Vec<String> =
        ["--block-signal=ALRM", "valgrind", "--tool=callgrind", "--quiet"].map(str::to_owned).into();
    words.push(format!("--callgrind-out-file={}", out.display()));
    words.extend(options.iter().map(|&option| option.to_owned()));
    let under = contestant.under("env", &words);
    spawn::measure(&under).with_context(|| format!("cannot count `{}` under valgrind", contestant.name))?;
    fs::read_to_string(&out).with_context(|| format!("cannot read `{}`", out.display()))
}

/// The address in a line about an instruction.
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
