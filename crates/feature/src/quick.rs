//! Reads a plain list quickly: one pass that looks at structure and skips text. For whatever is unusual, and for
//! everything that is wrong, it gives up, and the strict reader decides. A list that it accepts, the strict reader reads
//! the same way.

use memchr::{memchr2, memchr3};
use serde::de::DeserializeOwned;
use stead_model::FileId;

use crate::document::Spans;
use crate::row::{FIELDS, Kind};
use crate::{BlockedOn, FeatureList, Row, Status};

/// The rows of a list, and where their entries are in the text.
pub(crate) struct Rows {
    pub(crate) rows: Vec<Row>,
    pub(crate) spans: Spans,
}

/// How deep a value may be nested; the strict reader accepts a little more.
const DEEPEST: usize = 100;

/// A byte, eight times.
const fn eight_of(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

const EIGHT_SPACES: u64 = eight_of(b' ');
const QUOTES: u64 = eight_of(b'"');
const BACKSLASHES: u64 = eight_of(b'\\');
const BREAKS: u64 = eight_of(b'\n');

/// How many times eight bytes are looked at before a longer search starts.
const SHORT: usize = 4;

/// Marks the lowest byte that is zero, and perhaps higher ones that are not.
const fn zeros(eight: u64) -> u64 {
    eight.wrapping_sub(eight_of(1)) & !eight & eight_of(0x80)
}

/// Reads a list; `None` if it is not plain.
pub(crate) fn rows(text: &str) -> Option<Rows> {
    let bytes = text.as_bytes();
    // Most lists have no control character but line breaks, and one simple look at all bytes shows it.
    let has_tabs = bytes.iter().fold(false, |found, byte| found | ((*byte < 0x20) & (*byte != b'\n')));
    if has_tabs && bytes.iter().any(|byte| *byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t')) {
        return None;
    }
    let mut scan = Scan { text, bytes, at: 0, has_tabs, order: Vec::new() };
    let found = scan.document()?;
    scan.space();
    (scan.at == bytes.len()).then_some(found)
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Somewhere are characters that are fine between values, but not in a text.
    has_tabs: bool,
    /// The fields of the entry before, by position: the next one probably has the same.
    order: Vec<usize>,
}

/// What is read of a text.
struct Text<'a> {
    inside: &'a str,
    has_escapes: bool,
}

