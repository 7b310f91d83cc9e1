//! Calls of `stead` itself: some verbs would weaken it.

use crate::denial::{Denial, quote};

use super::walk::{Call, Stop, Walk};

/// Judges a direct call.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let words = &call.argv[1..];
    match weakening(walk, words) {
        Some(verb) if ends_own_loops(walk, &verb, words) => Ok(()),
        Some(verb) => Err(refuse(&verb).into()),
        None => Ok(()),
    }
}

/// Says whether the call ends loops, and only such as the session itself started. A part of an id is not enough.
fn ends_own_loops(walk: &Walk<'_>, verb: &str, words: &[String]) -> bool {
    let Some(verb) = verb.strip_prefix("loop ") else { return false };
    let Some(at) = words.iter().position(|word| word == verb) else { return false };
    let mut ids = words[at + 1..].iter().filter(|word| !word.starts_with('-')).peekable();
    ids.peek().is_some() && ids.all(|id| walk.facts.started_loop(id))
}

/// Judges `cargo run … -- verb` where the package at hand is Stead's.
pub(super) fn judge_cargo(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let argv = call.argv;
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
    if words[..end].iter().any(|word| matches!(word.as_str(), "--help" | "-h" | "--dry-run")) {
        return None;
    }
    let mut plain: Vec<Plain<'_>> = Vec::new();
    let mut starts = vec![0];
    for (at, word) in words.iter().enumerate() {
        if word.starts_with('-') {
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

/// Says whether the words begin with the verb; flag values may stand between its words.
fn begins(words: &[Plain<'_>], verb: &[String]) -> bool {
    let mut words = words.iter();
    verb.iter().enumerate().all(|(at, wanted)| {
        words
            .by_ref()
            .find(|plain| plain.word == wanted || at == 0 || !plain.after_flag)
            .is_some_and(|plain| plain.word == wanted)
    })
}

pub(super) fn refuse(verb: &str) -> Denial {
    Denial::new(
        quote(&format!("stead {verb}")),
        "it would weaken Stead, which agents may not do",
        format!("ask the person to run `stead {verb} …` in a terminal"),
    )
}
