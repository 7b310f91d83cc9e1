//! Secrets in a JSON text, string by string, so that the text stays JSON whatever is covered.

use std::borrow::Cow;

use super::name::Name;
use super::random::Random;
use super::value::{Bond, is_secret};
use super::{COVER, Redacted, redact_if};

/// A string of the text: its range without quotes, and whether it is the name of a field.
struct Literal {
    start: usize,
    end: usize,
    is_name: bool,
}

/// `old` is a text whose strings are kept.
pub(super) fn redact_json<'a>(text: Cow<'a, str>, old: &str) -> Redacted<'a> {
    let mut out = String::new();
    let (mut done, mut count) = (0, 0);
    let mut at = 0;
    let mut name = (0, 0);
    while let Some(literal) = next(&text, at) {
        let inner = &text[literal.start..literal.end];
        let field = if literal.is_name { "" } else { &text[name.0..name.1] };
        if let Some((covered, found)) = covered(inner, field)
            && (old.is_empty() || !old.contains(&text[literal.start - 1..=literal.end]))
        {
            out.push_str(&text[done..literal.start]);
            out.push_str(&covered);
            count += found;
            done = literal.end;
        }
        if literal.is_name {
            name = (literal.start, literal.end);
        }
        at = literal.end + 1;
    }
    if count == 0 {
        return Redacted { text, count };
    }
    out.push_str(&text[done..]);
    Redacted { text: Cow::Owned(out), count }
}

/// The next string at or behind `at`.
fn next(text: &str, at: usize) -> Option<Literal> {
    let bytes = text.as_bytes();
    let start = at + memchr::memchr(b'"', bytes.get(at..)?)? + 1;
    let mut end = start;
    loop {
        end += memchr::memchr2(b'"', b'\\', bytes.get(end..)?)?;
        if bytes[end] == b'"' {
            break;
        }
        end += 2;
    }
    let is_name = bytes[end + 1..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
    Some(Literal { start, end, is_name })
}

/// The string without its secrets, escaped again; `None` if it has none.
fn covered(inner: &str, field: &str) -> Option<(String, usize)> {
    if inner.len() < 3 {
        return None;
    }
    let plain: Cow<'_, str> = if inner.contains('\\') {
        Cow::Owned(serde_json::from_str(&format!("\"{inner}\"")).ok()?)
    } else {
        Cow::Borrowed(inner)
    };
    let kind = Name::of(field);
    if matches!(kind, Name::Secret | Name::Header | Name::Cookie) && is_secret(&plain, Bond::Quoted, field) {
        return Some((COVER.to_owned(), 1));
    }
    let random = if kind == Name::Harmless { Random::Keep } else { Random::Cover };
    let found = redact_if(&plain, random);
    if found.count == 0 {
        return None;
    }
    let escaped = serde_json::to_string(found.as_str()).ok()?;
    Some((escaped.get(1..escaped.len() - 1)?.to_owned(), found.count))
}
