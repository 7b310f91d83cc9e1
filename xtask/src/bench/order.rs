//! `cargo xtask order`: the functions that a hook call enters, so that the linker can place them next to each other. A
//! call then touches few pages of a large binary.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail};

use super::contestant::{self, Answer, Contestant};
use super::ground::Ground;
use super::{callgrind, gate, statusline};
use crate::{prerequisite, repository};

/// The list that `crates/cli/build.rs` passes to the linker.
const FILE: &str = "crates/cli/hot-functions.txt";

/// The column of symbols.
const SYMBOL_INDENT: &str = "                ";

/// If fewer functions are found, the map was not understood.
const FEWEST: usize = 200;

pub(crate) fn run() -> Result<()> {
    prerequisite::ensure(prerequisite::FOR_INSTRUCTIONS)?;
    let (ground, map) = Ground::prepare_with_map()?;
    let map = fs::read_to_string(&map).with_context(|| format!("cannot read `{}`", map.display()))?;
    let functions = Functions::parse(&map);
    let mut names = Vec::new();
    let mut seen = BTreeSet::new();
    for call in calls(&ground)? {
        call.prove()?;
        for address in callgrind::addresses(&call, &ground.folder)? {
            if let Some((start, aliases)) = functions.at(address)
                && seen.insert(start)
            {
                names.extend(aliases.iter().copied());
            }
        }
    }
    if names.len() < FEWEST {
        bail!("only {} functions were found; is the linker's map from lld?", names.len());
    }
    let mut text = names.join("\n");
    text.push('\n');
    fs::write(repository::path(FILE), text).with_context(|| format!("cannot write `{FILE}`"))?;
    println!("{FILE} now has {} functions; `cargo xtask bench hook` measures the effect", names.len());
    Ok(())
}

/// The most frequent call first: its functions are closest together.
fn calls(ground: &Ground) -> Result<Vec<Contestant>> {
    let plain = contestant::hook_call(ground);
    let after = Contestant {
        args: ["hook", "claude", "PostToolUse"].map(Into::into).into(),
        payload: plain.payload.replace("\"PreToolUse\"", "\"PostToolUse\""),
        ..plain.clone()
    };
    let guarded = gate::contestants(ground)?;
    let denied = contestant::stead(ground, "denied", &ground.project, Answer::Denial);
    let line = statusline::line(ground, "status line", &ground.project)?;
    Ok([plain, line, after].into_iter().chain(guarded).chain([denied]).collect())
}

/// The functions of a binary by address; one function may have several names.
struct Functions<'a>(BTreeMap<u64, (u64, Vec<&'a str>)>);

impl<'a> Functions<'a> {
    /// Reads the map of lld: two addresses, size and alignment; then a section, a file in it, or a symbol in that, each
    /// further to the right.
    fn parse(map: &'a str) -> Self {
        let mut functions: BTreeMap<u64, (u64, Vec<&str>)> = BTreeMap::new();
        for line in map.lines() {
            let Some((start, size, name)) = symbol(line) else { continue };
            let entry = functions.entry(start).or_default();
            entry.0 = entry.0.max(size);
            entry.1.push(name);
        }
        Self(functions)
    }

    fn at(&self, address: u64) -> Option<(u64, &[&'a str])> {
        let (start, (size, names)) = self.0.range(..=address).next_back()?;
        (address < start + size).then_some((*start, names))
    }
}

fn symbol(line: &str) -> Option<(u64, u64, &str)> {
    let mut rest = line;
    let mut next = || {
        let (word, after) = rest.trim_start().split_once(' ')?;
        rest = after;
        Some(word)
    };
    let start = u64::from_str_radix(next()?, 16).ok()?;
    next()?;
    let size = u64::from_str_radix(next()?, 16).ok()?;
    next()?;
    Some((start, size, rest.strip_prefix(SYMBOL_INDENT)?)).filter(|(.., name)| !name.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "\
             VMA              LMA     Size Align Out     In      Symbol
          36abc0           36abc0   7f3300    64 .text
          36abc0           36abc0       26    16         crt1.o:(.text)
          36abc0           36abc0       26     1                 _start
          36ac00           36ac00       10    16                 first
          36ac00           36ac00        0    16                 alias of first
          36ac20           36ac20       10    16                 second
";

    #[track_caller]
    fn check(address: u64, expected: Option<(u64, &[&str])>) {
        assert_eq!(Functions::parse(MAP).at(address), expected, "{address:x}");
    }

    #[test]
    fn functions_are_found_by_any_address_in_them() {
        check(0x36abc0, Some((0x36abc0, &["_start"])));
        check(0x36ac0f, Some((0x36ac00, &["first", "alias of first"])));
        check(0x36ac20, Some((0x36ac20, &["second"])));
        check(0x36ac30, None);
        check(0x10, None);
    }
}
