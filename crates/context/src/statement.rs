//! Reads a person's prompts: which of them ask for something, and which sentences limit how it may be done. Whatever it
//! cannot judge, because it is in another language than English, is passed on as it is.

mod paragraph;

use paragraph::paragraphs;

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
    "no more than", "under no", "instead of", "rather than", "make sure", "be careful", "ensure", "stick to", "prefer",
    "may not", "you cannot", "you can't", "we cannot", "we can't", "cannot be", "can't be", "cannot change",
    "can't change", "not touch", "not change", "not use", "not add", "unless", "except", "required", "mandatory",
    "forbidden", "prohibited", "banned", "off limits", "read only", "no new", "hands off", "stay", "exactly",
    "need to", "needs to", "has to", "have to", "from now on", "stop", "refrain", "ask me", "ask before",
    "check with me", "wait for", "maximum", "minimum", "unchanged", "untouched", "intact", "compatible", "rule",
    "rules", "constraint", "constraints", "requirement", "convention",
];

/// Words that a question starts with, and those that follow them in one without a question mark. `Where possible, avoid …`
/// and `What I want: …` are none.
const ASKS: &[&str] = &["why", "what", "how", "where", "who", "whose", "which", "whether", "when"];
const ASKED: &[&str] = &[
    "about", "am", "are", "aren't", "can", "can't", "come", "could", "did", "didn't", "do", "does", "doesn't", "don't",
    "else", "happened", "happens", "has", "have", "if", "is", "isn't", "many", "much", "must", "not", "shall",
    "should", "shouldn't", "to", "was", "were", "will", "won't", "would", "wouldn't",
];

/// What people add to a statement to have it confirmed: `Never touch vendor/, ok?`
const TAGS: &[&str] = &[
    "agreed", "alright", "clear", "correct", "deal", "get it", "got it", "ok", "okay", "please", "right", "understood",
    "will you", "yeah", "yes",
];

/// Words with which a question asks whether something is so; a tag behind such a sentence changes nothing.
const WHETHER: &[&str] = &[
    "am", "are", "aren't", "can", "can't", "could", "couldn't", "did", "didn't", "does", "doesn't", "has", "hasn't",
    "is", "isn't", "may", "might", "shall", "should", "shouldn't", "was", "wasn't", "were", "weren't", "will", "won't",
    "would", "wouldn't",
];

/// Common words of English, by which a sentence in it is recognised. Words that other languages have, too, or that
/// programmers use in every language, are not among them.
const ENGLISH: &[&str] = &[
    "about", "actually", "add", "after", "again", "already", "always", "and", "another", "anything", "are", "ask",
    "at", "avoid", "back", "be", "because", "been", "before", "being", "between", "both", "but", "by", "call", "can't",
    "cannot", "careful", "change", "clean", "could", "currently", "did", "does", "doesn't", "doing", "don't", "done",
    "each", "ensure", "every", "everything", "everywhere", "exactly", "fail", "fails", "few", "find", "fine", "first",
    "fix", "forbidden", "from", "get", "give", "go", "good", "handle", "have", "here", "how", "i'm", "implement",
    "instead", "into", "isn't", "it", "it's", "its", "just", "keep", "know", "last", "least", "leave", "less", "let's",
    "like", "look", "looks", "make", "many", "may", "more", "most", "much", "must", "mustn't", "my", "need", "needs",
    "never", "next", "nobody", "not", "nothing", "now", "old", "once", "one", "only", "other", "our", "own", "please",
    "prefer", "put", "read", "remove", "rename", "required", "rewrite", "run", "same", "say", "see", "seems", "shall",
    "she", "should", "shouldn't", "show", "some", "something", "stay", "still", "sure", "take", "tell", "than", "that",
    "that's", "the", "their", "them", "then", "there", "these", "they", "thing", "think", "this", "those", "though",
    "thought", "through", "to", "too", "touch", "two", "unless", "until", "up", "us", "use", "used", "using", "very",
    "want", "way", "well", "were", "what", "when", "where", "whether", "which", "whole", "why", "with", "within",
    "without", "won't", "work", "works", "would", "write", "wrong", "yet", "you", "your",
];

