//! A Markdown file with front matter: `key: value` lines between `---` fences. It is changed line by line; everything
//! around a changed line is kept byte for byte.
//!
//! The front matter is line-oriented on purpose: values are plain text, quoted text or JSON on one line, without
//! nesting. Lines that cannot be parsed are kept.

use std::ops::Range;

/// A file as text, with the ranges of its front matter lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    text: String,
    /// The lines between the fences, without their line ends.
    head: Vec<Range<usize>>,
    /// Where a new front matter line goes: the start of the closing fence.
    close: usize,
    /// Where the body starts.
    body: usize,
}

/// Why a file cannot be parsed as such a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrontMatterError {
    #[error("line 1: the file does not start with `---`")]
    NoHead,
    #[error("line {line}: the front matter that starts on line 1 is not closed by `---`")]
    Unclosed { line: usize },
    #[error("line {line}: `{key}` appears twice")]
    Repeated { line: usize, key: String },
}

impl Document {
    /// Parses a file. A byte order mark and CRLF line ends are accepted and kept.
    pub fn parse(text: impl Into<String>) -> Result<Self, FrontMatterError> {
        let text = text.into();
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut lines = LineRanges { text: &text, at: start };
        match lines.next() {
            Some((line, _)) if text[line.clone()].trim_end() == "---" => {}
            _ => return Err(FrontMatterError::NoHead),
        }
        let mut head = Vec::new();
        let mut keys: Vec<String> = Vec::new();
        let mut count = 1;
        let (close, body) = loop {
            count += 1;
            let Some((line, next)) = lines.next() else {
                return Err(FrontMatterError::Unclosed { line: count });
            };
            if text[line.clone()].trim_end() == "---" {
                break (line.start, next);
            }
            if let Some((key, _)) = split(&text[line.clone()]) {
                if keys.iter().any(|known| known == key) {
                    return Err(FrontMatterError::Repeated { line: count, key: key.to_owned() });
                }
                keys.push(key.to_owned());
            }
            head.push(line);
        };
        Ok(Self { head, close, body, text })
    }

    /// Builds a new file from its front matter and body.
    pub fn build<'a>(head: impl IntoIterator<Item = (&'a str, String)>, body: &str) -> Self {
        let mut text = String::from("---\n");
        for (key, value) in head {
            text.push_str(&format!("{key}: {}\n", one_line(&value)));
        }
        text.push_str("---\n");
        text.push_str(body);
        // The text was built to parse; a repeated key would be our own.
        Self::parse(text.clone()).unwrap_or(Self { head: Vec::new(), close: 0, body: 0, text })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn body(&self) -> &str {
        &self.text[self.body..]
    }

    /// The number of the body's first line, counted from 1.
    pub fn body_line(&self) -> usize {
        self.text[..self.body].matches('\n').count() + 1
    }

    /// Replaces the whole body.
    pub fn set_body(&mut self, body: &str) {
        self.text.truncate(self.body);
        self.text.push_str(body);
    }

    /// The value of a key without surrounding blanks and quotes. `None` if the key is missing.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.find(key).map(|(_, value)| unquoted(value))
    }

    /// The line number of a key, counted from 1.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        self.find(key).map(|(index, _)| index + 2)
    }

    /// The lines below a key that have no key of their own, such as a list over several lines. Comments and blank lines
    /// do not count.
    pub(crate) fn block(&self, key: &str) -> Vec<&str> {
        let Some((index, _)) = self.find(key) else { return Vec::new() };
        let below = self.head[index + 1..].iter().map(|line| &self.text[line.clone()]);
        let block = below.take_while(|line| split(line).is_none());
        block.filter(|line| !line.trim().is_empty() && !line.starts_with('#')).collect()
    }

    /// Sets a value on one line, in place of the key's line and the lines below it.
    pub(crate) fn replace_block(&mut self, key: &str, value: &str) {
        let Some((index, _)) = self.find(key) else { return self.set(key, value) };
        let below = self.head[index + 1..].iter().take_while(|line| split(&self.text[(*line).clone()]).is_none());
        let end = below.last().map_or(self.head[index].end, |line| line.end);
        let mut text = std::mem::take(&mut self.text);
        text.replace_range(self.head[index].start..end, &format!("{key}: {}", one_line(value)));
        if let Ok(changed) = Self::parse(text.clone()) {
            *self = changed;
        } else {
            self.text = text;
        }
    }

    /// The keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.head.iter().filter_map(|line| split(&self.text[line.clone()])).map(|(key, _)| key)
    }

    /// Sets a value: in place if the key exists, else as a new last line of the front matter.
    pub fn set(&mut self, key: &str, value: &str) {
        let value = one_line(value);
        let (at, new) = match self.find(key) {
            Some((index, old)) if unquoted(old) != value => {
                let line = self.head[index].clone();
                let end = line.start + self.text[line.clone()].trim_end().len();
                (line.start..end, format!("{key}: {value}"))
            }
            Some(_) => return,
            None => {
                let end = if self.text[..self.close].ends_with("\r\n") { "\r\n" } else { "\n" };
                (self.close..self.close, format!("{key}: {value}{end}"))
            }
        };
        let mut text = std::mem::take(&mut self.text);
        text.replace_range(at, &new);
        // Only a value on one line changed, so the fences are intact.
        if let Ok(changed) = Self::parse(text.clone()) {
            *self = changed;
        } else {
            self.text = text;
        }
    }

    fn find(&self, key: &str) -> Option<(usize, &str)> {
        self.head.iter().enumerate().find_map(|(index, line)| {
            let (name, value) = split(&self.text[line.clone()])?;
            (name == key).then_some((index, value))
        })
    }
}

