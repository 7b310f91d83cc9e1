//! The lines of a result: labels, what belongs to them, and what a tool printed.

use std::ops::Range;

use serde_json::Value;

use super::field::{Field, is_known, is_labelled};

/// Longer labels are sentences.
const LABEL_BYTES: usize = 60;
const LABEL_WORDS: usize = 6;

#[derive(Debug)]
pub(super) struct Line {
    pub(super) text: String,
    /// What it is a label of, in words, and the value behind it.
    pub(super) label: Option<Label>,
    /// It is inside a code fence, or a fence.
    pub(super) is_fenced: bool,
}

#[derive(Debug)]
pub(super) struct Label {
    pub(super) words: String,
    /// A Markdown heading: it ends what belongs to an earlier label.
    is_heading: bool,
    has_value: bool,
}

/// A result, line by line. JSON objects, alone or in a fence, are unfolded into headings and lists.
pub(super) struct Layout {
    pub(super) lines: Vec<Line>,
}

impl Layout {
    pub(super) fn of(text: &str) -> Self {
        let mut lines = Vec::new();
        if let Some(unfolded) = unfold(text) {
            unfolded.lines().for_each(|line| lines.push(plain(line)));
            return Self { lines };
        }
        let mut rest = text.lines();
        while let Some(line) = rest.next() {
            let Some(fence) = fence(line) else {
                lines.push(plain(line));
                continue;
            };
            let inside: Vec<&str> = rest.by_ref().take_while(|line| !line.trim_start().starts_with(fence)).collect();
            if let Some(unfolded) = unfold(&inside.join("\n")) {
                unfolded.lines().for_each(|line| lines.push(plain(line)));
                continue;
            }
            let fenced = |text: &str| Line { text: text.to_owned(), label: None, is_fenced: true };
            lines.push(fenced(line));
            lines.extend(inside.into_iter().map(fenced));
            lines.push(fenced(fence));
        }
        Self { lines }
    }

    /// The lines of a field's first occurrence with content: its label, and the first line of the content, which may be
    /// the same. `None` if the field is missing or empty.
    pub(super) fn content_of(&self, field: &Field) -> Option<(usize, usize)> {
        let labelled = self.lines.iter().enumerate().filter_map(|(at, line)| {
            let label = line.label.as_ref().filter(|label| is_labelled(&label.words, field.labels))?;
            if label.has_value {
                return Some((at, at));
            }
            let content = self.below(at).find(|&at| has_content(&self.lines[at]))?;
            Some((at, content))
        });
        let spoken = self.lines.iter().enumerate().filter_map(|(at, line)| {
            let first = first_word(&line.text);
            (!line.is_fenced && field.words.contains(&first.as_str())).then_some((at, at))
        });
        labelled.into_iter().chain(spoken).next()
    }

    /// The lines below a label until the next heading or the label of another field.
    fn below(&self, at: usize) -> Range<usize> {
        let ends = |line: &Line| line.label.as_ref().is_some_and(|label| label.is_heading || is_known(&label.words));
        let end = self.lines.iter().skip(at + 1).position(ends).map_or(self.lines.len(), |more| at + 1 + more);
        at + 1..end
    }
}

fn plain(text: &str) -> Line {
    Line { text: text.to_owned(), label: label(text), is_fenced: false }
}

fn fence(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence))
}

fn has_content(line: &Line) -> bool {
    let is_rule = !line.text.contains(|c: char| c.is_alphanumeric());
    !(is_rule || line.is_fenced && fence(&line.text).is_some())
}

/// The first word of a line, in lower case, without what marks it as a list item or as bold.
fn first_word(line: &str) -> String {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
    // "Passed" starts many sentences; as a verdict it stands out.
    let word = &line[..end];
    if word.chars().all(char::is_uppercase) { word.to_lowercase() } else { String::new() }
}

/// Reads a line as a label: a heading, `Label: value`, a bold label, a line of capitals, or a row of a table.
fn label(line: &str) -> Option<Label> {
    let trimmed = line.trim();
    if trimmed.starts_with('>') {
        return None;
    }
    let is_heading = trimmed.starts_with('#');
    let is_row = trimmed.starts_with('|');
    let bare = trimmed.trim_start_matches(|c: char| c.is_ascii_digit() || "#-*+_.)| \t".contains(c));
    let (name, value) = match bare.find(if is_row { '|' } else { ':' }) {
        Some(at) => (&bare[..at], bare[at + 1..].trim()),
        None => (bare, ""),
    };
    let is_list = trimmed.starts_with(|c: char| c.is_ascii_digit());
    let is_bold = trimmed.contains("**") || trimmed.contains("__");
    let is_loud = name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase);
    let stands_out = is_heading || is_bold || is_loud || is_list || bare.len() != name.len();
    let words = in_words(name);
    let count = words.split(' ').count();
    let is_label = stands_out && !words.is_empty() && name.len() <= LABEL_BYTES && count <= LABEL_WORDS;
    is_label.then(|| Label { words, is_heading, has_value: value.contains(|c: char| c.is_alphanumeric()) })
}

/// A label as words in lower case: `filesChanged`, `files_changed` and `Files/Changed` are the same.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            words.push(' ');
        } else {
            if c.is_uppercase() && was_lower {
                words.push(' ');
            }
            words.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A JSON object as headings and lists; `None` if the text is none.
fn unfold(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    let Ok(Value::Object(object)) = serde_json::from_str(text) else { return None };
    let mut unfolded = String::new();
    object.iter().for_each(|(key, value)| unfold_into(key, value, &mut unfolded));
    Some(unfolded)
}

fn unfold_into(key: &str, value: &Value, text: &mut String) {
    text.push_str(&format!("## {}\n", one_line(key)));
    match value {
        Value::Null => {}
        Value::Object(object) => {
            // Its keys may be fields themselves; as a value of a field it is content, too.
            if !object.is_empty() {
                text.push_str(&format!("- {}\n", one_line(&value.to_string())));
            }
            object.iter().for_each(|(key, value)| unfold_into(key, value, text));
        }
        Value::Array(items) => items.iter().for_each(|item| text.push_str(&format!("- {}\n", shown(item)))),
        other => text.push_str(&format!("- {}\n", shown(other))),
    }
}

fn shown(value: &Value) -> String {
    one_line(value.as_str().map_or_else(|| value.to_string(), str::to_owned).as_str())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