/// Words that tell nothing about the language: those that several languages have, and those that programmers use in all.
const SHARED: &[&str] = &[
    "a", "all", "also", "an", "any", "as", "async", "await", "branch", "break", "build", "bug", "cache", "check",
    "class", "code", "commit", "const", "debug", "delete", "deploy", "diff", "do", "else", "enum", "error", "false",
    "feature", "file", "files", "for", "function", "had", "has", "he", "i", "if", "import", "in", "int", "is", "job",
    "let", "line", "log", "main", "master", "me", "merge", "name", "new", "no", "null", "of", "off", "ok", "on",
    "open", "or", "over", "package", "patch", "plugin", "pull", "push", "rebase", "refactor", "release", "request",
    "return", "review", "server", "set", "so", "start", "static", "stop", "string", "struct", "switch", "test",
    "tests", "true", "try", "type", "under", "unit", "update", "value", "void", "was", "we", "while", "will",
];

/// Words before `no` with which a sentence states a fact.
const FACTS: &[&str] =
    &["is", "are", "was", "were", "has", "have", "had", "there's", "it's", "got", "found", "finds", "or"];

/// Returns true if a prompt asks for something, other than to go on.
pub(crate) fn is_request(prompt: &str) -> bool {
    let text = prompt.trim();
    let words: Vec<String> = words(text).map(|word| word.to_lowercase().replace('’', "'")).collect();
    let agrees = |word: &String| AGREEMENT.contains(&word.as_str()) || word.chars().all(|c| !c.is_alphabetic());
    let is_name =
        |text: &str| text.contains(['/', '.', '_', '(', '`', '#', ':']) && text.chars().any(char::is_alphabetic);
    let spelled = text.trim_end_matches(['.', '!', '?', ':', '。', '！', '？']);
    match words.as_slice() {
        [] => false,
        // One word is an answer, unless it names something or is a sentence of a script without blanks.
        [word] if word.is_ascii() => is_name(spelled),
        [word] => !agrees(word) && word.len() / 2 > 3,
        all => is_name(spelled) || !all.iter().all(agrees),
    }
}

/// The sentences of a prompt, each with what it is. Code, quotations and logs in it are not the person's words.
pub(crate) fn sentences(prompt: &str) -> Vec<(String, Kind)> {
    let is_question = |line: &str| split(line).last().is_some_and(|last| kind(last) == Kind::Question);
    let mut found = Vec::new();
    for line in paragraphs(unquoted(prompt), is_question) {
        found.extend(split(&line).map(|sentence| (sentence.to_owned(), kind(sentence))));
    }
    found
}

/// A prompt without the quotation marks that some clients put around all of it.
fn unquoted(prompt: &str) -> &str {
    let inner = prompt.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(prompt)
}

fn kind(sentence: &str) -> Kind {
    let lower = sentence.to_lowercase().replace('’', "'");
    if is_asked(&lower) {
        return Kind::Question;
    }
    let own = own_words(&lower);
    // Names of files and functions are in no language.
    let prose: Vec<&str> = prose(&own).filter(|word| !SHARED.contains(word)).collect();
    let known = prose.iter().filter(|word| ENGLISH.contains(word)).count();
    let weight = |word: &&str| if word.is_ascii() { word.len() } else { word.len() / 2 };
    let words: Vec<&str> = words(&own).collect();
    let limits = LIMITS.iter().any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    });
    let first =
        words.iter().find(|word| !matches!(**word, "please" | "just" | "and" | "also" | "then" | "now" | "so" | "ok"));
    let is_choice = first.is_some_and(|first| matches!(*first, "use" | "treat")) || own.contains(", not ");
    let limits = limits || is_choice || rules_out(&own);
    // A sentence that limits in English needs fewer known words to count as English.
    let least = if limits { 6 } else { 3 };
    let is_foreign = prose.iter().any(|word| !word.is_ascii()) || prose.len() >= 2 && known * least < prose.len();
    match limits {
        _ if is_foreign && prose.iter().map(weight).sum::<usize>() > 3 => Kind::Foreign,
        true => Kind::Constraint,
        false => Kind::Other,
    }
}

/// Returns true if a sentence asks something, other than to confirm what it says.
fn is_asked(lower: &str) -> bool {
    let words: Vec<&str> = words(lower).collect();
    let (first, second) = (words.first().copied().unwrap_or_default(), words.get(1).copied().unwrap_or_default());
    let ended = lower.trim_end_matches(['"', ')', '*', '!', ' ']);
    let Some(said) = ended.strip_suffix(['?', '？', '؟']) else {
        return first == "why" || ASKS.contains(&first) && ASKED.contains(&second);
    };
    let is_tagged = said.rsplit_once(',').is_some_and(|(_, tag)| TAGS.contains(&tag.trim()));
    let is_open = ASKS.contains(&first) || WHETHER.contains(&first);
    let is_open = is_open
        || matches!(first, "do" | "don't") && matches!(second, "i" | "we" | "you" | "they" | "the" | "these" | "those");
    !is_tagged || is_open
}

