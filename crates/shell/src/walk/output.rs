//! What programs print, if their words and their input determine it: enough to follow a name or a command that is
//! assembled along the way.

use std::path::Path;

use crate::decode::{self, unescape};
use crate::parse::syntax::mark;
use crate::programs::options::has_flag;
use crate::programs::{package, patch, table};
use crate::walk::program::operands;
use crate::walk::{Call, Walk};
use crate::walk::{filter, listing};

/// The maximum length of computed output.
const LONGEST: usize = 64 * 1024;

/// Returns what a program prints; `None` if that cannot be known.
pub(crate) fn of(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Option<String> {
    let argv = call.argv;
    let words = || operands(argv);
    match name {
        "echo" => Some(echo(&argv[1..])),
        "printf" => printf(&argv[1..]),
        "cat" | "bat" => cat(walk, call),
        "tac" if !operands(argv).is_empty() => cat(walk, call),
        "tee" | "sponge" => walk.fed(call),
        "pwd" => walk.cwds.first().map(|cwd| format!("{cwd}\n")),
        "git" if argv.iter().any(|word| word == "--show-toplevel") => {
            walk.root().map(|root| format!("{}\n", root.display()))
        }
        "basename" => Some(format!("{}\n", last_name(words().first()?))),
        "dirname" => {
            let word = words().first().copied()?.to_owned();
            let parent = Path::new(&word).parent().filter(|parent| *parent != Path::new(""));
            Some(format!("{}\n", parent.map_or(".".into(), Path::to_string_lossy)))
        }
        "realpath" | "readlink" if name == "realpath" || has_flag(argv, "fem", &[]) => {
            let word = words().first().copied()?.to_owned();
            Some(format!("{}\n", walk.paths(&word).into_iter().next()??.display()))
        }
        "which" => Some(located(walk, &argv[1..])),
        "type" if has_flag(argv, "pP", &[]) => Some(located(walk, &argv[1..])),
        "mktemp" => mktemp(walk, argv),
        "seq" => seq(&words()),
        "base64" | "gbase64" if has_flag(argv, "dD", &["--decode"]) => decode::base64(&input(walk, call)?),
        "openssl" if argv.iter().any(|word| word.contains("base64")) && has_flag(argv, "d", &[]) => {
            decode::base64(&walk.fed(call)?)
        }
        "base32" if has_flag(argv, "dD", &["--decode"]) => decode::base32(&input(walk, call)?),
        "xxd" if has_flag(argv, "r", &["-revert"]) => decode::hex(&input(walk, call)?),
        "rev" => Some(input(walk, call)?.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect()),
        "tr" => decode::translate(argv.get(1)?, argv.get(2)?, &walk.fed(call)?),
        _ if listing::lists(name, argv) => {
            let except = listing::omissions(walk, name, argv);
            listing::of(name, argv).map(|lines| walk.carry(lines, except))
        }
        "grep" | "egrep" | "fgrep" | "sort" | "head" | "tail" | "uniq" | "tac" | "shuf" => {
            let lines = filter::of(name, argv, &walk.fed(call)?)?;
            let source = call.feed.map_or("", |feed| feed.text.trim_start());
            let dotted = source.starts_with("find .") && !source.contains("printf");
            let except = filter::left_out(name, argv, dotted);
            let except: Vec<String> = except.iter().filter_map(|pattern| walk.left_out(pattern)).collect();
            Some(walk.carry_more(lines, &except))
        }
        "git" => patch::printed(walk, argv),
        _ if is_silent(name) => Some(String::new()),
        _ => None,
    }
}

/// The input: from a named file, else from the pipe.
fn input(walk: &mut Walk<'_>, call: &Call<'_>) -> Option<String> {
    match operands(call.argv).first().copied().filter(|word| *word != "-") {
        Some(word) => {
            let word = word.to_owned();
            walk.file_text(&word)
        }
        None => walk.fed(call),
    }
}

fn cat(walk: &mut Walk<'_>, call: &Call<'_>) -> Option<String> {
    let words = operands(call.argv);
    if words.is_empty() {
        return walk.fed(call);
    }
    if !walk.heard {
        return None;
    }
    let mut all = String::new();
    for word in words {
        let text = if word == "-" { walk.fed(call) } else { walk.file_text(word) };
        all.push_str(&text?);
    }
    Some(all)
}

fn echo(words: &[String]) -> String {
    let flags = words.iter().take_while(|word| matches!(word.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en")).count();
    let (flags, words) = words.split_at(flags);
    let text = words.join(" ");
    let text = if flags.iter().any(|flag| flag.contains('e')) { unescape(&text) } else { text };
    if flags.iter().any(|flag| flag.contains('n')) { text } else { text + "\n" }
}

/// Fills the format as often as there are words for it.
pub(crate) fn printf(words: &[String]) -> Option<String> {
    let words = match words.split_first() {
        Some((first, rest)) if first == "--" => rest,
        Some((first, _)) if first == "-v" => return Some(String::new()),
        _ => words,
    };
    let (format, words) = words.split_first()?;
    let mut words = words.iter();
    let mut all = String::new();
    loop {
        let before = words.len();
        fill(&unescape(format), &mut words, &mut all)?;
        if all.len() > LONGEST {
            return None;
        }
        if words.len() == 0 || words.len() == before {
            return Some(all);
        }
    }
}

fn fill(format: &str, words: &mut std::slice::Iter<'_, String>, all: &mut String) -> Option<()> {
    let mut signs = format.chars();
    while let Some(c) = signs.next() {
        if c != '%' {
            all.push(c);
            continue;
        }
        let mut kind = signs.next()?;
        let plain = !"-0123456789. ".contains(kind);
        while "-0123456789. ".contains(kind) {
            kind = signs.next()?;
        }
        match kind {
            '%' => all.push('%'),
            's' | 'd' | 'i' | 'u' if plain => all.push_str(words.next().map_or("", String::as_str)),
            'b' if plain => all.push_str(&unescape(words.next().map_or("", String::as_str))),
            'c' => all.extend(words.next().and_then(|word| word.chars().next())),
            'q' => all.push_str(words.next().map_or("", String::as_str)),
            _ => {
                words.next();
                all.push(mark::UNKNOWN);
            }
        }
    }
    Some(())
}

/// Where programs are: in which folder is unknown, but it makes no difference. Only `stead` is protected.
pub(crate) fn located(walk: &Walk<'_>, words: &[String]) -> String {
    let place = |name: &String| match name.as_str() {
        "stead" => package::installed(walk),
        path if path.contains('/') => path.to_owned(),
        name => format!("/usr/bin/{name}"),
    };
    words.iter().filter(|word| !word.starts_with('-')).map(|name| place(name) + "\n").collect()
}

fn last_name(word: &str) -> &str {
    word.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// A new name in the temporary folder.
fn mktemp(walk: &Walk<'_>, argv: &[String]) -> Option<String> {
    let template = operands(argv).first().map(|word| word.replace("XXXXXX", "abcdef"));
    match template {
        Some(template) if !has_flag(argv, "tp", &["--tmpdir"]) => Some(format!("{template}\n")),
        _ => {
            let folder =
                (walk.place.env)("TMPDIR").map_or("/tmp".into(), |folder| folder.to_string_lossy().into_owned());
            Some(format!("{}/tmp.abcdefghij\n", folder.trim_end_matches('/')))
        }
    }
}

fn seq(words: &[&str]) -> Option<String> {
    let numbers: Vec<i64> = words.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let (from, to) = match numbers.as_slice() {
        [to] => (1, *to),
        [from, to] => (*from, *to),
        _ => return None,
    };
    let few = to.checked_sub(from).is_some_and(|steps| steps < 100);
    few.then(|| (from..=to).map(|number| format!("{number}\n")).collect())
}

/// Programs that print nothing on success.
fn is_silent(name: &str) -> bool {
    table::is_remover(name) || table::is_placer(name) || SILENT.contains(&name)
}

const SILENT: &[&str] = &[
    ":", "[", "[[", "cd", "chmod", "chown", "exit", "export", "false", "kill", "let", "local", "mkdir", "popd",
    "pushd", "read", "readonly", "return", "rmdir", "set", "shift", "sleep", "test", "touch", "trap", "true",
    "truncate", "umask", "unset", "wait",
];
