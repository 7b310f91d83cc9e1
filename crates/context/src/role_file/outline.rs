//! The lines of a Markdown file and their sections. Code blocks are recognised, because a heading inside one is an
//! example.

use std::ops::Range;

use crate::packet::Fence;

const MARK: char = '\u{feff}';

/// One line, with the line end it came with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) text: String,
    pub(super) end: String,
}

/// A file as rows; joining them restores the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    /// The file starts with a byte order mark.
    mark: bool,
    pub(super) rows: Vec<Row>,
}

/// A second-level heading and what follows it.
pub(super) struct Section<'a> {
    pub(super) title: &'a str,
    /// The index of the heading's row.
    pub(super) heading: usize,
    /// The rows below it, up to the next heading of the first or second level.
    pub(super) body: Range<usize>,
}

impl Outline {
    pub(super) fn read(text: &str) -> Self {
        let bare = text.strip_prefix(MARK);
        let row = |line: &str| {
            let text = line.strip_suffix('\n').unwrap_or(line);
            let text = text.strip_suffix('\r').unwrap_or(text);
            Row { text: text.to_owned(), end: line[text.len()..].to_owned() }
        };
        Self { mark: bare.is_some(), rows: bare.unwrap_or(text).split_inclusive('\n').map(row).collect() }
    }

    pub(super) fn write(&self) -> String {
        let mut text = String::new();
        if self.mark {
            text.push(MARK);
        }
        for row in &self.rows {
            text.push_str(&row.text);
            text.push_str(&row.end);
        }
        text
    }

    /// Returns for each row whether it is in a code block. A block that is never closed does not count.
    pub(super) fn fenced(&self) -> Vec<bool> {
        let fences: Vec<Option<Fence>> = self.rows.iter().map(|row| Fence::read(&row.text)).collect();
        let closes = |fence: &Option<Fence>, open: &Fence| fence.as_ref().is_some_and(|end| end.closes(open));
        // The longest closing fence from each row on, so that no search is in vain.
        let mut longest = vec![[0, 0]; fences.len() + 1];
        for (at, fence) in fences.iter().enumerate().rev() {
            longest[at] = longest[at + 1];
            if let Some(end) = fence.as_ref().filter(|end| end.is_bare) {
                let kind = usize::from(end.mark == b'~');
                longest[at][kind] = longest[at][kind].max(end.length);
            }
        }
        let mut fenced = vec![false; fences.len()];
        let mut at = 0;
        while let Some(fence) = fences.get(at) {
            let open = fence.as_ref().filter(|open| longest[at + 1][usize::from(open.mark == b'~')] >= open.length);
            let close = open.and_then(|open| fences[at + 1..].iter().position(|fence| closes(fence, open)));
            let next = close.map_or(at + 1, |offset| at + 2 + offset);
            fenced[at..next].fill(close.is_some());
            at = next;
        }
        fenced
    }

    /// The second-level sections in order.
    pub(super) fn sections(&self) -> Vec<Section<'_>> {
        let fenced = self.fenced();
        let headings: Vec<usize> =
            (1..self.rows.len()).filter(|at| !fenced[*at] && is_heading(&self.rows[*at].text)).collect();
        let ends = headings.iter().skip(1).copied().chain([self.rows.len()]);
        let section = |(heading, end): (usize, usize)| {
            let title = self.rows[heading].text.strip_prefix("## ")?;
            Some(Section { title: title.trim(), heading, body: heading + 1..end })
        };
        headings.iter().copied().zip(ends).filter_map(section).collect()
    }

    /// The first row of the first section; the number of rows if there is none.
    pub(super) fn head_end(&self) -> usize {
        let fenced = self.fenced();
        let heading = |at: &usize| !fenced[*at] && self.rows[*at].text.starts_with("## ");
        (1..self.rows.len()).find(heading).unwrap_or(self.rows.len())
    }
}

/// The body of the first section whose heading starts with `title`, without surrounding blank lines.
pub(crate) fn section<'a>(text: &'a str, title: &str) -> Option<&'a str> {
    let outline = Outline::read(text);
    let body = outline.sections().into_iter().find(|section| section.title.starts_with(title))?.body;
    let mut lines = text.split_inclusive('\n');
    let length = |lines: &mut dyn Iterator<Item = &'a str>| lines.map(str::len).sum::<usize>();
    let start = length(&mut lines.by_ref().take(body.start));
    let size = length(&mut lines.by_ref().take(body.len()));
    Some(text[start..start + size].trim())
}

/// Returns true if a row is a heading of the first or second level.
fn is_heading(text: &str) -> bool {
    text.starts_with("# ") || text.starts_with("## ")
}

/// The text of a numbered item.
pub(super) fn numbered(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let item = text[digits..].strip_prefix('.').filter(|_| digits > 0)?;
    let words = item.trim();
    (item.starts_with([' ', '\t']) && !words.is_empty()).then_some(words)
}
