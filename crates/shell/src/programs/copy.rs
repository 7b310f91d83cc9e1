//! Copies, moves and links.

use stead_model::{Content, How};

use crate::parse::syntax::mark;
use crate::programs::options::{has_flag, operands_after, option_values};
use crate::walk::Walk;
use crate::walk::names::Means;

/// Remembers that a file gets a second name.
fn give_name(walk: &mut Walk<'_>, name: &str, argv: &[String], source: &str, to: &str) {
    let symbolic = has_flag(argv, "s", &["--symbolic", "--symbolic-link"]);
    let means = match name {
        "mv" | "gmv" => Means::Move,
        "ln" => Means::Link,
        "cp" | "gcp" if symbolic || has_flag(argv, "l", &["--link"]) => Means::Link,
        _ => Means::Copy,
    };
    walk.name(to, source, means, symbolic && means == Means::Link && !has_flag(argv, "r", &["--relative"]));
}

/// The last name of a path.
fn last(source: &str) -> &str {
    source.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// The short flags that take a value.
fn valued(name: &str) -> &'static str {
    match name {
        "install" | "ginstall" => "mogSt",
        _ => "St",
    }
}

/// Reports what goes where.
pub(crate) fn note(walk: &mut Walk<'_>, name: &str, argv: &[String], shown: &str) {
    let mut sources = operands_after(argv, valued(name));
    let folders = option_values(argv, 't', "--target-directory");
    if matches!(name, "install" | "ginstall") && has_flag(argv, "d", &["--directory"]) {
        sources.iter().for_each(|word| walk.note_write(word, How::Into, false, Content::Unknown, shown));
        return;
    }
    let target = match folders.first() {
        Some(folder) => *folder,
        None if sources.len() < 2 => ".",
        None => sources.pop().unwrap_or("."),
    };
    let deep = has_flag(argv, "rRa", &["--recursive", "--archive"]);
    let into = !folders.is_empty() || sources.len() > 1 || target.ends_with('/') || matches!(target, "." | "..");
    let into = into || walk.is_folder(target).unwrap_or(false);
    for source in sources {
        let last = last(source);
        let inside = format!("{}/{last}", target.trim_end_matches('/'));
        let to = if into && !last.is_empty() { inside.as_str() } else { target };
        give_name(walk, name, argv, source, to);
        match name {
            "mv" | "gmv" => {
                walk.note_move(source, to, shown);
                walk.copies_tree(source, to);
            }
            "ln" => {
                walk.note_write(to, How::Link, false, Content::Unknown, shown);
                linked(walk, argv, source, false, shown);
            }
            _ => {
                let whole = source.ends_with(['/', mark::MANY]) || source.ends_with("/.");
                let text = if deep { None } else { walk.file_text(source) };
                walk.reads(source, deep, shown);
                if has_flag(argv, "l", &["--link"]) && matches!(name, "cp" | "gcp") {
                    linked(walk, argv, source, deep, shown);
                }
                if deep {
                    let to = if whole { target } else { to };
                    walk.writes_into(to, shown);
                    walk.copies_tree(source, to);
                } else {
                    walk.note_write(to, How::Replace, false, text.map_or(Content::Unknown, Content::Text), shown);
                    if walk.is_download(source) {
                        walk.saves_download(to);
                    }
                }
            }
        }
    }
}

/// A hard link gives later commands access to the file itself, so creating one counts as a write. A symbolic link is
/// resolved when it is used.
fn linked(walk: &mut Walk<'_>, argv: &[String], source: &str, tree: bool, shown: &str) {
    if has_flag(argv, "s", &["--symbolic", "--symbolic-link"]) {
        if source.contains(mark::UNKNOWN) {
            walk.gap(shown, "where the link leads is not known");
        }
    } else if !(tree && walk.is_wide(source)) {
        walk.note_write(source, How::Link, tree, Content::Unknown, shown);
    }
}
