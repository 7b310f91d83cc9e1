//! Programs that are known to write or take away: which of their words they change.

use stead_model::{Content, How};

use crate::mention;
use crate::shield::{Standing, Width};

use super::program::{Reach, brief, holder, operands, refuse_removal};
use super::walk::{Call, Stop, Walk};
use super::{archive, envelope, maker, place, sed, table};

/// Judges a program that changes files; says whether it is one.
pub(super) fn judge(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<bool, Stop> {
    let argv = call.argv;
    let shown = brief(argv);
    let words = operands(argv);
    if table::is_remover(name) {
        remove(walk, name, argv, &shown)?;
    } else if table::is_placer(name) {
        place::judge(walk, name, argv, &shown)?;
    } else if table::is_writer(name) {
        let deep = has_flag(argv, "R", &["--recursive"]);
        for word in &words {
            walk.refuse_write(word, &shown)?;
            if let (true, Some(Standing::Above(entry, Width::Narrow))) = (deep, walk.standing(word)) {
                return Err(holder(entry, &shown).into());
            }
        }
        note_written(walk, name, call, &shown);
    } else {
        match name {
            "rmdir" => {
                for word in words {
                    walk.removes(word, Reach::Flat, &shown)?;
                }
            }
            "dd" => {
                for source in argv.iter().filter_map(|word| word.strip_prefix("if=")) {
                    walk.reads(source, false, &shown);
                }
                for target in argv.iter().filter_map(|word| word.strip_prefix("of=")) {
                    let content = walk.fed(call).map_or(Content::Unknown, Content::Text);
                    walk.writes(target, How::Replace, content, &shown)?;
                }
            }
            "sed" | "gsed" => sed(walk, argv, &shown)?,
            "sort" | "tree" | "xmllint" | "yes" => {
                for target in option_values(argv, 'o', "--output") {
                    walk.writes(target, How::Replace, Content::Unknown, &shown)?;
                }
                return Ok(false);
            }
            "uniq" => {
                if let Some(target) = words.get(1) {
                    walk.writes(target, How::Replace, Content::Unknown, &shown)?;
                }
                return Ok(false);
            }
            "tar" | "bsdtar" | "gtar" => return archive::tar(walk, call, &shown),
            "unzip" => archive::unzip(walk, argv, &shown)?,
            "zip" => {
                archive::zip(walk, argv, &shown);
                // What it packs it only reads, unless it is told to move it.
                for (at, word) in archive::zip_words(argv).0.iter().enumerate() {
                    if at == 0 {
                        walk.refuse_write(word, &shown)?;
                    } else if has_flag(argv, "m", &["--move"]) {
                        walk.removes(word, Reach::Deep, &shown)?;
                    }
                }
                maker::note(walk, name, call, &shown);
            }
            "apply_patch" | "applypatch" => envelope::judge(walk, call)?,
            _ => {
                maker::note(walk, name, call, &shown);
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn remove(walk: &mut Walk<'_>, name: &str, argv: &[String], shown: &str) -> Result<(), Stop> {
    let deep = !matches!(name, "rm" | "unlink" | "shred") || has_flag(argv, "rR", &["--recursive"]);
    let reach = if deep { Reach::Deep } else { Reach::Flat };
    // What `shred` overwrites is there afterwards unless it is told otherwise.
    let stays = name == "shred" && !has_flag(argv, "u", &["--remove"]);
    for word in operands(argv) {
        refuse_removal(walk, word, reach, shown)?;
        if stays {
            walk.note_write(word, How::Replace, false, Content::Unknown, shown);
        } else {
            walk.note_removal(word, reach, shown);
        }
    }
    Ok(())
}

/// Tells what a program that writes all its files does to them.
fn note_written(walk: &mut Walk<'_>, name: &str, call: &Call<'_>, shown: &str) {
    let argv = call.argv;
    let tree = has_flag(argv, "R", &["--recursive"]);
    let fed = walk.fed(call).map_or(Content::Unknown, Content::Text);
    let (how, content, skip) = match name {
        "tee" if has_flag(argv, "a", &["--append"]) => (How::Append, fed, 0),
        "tee" | "sponge" | "vipe" => (How::Replace, fed, 0),
        // It makes the file, or leaves its text.
        "touch" => (How::Append, Content::Text(String::new()), 0),
        "truncate" if argv.iter().any(|word| matches!(word.as_str(), "-s0" | "--size=0" | "0")) => {
            (How::Replace, Content::Text(String::new()), 0)
        }
        "truncate" | "fallocate" | "mkfifo" | "mknod" => (How::Replace, Content::Unknown, 0),
        "setfacl" | "xattr" => (How::Attributes, Content::Unknown, 0),
        _ if argv.iter().any(|word| word.starts_with("--reference")) => (How::Attributes, Content::Unknown, 0),
        _ => (How::Attributes, Content::Unknown, 1),
    };
    let valued = match name {
        "truncate" => "sr",
        "touch" => "drt",
        "mkfifo" | "mknod" | "setfacl" => "mx",
        _ => "",
    };
    for word in operands_after(argv, valued).into_iter().skip(skip) {
        walk.note_write(word, how, tree, content.clone(), shown);
    }
}

/// Gives the words that are neither flags nor the values of the short flags named.
pub(super) fn operands_after<'a>(argv: &'a [String], valued: &str) -> Vec<&'a str> {
    operands_without(argv, valued, &[])
}

/// Gives the words that are neither flags nor the values of the short and long flags named.
pub(super) fn operands_without<'a>(argv: &'a [String], valued: &str, long: &[&str]) -> Vec<&'a str> {
    let (mut words, mut at, mut flags) = (Vec::new(), 1, true);
    while let Some(word) = argv.get(at) {
        at += 1;
        match word.strip_prefix('-').filter(|_| flags && word != "-") {
            Some("-") => flags = false,
            Some(flag) if flag.starts_with('-') => at += usize::from(long.contains(&word.as_str())),
            Some(flag) => at += usize::from(flag.chars().count() == 1 && valued.contains(flag)),
            None => words.push(word.as_str()),
        }
    }
    words
}

/// Says whether a short flag (alone or in a bundle) or a long one is there.
pub(super) fn has_flag(argv: &[String], short: &str, long: &[&str]) -> bool {
    argv.iter().skip(1).take_while(|word| *word != "--").any(|word| match word.strip_prefix("--") {
        Some(_) => long.iter().any(|flag| word == flag || word.starts_with(&format!("{flag}="))),
        None => word.strip_prefix('-').is_some_and(|flags| flags.contains(|c| short.contains(c))),
    })
}

/// Gives the values of an option: `-o x`, `-ox`, `--output x`, `--output=x`.
pub(super) fn option_values<'a>(argv: &'a [String], short: char, long: &str) -> Vec<&'a str> {
    let mut values = Vec::new();
    for (at, word) in argv.iter().enumerate().skip(1) {
        let next = argv.get(at + 1).map(String::as_str);
        if let Some(rest) = word.strip_prefix(long) {
            values.extend(rest.strip_prefix('=').or(next.filter(|_| rest.is_empty())));
        } else if let Some(flags) = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'))
            && let Some((_, rest)) = flags.split_once(short)
        {
            values.extend(if rest.is_empty() { next } else { Some(rest) });
        }
    }
    values
}

