//! Reads a person's prompts: which of them ask for something, and which sentences limit how it may be done. Whatever it
//! cannot judge, because it is in another language than English, is passed on as it is.

use crate::packet::Fences;

/// What a sentence of a person is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It limits how the work may be done.
    Constraint,
    /// It asks something.
    Question,
    /// Nobody here can tell: it is not in English.
    Foreign,
    Other,
}

/// Words with which people only agree or tell the agent to go on, in the languages in which that was seen.
const AGREEMENT: &[&str] = &[
    "a", "ahead", "all", "alright", "and", "bitte", "bon", "claro", "continue", "continua", "continúa", "continuez",
    "cool", "correct", "d'accord", "da", "danke", "do", "done", "excellent", "fine", "genau", "go", "good", "great",
    "gut", "hai", "it", "ja", "job", "just", "keep", "lgtm", "looks", "mach", "me", "merci", "more", "next", "nice",
    "now", "oui", "ok", "okay", "on", "parfait", "passt", "perfect", "please", "proceed", "right", "resume", "si",
    "sigue", "sim", "so", "sounds", "super", "sure", "sí", "thank", "thanks", "that", "that's", "the", "this", "to",
    "vale", "very", "well", "weiter", "y", "yeah", "yep", "yes", "you", "да", "давай", "продолжай", "хорошо",
    "спасибо", "はい", "いいね", "了解", "お願いします", "続けて", "続けてください", "好", "好的", "可以", "继续",
    "谢谢", "네", "계속", "좋아", "예",
];

/// Phrases with which people limit work.
const LIMITS: &[&str] = &[
    "must", "mustn't", "never", "always", "only", "don't", "dont", "do not", "does not need", "not to", "not allowed",
    "no longer", "without", "avoid", "keep", "leave", "shall", "should", "shouldn't", "at most", "at least",
    "no more than", "under no", "instead of", "make sure", "be careful", "ensure", "stick to", "prefer", "may not",
    "you cannot", "you can't", "we cannot", "we can't", "not touch", "not change", "not use", "not add", "unless",
    "required", "forbidden", "no new", "hands off", "stay", "exactly", "need to", "needs to", "has to", "have to",
];

/// Words that a question starts with, if it has no question mark.
const ASKS: &[&str] = &["why", "what", "how", "where", "who", "whose", "which", "whether"];

/// Common words of English, by which a sentence in it is recognised. Words that other languages have, too, or that
/// programmers use in every language, are not among them.
const ENGLISH: &[&str] = &[
    "about", "actually", "add", "after", "again", "always", "and", "another", "any", "are", "ask", "at", "avoid",
    "back", "be", "because", "before", "both", "break", "but", "by", "call", "can't", "cannot", "careful", "change",
    "clean", "could", "delete", "did", "does", "doesn't", "don't", "done", "each", "ensure", "every", "everything",
    "exactly", "fail", "fails", "find", "first", "fix", "for", "forbidden", "from", "get", "give", "go", "good",
    "handle", "have", "here", "how", "i", "if", "implement", "instead", "into", "isn't", "it", "its", "just", "keep",
    "last", "least", "leave", "less", "let", "like", "look", "make", "may", "more", "most", "must", "mustn't", "my",
    "need", "needs", "never", "new", "next", "not", "nothing", "now", "old", "once", "one", "only", "other", "our",
    "please", "prefer", "put", "read", "remove", "rename", "required", "return", "rewrite", "run", "same", "say",
    "see", "shall", "should", "shouldn't", "show", "some", "something", "stay", "still", "sure", "take", "tell",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "this", "those", "to", "too",
    "touch", "try", "two", "under", "unless", "until", "up", "us", "use", "using", "very", "want", "way", "well",
    "were", "what", "when", "where", "which", "while", "why", "with", "without", "won't", "work", "works", "would",
    "write", "wrong", "you", "your",
];

/// Words that tell nothing about the language.
const SHARED: &[&str] = &[
    "a", "all", "also", "an", "as", "check", "code", "commit", "do", "error", "file", "files", "function", "had",
    "has", "he", "in", "is", "line", "me", "name", "no", "of", "off", "ok", "on", "open", "or", "over", "push", "set",
    "so", "start", "stop", "test", "tests", "update", "value", "was", "we", "will",
];

