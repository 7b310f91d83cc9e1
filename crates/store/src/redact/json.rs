//! Secrets in a JSON text, string by string, so that the text stays JSON whatever is covered.

use std::borrow::Cow;

use super::name::{HASH, LINE_HASHES, Name};
use super::random::Random;
use super::value::{Bond, is_secret};
use super::{COVER, Redacted, redact_if, scan};

/// A string of the text: its range without quotes, and whether it is the name of a field.
#[derive(Clone, Copy)]
struct Literal {
    start: usize,
    end: usize,
    is_name: bool,
}

/// `old` is a text whose strings are kept.
pub(super) fn redact_json<'a>(text: Cow<'a, str>, old: &str) -> Redacted<'a> {
    let mut out = String::new();
    let (mut done, mut count) = (0, 0);
    let mut name = (0, 0);
    let mut upcoming = next(&text, 0);
    // The strings of a list that stand next to each other.
    let mut list: Vec<Literal> = Vec::new();
    let mut known = Known::default();
    while let Some(literal) = upcoming {
        upcoming = next(&text, literal.end + 1);
        list.push(literal);
        if upcoming.is_some_and(|next| are_neighbours(&text, literal, next)) {
            continue;
        }
        let field = if literal.is_name { "" } else { &text[name.0..name.1] };
        for (literal, covered, found) in covered_list(&text, &list, field, &mut known) {
            if !old.is_empty() && old.contains(&text[literal.start - 1..=literal.end]) {
                continue;
            }
            out.push_str(&text[done..literal.start]);
            out.push_str(&covered);
            count += found;
            done = literal.end;
        }
        if literal.is_name {
            name = (literal.start, literal.end);
        }
        list.clear();
    }
    if count == 0 {
        return Redacted { text, count };
    }
    out.push_str(&text[done..]);
    Redacted { text: Cow::Owned(out), count }
}

/// A text that has no secrets. Parts of a line often say the same: a command, its words, and the step that it is.
#[derive(Default)]
struct Known<'t>(&'t str);

/// The next string at or behind `at`.
fn next(text: &str, at: usize) -> Option<Literal> {
    let bytes = text.as_bytes();
    let start = find(bytes, at, [b'"'; 2])? + 1;
    let mut end = start;
    loop {
        end = find(bytes, end, [b'"', b'\\'])?;
        if bytes[end] == b'"' {
            break;
        }
        end += 2;
    }
    let is_name = bytes[end + 1..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
    Some(Literal { start, end, is_name })
}

/// Where one of two bytes stands. Most are near, and a search for long texts costs more than it finds.
fn find(bytes: &[u8], from: usize, wanted: [u8; 2]) -> Option<usize> {
    const NEAR: usize = 24;
    let (near, far) = bytes.get(from..)?.split_at(NEAR.min(bytes.len() - from));
    let found = near.iter().position(|byte| wanted.contains(byte));
    found.or_else(|| Some(near.len() + memchr::memchr2(wanted[0], wanted[1], far)?)).map(|found| from + found)
}

/// Returns true if nothing but a comma is between two values.
fn are_neighbours(text: &str, one: Literal, other: Literal) -> bool {
    !one.is_name && !other.is_name && text[one.end + 1..other.start - 1].trim_ascii() == ","
}

/// The strings of a list that have secrets, without them. An option and its value may be two words of a list, so they are
/// read together, too.
fn covered_list<'t>(
    text: &'t str,
    list: &[Literal],
    field: &str,
    known: &mut Known<'t>,
) -> Vec<(Literal, String, usize)> {
    let mut found: Vec<(Literal, String, usize)> = Vec::new();
    for literal in list {
        let inner = &text[literal.start..literal.end];
        found.extend(covered(inner, field, known).map(|(text, count)| (*literal, text, count)));
    }
    if list.len() > 1 {
        let words: Vec<Cow<'_, str>> = list.iter().filter_map(|it| plain(&text[it.start..it.end])).collect();
        for index in values_of_others(&words, known) {
            if words.len() == list.len()
                && !found.iter().any(|(known, text, _)| known.start == list[index].start && text == COVER)
            {
                found.retain(|(known, ..)| known.start != list[index].start);
                found.push((list[index], COVER.to_owned(), 1));
            }
        }
        found.sort_by_key(|(literal, ..)| literal.start);
    }
    found
}

/// The words that are secrets because of the words before them.
fn values_of_others(words: &[Cow<'_, str>], known: &Known<'_>) -> Vec<usize> {
    let joined = words.join(" ");
    if joined == known.0 {
        return Vec::new();
    }
    let spans = scan::spans(&joined, Random::Keep);
    let mut found = Vec::new();
    let mut start = 0;
    for (index, word) in words.iter().enumerate() {
        let end = start + word.len();
        let mut within = spans.iter().filter(|(at, _)| (start..end).contains(at)).peekable();
        if *word != COVER && within.peek().is_some() {
            let alone = scan::spans(word, Random::Keep);
            let is_old = |at: usize| alone.iter().any(|(own, stop)| (*own..*stop).contains(&(at - start)));
            if within.any(|(at, _)| !is_old(*at)) {
                found.push(index);
            }
        }
        start = end + 1;
    }
    found
}

fn plain(inner: &str) -> Option<Cow<'_, str>> {
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str(&format!("\"{inner}\"")).ok().map(Cow::Owned)
}

/// Words shorter than every key.
pub(super) const SHORT: usize = 14;

/// Returns true for a word that is no key by itself and announces nothing.
fn is_short_word(inner: &str) -> bool {
    inner.len() < SHORT && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
}

/// The string without its secrets, escaped again; `None` if it has none.
fn covered<'t>(inner: &'t str, field: &str, known: &mut Known<'t>) -> Option<(String, usize)> {
    if inner.len() < 3 {
        return None;
    }
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if inner.len().is_multiple_of(HASH) && LINE_HASHES.contains(&field) && inner.bytes().all(is_letter) {
        return None;
    }
    let kind = Name::of(field);
    if matches!(kind, Name::Plain | Name::Harmless) && is_short_word(inner) {
        return None;
    }
    let plain = plain(inner)?;
    if matches!(kind, Name::Secret | Name::Header | Name::Cookie) && is_secret(&plain, Bond::Quoted, field) {
        return Some((COVER.to_owned(), 1));
    }
    if plain == known.0 {
        return None;
    }
    let random = if kind == Name::Harmless { Random::Keep } else { Random::Cover };
    let found = redact_if(&plain, random);
    if found.count == 0 {
        if let (Cow::Borrowed(text), Random::Cover) = (&plain, random) {
            known.0 = text;
        }
        return None;
    }
    let escaped = serde_json::to_string(found.as_str()).ok()?;
    Some((escaped.get(1..escaped.len() - 1)?.to_owned(), found.count))
}
