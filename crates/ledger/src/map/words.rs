//! Words: of questions, of names in code, of prose.

use stead_model::{each_word, stem};

/// Words that say nothing about where something is.
const EMPTY: &[&str] = &[
    "a", "an", "and", "are", "by", "can", "code", "defined", "do", "does", "file", "files", "find", "for", "from",
    "handle", "handled", "handles", "happen", "happens", "how", "i", "implementation", "implemented", "in", "is", "it",
    "live", "lives", "located", "logic", "made", "me", "my", "of", "on", "or", "our", "part", "please", "show",
    "stuff", "that", "the", "there", "thing", "this", "to", "we", "what", "where", "which", "with",
];

/// The words of a text, in lower case.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word| words.push(word.to_owned()));
    words
}

/// The words of a question that say something, each once; all of them if none does.
pub(super) fn asked(question: &str) -> Vec<String> {
    let mut all = split(question);
    let mut seen = std::collections::HashSet::new();
    all.retain(|word| seen.insert(word.clone()));
    let telling: Vec<String> = all.iter().filter(|word| !EMPTY.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// How much a word of a text is a word of the question, from 0 to 1.
pub(super) fn likeness(asked: &str, word: &str) -> f64 {
    if asked == word {
        return 1.0;
    }
    let (short, long) = if asked.len() < word.len() { (asked, word) } else { (word, asked) };
    if stemmed(asked) == stemmed(word) {
        return 0.9;
    }
    // An abbreviation or a compound: `auth` and `authentication`, `invoice` and `invoicing`.
    match long.starts_with(short) && short.chars().count() >= 4 {
        true => 0.6,
        false => 0.0,
    }
}

fn stemmed(word: &str) -> String {
    let mut word = word.to_owned();
    stem(&mut word);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_lose_words_that_say_nothing() {
        let check = |text: &str, expected: &[&str]| assert_eq!(asked(text), expected, "{text}");
        check("where is the billing logic?", &["billing"]);
        check("Billing billing invoices", &["billing", "invoices"]);
        check("the code", &["the", "code"]);
        check("?!", &[]);
    }

    #[test]
    fn words_are_alike_by_their_beginning() {
        let check = |a: &str, b: &str, is_like: bool| {
            assert_eq!(likeness(a, b) > 0.0, is_like, "{a} {b}");
            assert_eq!(likeness(a, b), likeness(b, a), "{a} {b}");
        };
        check("billing", "bill", true);
        check("invoices", "invoice", true);
        check("policies", "policy", true);
        check("auth", "authentication", true);
        check("login", "log", false);
        check("cat", "category", false);
        check("test", "latest", false);
        check("billing", "building", false);
    }
}
