//! Patches: the files that a diff names.

use stead_model::{Change, Content, FileChange, How, patch_changes};

use crate::parse::syntax::mark;
use crate::programs::git;
use crate::programs::git::pathspec;
use crate::programs::options::{has_flag, operands_after, option_values};
use crate::walk::program::{Reach, brief, operands};
use crate::walk::{Call, Walk};

/// A file of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Changed(String),
    Removed(String),
    Moved(String, String),
}

impl Piece {
    /// Where a file is moved to.
    fn goal(&self) -> Option<&str> {
        match self {
            Self::Moved(_, to) => Some(to),
            _ => None,
        }
    }
}

/// The maximum number of files that are read out of a diff.
const MOST: usize = 1_000;

/// Reports what `patch` changes: the file it is given, or those that the diff names.
pub(crate) fn program(walk: &mut Walk<'_>, call: &Call<'_>, shown: &str) {
    let argv = call.argv;
    if has_flag(argv, "", &["--dry-run"]) {
        return;
    }
    let words = operands_after(argv, "pidoBrFVDYzg");
    let folder = option_values(argv, 'd', "--directory").last().map(|&folder| folder.to_owned());
    for out in option_values(argv, 'o', "--output") {
        walk.note_write(out, How::Replace, false, Content::Unknown, shown);
    }
    if let Some(file) = words.first() {
        let file = folder.map_or((*file).to_owned(), |folder| format!("{folder}/{file}"));
        walk.note_write(&file, How::Edit, false, Content::Unknown, shown);
        return;
    }
    let input = option_values(argv, 'i', "--input").last().map(|&file| file.to_owned());
    let text = match input {
        Some(file) => walk.file_text(&file),
        None => walk.fed(call),
    };
    let strip = option_values(argv, 'p', "--strip").last().and_then(|number| number.parse().ok());
    apply(walk, text.as_deref(), strip, folder.as_deref(), shown);
}

/// Tells what `apply_patch` does, given its patch as a word or by its input.
pub(crate) fn envelope(walk: &mut Walk<'_>, call: &Call<'_>) {
    let shown = brief(call.argv);
    let text = match operands(call.argv).into_iter().find(|word| word.contains("*** ")) {
        Some(word) => Some(word.to_owned()),
        None => walk.fed(call),
    };
    let changes = text.as_deref().map(patch_changes).unwrap_or_default();
    if changes.is_empty() {
        walk.gap(&shown, "the patch is not known");
    }
    for FileChange { path, change } in changes.into_iter().take(MOST) {
        match change {
            Change::Write { content } => {
                let content = content.map_or(Content::Unknown, |text| Content::Text(text.into_owned()));
                walk.writes(&path, How::Replace, content, &shown);
            }
            Change::Edit(edits) => {
                let hunks =
                    edits.into_iter().map(|edit| (edit.old.into_owned(), edit.new.into_owned(), edit.all)).collect();
                walk.writes(&path, How::Edit, Content::Replacements(hunks), &shown);
            }
            Change::Delete => walk.removes(&path, Reach::Flat, &shown),
            Change::Rename { to } => walk.note_move(&path, &to, &shown),
        }
    }
}

/// The files that a diff changes.
pub(crate) fn diff_changes(text: &str) -> Vec<FileChange<'static>> {
    let change = |piece: Piece| match piece {
        Piece::Changed(path) => FileChange { path: path.into(), change: Change::Edit(Vec::new()) },
        Piece::Removed(path) => FileChange { path: path.into(), change: Change::Delete },
        Piece::Moved(from, to) => FileChange { path: from.into(), change: Change::Rename { to: to.into() } },
    };
    read(text, None).into_iter().map(change).collect()
}

/// Reports what `git apply` and `git am` change; returns true if they change anything.
pub(crate) fn git(walk: &mut Walk<'_>, argv: &[String], call: &Call<'_>, shown: &str) -> bool {
    let looks =
        ["--check", "--stat", "--numstat", "--summary", "--cached", "--abort", "--continue", "--skip", "--quit"];
    if argv.iter().any(|word| looks.contains(&word.as_str())) {
        return false;
    }
    let strip = option_values(argv, 'p', "--strip").last().and_then(|number| number.parse().ok()).or(Some(1));
    let folder = option_values(argv, '\0', "--directory").last().map(|&folder| folder.to_owned());
    let files: Vec<String> = operands(argv).iter().map(|&file| file.to_owned()).filter(|file| file != "-").collect();
    if files.is_empty() {
        let text = walk.fed(call);
        apply(walk, text.as_deref(), strip, folder.as_deref(), shown);
    }
    for file in files {
        let text = walk.file_text(&file);
        apply(walk, text.as_deref(), strip, folder.as_deref(), shown);
    }
    true
}