impl<'a> Text<'a> {
    fn plain(self) -> Option<&'a str> {
        (!self.has_escapes).then_some(self.inside)
    }
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next eight bytes as one number, the first byte lowest.
    fn eight(&self, at: usize) -> Option<u64> {
        let eight: [u8; 8] = self.bytes.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_le_bytes(eight))
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
            // Indentation, many bytes at once.
            while let Some(eight) = self.eight(self.at) {
                let spaces = (eight ^ EIGHT_SPACES).trailing_zeros() as usize / 8;
                self.at += spaces;
                if spaces < 8 {
                    break;
                }
            }
        }
    }

    /// Takes this byte after white space.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Goes through the items of a list or an object, after its opening bracket.
    fn items(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.space();
        if self.peek()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            item(self)?;
            self.space();
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b',' => self.space(),
                byte if byte == close => return Some(()),
                _ => return None,
            }
        }
    }

    fn text(&mut self) -> Option<Text<'a>> {
        if self.peek()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        let (mut at, mut has_escapes) = (start, false);
        loop {
            at = self.next_sign(at)?;
            match self.bytes[at] {
                b'"' => break,
                b'\\' if matches!(self.bytes.get(at + 1)?, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                    has_escapes = true;
                    at += 2;
                }
                _ => return None,
            }
        }
        self.at = at + 1;
        if self.has_tabs && memchr2(b'\t', b'\r', &self.bytes[start..at]).is_some() {
            return None;
        }
        Some(Text { inside: self.text.get(start..at)?, has_escapes })
    }

    /// Where the next quote, backslash or line break is. Most texts are short, so a few bytes are looked at here.
    fn next_sign(&self, mut at: usize) -> Option<usize> {
        for _ in 0..SHORT {
            let Some(eight) = self.eight(at) else { break };
            let signs = zeros(eight ^ QUOTES) | zeros(eight ^ BACKSLASHES) | zeros(eight ^ BREAKS);
            if signs != 0 {
                return Some(at + signs.trailing_zeros() as usize / 8);
            }
            at += 8;
        }
        Some(at + memchr3(b'"', b'\\', b'\n', self.bytes.get(at..)?)?)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.bytes[self.at..].starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    /// A whole number as JSON writes it.
    fn number(&mut self) -> Option<i64> {
        let start = self.at;
        self.at += usize::from(self.peek()? == b'-');
        let digits = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        let has_zero = self.bytes.get(digits) == Some(&b'0') && self.at > digits + 1;
        let goes_on = matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        if has_zero || goes_on || self.at == digits || &self.text[start..self.at] == "-0" {
            return None;
        }
        self.text[start..self.at].parse().ok()
    }

    /// Skips any value.
    fn value(&mut self, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match self.peek()? {
            b'"' => self.text().map(drop),
            b'{' => {
                self.at += 1;
                self.items(b'}', |scan| {
                    scan.text()?;
                    scan.take(b':')?;
                    scan.space();
                    scan.value(depth + 1)
                })
            }
            b'[' => {
                self.at += 1;
                self.items(b']', |scan| scan.value(depth + 1))
            }
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number().map(drop),
        }
    }

    fn document(&mut self) -> Option<Rows> {
        self.space();
        let open = self.peek()?;
        self.at += 1;
        if open == b'[' {
            return self.entries();
        }
        let mut found = None;
        (open == b'{').then_some(())?;
        self.items(b'}', |scan| {
            let name = scan.text()?.plain()?;
            scan.take(b':')?;
            scan.space();
            match name {
                "schema" => (scan.text()?.plain()? == FeatureList::SCHEMA).then_some(()),
                "features" if found.is_none() && scan.peek()? == b'[' => {
                    scan.at += 1;
                    found = Some(scan.entries()?);
                    Some(())
                }
                "features" => None,
                _ => scan.value(2),
            }
        })?;
        found
    }

    fn entries(&mut self) -> Option<Rows> {
        let open = self.at - 1;
        let mut found = Rows { rows: Vec::new(), spans: Spans::default() };
        self.items(b']', |scan| {
            let start = scan.at;
            let row = scan.entry()?;
            found.rows.push(row);
            found.spans.entries.push(start..scan.at);
            Some(())
        })?;
        found.spans.list = open..self.at;
        Some(found)
    }

    fn entry(&mut self) -> Option<Row> {
        if self.peek()? != b'{' {
            return None;
        }
        self.at += 1;
        let mut row = Row::new("");
        let (mut word, mut tested, mut position) = ("", false, 0);
        self.items(b'}', |scan| {
            let field = match scan.expected(position) {
                Some(field) => Some(field),
                None => {
                    let name = scan.text()?.plain()?;
                    scan.field(name, position)
                }
            };
            scan.take(b':')?;
            scan.space();
            position += 1;
            match field {
                None => scan.value(3),
                Some((name, kind)) => scan.member(name, kind, &mut row, &mut word, &mut tested),
            }
        })?;
        row.status = Status::of(word, tested)?;
        (!row.id.is_empty()).then_some(row)
    }

    /// Takes the name that the entry before had here. Entries usually have the same fields in the same order.
    fn expected(&mut self, position: usize) -> Option<(&'static str, Kind)> {
        let field = FIELDS[*self.order.get(position)?];
        let rest = self.bytes.get(self.at..)?.strip_prefix(b"\"")?.strip_prefix(field.0.as_bytes())?;
        (rest.first() == Some(&b'"')).then(|| self.at += field.0.len() + 2)?;
        Some(field)
    }

    /// The field of a name, which is expected in the next entry.
    fn field(&mut self, name: &str, position: usize) -> Option<(&'static str, Kind)> {
        let at = FIELDS.iter().position(|(known, _)| *known == name)?;
        self.order.resize(self.order.len().max(position + 1), at);
        self.order[position] = at;
        Some(FIELDS[at])
    }

    fn member(
        &mut self,
        name: &'static str,
        kind: Kind,
        row: &mut Row,
        word: &mut &'a str,
        tested: &mut bool,
    ) -> Option<()> {
        if self.peek()? == b'n' {
            // The strict reader keeps an earlier member of the same name; here it is unusual.
            return None;
        }
        match kind {
            Kind::Id => {
                let id = self.text()?.plain()?.trim();
                let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
                if id.is_empty() || id.len() > FileId::LIMIT || !id.bytes().all(is_usual) {
                    FileId::check(id).ok()?;
                }
                row.id = id.to_owned();
                Some(())
            }
            Kind::Ids => {
                row.depends_on.clear();
                (self.peek()? == b'[').then(|| self.at += 1)?;
                self.items(b']', |scan| {
                    // Most features depend on one other, and an empty list would make room for four.
                    row.depends_on.reserve_exact(1);
                    row.depends_on.push(scan.text()?.plain()?.trim().to_owned());
                    Some(())
                })
            }
            Kind::Text => {
                let text = self.text()?;
                match name {
                    "status" => {
                        *word = text.plain()?;
                        Status::of(word, false).map(drop)
                    }
                    "blocked_on" => {
                        row.blocked_on = Some(BlockedOn::named(text.plain()?.trim())?);
                        Some(())
                    }
                    _ => Some(()),
                }
            }
            Kind::Texts => {
                (self.peek()? == b'[').then(|| self.at += 1)?;
                self.items(b']', |scan| scan.text().map(drop))
            }
            Kind::Flag => {
                let is_set = self.peek()? == b't';
                self.word(if is_set { "true" } else { "false" })?;
                if name == "tested" {
                    *tested = is_set;
                }
                Some(())
            }
            Kind::Count | Kind::Number => {
                let number = self.number()?;
                match name {
                    "priority" => row.priority = Some(number),
                    "attempts" => row.attempts = u64::try_from(number).ok()?,
                    "retries" => row.retries = u64::try_from(number).ok()?,
                    _ => drop(u64::try_from(number).ok()?),
                }
                Some(())
            }
            Kind::Object => {
                let start = self.at;
                (self.peek()? == b'{').then_some(())?;
                self.value(3)?;
                let object = &self.text[start..self.at];
                match name {
                    "last_failure" => row.last_failure = Some(Box::new(read(object)?)),
                    "needs_human" => row.needs_human = Some(Box::new(read(object)?)),
                    _ => {}
                }
                Some(())
            }
        }
    }
}

