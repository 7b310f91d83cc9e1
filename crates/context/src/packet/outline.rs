//! The headings of a Markdown text and their contents. Headings inside code fences are text, not headings.

use std::ops::Range;

/// One heading and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// How many `#` it has.
    pub level: usize,
    pub title: &'a str,
    /// The number of its line, counted from 1.
    pub line: usize,
    /// The heading's line with its line end.
    pub heading: Range<usize>,
    /// Everything up to the next heading of the same or a higher level.
    pub content: Range<usize>,
}

/// Lists the headings of a text, in order.
pub fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found: Vec<Section<'_>> = Vec::new();
    let mut fences = Fences::default();
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let range = at..at + line.len();
        at = range.end;
        if fences.covers(line) {
            continue;
        }
        if let Some((level, title)) = heading(line) {
            found.push(Section {
                level,
                title,
                line: index + 1,
                heading: range.clone(),
                content: range.end..text.len(),
            });
        }
    }
    for index in 0..found.len() {
        let level = found[index].level;
        if let Some(next) = found[index + 1..].iter().find(|next| next.level <= level) {
            found[index].content.end = next.heading.start;
        }
    }
    found
}

/// The line of a code fence that is never closed; every heading after it counts as text.
pub(crate) fn unclosed_fence(text: &str) -> Option<usize> {
    let mut fences = Fences::default();
    let mut opened = None;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let before = fences.open.is_some();
        fences.covers(line);
        if fences.open.is_some() && !before {
            opened = Some(index + 1);
        }
    }
    fences.open.and(opened)
}

/// The level and the title of a heading.
pub(crate) fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_end();
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    let title = text[level..].strip_prefix([' ', '\t'])?;
    (1..=6).contains(&level).then(|| (level, title.trim().trim_end_matches('#').trim_end()))
}

/// Tracks which lines are in a code fence.
#[derive(Debug, Default)]
pub(crate) struct Fences {
    open: Option<Fence>,
}

impl Fences {
    /// Takes the next line and returns true if it is code or a fence.
    pub(crate) fn covers(&mut self, line: &str) -> bool {
        match (&self.open, Fence::read(line)) {
            (Some(open), Some(end)) if end.closes(open) => {
                self.open = None;
                true
            }
            (Some(_), _) => true,
            (None, fence) => {
                self.open = fence;
                self.open.is_some()
            }
        }
    }

    /// Returns true if the lines so far end inside of a fence.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// What would close the open fence, if there is one.
    pub(crate) fn closing(&self) -> Option<String> {
        self.open.as_ref().map(|open| char::from(open.mark).to_string().repeat(open.length))
    }
}

/// A line that opens a code block, or closes one.
#[derive(Debug)]
pub(crate) struct Fence {
    pub(crate) mark: u8,
    pub(crate) length: usize,
    /// Nothing follows: it may close a block.
    pub(crate) is_bare: bool,
}

impl Fence {
    pub(crate) fn read(line: &str) -> Option<Self> {
        let text = line.trim_end();
        let bare = text.trim_start_matches(' ');
        let mark = bare.bytes().next().filter(|byte| matches!(byte, b'`' | b'~') && text.len() - bare.len() < 4)?;
        let length = bare.bytes().take_while(|byte| *byte == mark).count();
        let opens = length >= 3 && !(mark == b'`' && bare[length..].contains('`'));
        opens.then_some(Self { mark, length, is_bare: bare.len() == length })
    }

    pub(crate) fn closes(&self, open: &Self) -> bool {
        self.is_bare && self.mark == open.mark && self.length >= open.length
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(usize, &str, usize, &str)]) {
        let found = sections(text);
        let shown: Vec<_> = found.iter().map(|s| (s.level, s.title, s.line, &text[s.content.clone()])).collect();
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn headings_own_what_follows() {
        check(
            "a\n## One\nx\n### Sub\ny\n## Two ##\n",
            &[(2, "One", 2, "x\n### Sub\ny\n"), (3, "Sub", 4, "y\n"), (2, "Two", 6, "")],
        );
        check("## CR\r\nx\r\n", &[(2, "CR", 1, "x\r\n")]);
        check("##None\n#\n####### seven\n", &[]);
    }

    #[test]
    fn code_is_not_a_heading() {
        check("## A\n```\n## no\n~~~\n```\n## B", &[(2, "A", 1, "```\n## no\n~~~\n```\n"), (2, "B", 6, "")]);
        check("## A\n~~~~ md\n## no\n~~~\n", &[(2, "A", 1, "~~~~ md\n## no\n~~~\n")]);
        check("`` `## A\n```a`b\n## B\n", &[(2, "B", 3, "")]);
        check("> ```\n## B\n", &[(2, "B", 2, "")]);
        assert_eq!(unclosed_fence("a\n```\nb\n```\n~~~\nc"), Some(5));
        assert_eq!(unclosed_fence("```\n```\n"), None);
    }

    proptest! {
        #[test]
        fn any_text_has_an_outline(text in "(?s)([#`~ \\r\\n]|.){0,200}") {
            for section in sections(&text) {
                prop_assert!(text[section.heading.clone()].starts_with('#'));
                prop_assert_eq!(section.heading.end, section.content.start);
                prop_assert!(section.content.end <= text.len());
            }
        }
    }
}
