//! Redacts secrets in text of people, agents and clients before it is stored, and counts them. Besides the words that
//! [`stead_model::redact`] knows it handles what spans words: values after a telling name, and private keys.

use std::borrow::Cow;

use stead_model::redact;

const COVER: &str = "[redacted]";

/// Names whose value is a secret even with blanks or quotes in between.
const NAMES: &[&str] =
    &["password", "passwd", "secret", "token", "api_key", "api-key", "apikey", "access_key", "authorization"];

/// The shortest value after a name that is redacted.
const SHORTEST: usize = 6;

/// A text without secrets, and how many there were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered<'a> {
    pub text: Cow<'a, str>,
    pub count: usize,
}

/// Redacts the secrets of a text.
pub fn cover(text: &str) -> Covered<'_> {
    let mut out = String::new();
    let mut count = 0;
    let mut in_key = false;
    for line in text.split_inclusive('\n') {
        // Two runs of five dashes; most lines have fewer and need no search.
        let dashes = line.bytes().filter(|byte| *byte == b'-').count();
        let begins = dashes >= 10 && line.contains("-----BEGIN ") && line.contains("PRIVATE KEY-----");
        if begins && !in_key {
            in_key = true;
            count += 1;
            out.push_str(COVER);
            out.push_str(line_end(line));
        }
        if in_key {
            let ends = line.contains("-----END ");
            let body = line.trim().trim_start_matches(['>', ' ']);
            let code = body.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
            in_key = begins && !ends || code && !body.is_empty();
            if begins || ends || code {
                continue;
            }
        }
        let safe = named(redact(line));
        if let Cow::Owned(safe) = &safe {
            count += safe.matches(COVER).count().saturating_sub(line.matches(COVER).count());
        }
        out.push_str(&safe);
    }
    let text = if count == 0 { Cow::Borrowed(text) } else { Cow::Owned(out) };
    Covered { text, count }
}

/// The lines of a text that contain secrets, counted from 1.
pub fn secrets_in(text: &str) -> Vec<usize> {
    let count = |(index, line)| (cover(line).count > 0).then_some(index + 1);
    text.split_inclusive('\n').enumerate().filter_map(count).collect()
}

fn line_end(line: &str) -> &str {
    &line[line.trim_end_matches(['\r', '\n']).len()..]
}

/// Redacts values after a name, a colon or an equals sign, and quotes or blanks.
fn named(line: Cow<'_, str>) -> Cow<'_, str> {
    let signs = line.bytes().any(|byte| matches!(byte, b':' | b'='));
    match signs.then(|| values_covered(&line)).flatten() {
        Some(safe) => Cow::Owned(safe),
        None => line,
    }
}

/// The line with such values redacted; `None` if it has none.
fn values_covered(line: &str) -> Option<String> {
    let mut out = String::new();
    let (mut at, mut done) = (0, 0);
    while let Some(end) = end_of_name(line, at) {
        let (start, stop) = value_behind(line, end);
        let value = &line[start..stop];
        let telling = value.len() >= SHORTEST
            && value != COVER
            && !value.contains('/')
            && value.bytes().any(|byte| byte.is_ascii_digit())
            && value.bytes().any(|byte| byte.is_ascii_alphabetic());
        at = end;
        if telling {
            out.push_str(&line[done..start]);
            out.push_str(COVER);
            (at, done) = (stop, stop);
        }
    }
    (done > 0).then(|| out + &line[done..])
}

/// Where the next telling name ends.
fn end_of_name(line: &str, from: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    (from..bytes.len()).find_map(|at| {
        // All of them begin with one of these.
        if !matches!(bytes[at] | 0x20, b'p' | b's' | b't' | b'a') {
            return None;
        }
        let is_there =
            |name: &&&str| bytes[at..].get(..name.len()).is_some_and(|part| part.eq_ignore_ascii_case(name.as_bytes()));
        NAMES.iter().find(is_there).map(|name| at + name.len())
    })
}

/// The range of the value after a name; empty if there is none.
fn value_behind(line: &str, end: usize) -> (usize, usize) {
    let mut at = end;
    let mut skip = |test: &dyn Fn(u8) -> bool| {
        let from = at;
        while line.as_bytes().get(at).is_some_and(|byte| test(*byte)) {
            at += 1;
        }
        at > from
    };
    skip(&|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    skip(&|byte| b"\"'` ".contains(&byte));
    if !skip(&|byte| b":=".contains(&byte)) {
        return (end, end);
    }
    skip(&|byte| b"\"'` \t".contains(&byte));
    let mut start = at;
    for scheme in ["bearer ", "basic "] {
        if line[start..].get(..scheme.len()).is_some_and(|word| word.eq_ignore_ascii_case(scheme)) {
            start += scheme.len();
        }
    }
    let stops = |c: char| c.is_whitespace() || "\"'`,;()<>{}".contains(c);
    let length = line[start..].find(stops).unwrap_or(line.len() - start);
    (start, start + length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str, count: usize) {
        let covered = cover(text);
        assert_eq!((covered.text.as_ref(), covered.count), (expected, count));
    }

    #[test]
    fn secrets_are_covered_and_counted() {
        check("password: hunter2 and more", "password: [redacted] and more", 1);
        check(r#"{"api_key": "abc123def", "x": 1}"#, r#"{"api_key": "[redacted]", "x": 1}"#, 1);
        check("Authorization: Bearer a1b2c3d4", "Authorization: Bearer [redacted]", 1);
        check("postgres://me:pw@db/x and sk-ant-abcdefgh12345678", "postgres://[redacted]@db/x and [redacted]", 2);
        let key = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAbC+/=\n-----END RSA PRIVATE KEY-----\nb\n";
        check(key, "a\n[redacted]\nb\n", 1);
        check("> -----BEGIN PRIVATE KEY-----\n> MIIE\nrest of it", "[redacted]\nrest of it", 1);
        assert_eq!(secrets_in("a\nTOKEN=x1y2z3\n"), [2]);
    }

    #[test]
    fn plain_words_stay() {
        for text in [
            "the token: see docs",
            "max_tokens: 200000",
            "auth token in src/token1.rs",
            "secret: `src/secret1.rs`",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "-----BEGIN CERTIFICATE-----\nMIIE\n",
        ] {
            check(text, text, 0);
        }
    }

    proptest! {
        #[test]
        fn covering_twice_covers_no_more(text in "(?s)(password|token|[:= \"\n]|.){0,60}") {
            let once = cover(&text).text.into_owned();
            let twice = cover(&once).text.into_owned();
            prop_assert_eq!(twice, once);
        }
    }
}