/// Says whether `sed` rewrites its files.
pub(super) fn edits_in_place(argv: &[String]) -> bool {
    argv.iter().skip(1).any(|word| {
        word.starts_with("--in-place")
            || word.strip_prefix('-').is_some_and(|flags| {
                let before: String = flags.chars().take_while(|c| !matches!(c, 'i' | 'I')).collect();
                before.len() < flags.len() && before.chars().all(|c| "nErsuz".contains(c))
            })
    })
}

fn sed(walk: &mut Walk<'_>, argv: &[String], shown: &str) -> Result<(), Stop> {
    let changes = edits_in_place(argv);
    if changes {
        for word in operands(argv) {
            walk.refuse_write(word, shown)?;
        }
    }
    if walk.report.is_some() {
        sed::note(walk, argv, changes, shown);
    }
    // The `w` command of a script writes as well.
    for script in &argv[1..] {
        let mut rest = script.as_str();
        while let Some(piece) = mention::find(walk.shield, rest) {
            let at = rest.find(piece).unwrap_or(0);
            let before = &rest[..at];
            if before.ends_with(' ') && before.trim_end().ends_with(['w', 'W']) {
                return Err(super::program::mention(argv, piece).into());
            }
            rest = &rest[at + piece.len()..];
        }
    }
    Ok(())
}
