use regex_lite::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// A regular expression with a literal: the expression is compiled only if the literal occurs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TextPattern {
    pub(crate) regex: String,
    /// A text that every match contains; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    literal: String,
}

/// How many bytes of a text are searched.
const MOST: usize = 1 << 20;

impl TextPattern {
    pub(crate) fn new(regex: &str) -> Result<Self, String> {
        compile(regex)?;
        Ok(Self { regex: regex.to_owned(), literal: literal(regex) })
    }

    /// A pattern that matches exactly this text.
    pub(crate) fn plain(text: &str) -> Self {
        Self { regex: regex_lite::escape(text), literal: text.to_owned() }
    }

    pub(crate) fn is_in(&self, text: &str) -> Result<bool, String> {
        let mut end = text.len().min(MOST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = &text[..end];
        if !text.contains(&self.literal) {
            return Ok(false);
        }
        Ok(compile(&self.regex)?.is_match(text))
    }
}

fn compile(regex: &str) -> Result<Regex, String> {
    RegexBuilder::new(regex)
        .size_limit(1 << 18)
        .nest_limit(32)
        .multi_line(true)
        .build()
        .map_err(|error| format!("`{regex}` is not a valid regular expression: {error}"))
}

/// The longest text that every match must contain, as far as that is easy to determine.
fn literal(regex: &str) -> String {
    if regex.contains(['|', '(', ')']) || regex.contains("(?") {
        return String::new();
    }
    let (mut best, mut run) = (String::new(), String::new());
    let mut chars = regex.chars().peekable();
    let close = |run: &mut String, best: &mut String| {
        if run.len() > best.len() {
            best.clone_from(run);
        }
        run.clear();
    };
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped) if !escaped.is_alphanumeric() => run.push(escaped),
                _ => close(&mut run, &mut best),
            },
            '[' => {
                close(&mut run, &mut best);
                // A bracket right after the opening one is part of the set.
                let mut first = true;
                while let Some(inner) = chars.next() {
                    if inner == '\\' {
                        chars.next();
                    } else if inner == ']' && !first {
                        break;
                    }
                    first = first && inner == '^';
                }
            }
            '*' | '?' | '{' => {
                // The repeated part may be missing.
                run.pop();
                close(&mut run, &mut best);
                if c == '{' {
                    chars.by_ref().find(|inner| *inner == '}');
                }
            }
            '.' | '^' | '$' => close(&mut run, &mut best),
            '+' => {
                // `a+*` repeats `a+`, which may be missing then.
                if matches!(chars.peek(), Some('*' | '?' | '{' | '+')) {
                    run.pop();
                }
                close(&mut run, &mut best);
            }
            plain => run.push(plain),
        }
    }
    close(&mut run, &mut best);
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn literals_are_sure() {
        let check = |regex: &str, expected: &str| assert_eq!(literal(regex), expected, "{regex}");
        check("AKIA[0-9A-Z]{16}", "AKIA");
        check("a+bcd", "bcd");
        check("abc?d", "ab");
        check("a+*", "");
        check("ba++?", "b");
        check("ab{0,2}c", "a");
        check("foo|bar", "");
        check("(foo)?bar", "");
        check(r"sk\-live\d+x", "sk-live");
        check("[]a]bc", "bc");
        check("[^]]bc", "bc");
        check("^## Done$", "## Done");
        check(".*", "");
    }

    #[test]
    fn texts_are_searched() {
        let check = |regex: &str, text: &str, expected: bool| {
            assert_eq!(TextPattern::new(regex).unwrap().is_in(text), Ok(expected), "{regex}");
        };
        check("AKIA[0-9A-Z]{16}", "key = AKIAABCDEFGHIJKLMNOP", true);
        check("AKIA[0-9A-Z]{16}", "key = AKIA", false);
        check("^done$", "not yet\ndone\n", true);
        assert_eq!(TextPattern::plain("a.b").is_in("axb"), Ok(false));
        assert!(TextPattern::new("(").is_err());
        assert!(TextPattern::new("a{1000}{1000}{1000}").is_err());
    }

    proptest! {
        #[test]
        fn the_literal_never_hides_a_match(regex in "[ab.+*?{}\\[\\]\\\\^$|()]{0,8}", text in "[ab\\[\\]{}.]{0,12}") {
            if let Ok(pattern) = TextPattern::new(&regex) {
                let plain = TextPattern { literal: String::new(), ..pattern.clone() };
                prop_assert_eq!(pattern.is_in(&text), plain.is_in(&text));
            }
        }
    }
}