/// Words before `no` with which a sentence states a fact.
const FACTS: &[&str] =
    &["is", "are", "was", "were", "has", "have", "had", "there's", "it's", "got", "found", "finds", "or"];

/// Returns true if a prompt asks for something, other than to go on.
pub(crate) fn is_request(prompt: &str) -> bool {
    let text = prompt.trim();
    let words: Vec<String> = words(text).map(str::to_lowercase).collect();
    let agrees = |word: &String| AGREEMENT.contains(&word.as_str()) || word.chars().all(|c| !c.is_alphabetic());
    let is_name =
        |text: &str| text.contains(['/', '.', '_', '(', '`', '#', ':']) && text.chars().any(char::is_alphabetic);
    let spelled = text.trim_end_matches(['.', '!', '?', ':', '。', '！', '？']);
    match words.as_slice() {
        [] => false,
        // One word is an answer, unless it names something or is a sentence of a script without blanks.
        [word] if word.is_ascii() => is_name(spelled),
        [word] => !agrees(word) && word.chars().count() > 3,
        all => is_name(spelled) || !all.iter().all(agrees),
    }
}

/// The sentences of a prompt, each with what it is. Code and quotations in it are not the person's words.
pub(crate) fn sentences(prompt: &str) -> Vec<(&str, Kind)> {
    let mut found = Vec::new();
    let mut fences = Fences::default();
    for line in prompt.lines() {
        if fences.covers(line) || line.trim_start().starts_with('>') {
            continue;
        }
        let line = line.trim().trim_start_matches(['-', '*', '+', '•']).trim_start();
        found.extend(split(line).map(|sentence| (sentence, kind(sentence))));
    }
    found
}

fn kind(sentence: &str) -> Kind {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = words(&lower).collect();
    let is_asked = sentence.trim_end_matches(['"', ')', '*', '!', ' ']).ends_with(['?', '？', '؟']);
    if is_asked || words.first().is_some_and(|first| ASKS.contains(first)) {
        return Kind::Question;
    }
    // Names of files and functions are in no language.
    let prose: Vec<&str> = prose(&lower).filter(|word| !SHARED.contains(word)).collect();
    let known = prose.iter().filter(|word| ENGLISH.contains(word)).count();
    let letters = prose.iter().map(|word| word.chars().count()).sum::<usize>();
    let is_foreign =
        prose.iter().any(|word| !word.is_ascii() && !word.contains('’')) || prose.len() >= 2 && known * 6 < prose.len();
    if is_foreign && letters > 3 {
        return Kind::Foreign;
    }
    let limits = LIMITS.iter().any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    });
    if limits || rules_out(&lower) { Kind::Constraint } else { Kind::Other }
}

/// Returns true if a sentence rules something out: `so no match statements`. `There is no file` does not.
fn rules_out(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_noun = |word: &&str| word.starts_with(char::is_alphabetic) && !matches!(*word, "one" | "idea" | "problem");
    let at = |at: usize| words[at] == "no" && words.get(at + 1).is_some_and(is_noun);
    (0..words.len()).any(|index| at(index) && (index == 0 || !FACTS.contains(&words[index - 1])))
}

/// The words of a text, without punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’')).filter(|word| !word.is_empty())
}

/// The words that are prose: no paths, no code, no numbers.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let is_code = |word: &str| {
        word.contains(['/', '_', '`', '=', '\\', '<', '{', '(', '@', '#', '$'])
            || word.trim_end_matches(['.', ',', ':', ';', '!', '?']).contains(['.', ':'])
    };
    let plain = text.split_whitespace().filter(move |word| !is_code(word));
    plain
        .flat_map(words)
        .filter(|word| word.chars().any(char::is_alphabetic) && !word.chars().any(|c| c.is_ascii_digit()))
}

