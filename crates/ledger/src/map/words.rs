//! Words: of questions, of names in code, of prose.

/// Words that say nothing about where something is.
const EMPTY: &[&str] = &[
    "a", "an", "and", "are", "by", "can", "code", "defined", "do", "does", "file", "files", "find", "for", "from",
    "handle", "handled", "handles", "happen", "happens", "how", "i", "implementation", "implemented", "in", "is", "it",
    "live", "lives", "located", "logic", "made", "me", "my", "of", "on", "or", "our", "part", "please", "show",
    "stuff", "that", "the", "there", "thing", "this", "to", "we", "what", "where", "which", "with",
];

/// Splits a text into lower-case words: at everything but letters and digits, between `aB`, between `ABc` and before
/// digits.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            words.extend(take(&mut word));
            continue;
        }
        let last = at.checked_sub(1).map(|before| chars[before]).filter(|c| c.is_alphanumeric());
        let next = chars.get(at + 1);
        let starts = last.is_some_and(|last| {
            last.is_lowercase() && c.is_uppercase()
                || last.is_uppercase() && c.is_uppercase() && next.is_some_and(|next| next.is_lowercase())
                || last.is_alphabetic() && c.is_numeric()
        });
        if starts {
            words.extend(take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    words.extend(take(&mut word));
    words
}

fn take(word: &mut String) -> Option<String> {
    (!word.is_empty()).then(|| std::mem::take(word))
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
    if stem(asked) == stem(word) {
        return 0.9;
    }
    // An abbreviation or a compound: `auth` and `authentication`, `invoice` and `invoicing`.
    match long.starts_with(short) && short.chars().count() >= 4 {
        true => 0.6,
        false => 0.0,
    }
}

/// A word without its ending, if enough is left.
fn stem(word: &str) -> &str {
    for end in ["ations", "ation", "ings", "ing", "ers", "ies", "ied", "er", "ed", "es", "s", "e", "y"] {
        if let Some(rest) = word.strip_suffix(end)
            && rest.chars().count() >= 3
        {
            return rest;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_as_people_read_them() {
        let check = |text: &str, expected: &[&str]| assert_eq!(split(text), expected, "{text}");
        check("", &[]);
        check("parseHTTPRequest", &["parse", "http", "request"]);
        check("src/billing_rules/v2.rs", &["src", "billing", "rules", "v", "2", "rs"]);
        check("Invoice::total_amount", &["invoice", "total", "amount"]);
        check("getÜberschrift", &["get", "überschrift"]);
        check("SCREAMING_CASE kebab-case", &["screaming", "case", "kebab", "case"]);
    }

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
