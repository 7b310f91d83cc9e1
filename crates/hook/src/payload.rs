//! The client's JSON from standard input, limited in size and time, and repaired if possible.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use stead_store::{Got, read_stdin};

use crate::boundary::Boundary;

/// The maximum size of a payload; larger ones are not read.
pub(crate) const LIMIT: usize = 16 * 1024 * 1024;

/// How long the client may pause before its value is complete; less than the hook's own deadline.
const PATIENCE: Duration = Duration::from_millis(1_200);

/// How long to keep reading if a client sends too much, so that its pipe does not break.
const DRAIN: Duration = Duration::from_millis(500);

/// How long to wait for the end of input after the value is complete.
const REST: Duration = Duration::from_millis(25);

/// The size of the first read; most payloads fit.
const STEP: usize = 4 * 1024;

/// The input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    /// Everything up to the end of the first value, or up to the end of input if there was no complete value.
    Bytes(Vec<u8>),
    TooBig,
}

/// Reads one value.
pub(crate) fn read() -> Payload {
    let mut bytes = Vec::new();
    let mut boundary = Boundary::new();
    loop {
        let start = bytes.len();
        if start >= LIMIT {
            drain(DRAIN, 256 * 1024);
            return Payload::TooBig;
        }
        // Grows with the input, so that a large payload is not read in small steps.
        match read_stdin(&mut bytes, STEP.max(start), PATIENCE) {
            Ok(Got::Bytes(_)) => {}
            Ok(Got::End | Got::Nothing) | Err(_) => return Payload::Bytes(bytes),
        }
        if let Some(end) = boundary.find(&bytes) {
            bytes.truncate(end);
            return Payload::Bytes(bytes);
        }
    }
}

/// Reads the rest until the client closes the pipe: a client that cannot write its last newline may report the hook as
/// broken. Does not wait long for a client that keeps the pipe open.
pub(crate) fn drain_rest() {
    drain(REST, 512);
}

fn drain(patience: Duration, step: usize) {
    let until = Instant::now() + patience;
    let mut rest = Vec::new();
    while let Ok(Got::Bytes(_)) = read_stdin(&mut rest, step, until.saturating_duration_since(Instant::now())) {
        rest.clear();
    }
}

/// The payload as text: without a byte order mark, and with bytes that are not UTF-8 replaced.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// Escapes raw control characters inside strings. They are not allowed in JSON, but clients have sent them.
pub(crate) fn escape_controls(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len() + 16);
    let (mut in_string, mut escaped) = (false, false);
    for character in text.chars() {
        if in_string && (character as u32) < 0x20 {
            // A preceding backslash would change the meaning of the escape below.
            if escaped {
                repaired.push('\\');
            }
            repaired.push_str(&format!("\\u{:04x}", character as u32));
            escaped = false;
            continue;
        }
        match character {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        repaired.push(character);
    }
    repaired
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn raw_control_characters_become_escapes() {
        let repaired = escape_controls("{\n\"a\": \"one\ttwo\nthree\\\n\"}");
        let value: serde_json::Value = serde_json::from_str(&repaired).unwrap();
        assert_eq!(value["a"], "one\ttwo\nthree\\\n");
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        assert_eq!(text(b"\xef\xbb\xbf{}"), "{}");
        assert_eq!(text(b"{\"a\":\"\xff\"}"), "{\"a\":\"\u{fffd}\"}");
    }

    proptest! {
        #[test]
        fn valid_json_is_untouched(text in "\\PC{0,40}") {
            let json = serde_json::to_string_pretty(&serde_json::json!({"k": text})).unwrap();
            prop_assert_eq!(escape_controls(&json), json);
        }
    }
}