/// Key and value of a line; comments, blank lines and indented lines have none.
fn split(line: &str) -> Option<(&str, &str)> {
    if line.starts_with([' ', '\t', '#', '-']) {
        return None;
    }
    let (key, value) = line.split_once(':')?;
    let key = key.trim_end();
    (!key.is_empty()).then_some((key, value.trim()))
}

fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        if value.len() >= 2 && value.starts_with(quote) && value.ends_with(quote) {
            return &value[1..value.len() - 1];
        }
    }
    value
}

/// A value must not end its line, and with it the front matter.
fn one_line(value: &str) -> String {
    value.split(['\n', '\r']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Lines with their ranges (without line end) and the start of the next one.
struct LineRanges<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for LineRanges<'_> {
    type Item = (Range<usize>, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        self.at += length;
        let line = rest[..length].trim_end_matches('\n').trim_end_matches('\r');
        Some((start..start + line.len(), self.at))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = "---\r\nid: a\r\n# a comment\r\nstatus:   draft  \r\nmine: [1, 2]\r\n---\r\n\r\n## Notes\r\n";

    #[test]
    fn a_changed_value_leaves_the_rest_alone() {
        let mut document = Document::parse(FILE).unwrap();
        assert_eq!(
            (document.get("status"), document.get("mine"), document.get("x")),
            (Some("draft"), Some("[1, 2]"), None)
        );
        document.set("status", "active");
        assert_eq!(document.as_str(), FILE.replace("status:   draft  ", "status: active  "));
        document.set("status", "active");
        document.set("new", "line\nbreak");
        assert_eq!(document.get("new"), Some("line break"));
        assert!(document.as_str().contains("mine: [1, 2]\r\nnew: line break\r\n---\r\n\r\n## Notes\r\n"));
        assert_eq!(document.line_of("status"), Some(4));
    }

    #[test]
    fn nonsense_is_named_by_its_line() {
        assert_eq!(Document::parse("# no head"), Err(FrontMatterError::NoHead));
        assert_eq!(Document::parse(""), Err(FrontMatterError::NoHead));
        assert_eq!(Document::parse("---\na: 1\n"), Err(FrontMatterError::Unclosed { line: 3 }));
        let repeated = FrontMatterError::Repeated { line: 3, key: "a".into() };
        assert_eq!(Document::parse("---\na: 1\na: 2\n---\n"), Err(repeated));
    }

    proptest! {
        #[test]
        fn reading_keeps_every_byte(head in "([a-z]{1,6}: [^\r\n]{0,12}\n){0,5}", body in "(?s).{0,60}") {
            let text = format!("---\n{head}---\n{body}");
            if let Ok(document) = Document::parse(text.clone()) {
                prop_assert_eq!(document.as_str(), text);
            }
        }

        #[test]
        fn setting_changes_one_line(value in "[^\r\n]{0,20}", body in "(?s).{0,40}") {
            let text = format!("---\na: 1\nb: 2\n---\n{body}");
            let mut document = Document::parse(text).unwrap();
            document.set("b", &value);
            prop_assert_eq!(document.get("a"), Some("1"));
            prop_assert_eq!(document.body(), body);
        }
    }
}
