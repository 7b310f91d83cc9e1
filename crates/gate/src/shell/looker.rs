//! Programs that read files: which of their words they show, send or take in.

use stead_model::{Content, How};

use super::program::{brief, operands};
use super::syntax::mark;
use super::walk::{Call, Walk};
use super::writer::{has_flag, operands_after, operands_without, option_values};
use super::{listing, search, table};

/// Programs that show every file they are given, with the short flags that take a value.
const SHOWING: &[(&str, &str)] = &[
    ("base32", "w"),
    ("base64", "wi"),
    ("bat", "lHr"),
    ("batcat", "lHr"),
    ("cat", ""),
    ("cmp", "in"),
    ("colordiff", ""),
    ("column", "s"),
    ("comm", ""),
    ("csvlook", ""),
    ("cut", "dfcb"),
    ("delta", ""),
    ("diff", "UCI"),
    ("expand", "t"),
    ("fmt", "w"),
    ("fold", "w"),
    ("glow", "w"),
    ("gron", ""),
    ("hd", ""),
    ("head", "nc"),
    ("hexdump", "nsC"),
    ("iconv", "ftoc"),
    ("icdiff", ""),
    ("join", "t12"),
    ("jsonlint", ""),
    ("less", ""),
    ("more", ""),
    ("most", ""),
    ("nl", "bnw"),
    ("od", "AtNjw"),
    ("paste", "d"),
    ("pr", ""),
    ("rev", ""),
    ("sort", "ktTSo"),
    ("strings", "nt"),
    ("tac", "s"),
    ("tail", "nc"),
    ("view", ""),
    ("xmllint", ""),
    ("xxd", "lsc"),
    ("zcat", ""),
    ("zless", ""),
];

/// Programs whose first word is what they look for or compute.
const SEARCHING: &[(&str, &str)] = &[
    ("ack", "ABCm"),
    ("ag", "ABCm"),
    ("awk", "Fvf"),
    ("egrep", "ABCmef"),
    ("fgrep", "ABCmef"),
    ("gawk", "Fvf"),
    ("grep", "ABCmefdD"),
    ("jq", "f"),
    ("mawk", "Fvf"),
    ("nawk", "Fvf"),
    ("rg", "ABCmegtTfjM"),
    ("yq", "f"),
    ("zgrep", "ABCmef"),
];

/// Tells what a program reads.
pub(super) fn note(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) {
    if walk.report.is_none() {
        return;
    }
    let argv = call.argv;
    let shown = brief(argv);
    let valued = |table: &[(&str, &'static str)]| table.iter().find(|(known, _)| *known == name).map(|(_, v)| *v);
    if let Some(valued) = valued(SHOWING) {
        for word in operands_after(argv, valued) {
            walk.reads(word, false, &shown);
        }
    } else if let Some(valued) = valued(SEARCHING) {
        searched(walk, name, argv, valued, &shown);
    }
    // A second word of `uniq` is where it writes.
    let first = operands_after(argv, "fsw").into_iter().take(usize::from(name == "uniq"));
    for word in first.chain(sent(name, argv)) {
        walk.reads(word, false, &shown);
    }
}

/// Tells what a module of Python shows that is called as a program.
pub(super) fn module(walk: &mut Walk<'_>, name: &str, argv: &[String]) {
    if walk.report.is_none() || !name.starts_with("python") {
        return;
    }
    let Some(at) = argv.iter().position(|word| word == "-m") else { return };
    let shown = brief(argv);
    let words = operands_without(argv.get(at + 1..).unwrap_or_default(), "", &["--indent"]);
    match argv.get(at + 1).map(String::as_str) {
        Some("json.tool") => {
            words.first().into_iter().for_each(|word| walk.reads(word, false, &shown));
            let out = words.get(1).into_iter().filter(|word| **word != "-");
            out.for_each(|word| walk.note_write(word, How::Replace, false, Content::Unknown, &shown));
        }
        Some("base64" | "gzip" | "calendar" | "tokenize" | "ast") => {
            words.iter().for_each(|word| walk.reads(word, false, &shown));
        }
        _ => {}
    }
}

/// Tells what a search goes through.
fn searched(walk: &mut Walk<'_>, name: &str, argv: &[String], valued: &str, shown: &str) {
    let greps = name.ends_with("grep") || matches!(name, "rg" | "ag" | "ack");
    let given = if greps {
        has_flag(argv, "ef", &["--regexp", "--file"]) || argv.iter().any(|word| word == "--files")
    } else {
        has_flag(argv, "f", &["--from-file", "--file"])
    };
    let deep = matches!(name, "rg" | "ag" | "ack") || greps && has_flag(argv, "rR", &["--recursive"]);
    let words = if greps { search::places(name, argv) } else { operands_after(argv, valued) };
    let given = given || greps;
    let except: Vec<String> = if deep {
        search::omissions(name, argv).iter().filter_map(|pattern| walk.left_out(pattern)).collect()
    } else {
        Vec::new()
    };
    if deep
        && let globs = search::globs(name, argv)
        && !globs.is_empty()
    {
        let folders = if words.is_empty() { vec!["."] } else { words.clone() };
        let any = mark::MANY;
        for word in folders.iter().flat_map(|folder| globs.iter().map(move |glob| (folder, glob))) {
            let (folder, glob) = (word.0.trim_end_matches('/'), listing::open(word.1.trim_start_matches('/')));
            let head = if folder == "." { String::new() } else { format!("{folder}/") };
            walk.reads(&format!("{head}{any}{any}/{glob}"), false, shown);
        }
    }
    for word in words.iter().skip(usize::from(!given)) {
        // The words after `--args` are values; an assignment of `awk` is none either.
        let value = !greps && (word.contains('=') && !word.contains('/'));
        if !value {
            walk.leaving_out(except.clone(), |walk| walk.reads(word, deep, shown));
        }
    }
}

/// Files that a program sends away, takes its settings from, or is given behind `@`.
fn sent<'a>(name: &str, argv: &'a [String]) -> Vec<&'a str> {
    let mut files = option_values(argv, '\0', "--env-file");
    match name {
        "curl" | "http" | "https" | "xh" => {
            files.extend(argv.iter().filter_map(|word| word.strip_prefix("file://")));
            files.extend(option_values(argv, 'T', "--upload-file"));
            files.extend(option_values(argv, 'K', "--config"));
            files.extend(argv.iter().skip(1).filter_map(|word| {
                let (before, file) = word.split_once('@')?;
                let is_file = before.is_empty() || before.ends_with('=') || before == "-d" || before == "-F";
                (is_file && !file.is_empty()).then(|| file.split(';').next().unwrap_or(file))
            }));
        }
        "wget" => files.extend(option_values(argv, '\0', "--post-file").into_iter().chain(option_values(
            argv,
            'i',
            "--input-file",
        ))),
        "openssl" => {
            files.extend(
                argv.windows(2).filter(|pair| pair[0] == "-in" || pair[0] == "-inkey").map(|pair| pair[1].as_str()),
            );
        }
        "ssh" | "ssh-add" => files.extend(option_values(argv, 'i', "--identity").into_iter().filter(|_| name == "ssh")),
        "gpg" | "age" | "gzip" | "bzip2" | "xz" | "zstd" | "pandoc" | "pbcopy" | "xclip" => {
            files.extend(operands(argv));
        }
        "vim" | "vi" | "nvim" | "nano" | "emacs" | "code" | "open" | "xdg-open" | "ed" | "ex" => {
            files.extend(operands(argv))
        }
        _ if table::is_shell(name) => {}
        _ => {}
    }
    files
}
