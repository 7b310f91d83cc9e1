//! Edits JSON with comments and touches nothing but the edited position.
//!
//! Each edit parses the text, computes byte ranges and splices. What is appended can be removed without a trace: the
//! comma goes after the last item, the item after the last comment, in the container's own style.

use std::ops::Range;

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use serde_json::Value;

use crate::{SettingsError, document};

/// A step from a container to one of its items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    pub(crate) fn key(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

/// The text with an empty object in it, if it has no value yet.
pub(crate) fn with_object(text: &str) -> Result<String, SettingsError> {
    let mut text = text.to_owned();
    if document::parse_json(&text)?.value.is_none() {
        let newline = newline(&text);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(newline);
        }
        text.push_str("{}");
        text.push_str(newline);
    }
    Ok(text)
}

/// Adds a member at the end of the object at `path`.
pub(crate) fn add_member(text: &str, path: &[Step], key: &str, value: &Value) -> Result<String, SettingsError> {
    let name = Value::from(key).to_string();
    append(text, path, |layout| format!("{name}: {}", layout.render(value)))
}

/// Adds an item at the end of the list at `path`.
pub(crate) fn add_item(text: &str, path: &[Step], value: &Value) -> Result<String, SettingsError> {
    append(text, path, |layout| layout.render(value))
}

/// Replaces the value at `path`.
pub(crate) fn replace(text: &str, path: &[Step], value: &Value) -> Result<String, SettingsError> {
    let parsed = document::parse_json(text)?;
    let node = find(parsed.value.as_ref(), path)?;
    let (start, end) = (node.start(), node.end());
    let layout = if text[start..end].contains('\n') {
        Layout { indent: Some(line_indent(text, start).to_owned()), unit: unit(text), newline: newline(text) }
    } else {
        Layout::compact()
    };
    Ok(splice(text, &[(start..end, layout.render(value))]))
}

/// Removes the item or member at `path`.
pub(crate) fn remove(text: &str, path: &[Step]) -> Result<String, SettingsError> {
    let Some((last, parent)) = path.split_last() else {
        return Err(SettingsError::Structure { place: "/".to_owned(), expected: "an item that can be removed" });
    };
    let parsed = document::parse_json(text)?;
    let container = Container::of(find(parsed.value.as_ref(), parent)?, parsed.tokens.as_deref().unwrap_or_default());
    let Some(index) = container.position(last) else {
        return Err(missing(path));
    };
    Ok(splice(text, &container.removal(text, index)))
}

fn append(text: &str, path: &[Step], item: impl Fn(&Layout) -> String) -> Result<String, SettingsError> {
    let parsed = document::parse_json(text)?;
    let container = Container::of(find(parsed.value.as_ref(), path)?, parsed.tokens.as_deref().unwrap_or_default());
    Ok(splice(text, &container.addition(text, item)))
}

fn missing(path: &[Step]) -> SettingsError {
    let place: String = path
        .iter()
        .map(|step| match step {
            Step::Key(key) => format!("/{key}"),
            Step::Index(index) => format!("/{index}"),
        })
        .collect();
    SettingsError::Structure { place, expected: "there" }
}

fn find<'n, 't>(root: Option<&'n Node<'t>>, path: &[Step]) -> Result<&'n Node<'t>, SettingsError> {
    let mut node = root.ok_or_else(|| missing(path))?;
    for step in path {
        let child = match (step, node) {
            // Of a repeated key the last one counts.
            (Step::Key(key), Node::Object(object)) => {
                object.properties.iter().rfind(|property| property.name.as_str() == key).map(|found| &found.value)
            }
            (Step::Index(index), Node::Array(array)) => array.elements.get(*index),
            _ => None,
        };
        node = child.ok_or_else(|| missing(path))?;
    }
    Ok(node)
}

/// An object or list with its items and the text between them.
struct Container {
    range: Range<usize>,
    names: Vec<Option<String>>,
    items: Vec<Range<usize>>,
    commas: Vec<Range<usize>>,
    comments: Vec<Range<usize>>,
    line_comments: Vec<usize>,
}

