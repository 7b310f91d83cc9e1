use std::collections::HashSet;

use stead_model::edit_distance;

use crate::index::terms::{TermKind, each_term, is_word};
use crate::index::{IndexError, View};

/// Words that say nothing about what is looked for.
const EMPTY: &[&str] = &[
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "but", "by", "can", "did", "do", "does", "for", "from",
    "had", "has", "have", "how", "i", "if", "in", "is", "it", "its", "me", "my", "of", "on", "or", "our", "so", "that",
    "the", "then", "there", "these", "they", "this", "to", "was", "we", "were", "what", "when", "where", "which",
    "who", "why", "will", "with", "you", "your",
];

/// The most words of a question that are looked up, the rarest first.
const MOST_WORDS: usize = 32;

/// The longest text that is searched for words.
const LONGEST: usize = 8_000;

/// How many traces without a word are assumed.
const ASSUMED: f32 = 50.0;

/// What a whole name adds to its words.
const NAME_WEIGHT: f32 = 0.5;

/// How many similar words replace one that no trace has, and how many join one that some have.
const REPLACEMENTS: usize = 6;
const RELATIVES: usize = 3;

/// What a similar word is worth at most, for a word that no trace has and for one that some have.
const REPLACEMENT_WEIGHT: f32 = 0.8;
const RELATIVE_WEIGHT: f32 = 0.1;

/// A term that is looked up.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) term: String,
    /// The word of the question, as it was written.
    pub(crate) spelling: String,
    /// How much a trace with it gains.
    pub(crate) weight: f32,
    /// How many traces have it.
    pub(crate) count: u64,
    /// It is only similar to a word of the question.
    pub(crate) is_similar: bool,
}

/// The words of a question, with their weights in these traces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    pub(crate) wanted: Vec<Wanted>,
    /// The weight of all words together, those that no trace has included.
    pub(crate) total: f32,
}

impl Question {
    pub(crate) fn read(text: &str, view: &View<'_>) -> Result<Self, IndexError> {
        let docs = view.docs() as f32;
        let mut question = Self::default();
        let mut unknown = Vec::new();
        for (term, spelling, kind) in words(text) {
            let count = view.count(&term)?;
            let weight = rarity(docs, count) * if kind == TermKind::Name { NAME_WEIGHT } else { 1.0 };
            if kind != TermKind::Name {
                question.total += weight;
            }
            if kind == TermKind::Word && is_word(&term) && (count as f32) < docs / 50.0 + 20.0 {
                unknown.push((term.clone(), spelling.clone(), count));
            }
            if count > 0 {
                question.wanted.push(Wanted { term, spelling, weight, count, is_similar: false });
            }
        }
        for (term, spelling, count) in unknown {
            question.add_similar(&term, &spelling, count, view)?;
        }
        question.wanted.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        question.wanted.truncate(MOST_WORDS);
        Ok(question)
    }

    /// Adds words that contain the word, and, if no trace has it, those that it may be a misspelling of.
    fn add_similar(&mut self, word: &str, spelling: &str, count: u64, view: &View<'_>) -> Result<(), IndexError> {
        let mut found: Vec<(f32, String)> = Vec::new();
        view.words_like(&trigrams(word), |other| {
            let likeness = match count {
                // The stem of a misspelt word may be longer than that of the right one: `genrat` and `gener`.
                0 => likeness(word, other, true).max(misspelt_stem(spelling, other)),
                _ => likeness(word, other, false),
            };
            if likeness > 0.0 && self.wanted.iter().all(|known| known.term != other) {
                found.push((likeness, other.to_owned()));
            }
        })?;
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found.dedup_by(|a, b| a.1 == b.1);
        let (most, worth) = if count == 0 { (REPLACEMENTS, REPLACEMENT_WEIGHT) } else { (RELATIVES, RELATIVE_WEIGHT) };
        for (likeness, term) in found.into_iter().take(most) {
            let count = view.count(&term)?;
            let weight = rarity(view.docs() as f32, count) * likeness * worth;
            let spelling = spelling.to_owned();
            self.wanted.push(Wanted { term, spelling, weight, count, is_similar: true });
        }
        Ok(())
    }
}

