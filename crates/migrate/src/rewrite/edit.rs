use std::ops::Range;

use stead_pipeline::definition::is_retry_key;
use stead_yaml::{Entry, Tree, Value};

/// Edits of a text, by byte range. They are collected first and applied together.
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

    /// Replaces a whole entry that shares its lines with others.
    pub(crate) fn replace_entry(&mut self, entry: &Entry, with: impl Into<String>) {
        self.replace(entry.key_at.start..self.extent(entry), with);
    }

    /// Inserts whole lines after the line that contains `offset`.
    pub(crate) fn insert_below(&mut self, offset: usize, lines: &str) {
        let end = self.line_end(offset);
        self.list.push((end..end, format!("\n{lines}")));
    }

    /// Adds a pair to a mapping in braces, after its remaining pairs.
    pub(crate) fn insert_in_braces(&mut self, block: &Entry, pair: &str) {
        let Value::Map(parts) = &block.value.value else { return };
        match parts.iter().rfind(|part| !is_retry_key(&part.key)).map(|last| self.extent(last)) {
            Some(end) => self.list.push((end..end, format!(", {pair}"))),
            None => self.list.push((block.value.at.end..block.value.at.end, pair.to_owned())),
        }
    }

    /// Removes the lines of an entry and keeps their comments, at the entry's own indentation.
    pub(crate) fn remove(&mut self, entry: &Entry) {
        self.rewrite_lines(entry, "");
    }

    /// Removes the lines of an entry with their comments, which were copied elsewhere.
    pub(crate) fn remove_silently(&mut self, entry: &Entry) {
        let start = self.line_start(entry.key_at.start);
        let end = self.line_end(self.extent(entry));
        self.list.push((start..(end + 1).min(self.text.len()), String::new()));
    }

    /// Removes pairs from a mapping in braces. `Err` is the line of a comment that would be lost.
    pub(crate) fn remove_in_braces(&mut self, parts: &[Entry], is_old: impl Fn(&Entry) -> bool) -> Result<(), usize> {
        let mut index = 0;
        while index < parts.len() {
            let Some(first) = (index..parts.len()).find(|at| is_old(&parts[*at])) else { break };
            let behind = (first..parts.len()).find(|at| !is_old(&parts[*at])).unwrap_or(parts.len());
            let gap = match (parts.get(behind), first.checked_sub(1)) {
                (Some(next), _) => parts[first].key_at.start..next.key_at.start,
                (None, Some(before)) => self.extent(&parts[before])..self.extent(&parts[behind - 1]),
                (None, None) => parts[first].key_at.start..self.extent(&parts[behind - 1]),
            };
            self.remove_gap(gap)?;
            index = behind;
        }
        Ok(())
    }

    /// Removes a range without comments; `Err` is the line of a comment that would be lost.
    pub(crate) fn remove_gap(&mut self, gap: Range<usize>) -> Result<(), usize> {
        let start = self.line_start(gap.start);
        let mut at = start;
        for line in self.text[start..gap.end].split_inclusive('\n') {
            if let Some(found) = comment(line)
                && at + line.find(found).unwrap_or(0) >= gap.start
            {
                return Err(self.line(at));
            }
            at += line.len();
        }
        self.list.push((gap, String::new()));
        Ok(())
    }

    /// Replaces an entry's lines, after the comments on them.
    pub(crate) fn rewrite_lines(&mut self, entry: &Entry, lines: &str) {
        let start = self.line_start(entry.key_at.start);
        let end = self.line_end(self.extent(entry));
        let indent = self.indent(entry);
        let kept: String = self.comments(entry).map(|comment| format!("{indent}{comment}\n")).collect();
        let end = (end + 1).min(self.text.len());
        self.list.push((start..end, format!("{kept}{lines}")));
    }

    /// The comments in an entry's lines. A `#` inside a multi-line text is not one.
    fn comments(&self, entry: &Entry) -> impl Iterator<Item = &'a str> {
        let start = self.line_start(entry.key_at.start);
        let end = self.line_end(self.extent(entry));
        let is_nest = matches!(entry.value.value, Value::Map(_) | Value::List(_));
        let lines = match self.is_block_text(entry) {
            true => start..self.line_end(entry.key_at.end),
            false if is_nest => start..end,
            false => self.extent(entry)..end,
        };
        self.text[lines].lines().filter_map(comment)
    }

    /// Returns true if the value is a block scalar (`|` or `>`).
    fn is_block_text(&self, entry: &Entry) -> bool {
        let is_text = matches!(entry.value.value, Value::Text(_));
        let head = &self.text[entry.key_at.end..entry.value.at.start.max(entry.key_at.end)];
        is_text && head.trim_start_matches([' ', ':', '\n']).starts_with(['|', '>'])
    }

    /// The text before the entry's key in its line, as blanks.
    pub(crate) fn indent(&self, entry: &Entry) -> String {
        let start = self.line_start(entry.key_at.start);
        " ".repeat(self.text[start..entry.key_at.start].chars().count())
    }

    /// The value as written.
    pub(crate) fn raw(&self, entry: &Entry) -> &'a str {
        self.text[entry.value.at.clone()].trim_end()
    }

    /// The text after the entry's value in its last line: nothing, blanks, a comment.
    pub(crate) fn behind(&self, entry: &Entry) -> &'a str {
        let end = self.extent(entry);
        &self.text[end..self.line_end(end)]
    }

    /// Returns true if the entry starts its line, except for blanks and a list marker.
    pub(crate) fn is_line(&self, entry: &Entry) -> bool {
        let start = self.line_start(entry.key_at.start);
        self.text[start..entry.key_at.start].chars().all(|c| c == ' ' || c == '-')
    }

    pub(crate) fn is_first_of_item(&self, entry: &Entry) -> bool {
        let start = self.line_start(entry.key_at.start);
        self.text[start..entry.key_at.start].contains('-')
    }

    /// Returns true if a mapping is written in braces.
    pub(crate) fn is_in_braces(&self, tree: &Tree) -> bool {
        &self.text[tree.at.clone()] == "{"
    }

    /// The line of a byte, from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.text[..offset].matches('\n').count() + 1
    }

    /// The end of an entry: after its last nested value and the closing bracket.
    pub(crate) fn extent(&self, entry: &Entry) -> usize {
        self.end(&entry.value).max(entry.key_at.end)
    }

    fn end(&self, tree: &Tree) -> usize {
        let inner = match &tree.value {
            Value::List(items) => items.iter().map(|item| self.end(item)).max(),
            Value::Map(entries) => entries.iter().map(|entry| self.extent(entry)).max(),
            // A block scalar extends to the next key.
            _ => return self.text[..tree.at.end].trim_end().len(),
        };
        let inner = inner.unwrap_or(0).max(tree.at.end);
        match &self.text[tree.at.clone()] {
            "{" => self.closed(inner, '}'),
            "[" => self.closed(inner, ']'),
            _ => inner,
        }
    }

    /// The end of the bracket after `from`; only blanks, commas and comments precede it.
    fn closed(&self, from: usize, bracket: char) -> usize {
        let mut at = from;
        for line in self.text[from..].split_inclusive('\n') {
            let code = comment(line).and_then(|found| line.find(found)).map_or(line, |end| &line[..end]);
            if let Some(found) = code.find(bracket) {
                return at + found + 1;
            }
            at += line.len();
        }
        from
    }

    fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self, offset: usize) -> usize {
        self.text[offset..].find('\n').map_or(self.text.len(), |at| offset + at)
    }

    /// The text with all edits applied.
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

