//! `cargo xtask order`: the functions, variables and constants that a hook call touches, so that the linker can place
//! them next to each other. A call then touches few pages of a large binary.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result, bail};

use super::contestant::{self, Answer, Contestant};
use super::ground::Ground;
use super::linker_map::LinkerMap;
use super::{gate, lackey, statusline};
use crate::{prerequisite, repository};

/// What `crates/cli/build.rs` passes to the linker: functions and variables by their names, and constants, most of which
/// have none, by their sections.
const SYMBOLS: &str = "crates/cli/hot-symbols.txt";
const CONSTANTS: &str = "crates/cli/hot-constants.ld";

/// If fewer are found, the map was not understood.
const FEWEST: usize = 200;

/// Larger constants are tables of which a call touches a few lines; they stand behind the others.
const TABLE: u64 = 8 * 1024;

/// Sections whose content the linker merges, so that single constants have no place of their own. Those with the strings
/// of grammars stay where they are.
const MERGED: [&str; 3] =
    ["*(.rodata.cst4 .rodata.cst8 .rodata.cst16 .rodata.cst32)", "*rcgu.o(.rodata.str*)", "*libc.a:*(.rodata.str*)"];

/// Where the C library has several functions for one, valgrind's processor takes one of the first kind, and most others
/// one of the rest.
const VARIANTS: [(&str, [&str; 2]); 2] = [("_avx2", ["_evex", "_avx512"]), ("_avx_", ["_evex_", "_avx512_"])];

/// Something that calls touch.
#[derive(Clone, Copy)]
struct Touched {
    /// Which calls, one bit each: the first is the highest.
    calls: u32,
    first: usize,
    is_table: bool,
}

/// Sorts by the calls that touch a thing, the first call first, so that each call finds most of its things together.
#[derive(Default)]
struct Shelf<K>(HashMap<K, Touched>);

impl<K: Clone + Eq + std::hash::Hash> Shelf<K> {
    fn touch(&mut self, key: K, call: usize, is_table: bool) {
        let first = self.0.len();
        let touched = self.0.entry(key).or_insert(Touched { calls: 0, first, is_table });
        touched.calls |= 1 << (u32::BITS - 1) >> call;
    }

    fn sorted(self) -> Vec<K> {
        let mut all: Vec<_> = self.0.into_iter().collect();
        all.sort_by_key(|(_, touched)| (touched.is_table, Reverse(touched.calls), touched.first));
        all.into_iter().map(|(key, _)| key).collect()
    }
}

pub(crate) fn run() -> Result<()> {
    prerequisite::ensure(prerequisite::FOR_INSTRUCTIONS)?;
    let (ground, map) = Ground::prepare_with_map()?;
    let map = fs::read_to_string(&map).with_context(|| format!("cannot read `{}`", map.display()))?;
    let map = LinkerMap::parse(&map);
    let (mut symbols, mut constants) = (Shelf::default(), Shelf::default());
    for (at, call) in calls(&ground)?.iter().enumerate() {
        call.prove()?;
        for address in lackey::addresses(call, &ground.folder)? {
            let section = map.section_at(address);
            match (section.filter(|section| is_constant(section.name)), map.symbol_at(address)) {
                (Some(section), _) => constants.touch(section.name, at, section.size > TABLE),
                (None, Some(symbol)) => symbols.touch(symbol.names.clone(), at, false),
                (None, None) => {}
            }
        }
    }
    let symbols: Vec<String> = symbols.sorted().into_iter().flatten().flat_map(with_variants).collect();
    let constants = constants.sorted();
    if symbols.len().min(constants.len()) < FEWEST {
        bail!("only {} symbols and {} constants were found; is the map from lld?", symbols.len(), constants.len());
    }
    write(SYMBOLS, &(symbols.join("\n") + "\n"))?;
    write(CONSTANTS, &script(&constants))?;
    println!(
        "{SYMBOLS} now has {} symbols, {CONSTANTS} {} constants; `cargo xtask bench hook` measures the effect",
        symbols.len(),
        constants.len()
    );
    Ok(())
}

/// Sections of one constant, or of the jump tables of one function.
fn is_constant(section: &str) -> bool {
    section.strip_prefix(".rodata.").is_some_and(|name| !name.starts_with("str") && !name.starts_with("cst"))
}

fn with_variants(name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    for (known, others) in VARIANTS.iter().filter(|(known, _)| name.contains(known)) {
        names.extend(others.map(|other| name.replace(known, other)));
    }
    names
}

fn script(constants: &[&str]) -> String {
    let mut text = "SECTIONS\n{\n  .rodata.hot :\n  {\n".to_owned();
    for line in MERGED.map(str::to_owned).into_iter().chain(constants.iter().map(|name| format!("*({name})"))) {
        let _ = writeln!(text, "    {line}");
    }
    text + "  }\n}\nINSERT BEFORE .rodata;\n"
}

fn write(file: &str, text: &str) -> Result<()> {
    fs::write(repository::path(file), text).with_context(|| format!("cannot write `{file}`"))
}

/// What is called most often and does least first: its pages are closest together.
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
    Ok([line, plain, after].into_iter().chain(guarded).chain([denied]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_calls_touch_comes_first_and_tables_last() {
        let mut shelf = Shelf::default();
        for (call, keys) in ["start table line", "start table hook both", "start rare both"].iter().enumerate() {
            for key in keys.split(' ') {
                shelf.touch(key, call, key == "table");
            }
        }
        assert_eq!(shelf.sorted(), ["start", "line", "both", "hook", "rare", "table"]);
    }

    #[test]
    fn functions_for_other_processors_lie_beside_those_for_this_one() {
        assert_eq!(with_variants("__strlen_avx2"), ["__strlen_avx2", "__strlen_evex", "__strlen_avx512"]);
        assert_eq!(
            with_variants("__memmove_avx_unaligned"),
            ["__memmove_avx_unaligned", "__memmove_evex_unaligned", "__memmove_avx512_unaligned"]
        );
        assert_eq!(with_variants("main"), ["main"]);
    }

    #[test]
    fn merged_sections_are_no_constants() {
        assert!(is_constant(".rodata..Lanon.5.17") && is_constant(".rodata._ZN4main"));
        assert!(!is_constant(".rodata.cst16") && !is_constant(".rodata.str1.1") && !is_constant(".text.main"));
    }

    #[test]
    fn the_script_names_each_constant() {
        let text = script(&[".rodata.a", ".rodata.b"]);
        assert!(text.starts_with("SECTIONS\n{\n  .rodata.hot :\n  {\n    *(.rodata.cst4"), "{text}");
        assert!(text.ends_with("    *(.rodata.a)\n    *(.rodata.b)\n  }\n}\nINSERT BEFORE .rodata;\n"), "{text}");
    }
}
