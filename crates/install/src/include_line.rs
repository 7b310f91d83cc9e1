//! Lines in the files that clients read as instructions: one makes them read the project's lessons, three say how an agent
//! of a run gets its task and reports. The files are people's own, so only these lines are ever added or removed.

use std::path::PathBuf;

use stead_client::Harness;

use crate::layer::read_text;
use crate::{FileEdit, Note, Plan, Reach, Site, UndoRecord};

/// What the line says. Some clients include the file after the `@`, the others are asked to read it.
const OPENING: &str = "Read the lessons learned in this project first: @";

/// What an agent of a run must know, whatever its prompt says.
const RUNS: [&str; 3] = [
    "In a run of `stead`, `$STEAD_CONTEXT` names a JSON file: your iteration and attempt, inputs, limits, failed checks.",
    "Before you end, write `{\"decision\": \"continue\", \"reason\": \"…\", \"summary\": \"…\"}` (or `stop`, `error`) to `$STEAD_STATUS`.",
    "If only a person can decide how to continue, add `\"blocked_on\": \"human\"` to it, with the question as `reason`.",
];

/// What to add to the instructions of clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instructions<'a> {
    /// The file with the project's lessons.
    pub lessons: Option<&'a str>,
    /// How an agent of a run gets its task and reports.
    pub runs: bool,
}

impl Instructions<'_> {
    /// The lines that a text lacks.
    fn missing(&self, text: &str) -> Vec<String> {
        let lessons = self.lessons.filter(|lessons| !names(text, lessons)).map(|lessons| format!("{OPENING}{lessons}"));
        let has_runs = RUNS.iter().all(|line| text.lines().any(|known| known.trim_end() == *line));
        let runs = RUNS.iter().filter(|_| self.runs && !has_runs).map(|line| (*line).to_owned());
        lessons.into_iter().chain(runs).collect()
    }
}

/// Plans the lines in the instructions of the given clients; clients that read the same file share them.
pub fn plan_include(site: &Site<'_>, harnesses: &[Harness], wanted: Instructions<'_>) -> Plan {
    let mut plan = Plan::default();
    let files = include_files(site, harnesses);
    for (harness, path) in files.clone() {
        // A file that includes another one of these gets the line through it.
        let others: Vec<String> =
            files.iter().filter(|(_, other)| *other != path).map(|(_, other)| site.brief(other)).collect();
        match read_text(&path) {
            Ok(Some(before))
                if others.iter().any(|other| names(&before, other)) || wanted.missing(&before).is_empty() =>
            {
                plan.notes.push(Note::Current { harness, path });
            }
            Ok(before) => {
                let text = before.as_deref().unwrap_or_default();
                let after = Some(with_lines(text, &wanted.missing(text)));
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

fn with_lines(text: &str, lines: &[String]) -> String {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    let end = if first.ends_with("\r\n") { "\r\n" } else { "\n" };
    let gap = match text {
        "" => String::new(),
        text if text.ends_with("\n\n") || text.ends_with("\n\r\n") => String::new(),
        text if text.ends_with('\n') => end.to_owned(),
        _ => format!("{end}{end}"),
    };
    let added: String = lines.iter().map(|line| format!("{line}{end}")).collect();
    format!("{text}{gap}{added}")
}

/// Plans to remove the lines. A file that nobody else changed gets its old bytes back.
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
        let is_ours = |line: &str| {
            let line = line.trim_end();
            RUNS.contains(&line) || line.strip_prefix(OPENING).is_some_and(|file| !file.contains(' '))
        };
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
            let wanted = Instructions { lessons: Some("i/AGENT.md"), runs: false };
            assert_eq!(with_lines(text, &wanted.missing(text)), expected);
        };
        check("", "@\n");
        check("# A\n", "# A\n\n@\n");
        check("# A\n\n", "# A\n\n@\n");
        check("# A", "# A\n\n@\n");
        check("# A\r\nb\r\n", "# A\r\nb\r\n\r\n@\r\n");
    }

    #[test]
    fn only_lines_that_are_missing_are_added() {
        let both = Instructions { lessons: Some("i/AGENT.md"), runs: true };
        let text = with_lines("# A\n", &both.missing("# A\n"));
        assert_eq!(text.lines().count(), 2 + 1 + RUNS.len(), "{text}");
        assert_eq!(both.missing(&text), Vec::<String>::new());
        let lessons = Instructions { runs: false, ..both };
        let text = with_lines("", &lessons.missing(""));
        assert_eq!(both.missing(&text), RUNS.map(str::to_owned));
    }
}
