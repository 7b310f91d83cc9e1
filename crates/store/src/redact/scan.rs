//! Finds the secrets of a text in one pass. Most bytes mean nothing and cost one look into a table.

use super::byte::{in_name, run_end};
use super::key::{KEYS, Keys};
use super::name::Name;
use super::option::option_value;
use super::random::{Random, is_random};
use super::value::{Bond, Value, is_secret};
use super::{COVER, block};

/// What a byte may be the beginning or the middle of.
mod class {
    /// The first byte of a key.
    pub(super) const KEY: u8 = 1;
    /// `:` `=` `>`: a value may follow.
    pub(super) const SIGN: u8 = 2;
    /// `-`: an option or a block may begin.
    pub(super) const DASH: u8 = 4;
    /// Part of a string without blanks.
    pub(super) const RANDOM: u8 = 8;
    /// The `p` of a word for password.
    pub(super) const WORD: u8 = 16;
}

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut row = 0;
    while row < KEYS.len() {
        table[KEYS[row].prefix.as_bytes()[0] as usize] |= class::KEY;
        row += 1;
    }
    let mut byte = 0u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-') {
            table[byte as usize] |= class::RANDOM;
        }
        byte += 1;
    }
    table[b':' as usize] |= class::SIGN;
    table[b'=' as usize] |= class::SIGN;
    table[b'>' as usize] |= class::SIGN;
    table[b'-' as usize] |= class::DASH;
    table[b'p' as usize] |= class::WORD;
    table[b'P' as usize] |= class::WORD;
    table
}

/// A range of bytes to cover.
pub(super) type Span = (usize, usize);

struct Scan<'t> {
    text: &'t str,
    bytes: &'t [u8],
    random: Random,
    spans: Vec<Span>,
    /// Where the string without blanks began that the scan is in.
    run: usize,
    /// The last value of a name for hashes and ids.
    harmless: Span,
}

/// The ranges of all secrets in a text, in order and apart from each other.
pub(super) fn spans(text: &str, random: Random) -> Vec<Span> {
    let mut scan = Scan { text, bytes: text.as_bytes(), random, spans: Vec::new(), run: 0, harmless: (0, 0) };
    scan.all();
    merged(scan.spans, text)
}

fn merged(mut spans: Vec<Span>, text: &str) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for (start, end) in spans {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    // What is covered already stays as it is.
    merged.retain(|(start, end)| start < end && text.get(*start..*end).is_some_and(|part| part != COVER));
    merged
}

