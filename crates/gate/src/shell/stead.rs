//! Calls of `stead` itself: some verbs would weaken it.

use crate::denial::{Denial, quote};

use super::program::{self, Reach, brief};
use super::syntax::mark;
use super::walk::{Call, Stop, Walk};
use super::writer::{operands_after, option_values};

/// Judges a call, tells what it reads, and goes on to what it runs.
pub(super) fn call(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let words = &call.argv[1..];
    walk.stead_calls.push(words.to_vec());
    judge(walk, call)?;
    match handed_on(words) {
        // One word is a line for the shell.
        Some([line]) => {
            let shell = ["sh".to_owned(), "-c".to_owned(), line.clone()];
            return program::judge(walk, &Call { argv: &shell, ..*call });
        }
        Some(inner) => return program::judge(walk, &Call { argv: inner, ..*call }),
        None => {}
    }
    note(walk, call.argv);
    Ok(())
}

/// Tells what a call reads, and that some calls run what others have written down.
fn note(walk: &mut Walk<'_>, argv: &[String]) {
    if walk.report.is_none() || argv.iter().any(|word| word == "--help" || word == "-h") {
        return;
    }
    let shown = brief(argv);
    let words = operands_after(argv, "C");
    match words.as_slice() {
        ["logs", files @ ..] => {
            let values = ["--grep", "--tokens"].map(|flag| option_values(argv, '\0', flag)).concat();
            let files = files.iter().filter(|file| !values.contains(file));
            files.for_each(|file| walk.reads(file, false, &shown));
        }
        ["evidence", "add", ..] => {
            let files = ["--file", "--output", "--response"].map(|flag| option_values(argv, '\0', flag)).concat();
            files.iter().for_each(|file| walk.reads(file, false, &shown));
        }
        ["run" | "verify" | "test", ..] => walk.gap(&shown, "what it runs is written down elsewhere"),
        _ => {}
    }
}

/// Judges a direct call. A word that only the shell can know may be the verb.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let words = &call.argv[1..];
    // The body of a function is judged with its words when it is called.
    let open = words.iter().any(|word| word.contains(mark::is_mark));
    match weakening(walk, words) {
        Some(_) if walk.defining && open => Ok(()),
        Some(verb) if ends_own_loops(walk, &verb, words) => Ok(()),
        Some(verb) if verb.split(' ').all(|part| words.iter().any(|word| word == part)) => Err(refuse(&verb).into()),
        Some(_) => Err(refuse_open(&brief(call.argv)).into()),
        None => Ok(()),
    }
}

/// How little is known about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Its name is not known.
    Nameless,
    /// Its path is, what lies there is not: it may be a copy.
    Stranger,
}

/// Judges the words of a program that may be `stead` under another name: refused if nobody else would have such words.
pub(super) fn judge_doubtful(walk: &mut Walk<'_>, words: &[String], doubt: Doubt) -> Result<(), Stop> {
    if walk.defining {
        return Ok(());
    }
    let Some(verb) = weakening(walk, words) else { return Ok(()) };
    let mut own = verb.split(' ');
    let first = own.next().unwrap_or_default();
    let Some(at) = words.iter().position(|word| word == first) else { return Ok(()) };
    let rest: Vec<&str> = words[at + 1..].iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let telling = match first {
        "guard" | "agent" | "loop" => true,
        "config" => rest.get(1).is_some_and(|key| key.starts_with("gate.")),
        "allow" => rest.first().is_some_and(|id| id.starts_with("v-")),
        "uninstall" => doubt == Doubt::Nameless && rest.is_empty(),
        _ => false,
    };
    let named = doubt == Doubt::Nameless && walk.names_stead;
    if (telling || named) && !ends_own_loops(walk, &verb, words) { Err(refuse(&verb).into()) } else { Ok(()) }
}

