use std::ops::Range;

use crate::definition::{Entry, Value};

/// Changes of a text, by place. They are collected first and made together.
pub(crate) struct Edits<'a> {
    pub(crate) text: &'a str,
    list: Vec<(Range<usize>, String)>,
}

impl<'a> Edits<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, list: Vec::new() }
    }

    pub(crate) fn replace(&mut self, at: Range<usize>, with: impl Into<String>) {
        self.list.push((at, with.into()));
    }

    /// Puts whole lines behind the line in which `offset` lies.
    pub(crate) fn insert_below(&mut self, offset: usize, lines: &str) {
        let end = self.line_end(offset);
        self.list.push((end..end, format!("\n{lines}")));
    }

    /// Takes the lines of an entry out and leaves the comments on them, at the entry's own depth.
    pub(crate) fn remove(&mut self, entry: &Entry) {
        self.rewrite_lines(entry, "");
    }

    /// Puts lines in the place of an entry's, behind the comments on those.
    pub(crate) fn rewrite_lines(&mut self, entry: &Entry, lines: &str) {
        let start = self.line_start(entry.key_at.start);
        let end = self.line_end(extent(entry));
        let indent = self.indent(entry);
        let kept: String = self.comments(start..end).map(|comment| format!("{indent}{comment}\n")).collect();
        let end = (end + 1).min(self.text.len());
        self.list.push((start..end, format!("{kept}{lines}")));
    }

    fn comments(&self, lines: Range<usize>) -> impl Iterator<Item = &'a str> {
        self.text[lines].lines().filter_map(comment)
    }

    /// What stands before the entry's key in its line, as blanks.
    pub(crate) fn indent(&self, entry: &Entry) -> String {
        let start = self.line_start(entry.key_at.start);
        " ".repeat(self.text[start..entry.key_at.start].chars().count())
    }

    /// What stands behind the entry's value in its last line: nothing, blanks, a comment.
    pub(crate) fn behind(&self, entry: &Entry) -> &'a str {
        let end = extent(entry);
        &self.text[end..self.line_end(end)]
    }

    /// Whether the entry begins its line, save for blanks and the mark of a list.
    pub(crate) fn is_line(&self, entry: &Entry) -> bool {
        let start = self.line_start(entry.key_at.start);
        self.text[start..entry.key_at.start].chars().all(|c| c == ' ' || c == '-')
    }

    pub(crate) fn is_first_of_item(&self, entry: &Entry) -> bool {
        let start = self.line_start(entry.key_at.start);
        self.text[start..entry.key_at.start].contains('-')
    }

    fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self, offset: usize) -> usize {
        self.text[offset..].find('\n').map_or(self.text.len(), |at| offset + at)
    }

    /// The text with all changes made.
    pub(crate) fn apply(mut self) -> String {
        self.list.sort_by_key(|(at, _)| (at.start, at.end));
        let mut out = String::with_capacity(self.text.len() + 256);
        let mut from = 0;
        for (at, with) in &self.list {
            if at.start < from {
                continue;
            }
            out.push_str(&self.text[from..at.start]);
            out.push_str(with);
            from = at.end;
        }
        out.push_str(&self.text[from..]);
        out
    }
}

/// Where an entry ends: behind the last of what it holds.
pub(crate) fn extent(entry: &Entry) -> usize {
    fn end(value: &crate::definition::Tree) -> usize {
        let inner = match &value.value {
            Value::List(items) => items.iter().map(end).max(),
            Value::Map(entries) => entries.iter().map(extent).max(),
            _ => None,
        };
        inner.unwrap_or(0).max(value.at.end)
    }
    end(&entry.value).max(entry.key_at.end)
}

/// The comment in a line of YAML: from a `#` that follows a blank and is not inside quotes.
fn comment(line: &str) -> Option<&str> {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => return Some(line[at..].trim_end()),
            (None, '"' | '\'') if before.is_whitespace() || before == ':' => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        before = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<&str>) {
        assert_eq!(comment(line), expected, "{line}");
    }

    #[test]
    fn comments_are_found_outside_quotes() {
        check("a: b # c", Some("# c"));
        check("# all of it", Some("# all of it"));
        check("a: \"b # c\" # d", Some("# d"));
        check("a: it's # d", Some("# d"));
        check("a: b#c", None);
        check("", None);
    }
}