/// What a diff or an archive of git is about, as the headers of a diff: the paths that the call names, as patterns.
/// What stands below the headers is unknown.
pub(crate) fn printed(walk: &Walk<'_>, argv: &[String]) -> Option<String> {
    let (sub, folder) = git::split(argv);
    let verb = argv.get(sub).filter(|_| folder.is_none())?;
    let words = operands_after(&argv[sub..], "oSGUO");
    let named: Vec<&str> = match (verb.as_str(), argv.iter().position(|word| word == "--")) {
        ("diff" | "show" | "format-patch" | "archive", Some(at)) => argv[at + 1..].iter().map(String::as_str).collect(),
        ("archive", None) => words.into_iter().skip(1).collect(),
        ("diff", None) => words.into_iter().filter(|word| walk.is_folder(word).is_some()).collect(),
        _ => return None,
    };
    let meant = pathspec::read(walk, &named);
    if meant.all || meant.paths.is_empty() {
        return None;
    }
    let headers = meant.paths.iter().map(|(path, tree)| {
        let below = if *tree && !path.contains(mark::MANY) { format!("/{0}{0}", mark::MANY) } else { String::new() };
        format!("--- a/{path}{below}\n+++ b/{path}{below}\n")
    });
    Some(headers.chain([mark::UNKNOWN.to_string()]).collect())
}

/// The paths of an archive that git prints.
pub(crate) fn members(text: &str) -> Vec<String> {
    let paths = read(text, Some(1)).into_iter();
    paths.filter_map(|piece| if let Piece::Changed(path) = piece { Some(path) } else { None }).collect()
}

fn apply(walk: &mut Walk<'_>, text: Option<&str>, strip: Option<usize>, folder: Option<&str>, shown: &str) {
    let pieces = text.map(|text| read(text, strip)).unwrap_or_default();
    if pieces.is_empty() {
        walk.gap(shown, "the patch is not known");
        return;
    }
    let place = |path: &str| folder.map_or(path.to_owned(), |folder| format!("{folder}/{path}"));
    for piece in pieces {
        match piece {
            Piece::Changed(path) => walk.note_write(&place(&path), How::Edit, false, Content::Unknown, shown),
            Piece::Removed(path) => walk.removes(&place(&path), Reach::Flat, shown),
            Piece::Moved(from, to) => walk.note_move(&place(&from), &place(&to), shown),
        }
    }
}

/// Reads the file headers of a diff.
fn read(text: &str, strip: Option<usize>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut old, mut from) = (None, None);
    for line in text.lines() {
        if pieces.len() >= MOST {
            break;
        }
        if let Some(path) = line.strip_prefix("--- ") {
            old = Some(name(path, strip));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let new = name(path, strip);
            let piece = match (old.take(), new.as_str()) {
                (Some(old), "/dev/null") => Piece::Removed(old),
                _ => Piece::Changed(new),
            };
            if !pieces.contains(&piece) {
                pieces.push(piece);
            }
        } else if let Some(path) = line.strip_prefix("rename from ") {
            from = Some(path.to_owned());
        } else if let (Some(path), Some(from)) = (line.strip_prefix("rename to "), from.take()) {
            pieces.push(Piece::Moved(from, path.to_owned()));
        } else if let Some(paths) = line.strip_prefix("diff --git ") {
            from = None;
            old = None;
            // A change without text, such as of the mode, has no other header.
            if let Some((_, path)) = paths.rsplit_once(" b/") {
                pieces.push(Piece::Changed(path.to_owned()));
            }
        } else if line.starts_with("deleted file mode")
            && let Some(Piece::Changed(path)) = pieces.last().cloned()
        {
            pieces.pop();
            pieces.push(Piece::Removed(path));
        }
    }
    // What is taken away is not changed before.
    let gone: Vec<String> = pieces
        .iter()
        .filter_map(|piece| if let Piece::Removed(path) = piece { Some(path.clone()) } else { None })
        .collect();
    let moved: Vec<String> = pieces.iter().filter_map(Piece::goal).map(str::to_owned).collect();
    let told = |path: &String| gone.contains(path) || moved.contains(path) || path == "/dev/null";
    pieces.retain(|piece| !matches!(piece, Piece::Changed(path) if told(path)));
    pieces.dedup();
    pieces
}

/// The path of a header line, without the parts that are stripped.
fn name(line: &str, strip: Option<usize>) -> String {
    let path = line.split('\t').next().unwrap_or_default().trim();
    if path == "/dev/null" {
        return path.to_owned();
    }
    match strip {
        Some(parts) => path.splitn(parts + 1, '/').last().unwrap_or_default().to_owned(),
        None => path.strip_prefix("a/").or(path.strip_prefix("b/")).unwrap_or(path).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_names_its_files() {
        let text = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n\
            diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n\
            diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n--- /dev/null\n+++ b/new.rs\n";
        let changed = |path: &str| Piece::Changed(path.to_owned());
        let expected = [
            changed("x.rs"),
            Piece::Removed("gone".to_owned()),
            Piece::Moved("o".to_owned(), "n".to_owned()),
            changed("new.rs"),
        ];
        assert_eq!(read(text, Some(1)), expected);
        assert_eq!(read("--- x.orig\n+++ x\t2024-01-01\n", Some(0)), [changed("x")]);
        assert_eq!(read("--- a/d/x\n+++ b/d/x\n", Some(2)), [changed("x")]);
        assert_eq!(read("no diff at all", None), []);
    }
}
