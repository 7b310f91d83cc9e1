//! Patches in the form that coding agents give to `apply_patch`: files by name, hunks by their text.

use stead_model::{Content, How};

use crate::walk::program::{Reach, brief, operands};
use crate::walk::{Call, Walk};

/// The most files that are read out of a patch.
const MOST: usize = 1_000;

/// A file of a patch.
#[derive(Clone, Debug, PartialEq)]
enum Section {
    Added(String, String),
    Changed(String, Vec<(String, String, bool)>),
    Removed(String),
    Moved(String, String),
}

/// Tells what `apply_patch` does, given its patch as a word or by its input.
pub(crate) fn judge(walk: &mut Walk<'_>, call: &Call<'_>) {
    let shown = brief(call.argv);
    let text = match operands(call.argv).into_iter().find(|word| word.contains("*** ")) {
        Some(word) => Some(word.to_owned()),
        None => walk.fed(call),
    };
    let sections = text.as_deref().map(read).unwrap_or_default();
    if sections.is_empty() {
        walk.gap(&shown, "the patch is not known");
    }
    for section in sections {
        match section {
            Section::Added(path, text) => walk.writes(&path, How::Replace, Content::Text(text), &shown),
            Section::Changed(path, hunks) => {
                let content = if hunks.is_empty() { Content::Unknown } else { Content::Replacements(hunks) };
                walk.writes(&path, How::Edit, content, &shown);
            }
            Section::Removed(path) => walk.removes(&path, Reach::Flat, &shown),
            Section::Moved(from, to) => walk.note_move(&from, &to, &shown),
        }
    }
}

/// Reads the files of a patch, in order.
fn read(text: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    // The two sides of the hunk being read.
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if sections.len() >= MOST {
            break;
        }
        let marker = line.trim();
        let named = |head: &str| marker.strip_prefix(head).map(|path| path.trim().to_owned());
        let adds = matches!(sections.last(), Some(Section::Added(..)));
        if marker.starts_with("*** ") || line.starts_with("@@") {
            close(&mut sections, &mut old, &mut new);
        }
        if let Some(path) = named("*** Add File:") {
            sections.push(Section::Added(path, String::new()));
        } else if let Some(path) = named("*** Update File:") {
            sections.push(Section::Changed(path, Vec::new()));
        } else if let Some(path) = named("*** Delete File:") {
            sections.push(Section::Removed(path));
        } else if let Some(to) = named("*** Move to:") {
            if let Some(Section::Changed(from, _)) = sections.last().cloned() {
                sections.push(Section::Moved(from, to.clone()));
                // What follows changes the file under its new name.
                sections.push(Section::Changed(to, Vec::new()));
            }
        } else if let (true, Some(Section::Added(_, text)), Some(added)) =
            (adds, sections.last_mut(), line.strip_prefix('+'))
        {
            text.push_str(added);
            text.push('\n');
        } else if !marker.starts_with("*** ") && !line.starts_with("@@") {
            match line.split_at_checked(1) {
                Some(("+", line)) => new.push(line),
                Some(("-", line)) => old.push(line),
                Some((" ", line)) => {
                    old.push(line);
                    new.push(line);
                }
                _ => {
                    old.push(line);
                    new.push(line);
                }
            }
        }
    }
    close(&mut sections, &mut old, &mut new);
    // A file that is only moved is not changed.
    let moved = |path: &str, all: &[Section]| {
        all.iter().any(|other| matches!(other, Section::Moved(from, to) if from == path || to == path))
    };
    let all = sections.clone();
    sections
        .retain(|section| !matches!(section, Section::Changed(path, hunks) if hunks.is_empty() && moved(path, &all)));
    sections
}

/// Ends a hunk.
fn close(sections: &mut [Section], old: &mut Vec<&str>, new: &mut Vec<&str>) {
    if let Some(Section::Changed(_, hunks)) = sections.last_mut()
        && old != new
    {
        hunks.push((old.join("\n"), new.join("\n"), false));
    }
    old.clear();
    new.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_its_files() {
        let text = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** Update File: b.txt\n@@ fn x\n kept\n-old\n+new\n\
            *** Delete File: c.txt\n*** Update File: d.txt\n*** Move to: e.txt\n*** Update File: f\n*** Move to: g\n@@\n-1\n+2\n*** End Patch\n";
        let hunk = |old: &str, new: &str| vec![(old.to_owned(), new.to_owned(), false)];
        let expected = [
            Section::Added("a.txt".into(), "one\ntwo\n".into()),
            Section::Changed("b.txt".into(), hunk("kept\nold", "kept\nnew")),
            Section::Removed("c.txt".into()),
            Section::Moved("d.txt".into(), "e.txt".into()),
            Section::Moved("f".into(), "g".into()),
            Section::Changed("g".into(), hunk("1", "2")),
        ];
        assert_eq!(read(text), expected);
        assert_eq!(read("no patch at all"), []);
        assert_eq!(read("*** Begin Patch\n*** End Patch"), []);
    }
}
