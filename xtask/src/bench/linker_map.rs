//! The map of a linked binary, as lld writes it: what lies at an address.

use std::collections::BTreeMap;

/// The columns of input sections and of symbols.
const SECTION_INDENT: &str = "        ";
const SYMBOL_INDENT: &str = "                ";

pub(super) struct LinkerMap<'a> {
    symbols: BTreeMap<u64, Symbol<'a>>,
    sections: BTreeMap<u64, Section<'a>>,
}

/// A function or a variable; it may have several names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Symbol<'a> {
    pub(super) start: u64,
    size: u64,
    pub(super) names: Vec<&'a str>,
}

/// A section of an object file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Section<'a> {
    pub(super) start: u64,
    pub(super) size: u64,
    pub(super) name: &'a str,
}

impl<'a> LinkerMap<'a> {
    /// Each line has two addresses, size and alignment; then a section of the binary, one of a file in it, or a symbol
    /// in that, each further to the right.
    pub(super) fn parse(text: &'a str) -> Self {
        let mut map = Self { symbols: BTreeMap::new(), sections: BTreeMap::new() };
        for (start, size, rest) in text.lines().filter_map(columns) {
            if let Some(name) = rest.strip_prefix(SYMBOL_INDENT).filter(|name| !name.starts_with(' ')) {
                let symbol = map.symbols.entry(start).or_default();
                symbol.start = start;
                symbol.size = symbol.size.max(size);
                symbol.names.push(name);
            } else if let Some(name) = rest.strip_prefix(SECTION_INDENT).and_then(section_name)
                && size > 0
            {
                map.sections.insert(start, Section { start, size, name });
            }
        }
        map
    }

    pub(super) fn symbol_at(&self, address: u64) -> Option<&Symbol<'a>> {
        let (_, symbol) = self.symbols.range(..=address).next_back()?;
        (address < symbol.start + symbol.size).then_some(symbol)
    }

    pub(super) fn section_at(&self, address: u64) -> Option<Section<'a>> {
        let (_, section) = self.sections.range(..=address).next_back()?;
        (address < section.start + section.size).then_some(*section)
    }
}

fn columns(line: &str) -> Option<(u64, u64, &str)> {
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
    Some((start, size, rest))
}

/// `.rodata.x` of `main.o:(.rodata.x)`.
fn section_name(text: &str) -> Option<&str> {
    text.split_once(":(")?.1.strip_suffix(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "\
             VMA              LMA     Size Align Out     In      Symbol
          200680           200680      100   128 .rodata
          200680           200680       20     1         main.o:(.rodata..Lanon.1)
          36abc0           36abc0   7f3300    64 .text
          36abc0           36abc0       26    16         crt1.o:(.text)
          36abc0           36abc0       26     1                 _start
          36ac00           36ac00       10    16                 first
          36ac00           36ac00        0    16                 alias of first
          36ac20           36ac20       10    16                 second
";

    #[track_caller]
    fn check(address: u64, names: &[&str], section: Option<&str>) {
        let map = LinkerMap::parse(MAP);
        assert_eq!(map.symbol_at(address).map_or(&[][..], |symbol| &symbol.names), names, "{address:x}");
        assert_eq!(map.section_at(address).map(|section| section.name), section, "{address:x}");
    }

    #[test]
    fn what_lies_at_an_address_is_found_by_any_address_in_it() {
        check(0x36abc0, &["_start"], Some(".text"));
        check(0x36ac0f, &["first", "alias of first"], None);
        check(0x36ac20, &["second"], None);
        check(0x36ac30, &[], None);
        check(0x20069f, &[], Some(".rodata..Lanon.1"));
        check(0x2006a0, &[], None);
        check(0x10, &[], None);
    }
}
