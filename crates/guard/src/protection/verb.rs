//! Calls of `stead` itself: some verbs would weaken it.

use stead_model::{SteadCall, SteadWord};
use stead_shell::Facts;

use super::denial::{Denial, quote};
use super::shield::Shield;

/// Judges a call of Stead. A word that the shell computes may be the command.
pub(crate) fn judge(shield: &Shield<'_>, call: &SteadCall, part: &str, facts: &dyn Facts) -> Option<Denial> {
    let words = &call.words;
    let verb = weakening(shield, words)?;
    if ends_own_loops(facts, &verb, words) || forgets_own_traces(facts, &verb, words) {
        return None;
    }
    let spelled = verb.split(' ').all(|part| words.iter().any(|word| word.text == part && !is_open(word)));
    Some(if spelled { refuse(&verb) } else { refuse_open(part) })
}

/// Returns true if the shell computes a part of the word.
fn is_open(word: &SteadWord) -> bool {
    word.certain < word.text.len()
}

/// Returns true if the call ends only loops that the session itself started, by their full ids.
fn ends_own_loops(facts: &dyn Facts, verb: &str, words: &[SteadWord]) -> bool {
    let Some(verb) = verb.strip_prefix("loop ") else { return false };
    let Some(at) = words.iter().position(|word| word.text == verb) else { return false };
    let mut ids = words[at + 1..].iter().filter(|word| !word.text.starts_with('-')).peekable();
    ids.peek().is_some() && ids.all(|id| facts.started_loop(&id.text))
}

/// Returns true if the call forgets only traces that the session itself stored, by their full ids.
fn forgets_own_traces(facts: &dyn Facts, verb: &str, words: &[SteadWord]) -> bool {
    let Some(at) = words.iter().position(|word| verb == "memory forget" && word.text == "forget") else { return false };
    let rest = &words[at + 1..];
    let ids: Vec<&SteadWord> =
        rest.iter().take_while(|word| word.text != "--why").filter(|word| !word.text.starts_with('-')).collect();
    !ids.is_empty() && ids.iter().all(|id| !is_open(id) && facts.stored_trace(&id.text))
}

/// Finds the weakening command in the words after the program. A flag's value may precede it.
fn weakening(shield: &Shield<'_>, words: &[SteadWord]) -> Option<String> {
    let end = words.iter().position(|word| word.text == "--").unwrap_or(words.len());
    let open = words.iter().any(is_open);
    if !open && words[..end].iter().any(|word| matches!(word.text.as_str(), "--help" | "-h" | "--dry-run")) {
        return None;
    }
    let mut plain: Vec<Plain<'_>> = Vec::new();
    let mut starts = vec![0];
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| words[at].text.as_str());
        let value = before.is_some_and(|flag| matches!(flag, "-C" | "--dir" | "--config"));
        if word.text.starts_with('-') || value && is_open(word) {
            continue;
        }
        let after_flag = before.is_some_and(|flag| flag.starts_with('-') && !flag.contains('='));
        plain.push(Plain { word, after_flag });
        if after_flag && starts.last() == Some(&(plain.len() - 1)) {
            starts.push(plain.len());
        }
    }
    let begins =
        |verb: &&Vec<String>| starts.iter().any(|start| plain.get(*start..).is_some_and(|rest| begins(rest, verb)));
    shield.verbs().iter().find(begins).map(|verb| verb.join(" "))
}

/// A word that is not a flag, and whether it may be a flag's value.
struct Plain<'a> {
    word: &'a SteadWord,
    after_flag: bool,
}

impl Plain<'_> {
    fn is(&self, wanted: &str) -> bool {
        self.word.text == wanted && !is_open(self.word)
    }

    /// Returns true if the shell computes the word and it may start like this. It may also become several words.
    fn may_become(&self, wanted: &str) -> bool {
        is_open(self.word) && wanted.starts_with(&self.word.text[..self.word.certain])
    }
}

/// Returns true if the words start with the command, or may; flag values may be between its words.
fn begins(words: &[Plain<'_>], verb: &[String]) -> bool {
    let mut words = words.iter();
    for (at, wanted) in verb.iter().enumerate() {
        let decides = |plain: &&Plain<'_>| plain.is(wanted) || at == 0 || !plain.after_flag || plain.may_become(wanted);
        match words.by_ref().find(decides) {
            Some(plain) if plain.is(wanted) => {}
            found => return found.is_some_and(|plain| plain.may_become(wanted)),
        }
    }
    true
}

/// Denies an unknown command.
fn refuse_open(part: &str) -> Denial {
    Denial::new(
        quote(part),
        "the shell computes which `stead` command this is, and some would weaken Stead",
        "write the command literally, such as `stead guard list`",
    )
}

pub(crate) fn refuse(verb: &str) -> Denial {
    Denial::new(
        quote(&format!("stead {verb}")),
        "it would weaken Stead, which agents may not do",
        format!("ask the person to run `stead {verb} …` in a terminal"),
    )
}
