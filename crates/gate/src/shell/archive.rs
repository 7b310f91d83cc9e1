//! Archives: what goes in, and where it comes out.

use stead_model::{Content, How};

use crate::shield::Standing;

use super::program::{Reach, holder, operands, own};
use super::walk::{Call, Stop, Walk};
use super::writer::{has_flag, option_values};
use super::{omission, patch};

/// The mode letter of a `tar` call.
pub(super) fn tar_mode(argv: &[String]) -> Option<char> {
    let long = argv.iter().find_map(|word| match word.as_str() {
        "--extract" | "--get" => Some('x'),
        "--create" => Some('c'),
        "--list" => Some('t'),
        "--append" | "--update" => Some('r'),
        _ => None,
    });
    let short = argv.iter().enumerate().skip(1).filter(|(at, word)| match word.strip_prefix('-') {
        Some(flags) => !flags.starts_with('-'),
        None => *at == 1,
    });
    long.or_else(|| short.flat_map(|(_, word)| word.chars()).find(|c| "xctru".contains(*c)))
}

/// Judges `tar`; says whether all is known about it.
pub(super) fn tar(walk: &mut Walk<'_>, call: &Call<'_>, shown: &str) -> Result<bool, Stop> {
    let argv = call.argv;
    let runs = option_values(argv, '\0', "--to-command")
        .into_iter()
        .chain(option_values(argv, '\0', "--use-compress-program"))
        .chain(argv.iter().filter_map(|word| word.strip_prefix("--checkpoint-action=exec=")));
    for text in runs.collect::<Vec<_>>() {
        walk.text(text)?;
    }
    match tar_mode(argv) {
        Some('c' | 'r' | 'u') => {
            let bundle = argv.get(1).is_some_and(|word| word.contains('f'));
            let mut files = option_values(argv, 'f', "--file");
            files.extend(argv.get(2).filter(|_| bundle).map(String::as_str));
            for file in &files {
                walk.writes(file, How::Replace, Content::Unknown, shown)?;
            }
            let takes = argv.iter().any(|word| word == "--remove-files");
            let left_out = option_values(argv, '\0', "--exclude");
            let except: Vec<String> = left_out
                .iter()
                .filter_map(|pattern| walk.left_out(&omission::ignored(pattern.trim_start_matches("./"), ".")))
                .collect();
            for word in operands(argv).into_iter().filter(|word| !left_out.contains(word)) {
                let bundled = argv.get(1).is_some_and(|first| first == word);
                if takes && !bundled && !files.contains(&word) {
                    walk.removes(word, Reach::Deep, shown)?;
                }
                if !bundled && !files.contains(&word) {
                    walk.leaving_out(except.clone(), |walk| walk.reads(word, true, shown));
                }
            }
            Ok(true)
        }
        Some('x') => {
            let folders = option_values(argv, 'C', "--directory");
            let prints = has_flag(argv, "O", &["--to-stdout"]);
            let mut archives = option_values(argv, 'f', "--file");
            archives.extend(argv.get(2).filter(|_| argv[1].contains('f')).map(String::as_str));
            for file in &archives {
                walk.reads(file, false, shown);
            }
            let first = argv.get(1).map(String::as_str).filter(|word| !word.starts_with('-'));
            let members: Vec<&str> = operands(argv)
                .into_iter()
                .filter(|word| Some(*word) != first && !archives.contains(word) && !folders.contains(word))
                .collect();
            let piped = if archives.iter().all(|file| *file == "-") { walk.fed(call) } else { None };
            let printed = piped.map(|text| patch::members(&text)).unwrap_or_default();
            let members = if members.is_empty() { printed.iter().map(String::as_str).collect() } else { members };
            if !prints {
                unpack(walk, folders.last().copied().unwrap_or("."), &members, shown);
            }
            extract(walk, folders, shown)?;
            Ok(false)
        }
        _ => Ok(true),
    }
}

/// The words of a `zip` call: the archive and what goes in, and what is left out. Behind `-x` every word is left out, up
/// to the next flag.
pub(super) fn zip_words(argv: &[String]) -> (Vec<&str>, Vec<&str>) {
    let (mut taken, mut left_out, mut leaves) = (Vec::new(), Vec::new(), false);
    for word in argv.iter().skip(1) {
        match word.as_str() {
            "@" => leaves = false,
            "-x" | "--exclude" => leaves = true,
            flag if flag.starts_with("--exclude=") => left_out.push(&flag["--exclude=".len()..]),
            flag if flag.starts_with("-x") && !flag.starts_with("--") => {
                left_out.push(&flag[2..]);
                leaves = true;
            }
            flag if flag.starts_with('-') && flag != "-" => leaves = false,
            word if leaves => left_out.push(word),
            word => taken.push(word),
        }
    }
    (taken, left_out)
}

/// What `zip` reads. Its `*` crosses folders; who leaves out a name means it wherever it is.
pub(super) fn zip(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    let (taken, left_out) = zip_words(argv);
    let pattern = |word: &str| {
        let path = word.trim_end_matches("/*").trim_end_matches('/');
        match path.strip_prefix("*/") {
            Some(rest) => format!("**/{rest}"),
            None if !word.contains('/') => format!("**/{path}"),
            None => path.to_owned(),
        }
    };
    let except: Vec<String> = left_out.iter().filter_map(|word| walk.left_out(&pattern(word))).collect();
    let deep = has_flag(argv, "r", &["--recurse-paths"]);
    for word in taken.into_iter().skip(1) {
        walk.leaving_out(except.clone(), |walk| walk.reads(word, deep, shown));
    }
}

/// Judges `unzip`.
pub(super) fn unzip(walk: &mut Walk<'_>, argv: &[String], shown: &str) -> Result<(), Stop> {
    let folders = option_values(argv, 'd', "--directory");
    if !has_flag(argv, "lptvzZ", &[]) {
        let words = operands(argv);
        let members: Vec<&str> = words.iter().skip(1).copied().filter(|word| !folders.contains(word)).collect();
        unpack(walk, folders.last().copied().unwrap_or("."), &members, shown);
    }
    extract(walk, folders, shown)
}

/// Tells what is unpacked: the members that are named, else something into the folder.
pub(super) fn unpack(walk: &mut Walk<'_>, folder: &str, members: &[&str], shown: &str) {
    if members.is_empty() {
        walk.writes_into(folder, shown);
        return;
    }
    for member in members {
        let word =
            if folder == "." { (*member).to_owned() } else { format!("{}/{member}", folder.trim_end_matches('/')) };
        let tree = walk.is_folder(&word).unwrap_or(!member.contains('.'));
        walk.note_write(&word, How::Into, tree, Content::Unknown, shown);
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