/// The terms of a question that say something, each once; all of them if none does.
fn words(text: &str) -> Vec<(String, String, TermKind)> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    each_term(&text[..text.floor_char_boundary(LONGEST)], |term| {
        if seen.insert(term.text.to_owned()) {
            all.push((term.text.to_owned(), term.spelling.to_owned(), term.kind));
        }
    });
    let says_something = |spelling: &str| !EMPTY.contains(&spelling);
    if all.iter().any(|(_, spelling, _)| says_something(spelling)) {
        all.retain(|(_, spelling, _)| says_something(spelling));
    }
    all
}

/// The inverse document frequency. A word that no trace has counts like one that a single trace has, and some traces
/// without it are assumed: that all of three traces have a word does not make it an empty one.
fn rarity(docs: f32, count: u64) -> f32 {
    let count = count.max(1) as f32;
    (1.0 + (docs + ASSUMED - count + 0.5) / (count + 0.5)).ln()
}

fn trigrams(word: &str) -> Vec<String> {
    let chars: Vec<char> = word.chars().collect();
    chars.windows(3).map(|three| three.iter().collect()).collect()
}

/// How many letters an ending has at most that a stem lacks.
const ENDING: usize = 5;

/// How similar the beginning of a word is to a stem, if the rest may be an ending.
fn misspelt_stem(spelling: &str, stem: &str) -> f32 {
    let length = stem.chars().count();
    let ends = spelling.char_indices().map(|(at, _)| at).chain([spelling.len()]).enumerate();
    let beginnings = ends.filter(|(count, _)| count.abs_diff(length) <= 1).map(|(_, end)| &spelling[..end]);
    let is_near = spelling.chars().count() <= length + ENDING;
    beginnings.filter(|_| is_near).map(|beginning| likeness(beginning, stem, true)).fold(0.0, f32::max)
}

/// How similar a word is: 0 if it is another word. `may_differ` if it may be a misspelling.
fn likeness(word: &str, other: &str, may_differ: bool) -> f32 {
    let (length, other_length) = (word.chars().count(), other.chars().count());
    if other == word {
        return 0.0;
    }
    if other.contains(word) {
        return 0.5 + 0.5 * length as f32 / other_length as f32;
    }
    let allowed = match length {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    };
    if !may_differ || length.abs_diff(other_length) > allowed {
        return 0.0;
    }
    match edit_distance(word, other) {
        distance if distance <= allowed => 1.0 - 0.15 * distance as f32,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut word = word.to_owned();
        stead_model::stem(&mut word);
        word
    }

    #[test]
    fn questions_lose_empty_words() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = words(text).into_iter().map(|(_, spelling, _)| spelling).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("how do I run the migrations?", &["run", "migrations"]);
        check("is it the", &["is", "it", "the"]);
        check("NEAR(\"a b\", 2) OR col:x*", &["near", "b", "2", "col", "x"]);
        check("\"' ^ * :", &[]);
    }

    #[test]
    fn misspelt_words_are_near() {
        let check = |word: &str, other: &str, may_differ: bool, is_near: bool| {
            assert_eq!(likeness(&stemmed(word), &stemmed(other), may_differ) > 0.0, is_near, "{word} {other}");
        };
        check("comit", "commit", true, true);
        check("autentication", "authentication", true, true);
        check("comit", "commit", false, false);
        check("migartion", "migration", true, true);
        check("schem", "schema", false, true);
        check("log", "dog", true, false);
        check("test", "rest", true, true);
        check("deploy", "destroy", true, false);
    }

    #[test]
    fn misspelt_words_have_other_stems() {
        let check = |spelling: &str, right: &str, is_near: bool| {
            assert_eq!(misspelt_stem(spelling, &stemmed(right)) > 0.0, is_near, "{spelling} {right}");
        };
        check("genrated", "generated", true);
        check("configuraton", "configuration", true);
        check("kubernetes", "generated", false);
        check("cat", "category", false);
    }
}
