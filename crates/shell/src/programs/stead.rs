//! Calls of `stead` itself: a separate effect, because some commands weaken it and others bind a session.

use stead_model::{Content, How, Op, SteadCall, SteadProgram, SteadWord};

use crate::parse::syntax::mark;
use crate::programs::options::{operands_after, option_values};
use crate::walk::program::{self, brief, readable};
use crate::walk::{Call, Stop, Walk};

/// First words of the commands that weaken Stead; an unknown program with one of them may be a copy.
const VERBS: &[&str] = &["agent", "allow", "config", "guard", "hook", "intent", "loop", "uninstall"];

/// The commands about intents that only a person may call.
const INTENT: &[&str] = &["add", "confirm", "reject", "reopen", "widen"];

/// Reports a call and what it reads, and goes on to what it runs.
pub(crate) fn call(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let words = &call.argv[1..];
    called(walk, call.argv);
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

/// Reports what a call reads, and that some calls run commands stored elsewhere.
fn note(walk: &mut Walk<'_>, argv: &[String]) {
    if argv.iter().any(|word| word == "--help" || word == "-h") {
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
        ["memory", "import", file, ..] => walk.reads(file, false, &shown),
        ["memory", "export", file, ..] => walk.writes(file, How::Replace, Content::Unknown, &shown),
        ["stats", ..] => {
            let pictures = option_values(argv, '\0', "--svg");
            pictures.iter().for_each(|file| walk.writes(file, How::Replace, Content::Unknown, &shown));
        }
        ["run" | "verify" | "test", ..] => walk.gap(&shown, "the commands it runs are stored elsewhere"),
        _ => {}
    }
}

/// Reports a call of Stead.
pub(crate) fn called(walk: &mut Walk<'_>, argv: &[String]) {
    tell(walk, argv, &argv[1..], SteadProgram::Named);
}

fn tell(walk: &mut Walk<'_>, argv: &[String], words: &[String], program: SteadProgram) {
    let words = words.iter().map(|word| stead_word(word)).collect();
    walk.tell(Op::Stead(SteadCall { words, program }), &brief(argv));
}

fn stead_word(word: &str) -> SteadWord {
    let certain = word.find(mark::is_mark).unwrap_or(word.len());
    match mark::literal(word) {
        Some(text) => SteadWord { text, certain, guessed: false },
        None => SteadWord { text: readable(word), certain, guessed: true },
    }
}

/// What is unknown about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// Its name is unknown.
    Nameless,
    /// Its path is known, its content is not: it may be a copy.
    Stranger,
}

/// Reports a call of a program that may be Stead under another name, if only Stead would be given such words.
pub(crate) fn doubtful(walk: &mut Walk<'_>, argv: &[String], doubt: Doubt) {
    let words = &argv[1..];
    let Some(at) = words.iter().position(|word| VERBS.contains(&word.as_str())) else { return };
    let rest: Vec<&str> = words[at + 1..].iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let telling = match words[at].as_str() {
        "guard" | "agent" | "loop" => true,
        "intent" => rest.first().is_some_and(|verb| INTENT.contains(verb)),
        "config" => rest.get(1).is_some_and(|key| key.starts_with("gate.")),
        "allow" => rest.first().is_some_and(|id| id.starts_with("v-")),
        "uninstall" => doubt == Doubt::Nameless && rest.is_empty(),
        _ => false,
    };
    let named = doubt == Doubt::Nameless && walk.names_stead;
    if telling || named {
        tell(walk, argv, words, SteadProgram::Doubtful);
    }
}

/// Returns true if a command names `stead` as a word of its own.
pub(crate) fn is_named(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices("stead")
        .any(|(at, name)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

/// The command that a call runs: the words after `verify --`.
fn handed_on(words: &[String]) -> Option<&[String]> {
    let at = words.iter().position(|word| word == "--")?;
    let inner = words.get(at + 1..).filter(|inner| !inner.is_empty())?;
    words[..at].iter().any(|word| word == "verify").then_some(inner)
}

/// Reports `cargo run … -- verb` where the package at hand is Stead's.
pub(crate) fn cargo(walk: &mut Walk<'_>, argv: &[String]) {
    let Some(split) = argv.iter().position(|word| word == "--") else { return };
    let (own, words) = argv.split_at(split);
    let verb = words.iter().any(|word| VERBS.contains(&word.as_str()) || word.contains(mark::is_mark));
    if !verb || !own.iter().any(|word| word == "run" || word == "r") {
        return;
    }
    let named = own.iter().any(|word| word.contains("stead"));
    let manifests = walk.paths("Cargo.toml").into_iter().flatten().chain(walk.root().map(|r| r.join("Cargo.toml")));
    let here = || manifests.filter_map(|path| walk.facts.read(&path)).any(|text| text.contains("stead"));
    if named || here() {
        tell(walk, argv, &words[1..], SteadProgram::Named);
    }
}