/// Splits a line at the ends of its sentences.
fn split(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let spaced = [". ", "! ", "? "].iter().filter_map(|mark| rest.find(mark)).map(|at| at + 1);
        let joined = ['。', '！', '？'].iter().filter_map(|mark| Some(rest.find(*mark)? + mark.len_utf8()));
        let end = spaced.chain(joined).min().unwrap_or(rest.len());
        let sentence = rest[..end].trim();
        rest = rest[end..].trim_start();
        Some(sentence)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(kind: Kind, sentences: &[&str]) {
        for sentence in sentences {
            let found = super::sentences(sentence);
            assert_eq!(found, [(*sentence, kind)], "{sentence}");
        }
    }

    #[test]
    fn sentences_that_limit_are_told_from_others() {
        check(
            Kind::Constraint,
            &[
                "Never touch vendor/.",
                "You must not touch read.rs!",
                "Use the old API, don't add crates.",
                "Keep at most 3.",
                "Only src/parser may change.",
                "Leave the tests alone.",
                "No new dependencies please.",
                "It runs on Python 3.9, so no match statements.",
            ],
        );
        check(
            Kind::Question,
            &["It does not compile, why?", "Can you avoid the lock?", "why must it be slow", "Is it only me?"],
        );
        check(
            Kind::Other,
            &[
                "Please fix add().",
                "It does not compile.",
                "There is no file.",
                "Hmm, no, I think it is fine.",
                "The test prints nothing.",
                "Run cargo test.",
                "Fix the parser",
            ],
        );
    }

    #[test]
    fn other_languages_are_passed_on() {
        check(
            Kind::Foreign,
            &[
                "Fass das Verzeichnis vendor/ niemals an.",
                "Fass vendor/ niemals an.",
                "Bitte nur die Tests ändern!",
                "Ne touche jamais au dossier vendor/.",
                "No cambies nunca la carpeta vendor/.",
                "Никогда не трогай vendor/.",
                "vendor/ は絶対に触らないでください",
                "不要修改 vendor/ 目录",
                "Raak de map vendor/ nooit aan.",
                "Mach das ohne neue Abhängigkeiten.",
            ],
        );
        assert_eq!(sentences("触らないで。なぜ？"), [("触らないで。", Kind::Foreign), ("なぜ？", Kind::Question)]);
    }

    #[test]
    fn code_and_quotations_are_not_the_persons_words() {
        let text = "Look:\n```\nerror: cannot do that, must not\n```\n> you must not\n- Never push. Thanks!";
        let found: Vec<_> = sentences(text).into_iter().filter(|(_, kind)| *kind == Kind::Constraint).collect();
        assert_eq!(found, [("Never push.", Kind::Constraint)]);
    }

    #[test]
    fn agreement_is_no_request() {
        for text in [
            "yes", "Yes.", "continue", "Continue please", "ok, go on", "y", "go ahead!", "looks good, thanks", "ja",
            "weiter", "oui", "はい", "继续", "продолжай", "1", "👍", "", " \n", "perfect", "that's right",
        ] {
            assert!(!is_request(text), "{text}");
        }
        for text in [
            "Fix add()",
            "add tests",
            "src/parser.rs",
            "no, use the other one",
            "Never touch vendor/",
            "vendorを触らないで",
            "不要修改",
            "run it again with --release",
            "why?! it fails",
            "stop using unsafe",
        ] {
            assert!(is_request(text), "{text}");
        }
    }

    #[test]
    fn tables_are_lower_case_and_without_repetition() {
        for table in [AGREEMENT, LIMITS, ASKS, ENGLISH, SHARED, FACTS] {
            for (at, word) in table.iter().enumerate() {
                assert_eq!(*word, word.to_lowercase());
                assert!(!table[..at].contains(word), "{word}");
            }
        }
        // A sentence that limits is in English, so each phrase must be, too.
        for phrase in LIMITS.iter().filter(|phrase| !phrase.contains(' ')) {
            let sentence = format!("please {phrase} the file");
            assert_eq!(kind(&sentence), Kind::Constraint, "{phrase}");
        }
    }

    proptest! {
        #[test]
        fn any_prompt_can_be_read(text in "(?s).{0,200}") {
            let _ = is_request(&text);
            for (sentence, _) in sentences(&text) {
                prop_assert!(text.contains(sentence));
            }
        }
    }
}
