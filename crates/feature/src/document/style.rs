use std::io;
use std::ops::Range;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use serde_json::{Map, Value};

use super::Members;
use super::span::{Entry, Spans};

/// How the author of a text formats JSON.
pub(super) struct Style {
    /// One level of indentation.
    unit: String,
    line_break: &'static str,
}

impl Style {
    pub(super) fn of(text: &str) -> Self {
        let indented = text.lines().map(|line| &line[..line.len() - line.trim_start().len()]);
        let unit = indented.skip(1).find(|indent| !indent.is_empty()).unwrap_or("  ").to_owned();
        Self { unit, line_break: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    /// Sets and removes members of an entry. What stays keeps its bytes and those before it.
    pub(super) fn member_splice(&self, text: &str, entry: &Entry, members: &Members) -> (Range<usize>, String) {
        let known = &entry.members;
        let start = entry.span.start + 1;
        let gap = gap_between(text, start, known.iter().map(|member| (member.key, member.value.end)));
        let colon = colon_of(text, entry);
        let mut new = String::new();
        let mut end = start;
        for (at, member) in known.iter().enumerate() {
            let before = &text[end..member.key];
            end = member.value.end;
            let set = members.iter().find(|(name, _)| *name == member.name);
            if matches!(set, Some((_, None))) {
                continue;
            }
            // The first one that stays follows the brace, not a comma.
            new += if new.is_empty() { &text[start..known[0].key] } else { before };
            new += &text[member.key..member.value.start];
            // Of several members with the same name, the last one counts.
            let is_last = known[at + 1..].iter().all(|later| later.name != member.name);
            match set {
                Some((_, Some(value))) if is_last => new += &self.render(value, &gap, colon),
                _ => new += &text[member.value.clone()],
            }
        }
        for (name, value) in members {
            if let Some(value) = value
                && known.iter().all(|member| member.name != *name)
            {
                let name = Value::from(name.as_str());
                new += &format!(",{gap}{name}{colon}{}", self.render(value, &gap, colon));
            }
        }
        (start..end, new)
    }

    /// Adds entries at the end of the list.
    pub(super) fn entry_splice(
        &self,
        text: &str,
        spans: &Spans,
        adds: &[Map<String, Value>],
    ) -> serde_json::Result<Option<(Range<usize>, String)>> {
        if adds.is_empty() {
            return Ok(None);
        }
        let inside = spans.list.start + 1..spans.list.end - 1;
        let entries = spans.entries.iter().map(|span| (span.start, span.end));
        let Some(last) = spans.entries.last() else {
            // The line of the list decides how far its entries are indented.
            let line = text[..spans.list.start].rfind('\n').map_or(0, |at| at + 1);
            let indent: String = text[line..].chars().take_while(|c| *c == ' ' || *c == '\t').collect();
            let gap = format!("{}{indent}{}", self.line_break, self.unit);
            let rendered: Vec<String> = adds.iter().map(|add| gap.clone() + &self.pretty(add, &gap)).collect();
            return Ok(Some((inside, rendered.join(",") + self.line_break + &indent)));
        };
        let gap = gap_between(text, inside.start, entries);
        let is_flat = !text[last.clone()].contains('\n');
        let colon = colon_of(text, &Entry::at(text, last)?);
        let added: String = adds
            .iter()
            .map(|add| {
                let rendered = if is_flat { flat(add, colon) } else { self.pretty(add, &gap) };
                format!(",{gap}{rendered}")
            })
            .collect();
        Ok(Some((last.end..last.end, added)))
    }

    /// A value as the member of an entry whose members are separated by `gap`.
    fn render(&self, value: &Value, gap: &str, colon: &str) -> String {
        let is_short = match value {
            Value::Object(members) => members.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => true,
        };
        if is_short || !gap.contains('\n') { flat(value, colon) } else { self.pretty(value, gap) }
    }

    /// A value over several lines, the last of which is indented like `gap`.
    fn pretty(&self, value: &impl Serialize, gap: &str) -> String {
        let indent = gap.rsplit('\n').next().unwrap_or_default();
        let text = written(value, PrettyFormatter::with_indent(self.unit.as_bytes()));
        text.replace('\n', &format!("{}{indent}", self.line_break))
    }
}

/// The white space between one item and the next: as between the last two, or as before the first.
fn gap_between(text: &str, start: usize, items: impl Iterator<Item = (usize, usize)>) -> String {
    let mut gap = String::new();
    let (mut end, mut is_first) = (start, true);
    for (from, to) in items {
        gap = text[end..from].replace(',', "");
        if is_first && gap.is_empty() {
            gap = " ".into();
        }
        is_first = false;
        end = to;
    }
    gap
}

/// What separates a name from its value.
fn colon_of(text: &str, entry: &Entry) -> &'static str {
    match entry.members.first() {
        Some(first) if !text[..first.value.start].ends_with(char::is_whitespace) => ":",
        _ => ": ",
    }
}

/// A value on one line, with a space after commas and, if wanted, after colons.
fn flat(value: &impl Serialize, colon: &str) -> String {
    match colon {
        ":" => serde_json::to_string(value).unwrap_or_default(),
        _ => written(value, Spaced),
    }
}

fn written(value: &impl Serialize, formatter: impl Formatter) -> String {
    let mut bytes = Vec::new();
    // Values of our own have no keys that JSON refuses.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    String::from_utf8(bytes).unwrap_or_default()
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}