/// A sentence without what it quotes, if that leaves anything of it.
fn own_words(sentence: &str) -> String {
    let mut own = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some(start) = rest.find(['"', '“', '„', '«', '`']) {
        let open = rest[start..].chars().next().unwrap_or_default();
        let inside = &rest[start + open.len_utf8()..];
        let close: &[char] = match open {
            '“' => &['”'],
            '„' => &['“', '”'],
            '«' => &['»'],
            same => &[same],
        };
        let Some(end) = inside.find(close) else { break };
        own.push_str(&rest[..start]);
        own.push(' ');
        rest = &inside[end + inside[end..].chars().next().map_or(1, char::len_utf8)..];
    }
    own.push_str(rest);
    if words(&own).count() > 1 { own } else { sentence.to_owned() }
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

/// Abbreviations whose full stop ends no sentence.
const SHORT: &[&str] = &["e.g", "i.e", "etc", "vs", "cf", "approx", "z.b", "d.h", "bzw", "ca"];

/// Splits a line at the ends of its sentences.
fn split(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().filter_map(|(at, mark)| {
            let end = at + mark.len_utf8();
            let word = || rest[..at].rsplit([' ', '(', ',']).next().unwrap_or_default().to_lowercase();
            match mark {
                '。' | '！' | '？' | '؟' | '।' => Some(end),
                '.' if rest[end..].starts_with(' ') && SHORT.contains(&word().as_str()) => None,
                '.' | '!' | '?' if rest[end..].starts_with(' ') => Some(end),
                _ => None,
            }
        });
        let end = { ends }.next().unwrap_or(rest.len());
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
            assert_eq!(found, [((*sentence).to_owned(), kind)], "{sentence}");
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
                "Don’t touch vendor/.",
                "Do not touch vendor/, ok?",
                "Please don't add dependencies unless I say so.",
                "From now on use pnpm.",
                "Use pnpm, please.",
                "It is pnpm, not npm.",
                "We must keep Python 3.8 support.",
                "Where possible, avoid new dependencies.",
                "What I want: never break the API.",
                "Ask me before you delete anything.",
                "The public API cannot change.",
                "Treat vendor/ as read-only.",
                "Avoid new dependencies, e.g. lodash.",
                "Never use the word \"simply\".",
            ],
        );
        check(
            Kind::Question,
            &[
                "It does not compile, why?",
                "Can you avoid the lock?",
                "why must it be slow",
                "Is it only me?",
                "Why don't we use tabs?",
                "Why don’t we use tabs",
                "Is it only me, right?",
                "Don't we need only one, ok?",
                "how to avoid that",
            ],
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
                "The linter says \"you must not use any\" here.",
                "It prints `must not be null` in the log.",
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
                "Bitte kein any verwenden.",
                "Bitte niemals git push --force auf main.",
                "Nur Tests laufen lassen, kein Refactoring.",
                "Utilise seulement pnpm pour ce projet.",
                "Solo usa pnpm en este proyecto.",
                "لا تلمس المجلد vendor/",
                "不要碰",
                "vendor/ फ़ोल्डर को मत छूना",
            ],
        );
        let found = sentences("触らないで。なぜ？");
        assert_eq!(found, [("触らないで。".to_owned(), Kind::Foreign), ("なぜ？".to_owned(), Kind::Question)]);
    }

    #[test]
    fn a_prompt_in_quotation_marks_is_a_prompt() {
        let found = sentences("\"Say hello. Never push.\"");
        assert_eq!(found, [("Say hello.".to_owned(), Kind::Other), ("Never push.".to_owned(), Kind::Constraint)]);
    }

    #[test]
    fn code_and_quotations_are_not_the_persons_words() {
        let text = "Look:\n```\nerror: cannot do that, must not\n```\n> you must not\n- Never push. Thanks!";
        let found: Vec<_> = sentences(text).into_iter().filter(|(_, kind)| *kind == Kind::Constraint).collect();
        assert_eq!(found, [("Never push.".to_owned(), Kind::Constraint)]);
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
            "不要碰",
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
                let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
                prop_assert!(joined.contains(&sentence.split_whitespace().collect::<Vec<_>>().join(" ")), "{sentence:?}");
            }
        }
    }
}
