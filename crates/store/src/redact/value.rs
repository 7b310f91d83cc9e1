//! Where the value after a name ends, and whether it can be a secret.

use super::COVER;
use super::byte::{in_name, run_end};
use super::name::{Name, WORDS};

/// How sure it is that a value follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bond {
    /// `token = value`, `token: value`: may be code or a sentence.
    Loose,
    /// `token=value`, or a line that is nothing but `token: value`.
    Tight,
    /// In quotes.
    Quoted,
}

/// A value in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) bond: Bond,
}

/// How many backslashes and which quote open a value at `at`.
fn opening(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let slashes = run_end(bytes, at, |byte| byte == b'\\') - at;
    let quote = *bytes.get(at + slashes)?;
    matches!(quote, b'"' | b'\'' | b'`').then_some((slashes, quote))
}

/// Where the value ends that such a quote opened: at the same quote behind as many backslashes, or at the line's end.
fn closing(bytes: &[u8], start: usize, slashes: usize, quote: u8) -> usize {
    let mut at = start;
    while at < bytes.len() && bytes[at] != b'\n' {
        let here = run_end(bytes, at, |byte| byte == b'\\') - at;
        match bytes.get(at + here) {
            Some(byte) if *byte == quote && here <= slashes => return at,
            Some(b'\n') | None => return at + here,
            Some(_) => at += here + 1,
        }
    }
    at
}

impl Value {
    /// The value that begins at or behind `at`, past blanks and a quote. `bond` is that of a value without quotes.
    pub(super) fn behind(bytes: &[u8], at: usize, bond: Bond) -> Self {
        let at = run_end(bytes, at, |byte| matches!(byte, b' ' | b'\t'));
        if let Some((slashes, quote)) = opening(bytes, at) {
            let start = at + slashes + 1;
            return Self { start, end: closing(bytes, start, slashes, quote), bond: Bond::Quoted };
        }
        let end = bare_end(bytes, at);
        Self { start: at, end, bond }
    }

    pub(super) fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// Where a value without quotes ends: before a blank, a quote or what ends a command; without the brackets and stops
/// behind it.
fn bare_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'"' | b'\'' | b'`' | b';' | b'&' | b'|' | b'<' | b'>' => break,
            byte if byte.is_ascii_whitespace() => break,
            b'\\' if matches!(bytes.get(end + 1), Some(b'"' | b'\'' | b'n' | b'r' | b't' | b'\\') | None) => break,
            _ => end += 1,
        }
    }
    let is_tail = |byte: u8| b",.:)]}".contains(&byte);
    while end > start && is_tail(bytes[end - 1]) && !bytes[start..end].ends_with(COVER.as_bytes()) {
        end -= 1;
    }
    end
}

/// Returns true if the value of a secret's name is a secret, and not a type, a reference, a path or a placeholder.
pub(super) fn is_secret(value: &str, bond: Bond, name: &str) -> bool {
    if is_covered(value) || is_placeholder(value) {
        return false;
    }
    // The shell's own names for folders, in every list of variables.
    if value.starts_with('/') && matches!(name, "PWD" | "OLDPWD") {
        return false;
    }
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    let word = value.trim_end_matches(['?', '!', ',', ';', '*', '&']);
    if word.is_empty() || WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)) || is_path(value) {
        return false;
    }
    if !has(|byte| !byte.is_ascii_digit()) {
        // A number: of tokens, of seconds, of a line. A password can be one, too.
        return bond == Bond::Quoted || value.len() >= 8 || value.len() >= 4 && ends_in_password(name);
    }
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    match bond {
        Bond::Quoted => !(is_word && Name::of(value) != Name::Plain),
        Bond::Tight => !(is_reference(value) || is_word && Name::of(value) != Name::Plain),
        Bond::Loose => {
            let is_mixed = has(u8::is_ascii_digit) || value.bytes().any(|byte| b"!#$%^*+~@".contains(&byte));
            value.len() >= 6 && is_mixed && !is_reference(value) && !is_identifier(value)
        }
    }
}

fn ends_in_password(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["password", "passwd", "pwd", "passphrase", "passcode", "pass"].iter().any(|end| name.ends_with(end))
}

/// What redaction leaves, or what others wrote in place of a secret.
fn is_covered(value: &str) -> bool {
    let mask = value
        .as_bytes()
        .first()
        .is_some_and(|first| b"*xX.-_\xe2#?".contains(first) && value.chars().all(|c| value.starts_with(c)));
    value == COVER || value.is_empty() || mask
}

/// A variable, a template or an example: `$X`, `${X}`, `{{x}}`, `<your token>`, `%X%`, `@file`.
fn is_placeholder(value: &str) -> bool {
    let Some(first) = value.chars().next() else { return true };
    match first {
        '$' => value[1..].starts_with(|c: char| c.is_ascii_alphabetic() || "_{(".contains(c)) && !has_more(value),
        '<' | '{' => true,
        '%' => value.len() > 2 && (value.ends_with('%') || value[1..].starts_with(['{', '('])),
        _ => false,
    }
}

/// Returns true if there is more than a variable's name: `$ecret1!` is a password, `$TOKEN` is none.
fn has_more(value: &str) -> bool {
    let name = &value[1..];
    !name.starts_with(['{', '(']) && name.bytes().any(|byte| !byte.is_ascii_alphanumeric() && byte != b'_')
}

/// A path of words, not a key that has a slash.
fn is_path(value: &str) -> bool {
    let starts = ["/", "./", "../", "~/", "file:"].iter().any(|start| value.starts_with(start));
    if !starts && !value.contains('/') {
        return false;
    }
    let mut parts = value.split('/').filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(is_plain_part) && !value.contains(['+', '=', '@', ':'])
}

/// A part of a path that reads like a name: in one case or capitalised, with few digits.
fn is_plain_part(part: &str) -> bool {
    let upper = part.bytes().filter(u8::is_ascii_uppercase).count();
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    part.len() <= 48 && (upper <= 1 + part.len() / 5 || upper + digits == part.len()) && digits * 3 <= part.len().max(6)
}

/// Code that stands for a value: a call, an index, a member, a type.
fn is_reference(value: &str) -> bool {
    let value = value.trim_start_matches(['&', '*', '!', '@', '(', '[']);
    let head = run_end(value.as_bytes(), 0, |byte| in_name(byte) && byte != b'-');
    let (name, rest) = value.split_at(head);
    if name.is_empty() {
        return value.is_empty();
    }
    let begins = |start: &str| rest.starts_with(start);
    if begins("(") || begins("[") || begins("::") || begins("<") || begins("->") || begins("?.") || begins("!(") {
        return true;
    }
    let is_member = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().filter(u8::is_ascii_digit).count() <= 2
    };
    rest.is_empty() && name.contains('.') && name.split('.').all(is_member)
}

/// Returns true for an identifier: words with at most a short number at the end.
fn is_identifier(value: &str) -> bool {
    let bare = value.trim_end_matches(|c: char| c.is_ascii_digit());
    value.len() - bare.len() <= 2
        && bare.contains('_')
        && bare.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
}
