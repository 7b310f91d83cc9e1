//! One way to write what may be written in several ways: strings, numbers, text between tags.

use crate::language::Language;

/// Returns the content of a string without its quotes; nothing if it has parts that are evaluated, or if the kind of
/// quotes decides what it means.
pub(super) fn string(language: Language, text: &str) -> Option<String> {
    match language {
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let inner = text.get(1..text.len().checked_sub(1)?)?;
            Some(plain_quotes(inner))
        }
        Language::Python => python(text),
        Language::Ruby | Language::Php | Language::Bash => {
            let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
            let evaluated: &[char] = if quote == '"' { &['\\', '$', '`', '#', '{', '!'] } else { &['\\'] };
            (!inner.contains(evaluated)).then(|| inner.to_owned())
        }
        _ => None,
    }
}

fn python(text: &str) -> Option<String> {
    let start = text.find(['"', '\''])?;
    let prefix = text[..start].to_ascii_lowercase().replace('u', "");
    if prefix.contains(['f', 't']) {
        return None;
    }
    let quoted = &text[start..];
    let width = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") { 3 } else { 1 };
    let inner = quoted.get(width..quoted.len().checked_sub(width)?)?;
    let inner = if prefix.contains('r') { inner.to_owned() } else { plain_quotes(inner) };
    Some(if prefix.is_empty() { inner } else { format!("{prefix}\"{inner}") })
}

/// Removes backslashes before quotes.
fn plain_quotes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, chars.clone().next()) {
            ('\\', Some(quote @ ('"' | '\''))) => {
                plain.push(quote);
                chars.next();
            }
            ('\\', Some(next)) => {
                plain.extend(['\\', next]);
                chars.next();
            }
            _ => plain.push(char),
        }
    }
    plain
}

pub(super) fn number(text: &str) -> Option<String> {
    let plain = |byte: u8| !byte.is_ascii_uppercase() && byte != b'_' && byte != b'\'';
    (!text.bytes().all(plain)).then(|| text.replace(['_', '\''], "").to_ascii_lowercase())
}

/// Text between tags: lines are trimmed and joined by one space, as JSX does it.
pub(super) fn tag_text(text: &str) -> Option<String> {
    let last = text.lines().count().checked_sub(1).filter(|last| *last > 0 || text.ends_with('\n'))?;
    let lines = text.lines().enumerate().map(|(at, line)| {
        let line = if at == 0 { line } else { line.trim_start() };
        if at == last && !text.ends_with('\n') { line } else { line.trim_end() }
    });
    Some(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" "))
}

/// Comments that compilers and tools obey.
pub(super) fn is_directive(text: &str, start: u32) -> bool {
    let starts = ["//go:", "// +build", "# frozen_string_literal", "#cgo"];
    starts.iter().any(|directive| text.starts_with(directive)) || start == 0 && text.starts_with("#!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(language: Language, one: &str, other: &str, expected: bool) {
        let (left, right) = (string(language, one), string(language, other));
        assert_eq!(left.is_some() && left == right, expected, "{one} {other}");
    }

    #[test]
    fn quotes_do_not_count() {
        same(Language::JavaScript, "'a'", "\"a\"", true);
        same(Language::JavaScript, r"'it\'s'", "\"it's\"", true);
        same(Language::JavaScript, r"'a\\'", r"'a\'", false);
        same(Language::Python, "'a'", "\"\"\"a\"\"\"", true);
        same(Language::Python, "u'a'", "'a'", true);
        same(Language::Python, "b'a'", "'a'", false);
        same(Language::Python, "R'\\n'", "'\\n'", false);
        same(Language::Python, "f'a'", "'a'", false);
        same(Language::Ruby, "'a'", "\"a\"", true);
        same(Language::Ruby, "'#{a}'", "\"#{a}\"", false);
        same(Language::Php, "'$a'", "\"$a\"", false);
        same(Language::Bash, "'a b'", "\"a b\"", true);
        same(Language::Python, "'", "'", false);
    }

    #[test]
    fn numbers_have_one_spelling() {
        assert_eq!(number("0xFF"), Some("0xff".to_owned()));
        assert_eq!(number("1_000"), Some("1000".to_owned()));
        assert_eq!(number("10"), None);
    }

    #[test]
    fn text_between_tags_is_joined() {
        assert_eq!(tag_text("\n  a\n  b\n"), Some("a b".to_owned()));
        assert_eq!(tag_text(" a "), None);
        assert_eq!(tag_text("a\n  b "), Some("a b ".to_owned()));
    }
}