/// Says whether a command names `stead` as a word of its own.
pub(super) fn is_named(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices("stead")
        .any(|(at, name)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

/// The command that a call hands on to be run: the words behind `verify --`.
fn handed_on(words: &[String]) -> Option<&[String]> {
    let at = words.iter().position(|word| word == "--")?;
    let inner = words.get(at + 1..).filter(|inner| !inner.is_empty())?;
    words[..at].iter().any(|word| word == "verify").then_some(inner)
}

/// Says whether the call ends loops, and only such as the session itself started. A part of an id is not enough.
fn ends_own_loops(walk: &Walk<'_>, verb: &str, words: &[String]) -> bool {
    let Some(verb) = verb.strip_prefix("loop ") else { return false };
    let Some(at) = words.iter().position(|word| word == verb) else { return false };
    let mut ids = words[at + 1..].iter().filter(|word| !word.starts_with('-')).peekable();
    ids.peek().is_some() && ids.all(|id| walk.facts.started_loop(id))
}

/// The names under which package managers know Stead.
const PACKAGES: &[&str] = &["stead", "stead-cli"];

/// Judges `cargo uninstall stead-cli`, and `cargo run … -- verb` where the package at hand is Stead's.
pub(super) fn judge_cargo(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
    let operands = operands_after(argv, "p");
    let is_toolchain = |word: &&&str| word.starts_with('+');
    if let ["uninstall", names @ ..] = &operands[operands.iter().take_while(is_toolchain).count()..] {
        let packages = option_values(argv, 'p', "--package");
        if names.iter().chain(&packages).any(|name| PACKAGES.contains(name))
            && let Some(home) = walk.shield.home().map(|home| home.join(".cargo/bin/stead"))
        {
            walk.removes(&home.to_string_lossy(), Reach::Flat, &brief(argv))?;
        }
        return Ok(());
    }
    let Some(split) = argv.iter().position(|word| word == "--") else { return Ok(()) };
    if !argv[..split].iter().any(|word| word == "run" || word == "r") {
        return Ok(());
    }
    let Some(verb) = weakening(walk, &argv[split + 1..]) else { return Ok(()) };
    let named = argv[..split].iter().any(|word| word.contains("stead"));
    let manifests =
        walk.paths("Cargo.toml").into_iter().flatten().chain(walk.shield.root().map(|r| r.join("Cargo.toml")));
    let here = manifests.filter_map(|path| walk.facts.read(&path)).any(|text| text.contains("stead"));
    if named || here { Err(refuse(&verb).into()) } else { Ok(()) }
}

/// Finds the weakening verb in the words after the program. A flag's value may stand before it.
pub(super) fn weakening(walk: &Walk<'_>, words: &[String]) -> Option<String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let open = words.iter().any(|word| word.contains(mark::is_mark));
    if !open && words[..end].iter().any(|word| matches!(word.as_str(), "--help" | "-h" | "--dry-run")) {
        return None;
    }
    let mut plain: Vec<Plain<'_>> = Vec::new();
    let mut starts = vec![0];
    for (at, word) in words.iter().enumerate() {
        let value = at > 0 && matches!(words[at - 1].as_str(), "-C" | "--dir" | "--config");
        if word.starts_with('-') || value && word.contains(mark::is_mark) {
            continue;
        }
        let after_flag = at > 0 && words[at - 1].starts_with('-') && !words[at - 1].contains('=');
        plain.push(Plain { word, after_flag });
        if after_flag && starts.last() == Some(&(plain.len() - 1)) {
            starts.push(plain.len());
        }
    }
    walk.shield
        .verbs()
        .iter()
        .find(|verb| starts.iter().any(|start| plain.get(*start..).is_some_and(|rest| begins(rest, verb))))
        .map(|verb| verb.join(" "))
}

/// A word that is no flag, and whether it may be a flag's value.
struct Plain<'a> {
    word: &'a str,
    after_flag: bool,
}

impl Plain<'_> {
    /// Says whether the word is of the shell's making and may begin like this. It may also become several words.
    fn may_become(&self, wanted: &str) -> bool {
        self.word.find(mark::is_mark).is_some_and(|end| wanted.starts_with(&self.word[..end]))
    }
}

/// Says whether the words begin with the verb, or may; flag values may stand between its words.
fn begins(words: &[Plain<'_>], verb: &[String]) -> bool {
    let mut words = words.iter();
    for (at, wanted) in verb.iter().enumerate() {
        let decides =
            |plain: &&Plain<'_>| plain.word == wanted || at == 0 || !plain.after_flag || plain.may_become(wanted);
        match words.by_ref().find(decides) {
            Some(plain) if plain.word == wanted => {}
            found => return found.is_some_and(|plain| plain.may_become(wanted)),
        }
    }
    true
}

/// Refuses a verb that nobody has seen.
fn refuse_open(shown: &str) -> Denial {
    Denial::new(
        quote(&program::readable(shown)),
        "only the shell knows which verb it calls, and some would weaken Stead",
        "write the verb out, such as `stead guard list`",
    )
}

pub(super) fn refuse(verb: &str) -> Denial {
    Denial::new(
        quote(&format!("stead {verb}")),
        "it would weaken Stead, which agents may not do",
        format!("ask the person to run `stead {verb} …` in a terminal"),
    )
}
