//! Programs that are known to write or take away: which of their words they change.

use crate::mention;
use crate::shield::{Entry, Standing, Width};

use super::program::{Reach, holder, operands, own, refuse_removal};
use super::table;
use super::walk::{Call, Stop, Walk};

/// Judges a program that changes files; says whether it is one.
pub(super) fn judge(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<bool, Stop> {
    let argv = call.argv;
    let shown = argv.join(" ");
    let words = operands(argv);
    if table::is_remover(name) {
        let deep = !matches!(name, "rm" | "unlink" | "shred") || has_flag(argv, "rR", &["--recursive"]);
        let reach = if deep { Reach::Deep } else { Reach::Flat };
        for word in words {
            refuse_removal(walk, word, reach, &shown)?;
        }
    } else if table::is_placer(name) {
        place(walk, name, argv, &shown)?;
    } else if table::is_writer(name) {
        let deep = has_flag(argv, "R", &["--recursive"]);
        for word in words {
            walk.refuse_write(word, &shown)?;
            if let (true, Some(Standing::Above(entry, Width::Narrow))) = (deep, walk.standing(word)) {
                return Err(holder(entry, &shown).into());
            }
        }
    } else {
        match name {
            "rmdir" => {
                for word in words {
                    refuse_removal(walk, word, Reach::Flat, &shown)?;
                }
            }
            "dd" => {
                for target in argv.iter().filter_map(|word| word.strip_prefix("of=")) {
                    walk.refuse_write(target, &shown)?;
                }
            }
            "sed" | "gsed" => sed(walk, argv, &shown)?,
            "sort" => {
                for target in option_values(argv, 'o', "--output") {
                    walk.refuse_write(target, &shown)?;
                }
                return Ok(false);
            }
            "uniq" => {
                if let Some(target) = words.get(1) {
                    walk.refuse_write(target, &shown)?;
                }
                return Ok(false);
            }
            "tree" | "xmllint" | "yes" => {
                for target in option_values(argv, 'o', "--output") {
                    walk.refuse_write(target, &shown)?;
                }
                return Ok(false);
            }
            "tar" | "bsdtar" | "gtar" => return tar(walk, argv, &shown),
            "unzip" => extract(walk, option_values(argv, 'd', "--directory"), &shown)?,
            _ => return Ok(false),
        }
    }
    Ok(true)
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

/// Copies, moves and links: the destination is written, what is moved goes away.
fn place(walk: &mut Walk<'_>, name: &str, argv: &[String], shown: &str) -> Result<(), Stop> {
    let mut sources = operands(argv);
    let mut targets = option_values(argv, 't', "--target-directory");
    if name == "rsync" || targets.is_empty() {
        targets = sources.pop().into_iter().collect();
    }
    let moves = matches!(name, "mv" | "gmv") || argv.iter().any(|word| word == "--remove-source-files");
    let wipes = argv.iter().any(|word| word.starts_with("--delete"));
    // `ln x` alone links into the current folder.
    if sources.is_empty() {
        sources = std::mem::take(&mut targets);
        targets = vec!["."];
    }
    for source in &sources {
        if moves {
            refuse_removal(walk, source, Reach::Deep, shown)?;
        }
        // A second name for a protected thing would hide what is done to it later.
        if name == "ln"
            && let Some(standing) = walk.grave(source)
        {
            return Err(match standing {
                Standing::In(entry) => own(entry, shown),
                Standing::Above(entry, _) => holder(entry, shown),
            }
            .into());
        }
    }
    for target in targets {
        let target = target.rsplit_once(':').map_or(target, |(_, path)| path);
        walk.refuse_write(target, shown)?;
        if wipes {
            refuse_removal(walk, target, Reach::Deep, shown)?;
        }
        for source in &sources {
            let contents = source.ends_with(['/', super::syntax::mark::MANY]) || source.ends_with("/.");
            if contents && let Some(entry) = narrow(walk, target) {
                return Err(holder(entry, shown).into());
            }
            let last = source.trim_end_matches(['/', '.']).rsplit('/').next().unwrap_or_default();
            if last.is_empty() {
                continue;
            }
            let inside = format!("{}/{last}", target.trim_end_matches('/'));
            walk.refuse_write(&inside, shown)?;
            if !crate::glob::is_open(last)
                && let Some(entry) = narrow(walk, &inside)
            {
                return Err(holder(entry, shown).into());
            }
        }
    }
    Ok(())
}

/// Finds what lies below a folder made for protected things.
fn narrow<'w>(walk: &mut Walk<'w>, word: &str) -> Option<&'w Entry<'w>> {
    match walk.standing(word) {
        Some(Standing::Above(entry, Width::Narrow)) => Some(entry),
        _ => None,
    }
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
    if edits_in_place(argv) {
        for word in operands(argv) {
            walk.refuse_write(word, shown)?;
        }
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

/// The mode letter of a `tar` call.
pub(super) fn tar_mode(argv: &[String]) -> Option<char> {
    let long = argv.iter().find_map(|word| match word.as_str() {
        "--extract" | "--get" => Some('x'),
        "--create" => Some('c'),
        "--list" => Some('t'),
        "--append" | "--update" => Some('r'),
        _ => None,
    });
    let first = argv.get(1)?.trim_start_matches('-');
    long.or_else(|| first.chars().find(|c| "xctru".contains(*c)))
}

fn tar(walk: &mut Walk<'_>, argv: &[String], shown: &str) -> Result<bool, Stop> {
    match tar_mode(argv) {
        Some('c' | 'r' | 'u') => {
            let bundle = argv.get(1).is_some_and(|word| word.contains('f'));
            let mut files = option_values(argv, 'f', "--file");
            files.extend(argv.get(2).filter(|_| bundle).map(String::as_str));
            for file in files {
                walk.refuse_write(file, shown)?;
            }
            if argv.iter().any(|word| word == "--remove-files") {
                for word in operands(argv) {
                    refuse_removal(walk, word, Reach::Deep, shown)?;
                }
            }
            Ok(true)
        }
        Some('x') => {
            extract(walk, option_values(argv, 'C', "--directory"), shown)?;
            Ok(false)
        }
        _ => Ok(true),
    }
}

/// Unpacking into a folder made for protected things may overwrite them.
fn extract(walk: &mut Walk<'_>, folders: Vec<&str>, shown: &str) -> Result<(), Stop> {
    for folder in folders {
        match walk.grave(folder) {
            Some(Standing::In(entry)) => return Err(own(entry, shown).into()),
            Some(Standing::Above(entry, _)) => return Err(holder(entry, shown).into()),
            None => {}
        }
    }
    Ok(())
}
