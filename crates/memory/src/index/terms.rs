//! What a trace is found by: the terms of its texts, and one term for each of its properties that a query can filter by.

use serde_json::Value;
use stead_model::{each_word, stem};

use crate::Trace;

/// The longest text of one field that is indexed.
const LONGEST_FIELD: usize = 64 * 1024;

/// The longest term.
const LONGEST_TERM: usize = 64;

/// How many texts of the effects are indexed.
const EFFECT_TEXTS: usize = 60;

/// No word contains it, so a property is never mistaken for a word.
const PROPERTY: char = '\u{1}';

/// The lengths of words that are looked up by their trigrams.
const WORD_LENGTHS: std::ops::RangeInclusive<usize> = 4..=40;

/// What a text is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term<'a> {
    /// As the index has it.
    pub(crate) text: &'a str,
    /// As it was written, in lower case.
    pub(crate) spelling: &'a str,
    pub(crate) kind: TermKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TermKind {
    Word,
    /// Several words together, which are terms too.
    Name,
    /// A character or two of a script without spaces.
    Characters,
}

/// Calls `found` with each term of a text: stems of its words; for a name of several words also the words together, so
/// that `readFile`, `read_file` and `read-file` are the same; for scripts without spaces characters and pairs of them.
pub(crate) fn each_term(text: &str, mut found: impl FnMut(Term<'_>)) {
    let (mut term, mut joined) = (String::new(), String::new());
    for run in text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').filter(|run| !run.is_empty()) {
        if run.chars().any(has_no_spaces) {
            each_pair(run, &mut found);
            continue;
        }
        joined.clear();
        let mut words = 0;
        each_word(run, |word| {
            words += 1;
            if joined.len() <= LONGEST_TERM {
                joined.push_str(word);
            }
            term.clear();
            term.push_str(cut(word, LONGEST_TERM));
            stem(&mut term);
            found(Term { text: &term, spelling: word, kind: TermKind::Word });
        });
        if words > 1 && joined.len() <= LONGEST_TERM {
            found(Term { text: &joined, spelling: &joined, kind: TermKind::Name });
        }
    }
}

/// Whether the script of a character separates no words.
fn has_no_spaces(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn each_pair(run: &str, found: &mut impl FnMut(Term<'_>)) {
    let characters = |text| Term { text, spelling: text, kind: TermKind::Characters };
    let mut rest = run;
    while !rest.is_empty() {
        let is_dense = rest.chars().next().is_some_and(has_no_spaces);
        let end = rest.find(|c| has_no_spaces(c) != is_dense).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        if !is_dense {
            each_term(part, &mut *found as &mut dyn FnMut(Term<'_>));
            continue;
        }
        let mut last = None;
        for (at, c) in part.char_indices() {
            let end = at + c.len_utf8();
            found(characters(&part[at..end]));
            if let Some(last) = last {
                found(characters(&part[last..end]));
            }
            last = Some(at);
        }
    }
}

/// Whether a term is a word that somebody may spell wrong or know a part of.
pub(crate) fn is_word(term: &str) -> bool {
    WORD_LENGTHS.contains(&term.len())
        && !term.starts_with(PROPERTY)
        && term.chars().all(char::is_alphabetic)
        && !term.chars().any(has_no_spaces)
}

/// The texts of a trace that words are looked for in.
pub(crate) fn texts(trace: &Trace) -> Vec<&str> {
    let event = &trace.event;
    let context = &trace.context;
    let mut all: Vec<&str> = vec![&event.what_happened, &event.what_was_correct, &event.why];
    let named = [&trace.topic, &context.task, &context.feature, &context.guard, &context.intent];
    all.extend(named.into_iter().flatten().map(String::as_str));
    for anchor in &trace.anchors {
        all.push(&anchor.path);
        all.extend(anchor.node.as_deref());
    }
    if let Some(effects) = &trace.effects {
        let most = all.len() + EFFECT_TEXTS;
        strings(effects, &mut all, most);
    }
    all.iter_mut().for_each(|text| *text = cut(text, LONGEST_FIELD));
    all
}

fn strings<'a>(value: &'a Value, out: &mut Vec<&'a str>, most: usize) {
    match value {
        Value::String(text) if out.len() < most => out.push(text),
        Value::Array(list) => list.iter().for_each(|one| strings(one, out, most)),
        Value::Object(object) => object.values().for_each(|one| strings(one, out, most)),
        _ => {}
    }
}

fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// A property that a query can filter by.
pub(crate) fn property(name: &str, value: &str) -> String {
    format!("{PROPERTY}{name}:{value}")
}

/// Calls `found` with the name and the value of each property of a trace.
pub(crate) fn each_property(trace: &Trace, mut found: impl FnMut(&str, &str)) {
    let context = &trace.context;
    found("type", trace.kind.name());
    found("status", trace.status.name());
    if let Some(outcome) = trace.outcome {
        found("outcome", outcome.name());
    }
    let named = [
        ("agent", &context.agent),
        ("feature", &context.feature),
        ("guard", &context.guard),
        ("intent", &context.intent),
    ];
    for (name, value) in named {
        if let Some(value) = value {
            found(name, value);
        }
    }
    for anchor in &trace.anchors {
        each_folder(&anchor.path, |path| found("file", path));
    }
}

/// Calls `found` with a path and with each folder above it.
fn each_folder(path: &str, mut found: impl FnMut(&str)) {
    let path = path.trim_matches('/');
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.filter(|end| *end > 0).for_each(|end| found(&path[..end]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut terms = Vec::new();
        each_term(text, |term| terms.push(term.text.to_owned()));
        assert_eq!(terms, expected, "{text}");
    }

    #[test]
    fn names_give_their_words_and_themselves() {
        check("", &[]);
        check("Never force-push!", &["never", "forc", "push", "forcepush"]);
        check("getUserById", &["get", "user", "by", "id", "getuserbyid"]);
        check("get_user_by_id", &["get", "user", "by", "id", "getuserbyid"]);
        check("src/auth/login.rs", &["src", "auth", "login", "rs"]);
        check("utf8", &["utf", "8", "utf8"]);
        check("Größe ändern", &["größe", "ändern"]);
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        check("認証を使う", &["認", "証", "認証", "を", "証を", "使", "を使", "う", "使う"]);
        check("API認証", &["api", "認", "証", "認証"]);
        check("Проверка паролей", &["проверка", "паролей"]);
    }

    #[test]
    fn folders_of_a_file_are_properties() {
        let mut all = Vec::new();
        each_folder("src/auth/login.rs", |path| all.push(path.to_owned()));
        assert_eq!(all, ["src", "src/auth", "src/auth/login.rs"]);
        each_folder("", |path| panic!("`{path}`"));
    }
}
