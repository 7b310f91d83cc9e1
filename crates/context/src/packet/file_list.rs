//! The two lists of files below `## Relevant Files`, changed line by line.

use std::ops::Range;

use super::{Heading, NOTHING, sections};

/// Which of a packet's two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileList {
    Confirmed,
    Suggested,
}

impl FileList {
    pub const ALL: [Self; 2] = [Self::Confirmed, Self::Suggested];

    /// The front matter key that holds the list for programs.
    pub fn key(self) -> &'static str {
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
        if let Some(path) = item(line) {
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

/// The path of a list item: the text between backticks, else its first word.
fn item(line: &str) -> Option<&str> {
    let text = line.trim().strip_prefix(['-', '*'])?.strip_prefix(' ')?.trim_start();
    let path = match text.strip_prefix('`') {
        Some(quoted) => quoted.split('`').next()?,
        None => text.split_whitespace().next()?,
    };
    (!path.is_empty()).then_some(path)
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
    fn the_wrong_section_is_not_read() {
        let body = "## Notes\n### Confirmed\n- a\n## Relevant Files\n### Confirmed\n- b why\n- `c d` x\n";
        let paths: Vec<_> = listed(body, FileList::Confirmed).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["b", "c d"]);
        assert_eq!(without(body, FileList::Confirmed, "a"), None);
        assert_eq!(without(body, FileList::Confirmed, "b"), Some(body.replace("- b why\n", "")));
    }
}
