//! The `apply_patch` text, as agents give it to a tool and to a command: one text, several files.

use std::borrow::Cow;

use crate::{Change, FileChange, Replacement};

const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";

/// Reads the files a patch touches, in order. A move gives an edit (if any) and a rename of the same file.
pub fn patch_changes(patch: &str) -> Vec<FileChange<'static>> {
    let mut reader = Reader::default();
    for line in patch.lines() {
        reader.take(line);
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    done: Vec<FileChange<'static>>,
    file: Option<Open>,
}

/// The file whose section is being read.
enum Open {
    Add { path: String, content: String },
    Update { path: String, hunks: Vec<Replacement<'static>>, old: String, new: String, to: Option<String> },
}

impl Reader {
    fn take(&mut self, line: &str) {
        // Clients trim the markers before they compare them, so indented ones count too.
        let marker = line.trim();
        if let Some(path) = named(marker, ADD) {
            self.close();
            self.file = Some(Open::Add { path: path.to_owned(), content: String::new() });
        } else if let Some(path) = named(marker, UPDATE) {
            self.close();
            self.file = Some(Open::Update {
                path: path.to_owned(),
                hunks: Vec::new(),
                old: String::new(),
                new: String::new(),
                to: None,
            });
        } else if let Some(path) = named(marker, DELETE) {
            self.close();
            self.done.push(FileChange { path: Cow::Owned(path.to_owned()), change: Change::Delete });
        } else if let Some(target) = named(marker, MOVE) {
            if let Some(Open::Update { to, .. }) = &mut self.file {
                *to = Some(target.to_owned());
            }
        } else {
            self.content(line);
        }
    }

    fn content(&mut self, line: &str) {
        match &mut self.file {
            Some(Open::Add { content, .. }) => {
                if let Some(added) = line.strip_prefix('+') {
                    content.push_str(added);
                    content.push('\n');
                }
            }
            Some(Open::Update { hunks, old, new, .. }) => {
                if line.starts_with("@@") || line.starts_with("*** ") {
                    flush(hunks, old, new);
                } else if let Some(added) = line.strip_prefix('+') {
                    push_line(new, added);
                } else if let Some(removed) = line.strip_prefix('-') {
                    push_line(old, removed);
                } else {
                    let kept = line.strip_prefix(' ').unwrap_or(line);
                    push_line(old, kept);
                    push_line(new, kept);
                }
            }
            None => {}
        }
    }

    fn close(&mut self) {
        match self.file.take() {
            Some(Open::Add { path, content }) => self.done.push(FileChange {
                path: Cow::Owned(path),
                change: Change::Write { content: Some(Cow::Owned(content)) },
            }),
            Some(Open::Update { path, mut hunks, mut old, mut new, to }) => {
                flush(&mut hunks, &mut old, &mut new);
                if !hunks.is_empty() || to.is_none() {
                    self.done.push(FileChange { path: Cow::Owned(path.clone()), change: Change::Edit(hunks) });
                }
                if let Some(to) = to {
                    self.done
                        .push(FileChange { path: Cow::Owned(path), change: Change::Rename { to: Cow::Owned(to) } });
                }
            }
            None => {}
        }
    }

    fn finish(mut self) -> Vec<FileChange<'static>> {
        self.close();
        self.done
    }
}

/// The path behind a marker, with or without a blank between them.
fn named<'a>(line: &'a str, marker: &str) -> Option<&'a str> {
    line.strip_prefix(marker).map(str::trim_start)
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn flush(hunks: &mut Vec<Replacement<'static>>, old: &mut String, new: &mut String) {
    if old.is_empty() && new.is_empty() {
        return;
    }
    hunks.push(Replacement { old: Cow::Owned(std::mem::take(old)), new: Cow::Owned(std::mem::take(new)), all: false });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_patch_touches_several_files() {
        let patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** Update File: src/b.rs\n@@ fn main\n context\n-old\n+new\n@@\n-gone\n*** Delete File: c.txt\n*** Update File: d.txt\n*** Move to: e.txt\n*** End Patch\n";
        let changes = patch_changes(patch);
        let shown: Vec<String> = changes.iter().map(|c| format!("{} {:?}", c.path, c.change)).collect();
        assert_eq!(
            shown,
            [
                r#"a.txt Write { content: Some("one\ntwo\n") }"#,
                r#"src/b.rs Edit([Replacement { old: "context\nold\n", new: "context\nnew\n", all: false }, Replacement { old: "gone\n", new: "", all: false }])"#,
                "c.txt Delete",
                r#"d.txt Rename { to: "e.txt" }"#,
            ]
        );
    }

    #[test]
    fn text_without_markers_touches_nothing() {
        assert_eq!(patch_changes("just words\n+more"), []);
    }
}
