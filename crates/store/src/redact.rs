//! Covers secrets in text that comes from outside: from people, agents, clients and programs. It knows what keys look
//! like, which names and options have a secret as their value, and what is random; all of it is data ([`key::KEYS`],
//! `name`, `option`, `random`). It does not know what a key opens, so it errs on the side of covering too much.
//!
//! Whatever is written to a record is [`Redacted`], and only this module makes one: a writer cannot forget it.

mod block;
mod byte;
mod json;
mod key;
mod name;
mod option;
mod random;
mod scan;
mod stream;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

pub use key::{Body, Key, Start};
pub use stream::RedactStream;

use random::Random;

/// What stands in place of a secret.
pub const COVER: &str = "[redacted]";

/// Every kind of key that is known by its beginning.
pub const KEYS: &[Key] = key::KEYS;

/// A text without secrets, and how many there were.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Redacted<'a> {
    text: Cow<'a, str>,
    count: usize,
}

/// Covers the secrets of a text.
pub fn redact(text: &str) -> Redacted<'_> {
    redact_if(text, Random::Cover)
}

/// The same without strings that only look random.
pub fn redact_known(text: &str) -> Redacted<'_> {
    redact_if(text, Random::Keep)
}

fn redact_if(text: &str, random: Random) -> Redacted<'_> {
    let spans = scan::spans(text, random);
    if spans.is_empty() {
        return Redacted { text: Cow::Borrowed(text), count: 0 };
    }
    let mut out = covered(text, &spans);
    // What is left may read differently now. Redacting a redacted text must change nothing, so what is near is read again.
    for _ in 0..ROUNDS {
        let near = near_covers(&out);
        match scan::spans(&out[near.clone()], random) {
            spans if spans.is_empty() => break,
            spans => out.replace_range(near.clone(), &covered(&out[near], &spans)),
        }
    }
    Redacted { text: Cow::Owned(out), count: spans.len() }
}

/// More than any text needs: each round covers at least a byte that was left.
const ROUNDS: usize = 8;

/// The lines from the first covered secret to the last, and a few around them.
fn near_covers(text: &str) -> Range<usize> {
    const AROUND: usize = 512;
    let (Some(first), Some(last)) = (text.find(COVER), text.rfind(COVER)) else { return 0..0 };
    let (first, last) = (floor(text, first.saturating_sub(AROUND)), ceil(text, last + COVER.len() + AROUND));
    let start = text[..first].rfind('\n').map_or(0, |end| end + 1);
    let end = text[last..].find('\n').map_or(text.len(), |end| last + end + 1);
    start..end
}

fn covered(text: &str, spans: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end) in spans {
        out.push_str(text.get(done..*start).unwrap_or_default());
        out.push_str(COVER);
        done = *end;
    }
    out + text.get(done..).unwrap_or_default()
}

/// The lines of a text that contain secrets, counted from 1.
pub fn secrets_in(text: &str) -> Vec<usize> {
    let mut lines: Vec<usize> = scan::spans(text, Random::Cover)
        .iter()
        .map(|(start, _)| text.as_bytes()[..*start].iter().filter(|byte| **byte == b'\n').count() + 1)
        .collect();
    lines.dedup();
    lines
}

/// Returns true if bytes that are no text contain a secret, as far as they can be read.
pub fn holds_secret(bytes: &[u8]) -> bool {
    // By chance, so many letters do not follow each other.
    const LEAST: usize = 12;
    let is_text = |byte: &u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    let texts = bytes.split(|byte| !is_text(byte)).filter(|run| run.len() >= LEAST);
    texts.filter_map(|run| std::str::from_utf8(run).ok()).any(|text| redact_known(text).count > 0)
}

/// How much of a text is looked at beyond what is kept, so that no half of a secret is left where it is cut.
const SLACK: usize = 8 * 1024;

/// The beginning of a text, at most `most` bytes, without secrets. Of a long text only the beginning is searched.
pub fn redact_head(text: &str, most: usize) -> Redacted<'_> {
    let near = floor(text, most.saturating_add(SLACK));
    let mut found = redact(&text[..near]);
    found.text = match found.text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..floor(text, most)]),
        Cow::Owned(mut text) => {
            text.truncate(floor(&text, most));
            Cow::Owned(text)
        }
    };
    found
}

/// The end of a text, at most `most` bytes, without secrets. Of a long text only the end is searched.
pub fn redact_tail(text: &str, most: usize) -> Redacted<'_> {
    let near = ceil(text, text.len().saturating_sub(most.saturating_add(SLACK)));
    let mut found = redact(&text[near..]);
    let from = |text: &str| ceil(text, text.len().saturating_sub(most));
    found.text = match found.text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[from(text)..]),
        Cow::Owned(text) => Cow::Owned(text[from(&text)..].to_owned()),
    };
    found
}

fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

fn ceil(text: &str, at: usize) -> usize {
    text.ceil_char_boundary(at)
}

impl<'a> Redacted<'a> {
    /// Covers the secrets in a JSON text and keeps it valid: every string counts by itself, with the name of its field.
    pub fn json(text: impl Into<Cow<'a, str>>) -> Self {
        json::redact_json(text.into(), "")
    }

    /// The same for a file that was changed: strings that the old text has are kept.
    pub fn json_edit(text: impl Into<Cow<'a, str>>, old: &str) -> Self {
        json::redact_json(text.into(), old)
    }

    /// A record as one line of JSON, or nothing if it cannot be written as JSON.
    pub fn line(record: &impl serde::Serialize) -> Redacted<'static> {
        Redacted::json(serde_json::to_string(record).unwrap_or_default())
    }

    /// A record as indented JSON with a final newline.
    pub fn pretty(record: &impl serde::Serialize) -> Redacted<'static> {
        Redacted::json(serde_json::to_string_pretty(record).unwrap_or_default() + "\n")
    }

    /// How many secrets were covered.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn into_text(self) -> Cow<'a, str> {
        self.text
    }

    pub fn into_owned(self) -> String {
        self.text.into_owned()
    }
}

/// A constant of the program has nothing from outside.
impl From<&'static str> for Redacted<'static> {
    fn from(text: &'static str) -> Self {
        Self { text: Cow::Borrowed(text), count: 0 }
    }
}

impl Deref for Redacted<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl serde::Serialize for Redacted<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
