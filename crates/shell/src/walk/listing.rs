//! Programs that print names of files: the patterns that cover whatever they will print.

use crate::parse::syntax::mark;
use crate::programs::find::Search;
use crate::programs::options::{has_flag, operands_after, option_values};
use crate::programs::table;
use crate::walk::Walk;
use crate::walk::omission::ignored;
use crate::walk::program::operands;

/// Returns true if the program prints file names.
pub(crate) fn lists(name: &str, argv: &[String]) -> bool {
    match name {
        "find" | "gfind" | "fd" | "fdfind" | "ls" => true,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" => has_flag(argv, "lL", &["--files-with-matches", "--files"]),
        "git" => argv.iter().any(|word| {
            matches!(word.as_str(), "ls-files" | "--name-only" | "ls-tree")
                || word == "grep" && has_flag(argv, "l", &["--files-with-matches", "--name-only"])
        }),
        _ => false,
    }
}

/// The names below a folder that a search is limited to; all of them if it is not.
fn named(below: &str, name: &str, argv: &[String]) -> Vec<String> {
    let globs = table::globs(name, argv);
    let names: Vec<String> =
        globs.iter().map(|glob| format!("{below}/{}", open(glob.trim_start_matches('/')))).collect();
    if names.is_empty() { vec![below.to_owned()] } else { names }
}

/// What a listing excludes, by the words of its call.
pub(crate) fn omissions(walk: &Walk<'_>, name: &str, argv: &[String]) -> Vec<String> {
    let patterns: Vec<String> = match name {
        "find" | "gfind" => Search::read(argv).left_out(),
        "fd" | "fdfind" => option_values(argv, 'E', "--exclude").iter().map(|glob| ignored(glob, ".")).collect(),
        "ls" => Vec::new(),
        "git" => {
            let words = argv.iter().filter(|word| word.starts_with(':')).map(String::as_str).collect::<Vec<_>>();
            return crate::programs::git::pathspec::read(walk, &words).except;
        }
        _ => table::omissions(name, argv),
    };
    patterns.iter().filter_map(|pattern| walk.left_out(pattern)).collect()
}

/// What a pathspec of git covers: a file, all in a folder, or every file that is called like this.
fn pathspec(word: &str) -> Vec<String> {
    let any = format!("{0}{0}", mark::MANY);
    let opened = open(word);
    if !crate::glob::is_open(&opened) {
        let below = if word == "." { any } else { format!("{}/{any}", word.trim_end_matches('/')) };
        return vec![word.to_owned(), below];
    }
    match opened.contains('/') {
        true => vec![opened],
        // In git a star crosses folders.
        false => vec![format!("{any}/{opened}")],
    }
}

fn is_exclusion(word: &str) -> bool {
    word.starts_with(":!") || word.starts_with(":^") || word.starts_with(":(exclude")
}

/// Puts marks in the place of a program's own wildcards.
pub(crate) fn open(glob: &str) -> String {
    glob.chars()
        .map(|c| match c {
            '*' => mark::MANY,
            '?' => mark::ONE,
            other => other,
        })
        .collect()
}

/// Returns one pattern per line.
pub(crate) fn of(name: &str, argv: &[String]) -> Option<String> {
    let (one, any) = (mark::MANY.to_string(), format!("{0}{0}", mark::MANY));
    let below =
        |folder: &str| if folder == "." { any.clone() } else { format!("{}/{any}", folder.trim_end_matches('/')) };
    let words = operands(argv);
    let mut names: Vec<String> = match name {
        "find" | "gfind" => Search::read(argv).patterns(),
        "fd" | "fdfind" => {
            let ending = option_values(argv, 'e', "--extension");
            let folders: Vec<&str> = operands_after(argv, "eEdtxX").into_iter().skip(1).collect();
            let folders = if folders.is_empty() { vec!["."] } else { folders };
            let last = ending.first().map_or(String::new(), |ending| format!("/{one}.{ending}"));
            folders.into_iter().map(|folder| format!("{}{last}", below(folder))).collect()
        }
        "ls" => match words.as_slice() {
            [] => vec![one],
            words if words.iter().any(|word| crate::glob::is_open(word)) || has_flag(argv, "d", &[]) => {
                words.iter().map(|word| (*word).to_owned()).collect()
            }
            _ => vec![one],
        },
        "git" if words.first() == Some(&"ls-files") => match &words[1..] {
            // Twice, it is every file; once, some of them.
            [] => vec![format!("{any}/{any}")],
            words if words.iter().all(|word| is_exclusion(word)) => vec![format!("{any}/{any}")],
            words => words.iter().filter(|word| !is_exclusion(word)).flat_map(|word| pathspec(word)).collect(),
        },
        "git" => match argv.iter().position(|word| word == "--") {
            Some(at) if !argv[at + 1..].iter().all(|word| is_exclusion(word)) => {
                argv[at + 1..].iter().filter(|word| !is_exclusion(word)).flat_map(|word| pathspec(word)).collect()
            }
            _ => vec![any],
        },
        _ => match table::places(name, argv).as_slice() {
            [] => named(&any, name, argv),
            files if has_flag(argv, "rR", &["--recursive"]) || matches!(name, "rg" | "ag") => {
                let below = files.iter().flat_map(|file| named(&below(file), name, argv));
                let files =
                    files.iter().filter(|file| file.contains('.') && **file != ".").map(|file| (*file).to_owned());
                below.chain(files).collect()
            }
            files => files.iter().map(|word| (*word).to_owned()).collect(),
        },
    };
    names.iter_mut().for_each(|name| name.push('\n'));
    Some(names.concat())
}
