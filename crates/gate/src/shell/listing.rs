//! Programs that print names of files: the patterns that cover whatever they will print.

use super::find::Search;
use super::program::operands;
use super::syntax::mark;
use super::writer::{has_flag, operands_after, option_values};

/// Says whether the program prints file names.
pub(super) fn lists(name: &str, argv: &[String]) -> bool {
    match name {
        "find" | "gfind" | "fd" | "fdfind" | "ls" => true,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" => has_flag(argv, "lL", &["--files-with-matches", "--files"]),
        "git" => argv.iter().any(|word| {
            matches!(word.as_str(), "ls-files" | "--name-only" | "ls-tree") || word == "-l" && argv[1] == "grep"
        }),
        _ => false,
    }
}

/// Gives one pattern per line.
pub(super) fn of(name: &str, argv: &[String]) -> Option<String> {
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
            [] => vec![any],
            words => words.iter().flat_map(|word| [below(word), word.replace('*', &any)]).collect(),
        },
        "git" => vec![any],
        _ => match words.get(1..).unwrap_or_default() {
            [] => vec![any],
            files if has_flag(argv, "rR", &["--recursive"]) || matches!(name, "rg" | "ag") => {
                let globs =
                    option_values(argv, 'g', "--glob").into_iter().chain(option_values(argv, '\0', "--include"));
                let ends: Vec<String> = globs.map(|glob| format!("/{}", glob.replace('*', &one))).collect();
                let ends = if ends.is_empty() { vec![String::new()] } else { ends };
                let below = files.iter().flat_map(|file| ends.iter().map(|end| format!("{}{end}", below(file))));
                let named =
                    files.iter().filter(|file| file.contains('.') && **file != ".").map(|file| (*file).to_owned());
                below.chain(named).collect()
            }
            files => files.iter().map(|word| (*word).to_owned()).collect(),
        },
    };
    names.iter_mut().for_each(|name| name.push('\n'));
    Some(names.concat())
}
