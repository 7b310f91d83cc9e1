//! Programs that search and replace in files, each with flags of its own for doing so.

use stead_model::{Content, How};

use super::walk::Walk;
use super::writer::{has_flag, operands_without, option_values};

/// Tells which files a search and replacement changes.
pub(super) fn note(walk: &mut Walk<'_>, name: &str, argv: &[String], shown: &str) {
    match name {
        "sd" => sd(walk, argv, shown),
        "ast-grep" | "sg" => ast_grep(walk, argv, shown),
        "comby" => comby(walk, argv, shown),
        "sops" => sops(walk, argv, shown),
        _ => {}
    }
}

fn edit(walk: &mut Walk<'_>, word: &str, shown: &str) {
    let tree = walk.is_folder(word).unwrap_or(word == "." || word.ends_with('/'));
    walk.note_write(word, if tree { How::Somewhere } else { How::Edit }, tree, Content::Unknown, shown);
}

/// `sd old new files`.
fn sd(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    let words = operands_without(argv, "nf", &["--max-replacements", "--flags"]);
    let previews = has_flag(argv, "p", &["--preview"]);
    for file in words.into_iter().skip(2) {
        match previews {
            true => walk.reads(file, false, shown),
            false => edit(walk, file, shown),
        }
    }
}

/// `ast-grep run -p old -r new -U files`.
fn ast_grep(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    if !has_flag(argv, "Ui", &["--update-all", "--interactive"]) {
        return;
    }
    let long = [
        "--pattern",
        "--rewrite",
        "--lang",
        "--config",
        "--rule",
        "--globs",
        "--threads",
        "--selector",
        "--inline-rules",
    ];
    let words = operands_without(argv, "prlcj", &long);
    let files: Vec<&str> = words.into_iter().filter(|word| !matches!(*word, "run" | "scan")).collect();
    if files.is_empty() {
        edit(walk, ".", shown);
    }
    files.into_iter().for_each(|file| edit(walk, file, shown));
}

/// `comby old new files -i`; a word such as `.go` means all files that end so.
fn comby(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    if !argv.iter().any(|word| matches!(word.as_str(), "-i" | "-in-place" | "--in-place")) {
        return;
    }
    let long = ["-matcher", "-templates", "-config", "-d", "-directory", "-exclude-dir", "-rule", "-jobs", "-f"];
    let mut words = Vec::new();
    let mut all = argv.iter().skip(1);
    while let Some(word) = all.next() {
        if long.contains(&word.as_str()) {
            all.next();
        } else if !word.starts_with('-') {
            words.push(word.as_str());
        }
    }
    let folder = argv.windows(2).find(|pair| matches!(pair[0].as_str(), "-d" | "-directory"));
    let head = folder.map_or(String::new(), |pair| format!("{}/", pair[1].trim_end_matches('/')));
    let given = argv.windows(2).filter(|pair| pair[0] == "-f").flat_map(|pair| pair[1].split(','));
    let files: Vec<&str> = words.into_iter().skip(2).chain(given).collect();
    if files.is_empty() {
        edit(walk, if head.is_empty() { "." } else { &head }, shown);
    }
    for file in files {
        let pattern = match file.strip_prefix('.').filter(|rest| !rest.contains('/')) {
            Some(ending) => super::listing::open(&format!("{head}**/*.{ending}")),
            None => format!("{head}{file}"),
        };
        walk.note_write(&pattern, How::Edit, false, Content::Unknown, shown);
    }
}

/// `sops -i -e file`, `sops file`, `sops set file`; without a place to write it shows the text.
fn sops(walk: &mut Walk<'_>, argv: &[String], shown: &str) {
    let long =
        ["--kms", "--pgp", "--age", "--config", "--set", "--extract", "--output", "--input-type", "--output-type"];
    let words = operands_without(argv, "kpa", &long);
    let verbs = ["encrypt", "decrypt", "edit", "set", "unset", "rotate", "updatekeys"];
    let verb = words.first().copied().filter(|word| verbs.contains(word));
    let Some(file) = words.get(usize::from(verb.is_some())) else { return };
    let prints =
        has_flag(argv, "ed", &["--encrypt", "--decrypt"]) || matches!(verb, Some("encrypt" | "decrypt" | "rotate"));
    walk.reads(file, false, shown);
    if has_flag(argv, "ir", &["--in-place", "--rotate", "--set"]) || !prints {
        walk.note_write(file, How::Edit, false, Content::Unknown, shown);
    }
    for out in option_values(argv, '\0', "--output") {
        walk.note_write(out, How::Replace, false, Content::Unknown, shown);
    }
}
