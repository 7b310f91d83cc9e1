//! Where everything lies in the table, found when Stead is built, so that a call parses nothing.

use std::ops::Range;

/// The entries; those of a program stand together.
const TABLE: &str = include_str!("../programs.txt");

/// Fields whose items are not options.
const NOT_OPTIONS: &[&str] = &[
    "words", "network", "files", "files-if-words", "endings", "word-endings", "pack", "unpack", "default", "run-with",
    "sign", "letters",
];

const SIZES: (usize, usize, usize) = sizes(TABLE.as_bytes());

static INDEX: Index<{ SIZES.0 }, { SIZES.1 }, { SIZES.2 }> = index(TABLE.as_bytes());

/// A power of two, and at least twice as many as there are entries, so that a search ends.
const SLOTS: usize = (SIZES.0 * 2).next_power_of_two();

struct Index<const E: usize, const F: usize, const I: usize> {
    entries: [Entry; E],
    /// Where the entries of a program begin, counted from 1, by the hash of its name or behind that.
    slots: [u16; SLOTS],
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
    /// How many entries the program has, if this is its own.
    entries: u16,
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
    let entry = Entry { at: 0, program: 0, names: 0, line: 0, fields: 0, field_count: 0, entries: 0 };
    let field = Field { key: NONE, text: NONE, items: NONE, options: false };
    let mut index = Index { entries: [entry; E], slots: [0; SLOTS], fields: [field; F], items: [NONE; I] };
    let (mut entries, mut fields, mut items, mut at) = (0, 0, 0, 0);
    let mut own = 0;
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
            if entries == 0 || !has_name(table, &index.entries[own], at, to) {
                own = entries;
                take_slot(&mut index.slots, &index.entries, table, at, to, own);
            }
            index.entries[own].entries += 1;
            entries += 1;
        }
        at = end + 1;
    }
    index
}

#[expect(clippy::cast_possible_truncation, reason = "what does not fit ends the build")]
const fn take_slot(slots: &mut [u16; SLOTS], entries: &[Entry], table: &[u8], from: usize, to: usize, entry: usize) {
    assert!(entry < 65_535);
    let mut slot = hash(table, from, to);
    while slots[slot % SLOTS] != 0 {
        let other = slots[slot % SLOTS] as usize - 1;
        assert!(!has_name(table, &entries[other], from, to), "the entries of a program stand together");
        slot += 1;
    }
    slots[slot % SLOTS] = entry as u16 + 1;
}

/// The hash of a name (FNV-1a).
const fn hash(bytes: &[u8], mut from: usize, to: usize) -> usize {
    let mut sum: u32 = 0x811c_9dc5;
    while from < to {
        sum = (sum ^ bytes[from] as u32).wrapping_mul(0x0100_0193);
        from += 1;
    }
    sum as usize
}

/// Returns true if an entry is one of the program with this name.
const fn has_name(table: &[u8], entry: &Entry, from: usize, to: usize) -> bool {
    let (at, length) = (entry.at as usize, entry.program as usize);
    let mut same = 0;
    while same < length && from + same < to && table[at + same] == table[from + same] {
        same += 1;
    }
    same == length && from + same == to
}

#[expect(clippy::cast_possible_truncation, reason = "what does not fit ends the build")]
const fn entry_at(at: usize, program: usize, names: usize, end: usize, fields: usize) -> Entry {
    assert!(names - at < 256 && end - at < 65_536 && fields < 65_536);
    let (program, names, line) = ((program - at) as u8, (names - at) as u8, (end - at) as u16);
    Entry { at: at as u32, program, names, line, fields: fields as u16, field_count: 0, entries: 0 }
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

    /// The same without a look at the borders of letters.
    fn name(&self) -> &'static [u8] {
        let at = self.at as usize;
        &TABLE.as_bytes()[at..at + usize::from(self.program)]
    }

    /// What follows the names.
    fn rest(&self) -> &'static str {
        self.part(usize::from(self.names), usize::from(self.line))
    }

    /// The program of which this is another name.
    pub(super) fn same_as(&self) -> Option<&'static str> {
        self.rest().strip_prefix(" = ")
    }

    /// How many of a call's words name its sub-command; `None` if they name another.
    pub(super) fn named_by(&self, words: &[&str]) -> Option<usize> {
        let at = self.at as usize;
        let names = &TABLE.as_bytes()[at + usize::from(self.program)..at + usize::from(self.names)];
        let mut count = 0;
        for verb in names.strip_prefix(b" ")?.split(|byte| *byte == b' ') {
            let word = words.get(count)?.as_bytes();
            if !verb.split(|byte| *byte == b'|').any(|known| known == word) {
                return None;
            }
            count += 1;
        }
        Some(count)
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
    let mut slot = hash(name.as_bytes(), 0, name.len());
    loop {
        let Some(first) = usize::from(INDEX.slots[slot % SLOTS]).checked_sub(1) else { return &[] };
        let entry = &INDEX.entries[first];
        if entry.name() == name.as_bytes() {
            return &INDEX.entries[first..first + usize::from(entry.entries)];
        }
        slot += 1;
    }
}
