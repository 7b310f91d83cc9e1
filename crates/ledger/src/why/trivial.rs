/// Words that say nothing about who wrote a line, in order.
const WORDS: &[&str] = &[
    "as", "async", "await", "begin", "break", "case", "catch", "class", "const", "continue", "def", "default", "do",
    "done", "elif", "else", "elsif", "end", "endif", "ensure", "err", "error", "esac", "except", "false", "fi",
    "finally", "fn", "for", "func", "function", "if", "impl", "import", "in", "is", "let", "loop", "match", "mod",
    "mut", "new", "nil", "none", "not", "null", "ok", "pass", "private", "protected", "pub", "public", "raise",
    "rescue", "return", "self", "some", "static", "struct", "super", "switch", "test", "then", "this", "throw", "true",
    "try", "type", "undefined", "use", "var", "void", "where", "while", "with", "yield",
];

/// The length of the longest of them.
const LONGEST: usize = 9;

/// How many letters and digits beyond those words a line needs to be told from others.
const ENOUGH: usize = 4;

/// Returns true for a line that anybody may write anywhere: blank, `}`, `end`, `return`, `} else {`.
pub(crate) fn is_trivial(line: &str) -> bool {
    let words = line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut own = 0;
    for word in words {
        if !says_nothing(word) {
            own += word.chars().filter(|c| c.is_alphanumeric()).count();
        }
        if own >= ENOUGH {
            return false;
        }
    }
    true
}

/// Every line of a changed file is looked at after each call, so the list is not gone through word by word.
fn says_nothing(word: &str) -> bool {
    let mut lower = [0; LONGEST];
    let Some(lower) = lower.get_mut(..word.len()) else { return false };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    WORDS.binary_search_by(|known| known.as_bytes().cmp(lower)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, WORDS, is_trivial, says_nothing};

    #[test]
    fn every_word_is_found_in_any_case() {
        assert!(WORDS.is_sorted() && WORDS.iter().all(|word| word.len() <= LONGEST));
        assert!(WORDS.iter().all(|word| says_nothing(word) && says_nothing(&word.to_uppercase())));
        assert!(["", "total", "undefined_", "ключ", "ß"].iter().all(|word| !says_nothing(word)));
    }

    #[track_caller]
    fn check(line: &str, expected: bool) {
        assert_eq!(is_trivial(line), expected, "{line:?}");
    }

    #[test]
    fn a_line_without_words_of_its_own_is_trivial() {
        for line in
            ["", "   ", "}", "});", "end", "return", "return None", "} else {", "if err != nil {", "x = 1", "/**"]
        {
            check(line, true);
        }
        for line in ["let total = 0;", "import os.path", "# reason", "return total", "ключ"] {
            check(line, false);
        }
    }
}