impl Container {
    fn of(node: &Node<'_>, tokens: &[TokenAndRange<'_>]) -> Self {
        let (names, items): (Vec<_>, Vec<_>) = match node {
            Node::Object(object) => {
                object.properties.iter().map(|p| (Some(p.name.as_str().to_owned()), p.start()..p.end())).unzip()
            }
            Node::Array(array) => array.elements.iter().map(|e| (None, e.start()..e.end())).unzip(),
            _ => (Vec::new(), Vec::new()),
        };
        let range = node.start()..node.end();
        let mut container =
            Self { range, names, items, commas: Vec::new(), comments: Vec::new(), line_comments: Vec::new() };
        for token in tokens {
            let place = token.start()..token.end();
            if place.start <= container.range.start || place.end >= container.range.end || container.is_in_item(&place)
            {
                continue;
            }
            match token.token {
                Token::Comma => container.commas.push(place),
                Token::CommentBlock(_) => container.comments.push(place),
                Token::CommentLine(_) => {
                    container.line_comments.push(place.end);
                    container.comments.push(place);
                }
                _ => {}
            }
        }
        container
    }

    fn is_in_item(&self, place: &Range<usize>) -> bool {
        // Comments before a member's first key are outside of it; so are those after its last value.
        self.items.iter().any(|item| item.start <= place.start && place.end <= item.end)
    }

    fn position(&self, step: &Step) -> Option<usize> {
        match step {
            Step::Key(key) => self.names.iter().rposition(|name| name.as_deref() == Some(key)),
            Step::Index(index) => (*index < self.items.len()).then_some(*index),
        }
    }

    /// The end of the last token that ends at or before `limit`, within the container.
    fn mark_before(&self, limit: usize) -> usize {
        let things = self.items.iter().chain(&self.commas).chain(&self.comments);
        things.map(|thing| thing.end).filter(|end| *end <= limit).max().unwrap_or(self.range.start + 1)
    }

    fn addition(&self, text: &str, item: impl Fn(&Layout) -> String) -> Vec<(Range<usize>, String)> {
        let close = self.range.end - 1;
        let mark = self.mark_before(close);
        let is_bare = self.items.is_empty() && self.comments.is_empty();
        let is_multiline = if is_bare { !is_compact(text) } else { text[mark..close].contains('\n') };
        if !is_multiline {
            let gap = if is_bare { "" } else { " " };
            return self.with_commas(mark, gap.to_owned(), item(&Layout::compact()));
        }
        let (unit, newline) = (unit(text), newline(text));
        let outer = line_indent(text, self.range.start);
        let indent = self
            .items
            .iter()
            .find(|item| !starts_mid_line(text, item.start))
            .map_or_else(|| format!("{outer}{unit}"), |item| line_indent(text, item.start).to_owned());
        let layout = Layout { indent: Some(indent.clone()), unit, newline };
        let rendered = item(&layout);
        if is_bare {
            return vec![(mark..close, format!("{newline}{indent}{rendered}{newline}{outer}"))];
        }
        self.with_commas(mark, format!("{newline}{indent}"), rendered)
    }

    /// Keeps a trailing comma where there is one.
    fn with_commas(&self, mark: usize, gap: String, rendered: String) -> Vec<(Range<usize>, String)> {
        let Some(last) = self.items.last() else {
            return vec![(mark..mark, gap + &rendered)];
        };
        if self.commas.iter().any(|comma| comma.start >= last.end) {
            vec![(mark..mark, gap + &rendered + ",")]
        } else {
            vec![(last.end..last.end, ",".to_owned()), (mark..mark, gap + &rendered)]
        }
    }

    fn removal(&self, text: &str, index: usize) -> Vec<(Range<usize>, String)> {
        if self.items.len() == 1 && self.comments.is_empty() {
            return vec![(self.range.start + 1..self.range.end - 1, String::new())];
        }
        let item = &self.items[index];
        let start = self.mark_before(item.start);
        let next = self.items.get(index + 1).map_or(self.range.end, |next| next.start);
        let mut end = item.end;
        let mut edits = Vec::new();
        if let Some(comma) = self.commas.iter().find(|comma| comma.start >= item.end && comma.end <= next) {
            if text[item.end..comma.start].trim().is_empty() {
                end = comma.end;
            } else {
                edits.push((comma.clone(), String::new()));
            }
        } else if let Some(comma) = self.commas.iter().rfind(|comma| comma.end <= item.start) {
            edits.push((comma.clone(), String::new()));
        }
        // A line comment would swallow what follows it on its line.
        let needs_newline = self.line_comments.contains(&start)
            && !text[end..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
        edits.push((start..end, if needs_newline { newline(text).to_owned() } else { String::new() }));
        edits
    }
}

/// How a new value is formatted.
struct Layout {
    /// The indentation of the line the value starts on; `None` for one line.
    indent: Option<String>,
    unit: String,
    newline: &'static str,
}

impl Layout {
    fn compact() -> Self {
        Self { indent: None, unit: String::new(), newline: "\n" }
    }

    fn render(&self, value: &Value) -> String {
        let mut out = String::new();
        self.write(value, 0, &mut out);
        out
    }

    fn write(&self, value: &Value, depth: usize, out: &mut String) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.write_items('{', '}', map.len(), depth, out, |index, out| {
                    if let Some((key, value)) = map.iter().nth(index) {
                        out.push_str(&Value::from(key.as_str()).to_string());
                        out.push_str(": ");
                        self.write(value, depth + 1, out);
                    }
                });
            }
            Value::Array(list) if !list.is_empty() => {
                self.write_items('[', ']', list.len(), depth, out, |index, out| {
                    self.write(&list[index], depth + 1, out);
                });
            }
            other => out.push_str(&other.to_string()),
        }
    }

    fn write_items(
        &self,
        open: char,
        close: char,
        count: usize,
        depth: usize,
        out: &mut String,
        write: impl Fn(usize, &mut String),
    ) {
        out.push(open);
        for index in 0..count {
            if index > 0 {
                out.push(',');
            }
            self.write_gap(if index > 0 { " " } else { "" }, depth + 1, out);
            write(index, out);
        }
        self.write_gap("", depth, out);
        out.push(close);
    }

    fn write_gap(&self, flat: &str, depth: usize, out: &mut String) {
        match &self.indent {
            None => out.push_str(flat),
            Some(indent) => {
                out.push_str(self.newline);
                out.push_str(indent);
                out.push_str(&self.unit.repeat(depth));
            }
        }
    }
}

/// Applies edits, given in any order, that do not overlap.
pub(crate) fn splice(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut edits: Vec<_> = edits.iter().collect();
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, replacement) in edits {
        out.push_str(&text[done..range.start]);
        out.push_str(replacement);
        done = range.end;
    }
    out + &text[done..]
}

/// The line ending of the text.
pub(crate) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// A text on one line stays on one line.
fn is_compact(text: &str) -> bool {
    let text = text.trim();
    text.len() > 2 && !text.contains('\n')
}

/// The indentation unit of the text: that of the first indented line.
fn unit(text: &str) -> String {
    let indented =
        text.lines().find(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with(['"', '{', '[']));
    let indent = indented.map_or("", |line| &line[..line.len() - line.trim_start().len()]);
    if indent.is_empty() { "  ".to_owned() } else { indent.to_owned() }
}

fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn starts_mid_line(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    !text[start..at].trim().is_empty()
}
