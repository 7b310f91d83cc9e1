//! Where everything lies in the table, found when Stead is built, so that a call parses nothing.

use std::ops::Range;

use stead_model::pieces;

/// The entries, sorted by name.
const TABLE: &str = include_str!("../programs.txt");

/// Fields whose items are not options.
const NOT_OPTIONS: &[&str] = &[
    "words", "network", "files", "files-if-words", "endings", "word-endings", "pack", "unpack", "default", "run-with",
    "sign", "letters",
];

const SIZES: (usize, usize, usize) = sizes(TABLE.as_bytes());

static INDEX: Index<{ SIZES.0 }, { SIZES.1 }, { SIZES.2 }> = index(TABLE.as_bytes());

struct Index<const E: usize, const F: usize, const I: usize> {
    entries: [Entry; E],
    /// The entries whose names begin with a byte.
    first: [Span; 256],
    fields: [Field; F],
    items: [Span; I],
}

/// A part of the table, or of a list. Small numbers, because a call touches fewer pages of a small index.
#[derive(Clone, Copy, Debug)]
struct Span {
    from: u32,
    to: u32,
}

/// A program, or one of its sub-commands. The entries of a program stand together, its own first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    at: u32,
    /// The lengths of the program's name, of the names with those of a sub-command, and of the line.
    program: u8,
    names: u8,
    line: u16,
    fields: u16,
    field_count: u16,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    key: Span,
    text: Span,
    items: Span,
    options: bool,
}

const NONE: Span = span(0, 0);

#[expect(clippy::cast_possible_truncation, reason = "the table has less than four billion bytes")]
const fn span(from: usize, to: usize) -> Span {
    Span { from: from as u32, to: to as u32 }
}

/// Counts the entries, fields and items.
const fn sizes(table: &[u8]) -> (usize, usize, usize) {
    let (mut entries, mut fields, mut items, mut at) = (0, 0, 0, 0);
    while at < table.len() {
        let end = end_of_line(table, at);
        if table[at] == b' ' {
            fields += 1;
            let mut sign = end_of_key(table, at, end);
            while sign < end {
                items += (table[sign] == b' ') as usize;
                sign += 1;
            }
        } else if table[at] != b'#' {
            entries += 1;
        }
        at = end + 1;
    }
    (entries, fields, items)
}

const fn index<const E: usize, const F: usize, const I: usize>(table: &[u8]) -> Index<E, F, I> {
    let entry = Entry { at: 0, program: 0, names: 0, line: 0, fields: 0, field_count: 0 };
    let field = Field { key: NONE, text: NONE, items: NONE, options: false };
    let mut index = Index { entries: [entry; E], first: [NONE; 256], fields: [field; F], items: [NONE; I] };
    let (mut entries, mut fields, mut items, mut at) = (0, 0, 0, 0);
    while at < table.len() {
        let end = end_of_line(table, at);
        if table[at] == b' ' {
            let mut from = at;
            while table[from] == b' ' {
                from += 1;
            }
            let colon = end_of_key(table, from, end);
            // Behind the colon stand a blank and the items.
            let mut start = if colon + 2 < end { colon + 2 } else { end };
            let (key, text, first) = (span(from, colon), span(start, end), items);
            while start < end {
                let mut to = start;
                while to < end && table[to] != b' ' {
                    to += 1;
                }
                index.items[items] = span(start, to);
                items += 1;
                start = to + 1;
            }
            let options = !is_one_of(table, from, colon, NOT_OPTIONS);
            index.fields[fields] = Field { key, text, items: span(first, items), options };
            fields += 1;
            index.entries[entries - 1].field_count += 1;
        } else if table[at] != b'#' {
            let colon = end_of_key(table, at, end);
            let mut to = at;
            while to < colon && table[to] != b' ' {
                to += 1;
            }
            index.entries[entries] = entry_at(at, to, colon, end, fields);
            let first = &mut index.first[table[at] as usize];
            *first = span(if first.to == 0 { entries } else { first.from as usize }, entries + 1);
            entries += 1;
        }
        at = end + 1;
    }
    index
}

#[expect(clippy::cast_possible_truncation, reason = "what does not fit ends the build")]
const fn entry_at(at: usize, program: usize, names: usize, end: usize, fields: usize) -> Entry {
    assert!(names - at < 256 && end - at < 65_536 && fields < 65_536);
    let (program, names, line) = ((program - at) as u8, (names - at) as u8, (end - at) as u16);
    Entry { at: at as u32, program, names, line, fields: fields as u16, field_count: 0 }
}

const fn end_of_line(table: &[u8], mut at: usize) -> usize {
    while at < table.len() && table[at] != b'\n' {
        at += 1;
    }
    at
}

/// Where the names before a colon end, or those before ` = `.
const fn end_of_key(table: &[u8], start: usize, end: usize) -> usize {
    let mut at = start + 1;
    while at < end {
        let colon = table[at] == b':' && (at + 1 == end || table[at + 1] == b' ');
        if colon || table[at] == b' ' && at + 1 < end && table[at + 1] == b'=' {
            break;
        }
        at += 1;
    }
    at
}

const fn is_one_of(table: &[u8], from: usize, to: usize, words: &[&str]) -> bool {
    let mut at = 0;
    while at < words.len() {
        let word = words[at].as_bytes();
        let mut same = 0;
        while same < word.len() && from + same < to && table[from + same] == word[same] {
            same += 1;
        }
        if same == word.len() && from + same == to {
            return true;
        }
        at += 1;
    }
    false
}

impl Span {
    fn text(self) -> &'static str {
        &TABLE[self.range()]
    }

    fn range(self) -> Range<usize> {
        self.from as usize..self.to as usize
    }
}

impl Entry {
    fn part(&self, from: usize, to: usize) -> &'static str {
        let at = self.at as usize;
        &TABLE[at + from..at + to]
    }

    pub(super) fn program(&self) -> &'static str {
        self.part(0, usize::from(self.program))
    }

    /// What follows the names.
    fn rest(&self) -> &'static str {
        self.part(usize::from(self.names), usize::from(self.line))
    }

    /// The program of which this is another name.
    pub(super) fn same_as(&self) -> Option<&'static str> {
        self.rest().strip_prefix(" = ")
    }

    /// The words of its sub-command.
    pub(super) fn verbs(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        pieces(self.part(0, usize::from(self.names)), b' ').skip(1)
    }

    pub(super) fn traits(&self) -> &'static str {
        self.rest().strip_prefix(": ").unwrap_or_default()
    }

    pub(super) fn fields(&self) -> &'static [Field] {
        &INDEX.fields[usize::from(self.fields)..][..usize::from(self.field_count)]
    }
}

impl Field {
    pub(super) fn key(&self) -> &'static str {
        self.key.text()
    }

    pub(super) fn text(&self) -> &'static str {
        self.text.text()
    }

    /// Its items, if they are options.
    pub(super) fn options(&self) -> impl Iterator<Item = &'static str> + use<> {
        let items = if self.options { self.items } else { NONE };
        INDEX.items[items.range()].iter().map(|item| item.text())
    }
}

/// The entries of a program: its own, then those of its sub-commands.
pub(super) fn entries(name: &str) -> &'static [Entry] {
    let near = name.bytes().next().map_or(NONE, |first| INDEX.first[usize::from(first)]);
    let near = &INDEX.entries[near.range()];
    let start = near.partition_point(|entry| entry.program() < name);
    let length = near[start..].iter().take_while(|entry| entry.program() == name).count();
    &near[start..start + length]
}
