//! The two lists of files below `## Relevant Files`, changed line by line.

use std::ops::Range;

use super::{Heading, NOTHING, sections};

/// Marks a file that was touched and no longer exists.
pub(super) const GONE: &str = "(gone)";

/// Which of a packet's two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileList {
    Confirmed,
    Suggested,
}

impl FileList {
    pub const ALL: [Self; 2] = [Self::Confirmed, Self::Suggested];

    /// The front matter key that holds the list for programs.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Confirmed => "relevant_files_confirmed",
            Self::Suggested => "relevant_files_suggested",
        }
    }

    /// The sub-heading of the list for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Confirmed => "Confirmed",
            Self::Suggested => "Suggested",
        }
    }
}

/// The paths that a section lists, each with the range of its line in the body.
pub(crate) fn listed(body: &str, list: FileList) -> Vec<(&str, Range<usize>)> {
    let Some(place) = place(body, list) else { return Vec::new() };
    let mut at = place.start;
    let mut found = Vec::new();
    for line in body[place].split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        if let Some(path) = item_path(line) {
            found.push((path, range));
        }
    }
    found
}

/// The body with a file added to the list; `None` if it is already there.
pub(super) fn with(body: &str, list: FileList, path: &str) -> Option<String> {
    if listed(body, list).iter().any(|(known, _)| *known == path) {
        return None;
    }
    let end = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let line = format!("- `{path}`{end}");
    let mut new = body.to_owned();
    let Some(place) = place(body, list) else {
        let at = match files_section(body) {
            Some(section) => section.start,
            None => {
                if !new.is_empty() && !new.ends_with('\n') {
                    new.push_str(end);
                }
                new.push_str(&format!("{end}## {}{end}", Heading::RelevantFiles.name()));
                new.len()
            }
        };
        let gap = if new[..at].ends_with('\n') || at == 0 { "" } else { end };
        new.insert_str(at, &format!("{gap}### {}{end}{line}", list.title()));
        return Some(new);
    };
    if let Some((_, last)) = listed(body, list).pop() {
        let gap = if body[last.clone()].ends_with('\n') { "" } else { end };
        new.insert_str(last.end, &format!("{gap}{line}"));
    } else if let Some(nothing) = placeholder(body, place.clone()) {
        new.replace_range(nothing, &line);
    } else {
        let gap = if body[..place.start].ends_with('\n') { "" } else { end };
        new.insert_str(place.start, &format!("{gap}{line}"));
    }
    Some(new)
}

/// The body with a file removed from the list; `None` if it was not there.
pub(super) fn without(body: &str, list: FileList, path: &str) -> Option<String> {
    let all = listed(body, list);
    let gone: Vec<_> = all.iter().filter(|(known, _)| *known == path).map(|(_, range)| range.clone()).collect();
    let first = gone.first()?.start;
    let mut new = body.to_owned();
    let end = if body[gone.last()?.clone()].ends_with("\r\n") { "\r\n" } else { "\n" };
    for range in gone.iter().rev() {
        new.replace_range(range.clone(), "");
    }
    if gone.len() == all.len() {
        new.insert_str(first, &format!("{NOTHING}{end}"));
    }
    Some(new)
}

fn files_section(body: &str) -> Option<Range<usize>> {
    let mut found = sections(body).into_iter().filter(|section| section.level == 2);
    found.find(|section| Heading::recognise(section.title) == Some(Heading::RelevantFiles)).map(|s| s.content)
}

fn place(body: &str, list: FileList) -> Option<Range<usize>> {
    let around = files_section(body)?;
    let mut inside =
        sections(body).into_iter().filter(|section| section.level == 3 && around.contains(&section.heading.start));
    inside.find(|section| section.title.eq_ignore_ascii_case(list.title())).map(|section| section.content)
}

