//! Edits TOML and touches nothing but the edited tables. The editing crate would rewrite line endings, so it is only
//! used to find positions.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{ArrayOfTables, Document, Item, Table};

use crate::SettingsError;
use crate::json_text::{Step, newline, splice};

/// A table of an array of tables: its position and, for a group, the positions of its inner tables.
pub(crate) struct Block {
    /// From the start of the header's line to the end of the last line that belongs to it.
    pub(crate) range: Range<usize>,
    pub(crate) inner: Vec<Block>,
}

fn parse(text: &str) -> Result<Document<&str>, SettingsError> {
    Document::parse(text).map_err(|error| {
        SettingsError::at(text, error.span().map_or(0, |span| span.start), error.message().replace('\n', ", "))
    })
}

/// The range of the table at `path`, with what is below it.
pub(crate) fn table_range(text: &str, path: &[&str]) -> Result<Range<usize>, SettingsError> {
    let document = parse(text)?;
    let item = path.iter().try_fold(document.as_item(), |item, key| item.get(key));
    match item {
        Some(Item::Table(table)) if !table.is_dotted() && table.span().is_some() => Ok(block(text, table).range),
        _ => Err(not_a_table(path)),
    }
}

pub(crate) fn not_a_table(path: &[&str]) -> SettingsError {
    SettingsError::Structure { place: path.join("."), expected: "written as a `[…]` table" }
}

/// Renders a table as text, with the text's line ending.
pub(crate) fn render_table(path: &[&str], table: &Value, newline: &str) -> String {
    let header: Vec<String> = path.iter().map(|key| key_text(key)).collect();
    format!("[{}]{newline}{}", header.join("."), members(table, newline))
}

/// Finds the tables of the array at `path`; none if it does not exist.
pub(crate) fn blocks(text: &str, path: &[&str]) -> Result<Vec<Block>, SettingsError> {
    let document = parse(text)?;
    let mut item = document.as_item();
    for key in path {
        match item.get(key) {
            Some(next) => item = next,
            None => return Ok(Vec::new()),
        }
    }
    match item {
        Item::ArrayOfTables(tables) => Ok(tables.iter().map(|table| block(text, table)).collect()),
        _ => Err(not_tables(path)),
    }
}

pub(crate) fn not_tables(path: &[&str]) -> SettingsError {
    SettingsError::Structure { place: path.join("."), expected: "written as `[[…]]` tables" }
}

fn block(text: &str, table: &Table) -> Block {
    let start = table.span().map_or(0, |span| span.start);
    let start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = last_end(table);
    let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
    let inner = table.get("hooks").and_then(Item::as_array_of_tables);
    Block {
        range: start..end,
        inner: inner.into_iter().flat_map(ArrayOfTables::iter).map(|t| block(text, t)).collect(),
    }
}

fn last_end(table: &Table) -> usize {
    let own = table.span().map_or(0, |span| span.end);
    table.iter().map(|(_, item)| item_end(item)).fold(own, usize::max)
}

fn item_end(item: &Item) -> usize {
    match item {
        Item::Table(table) => last_end(table),
        Item::ArrayOfTables(tables) => tables.iter().map(last_end).max().unwrap_or(0),
        other => other.span().map_or(0, |span| span.end),
    }
}

/// Renders tables as text, each with a header, with the text's line ending.
pub(crate) fn render(header: &str, table: &Value, newline: &str) -> String {
    format!("[[{header}]]{newline}{}", members(table, newline))
}

fn members(table: &Value, newline: &str) -> String {
    let mut out = String::new();
    for (key, value) in table.as_object().into_iter().flatten() {
        out.push_str(&key_text(key));
        out.push_str(" = ");
        out.push_str(&value_text(value));
        out.push_str(newline);
    }
    out
}

pub(crate) fn key_text(key: &str) -> String {
    let is_bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { key.to_owned() } else { Value::from(key).to_string() }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Array(list) => format!("[{}]", list.iter().map(value_text).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let members: Vec<_> = map.iter().map(|(k, v)| format!("{} = {}", key_text(k), value_text(v))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        other => other.to_string(),
    }
}

/// Appends a table after a blank line. A text without a final line ending stays without one.
pub(crate) fn append(text: &str, rendered: &str) -> String {
    let newline = newline(text);
    if text.is_empty() {
        return rendered.to_owned();
    }
    if text.ends_with('\n') {
        return format!("{text}{newline}{rendered}");
    }
    format!("{text}{newline}{newline}{}", rendered.trim_end_matches(['\r', '\n']))
}

/// Replaces one table.
pub(crate) fn replace(text: &str, range: &Range<usize>, rendered: &str) -> String {
    let rendered = if text[range.clone()].ends_with('\n') { rendered } else { rendered.trim_end_matches(['\r', '\n']) };
    splice(text, &[(range.clone(), rendered.to_owned())])
}

/// Removes a table and the blank line before it.
pub(crate) fn remove(text: &str, range: &Range<usize>) -> String {
    let mut start = range.start;
    for blank in ["\r\n", "\n"] {
        let before = &text[..start];
        if before.strip_suffix(blank).is_some_and(|rest| rest.is_empty() || rest.ends_with('\n')) {
            start -= blank.len();
            break;
        }
    }
    if range.end == text.len() && !text.ends_with('\n') {
        start = text[..start].trim_end_matches(['\r', '\n']).len();
    }
    splice(text, &[(start..range.end, String::new())])
}

/// The range of the table at a path, as places name it.
pub(crate) fn range_of(text: &str, path: &[Step]) -> Result<Range<usize>, SettingsError> {
    let keys: Vec<&str> = path
        .iter()
        .map_while(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        })
        .collect();
    let mut indexes = path.iter().filter_map(|step| match step {
        Step::Index(index) => Some(*index),
        Step::Key(_) => None,
    });
    let wanted = indexes.next().unwrap_or(usize::MAX);
    let outer = blocks(text, &keys)?.into_iter().nth(wanted).ok_or_else(|| not_tables(&keys))?;
    match indexes.next() {
        None => Ok(outer.range),
        Some(index) => outer.inner.into_iter().nth(index).map(|inner| inner.range).ok_or_else(|| not_tables(&keys)),
    }
}