impl Scan<'_> {
    fn all(&mut self) {
        let bytes = self.bytes;
        let mut at = 0;
        while at < bytes.len() {
            let class = CLASSES[bytes[at] as usize];
            if class & class::RANDOM == 0 {
                self.end_run(at);
                self.run = at + 1;
            }
            if class & !class::RANDOM != 0
                && let Some(end) = self.secret_at(at, class)
                && end > at
            {
                self.end_run(at);
                self.run = end;
                at = end;
                continue;
            }
            at += 1;
        }
        self.end_run(bytes.len());
    }

    /// Covers a secret that begins or is announced at `at`, and says where the scan goes on.
    #[inline]
    fn secret_at(&mut self, at: usize, class: u8) -> Option<usize> {
        if class & class::KEY != 0 {
            let next = *self.bytes.get(at + 1)?;
            if Keys::ALL.may_begin(self.bytes[at], next)
                && let Some((start, end)) = Keys::ALL.range_at(self.bytes, at)
            {
                self.spans.push((start, end));
                return Some(end);
            }
        }
        if class & class::SIGN != 0 {
            return self.sign(at);
        }
        if class & class::DASH != 0 {
            return self.dash(at);
        }
        if class & class::WORD != 0 {
            return self.word(at);
        }
        None
    }

    fn dash(&mut self, at: usize) -> Option<usize> {
        if self.bytes[at..].starts_with(b"-----BEGIN ") {
            let (end, is_secret) = block::range_at(self.text, at)?;
            if is_secret {
                self.spans.push((at, end));
            }
            // What is public may look random.
            return Some(end);
        }
        let (start, end) = option_value(self.text, at)?;
        self.spans.push((start, end));
        Some(end)
    }

    /// `password hunter2`, as in a `.netrc` file.
    fn word(&mut self, at: usize) -> Option<usize> {
        let word = b"password ";
        let found = self.bytes.get(at..at + word.len())?;
        if !found.eq_ignore_ascii_case(word) || at > 0 && in_name(self.bytes[at - 1]) {
            return None;
        }
        let value = Value::behind(self.bytes, at + word.len(), Bond::Loose);
        let text = value.text(self.text);
        let is_mixed =
            text.bytes().any(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte.is_ascii_alphabetic());
        (value.bond == Bond::Loose && is_mixed && !text.contains('/') && is_secret(text, Bond::Loose, "password")).then(
            || {
                self.spans.push((value.start, value.end));
                value.end
            },
        )
    }

    fn sign(&mut self, at: usize) -> Option<usize> {
        let bytes = self.bytes;
        if bytes[at] == b':' && bytes[at..].starts_with(b"://") {
            return self.login(at + 3);
        }
        if bytes[at] == b':'
            && let Some(span) = bot_token(bytes, at)
        {
            self.spans.push(span);
            return Some(span.1);
        }
        let (start, end) = name_before(bytes, at)?;
        let name = &self.text[start..end];
        if bytes[at] == b'>' {
            return self.element(start, name, at);
        }
        let kind = Name::of(name);
        if kind == Name::Plain {
            return if name == "value" { self.value_of_name(start, at) } else { None };
        }
        // `:=`, `=>`, `==`
        let behind = run_end(bytes, at, |byte| b":=>".contains(&byte));
        match kind {
            Name::Header => self.header(behind),
            Name::Cookie => self.cookie(behind),
            Name::Harmless => {
                let value = Value::behind(bytes, behind, Bond::Loose);
                self.harmless = (value.start, value.end);
                None
            }
            Name::Parameter
                if start == 0 || !b"?&;".contains(&bytes[start - 1]) && !self.text[..start].ends_with("u0026") =>
            {
                None
            }
            _ => {
                let value = Value::behind(bytes, behind, self.bond(start, end, at, behind));
                self.cover_if_secret(value, name)
            }
        }
    }

    /// How close name and value are.
    fn bond(&self, start: usize, end: usize, sign: usize, behind: usize) -> Bond {
        let bytes = self.bytes;
        let is_close =
            sign == end && behind == sign + 1 && !bytes.get(behind).is_none_or(|byte| byte.is_ascii_whitespace());
        if is_close && bytes[sign] == b'=' {
            return Bond::Tight;
        }
        // A line of its own: `  - password: value`.
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let is_first = self.text[line..start].bytes().all(|byte| b" \t->+\"'".contains(&byte));
        let value = Value::behind(bytes, behind, Bond::Tight);
        let is_last =
            matches!(bytes.get(value.end), None | Some(b'\n' | b'\r')) || self.text[value.end..].starts_with(" #");
        if is_first && is_last && value.start > behind && bytes[sign] == b':' { Bond::Tight } else { Bond::Loose }
    }

    fn cover_if_secret(&mut self, value: Value, name: &str) -> Option<usize> {
        let text = value.text(self.text);
        is_secret(text, value.bond, name).then(|| {
            self.spans.push((value.start, value.end));
            value.end
        })
    }

    /// `name: DB_PASSWORD`, and on the same or the next line `value: …`.
    fn value_of_name(&mut self, start: usize, sign: usize) -> Option<usize> {
        const NEAR: usize = 120;
        let mut from = start.saturating_sub(NEAR);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let before = &self.text[from..start];
        let at = before.rfind("name")?;
        let rest = before[at + 4..].trim_start_matches(['"', '\'', '\\', ' ']);
        let named = rest.strip_prefix([':', '='])?.trim_start_matches([' ', '"', '\'', '\\']);
        let named = &named[..run_end(named.as_bytes(), 0, in_name)];
        if Name::of(named) != Name::Secret {
            return None;
        }
        let bond = if self.bytes[sign] == b'=' { Bond::Quoted } else { Bond::Tight };
        self.cover_if_secret(Value::behind(self.bytes, sign + 1, bond), named)
    }

    /// `<password>value</password>`
    fn element(&mut self, start: usize, name: &str, at: usize) -> Option<usize> {
        if start == 0 || self.bytes[start - 1] != b'<' || Name::of(name) != Name::Secret {
            return None;
        }
        let end = run_end(self.bytes, at + 1, |byte| byte != b'<' && byte != b'\n');
        if !self.bytes[end..].starts_with(b"</") {
            return None;
        }
        self.cover_if_secret(Value { start: at + 1, end, bond: Bond::Quoted }, name)
    }

    /// `scheme://user:password@host`, or one key in place of both.
    fn login(&mut self, start: usize) -> Option<usize> {
        let end = run_end(self.bytes, start, |byte| {
            byte.is_ascii_graphic() && !b"/?#\"'`<>\\ ".contains(&byte) || byte >= 128
        });
        let at = start + self.text.get(start..end)?.rfind('@')?;
        let login = &self.text[start..at];
        let is_key = || login.len() >= 16 && login.bytes().any(|byte| byte.is_ascii_digit());
        let hides = match login.split_once(':') {
            Some((_, password)) => password != COVER && !password.is_empty() && !password.starts_with('$'),
            None => login != COVER && is_key(),
        };
        hides.then(|| {
            self.spans.push((start, at));
            at
        })
    }

    /// The value of an authorization header: its scheme stays.
    fn header(&mut self, behind: usize) -> Option<usize> {
        let value = Value::behind(self.bytes, behind, Bond::Loose);
        let line =
            run_end(self.bytes, value.start, |byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\'));
        let end = if value.bond == Bond::Quoted { value.end } else { line };
        let text = &self.text[value.start..end];
        let scheme = run_end(text.as_bytes(), 0, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let credentials = text[scheme..].trim_start_matches(' ');
        let is_scheme = credentials.len() < text.len() - scheme
            && text[..scheme].starts_with(|c: char| c.is_ascii_alphabetic())
            && !credentials.is_empty();
        let start = if is_scheme { end - credentials.len() } else { value.start };
        // Behind a scheme there is one word, or a list of parameters.
        let covered = &self.text[start..end];
        let stop = if covered.contains('=') && covered.contains(", ") {
            end
        } else {
            start + covered.find([' ', '\t']).unwrap_or(covered.len())
        };
        let found = self.text[start..stop].trim_end_matches([',', ';', ')', ']', '}']);
        if covered.starts_with(COVER) {
            return None;
        }
        let bond = if is_scheme { Bond::Tight } else { Bond::Loose };
        is_secret(found, bond, "authorization").then(|| {
            self.spans.push((start, start + found.len()));
            start + found.len()
        })
    }

    /// All cookies of a line.
    fn cookie(&mut self, behind: usize) -> Option<usize> {
        let value = Value::behind(self.bytes, behind, Bond::Loose);
        let end = match value.bond {
            Bond::Quoted => value.end,
            _ => run_end(self.bytes, value.start, |byte| !matches!(byte, b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\')),
        };
        let text = self.text.get(value.start..end)?.trim_end();
        (text.contains('=') && text != COVER).then(|| {
            self.spans.push((value.start, value.start + text.len()));
            end
        })
    }

    /// Judges the string without blanks that ends here.
    #[inline]
    fn end_run(&mut self, end: usize) {
        if end.saturating_sub(self.run) >= Random::LEAST && self.random == Random::Cover {
            self.judge_run(end);
        }
    }

    fn judge_run(&mut self, end: usize) {
        let start = self.run;
        let is_harmless = self.harmless.0 <= start && end <= self.harmless.1 && self.harmless.1 > 0;
        if !is_harmless && is_random(self.bytes, start, end) {
            self.spans.push((start, end));
        }
    }
}

/// `123456789:` and 35 letters: the token of a bot.
fn bot_token(bytes: &[u8], colon: usize) -> Option<Span> {
    let digits = bytes[..colon].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let end = run_end(bytes, colon + 1, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let body = &bytes[colon + 1..end];
    let is_token =
        (6..=12).contains(&digits) && (30..=64).contains(&body.len()) && body.iter().any(u8::is_ascii_alphabetic);
    is_token.then_some((colon - digits, end))
}

/// The name before a sign, past blanks and quotes.
fn name_before(bytes: &[u8], sign: usize) -> Option<Span> {
    let mut end = sign;
    while end > 0 && sign - end < 4 && matches!(bytes[end - 1], b' ' | b'"' | b'\'' | b'\\' | b'`' | b'?' | b']') {
        end -= 1;
    }
    let length = bytes[..end].iter().rev().take(65).take_while(|byte| in_name(**byte)).count();
    let mut start = end - length;
    // The letter of an escape belongs to the text before: `\npassword`.
    if start > 0 && bytes[start - 1] == b'\\' && length > 1 && matches!(bytes[start], b'n' | b'r' | b't') {
        start += 1;
    }
    while start < end && matches!(bytes[start], b'-' | b'.') {
        start += 1;
    }
    (start < end).then_some((start, end))
}