/// The comment in a line of YAML: from a `#` after a blank and outside quotes.
fn comment(line: &str) -> Option<&str> {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') if before.is_whitespace() => return Some(line[at..].trim_end()),
            (None, '"' | '\'') if before.is_whitespace() || ":{[,".contains(before) => quote = Some(c),
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
    use stead_yaml::parse;

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
        check("{\"a # b\": c} # d", Some("# d"));
        check("a: b#c", None);
        check("", None);
    }

    #[track_caller]
    fn extents(text: &str, expected: &[&str]) {
        let tree = parse(text).unwrap();
        let Value::Map(entries) = &tree.value else { panic!("{text}") };
        let edits = Edits::of(text);
        let found: Vec<&str> = entries.iter().map(|entry| &text[entry.key_at.start..edits.extent(entry)]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn an_entry_ends_where_its_value_does() {
        extents("a: |\n  x\n  y # z\n\n# c\nb: 1 # d\n", &["a: |\n  x\n  y # z", "b: 1"]);
        extents("a: >-\n  x\nb:\nc: \"d\n  e\"\n", &["a: >-\n  x", "b", "c: \"d\n  e\""]);
        extents("a: {b: 1, c: {}} # }\nd: [1,\n  2, # ]\n]\n", &["a: {b: 1, c: {}}", "d: [1,\n  2, # ]\n]"]);
        extents("a:\n  b: 1\n  c: [x]\nd: 2", &["a:\n  b: 1\n  c: [x]", "d: 2"]);
    }
}
