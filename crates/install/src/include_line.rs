//! One line in the files that clients read as instructions, which makes them read the project's lessons. The files are
//! people's own, so only that line is ever added or removed.

use std::path::PathBuf;

use stead_client::Harness;

use crate::layer::read_text;
use crate::{FileEdit, Note, Plan, Reach, Site, UndoRecord};

/// What the line says. Some clients include the file after the `@`, the others are asked to read it.
const OPENING: &str = "Read the lessons learned in this project first: @";

/// Plans the line in the instructions of the given clients; clients that read the same file share it.
pub fn plan_include(site: &Site<'_>, harnesses: &[Harness], lessons: &str) -> Plan {
    let mut plan = Plan::default();
    let files = include_files(site, harnesses);
    for (harness, path) in files.clone() {
        // A file that includes another one of these gets the line through it.
        let others: Vec<String> =
            files.iter().filter(|(_, other)| *other != path).map(|(_, other)| site.brief(other)).collect();
        match read_text(&path) {
            Ok(Some(before)) if others.iter().any(|other| names(&before, other)) || names(&before, lessons) => {
                plan.notes.push(Note::Current { harness, path });
            }
            Ok(before) => {
                let after = Some(with_line(before.as_deref().unwrap_or_default(), lessons));
                plan.edits.push(FileEdit {
                    harness,
                    path,
                    shape: None,
                    before,
                    after,
                    folders: Vec::new(),
                    is_removal: false,
                });
            }
            Err(why) => plan.notes.push(Note::Bad { harness, path, why }),
        }
    }
    plan
}

/// The instructions of clients, each file once, also if one is a link to another.
pub(crate) fn include_files(site: &Site<'_>, harnesses: &[Harness]) -> Vec<(Harness, PathBuf)> {
    let mut found: Vec<(Harness, PathBuf)> = Vec::new();
    for &harness in harnesses {
        let path = site.root.join(harness.client().facts.instructions);
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if !found.iter().any(|(_, known)| *known == path || known.canonicalize().is_ok_and(|known| known == real)) {
            found.push((harness, path));
        }
    }
    found
}

/// Returns true if a text includes a file.
fn names(text: &str, file: &str) -> bool {
    text.split_whitespace().any(|word| word.strip_prefix('@').is_some_and(|path| path.trim_start_matches("./") == file))
}

fn with_line(text: &str, lessons: &str) -> String {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    let end = if first.ends_with("\r\n") { "\r\n" } else { "\n" };
    let gap = match text {
        "" => String::new(),
        text if text.ends_with("\n\n") || text.ends_with("\n\r\n") => String::new(),
        text if text.ends_with('\n') => end.to_owned(),
        _ => format!("{end}{end}"),
    };
    format!("{text}{gap}{OPENING}{lessons}{end}")
}

/// Plans to remove the line. A file that nobody else changed gets its old bytes back.
pub(crate) fn plan_include_removal(
    site: &Site<'_>,
    harnesses: &[Harness],
    reach: Reach,
    record: &UndoRecord,
    plan: &mut Plan,
) {
    if reach == Reach::User {
        return;
    }
    for (harness, path) in include_files(site, harnesses) {
        let text = match read_text(&path) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(why) => {
                plan.notes.push(Note::Bad { harness, path, why });
                continue;
            }
        };
        let is_ours = |line: &str| line.trim_end().strip_prefix(OPENING).is_some_and(|file| !file.contains(' '));
        if !text.lines().any(is_ours) {
            continue;
        }
        let known = record.file(site.root, &path);
        let after = match known.filter(|known| known.is_intact(Some(&text))) {
            Some(known) => known.before.clone(),
            None => {
                let rest: String = text.split_inclusive('\n').filter(|line| !is_ours(line)).collect();
                let was_made_for_us = known.is_some_and(|known| known.before.is_none());
                (!(was_made_for_us && rest.trim().is_empty())).then_some(rest)
            }
        };
        plan.edits.push(FileEdit {
            harness,
            path,
            shape: None,
            before: Some(text),
            after,
            folders: Vec::new(),
            is_removal: true,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_added_with_the_files_own_line_end() {
        let check = |text: &str, expected: &str| {
            let expected = expected.replace('@', &format!("{OPENING}i/AGENT.md"));
            assert_eq!(with_line(text, "i/AGENT.md"), expected);
        };
        check("", "@\n");
        check("# A\n", "# A\n\n@\n");
        check("# A\n\n", "# A\n\n@\n");
        check("# A", "# A\n\n@\n");
        check("# A\r\nb\r\n", "# A\r\nb\r\n\r\n@\r\n");
    }
}