fn read<T: DeserializeOwned>(object: &str) -> Option<T> {
    serde_json::from_str(object).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::outline::strict_rows;

    const LIST: &str = r#"{"schema": "stead.feature-list/1", "note": [1, {"a": null, "b": "x\n"}], "features": [
  {"id": "a", "title": "A \"b\" é", "steps": ["x", "y"], "priority": -3, "depends_on": [], "status": "completed",
   "tested": true, "attempts": 3, "files": ["src/**"], "ui": false, "timeout_seconds": 5, "other": {"x": [true, 1]}},
  {"id": "b", "depends_on": ["a"], "status": "blocked", "blocked_on": "human", "retries": 2,
   "needs_human": {"question": "q"}, "last_failure": {"at": "t", "summary": "s"}, "success_criteria": {"x": 1}}
]}"#;

    #[test]
    fn a_plain_list_is_read_quickly() {
        let found = rows(LIST).unwrap();
        assert_eq!(found.rows, strict_rows(LIST).unwrap());
        assert_eq!(found.spans, Spans::of(LIST).unwrap());
        assert_eq!(rows("[]").unwrap().rows, []);
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_strict_reader() {
        for text in [
            "", "[", "[1]", "[{}]", "{}", "[{\"id\": 1}]", "[{\"id\": \"a\",}]", "[{\"id\": \"a\"}] x",
            "[{\"id\": \"\\u0061\"}]",
        ] {
            assert!(rows(text).is_none(), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn whatever_is_accepted_is_read_the_same(
            changes in prop::collection::vec((0..LIST.len(), prop::sample::select(b"\"\\{}[],: \t\n01-.eatnrf/u\x01".to_vec()), 0..3_u8), 1..4)
        ) {
            let mut bytes = LIST.as_bytes().to_vec();
            for (at, byte, how) in changes {
                let at = at.min(bytes.len() - 1);
                match how {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            if let Ok(text) = std::str::from_utf8(&bytes)
                && let Some(found) = rows(text)
            {
                prop_assert_eq!(Some(found.rows), strict_rows(text), "{}", text);
            }
        }
    }
}