/// The line that says that there is nothing.
fn placeholder(body: &str, place: Range<usize>) -> Option<Range<usize>> {
    let mut at = place.start;
    for line in body[place].split_inclusive('\n') {
        if line.trim() == NOTHING {
            return Some(at..at + line.len());
        }
        at += line.len();
    }
    None
}

/// The path of a list item: the text between its first backticks, else its first word, without a line number.
pub(crate) fn item_path(line: &str) -> Option<&str> {
    let text = item_text(line)?;
    let path = match text.split('`').nth(1).filter(|quoted| !quoted.is_empty()) {
        Some(quoted) => quoted,
        None => text.split_whitespace().next()?.trim_matches('*'),
    };
    Some(without_line(path)).filter(|path| !path.is_empty())
}

/// The text of a list item, with `-`, `*`, `+` or a number before it.
pub(crate) fn item_text(line: &str) -> Option<&str> {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+'])?,
        _ => line[digits..].strip_prefix(['.', ')'])?,
    };
    let text = rest.strip_prefix([' ', '\t'])?.trim_start();
    let boxed = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| text.strip_prefix(mark));
    Some(boxed.unwrap_or(text).trim_start()).filter(|text| !text.is_empty())
}

/// A path without the line that people write behind it: `src/a.rs:12`, `src/a.rs:12-20`, `src/a.rs:3:7`, `src/a.rs#L12`.
pub(crate) fn without_line(path: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let mut path = path;
    if let Some((file, line)) = path.rsplit_once("#L")
        && is_number(&line.replace('L', ""))
    {
        return file;
    }
    while let Some((file, line)) = path.rsplit_once(':')
        && is_number(line)
        && !file.is_empty()
    {
        path = file;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_made_where_they_are_missing() {
        let check = |body: &str, expected: &str| {
            assert_eq!(with(body, FileList::Confirmed, "a").as_deref(), Some(expected), "{body:?}");
        };
        check("", "\n## Relevant Files\n### Confirmed\n- `a`\n");
        check("x", "x\n\n## Relevant Files\n### Confirmed\n- `a`\n");
        check("## Relevant Files\n\n### Suggested\n", "## Relevant Files\n### Confirmed\n- `a`\n\n### Suggested\n");
        check("## Relevant Files", "## Relevant Files\n### Confirmed\n- `a`\n");
        check(
            "## Relevant Files\r\n### Confirmed\r\n* b c",
            "## Relevant Files\r\n### Confirmed\r\n* b c\r\n- `a`\r\n",
        );
        check(
            "## Relevant Files\n### Confirmed\nNone recorded.\n## Plan\n",
            "## Relevant Files\n### Confirmed\n- `a`\n## Plan\n",
        );
    }

    #[test]
    fn items_name_their_path_however_they_are_written() {
        let check = |line: &str, expected: Option<&str>| assert_eq!(item_path(line), expected, "{line}");
        check("- src/a.rs why", Some("src/a.rs"));
        check("* `src/a b.rs` why", Some("src/a b.rs"));
        check("+ the parser in `src/a.rs:12`", Some("src/a.rs"));
        check("1. src/a.rs:12-20", Some("src/a.rs"));
        check("  2) `src/a.rs:3:7` - x", Some("src/a.rs"));
        check("- [x] **src/a.rs#L12-L14**", Some("src/a.rs"));
        check("- c:12x", Some("c:12x"));
        check("- :12", Some(":12"));
        check("words", None);
        check("-", None);
        check("2026 was fine", None);
    }

    #[test]
    fn the_wrong_section_is_not_read() {
        let body = "## Notes\n### Confirmed\n- a\n## Relevant Files\n### Confirmed\n- b why\n- `c d` x\n";
        let paths: Vec<_> = listed(body, FileList::Confirmed).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["b", "c d"]);
        assert_eq!(without(body, FileList::Confirmed, "a"), None);
        assert_eq!(without(body, FileList::Confirmed, "b"), Some(body.replace("- b why\n", "")));
    }
}
