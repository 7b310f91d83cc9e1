//! Classifies lines of a log.

use crate::Severity;
use crate::text::plain;

/// How much of a line is shown.
const SHOWN: usize = 300;

/// Returns the severity of a line by its words; `None` for most lines.
pub(super) fn severity(line: &[u8]) -> Option<Severity> {
    let mut worst = None;
    let mut at = 0;
    while at < line.len() {
        if !line[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let start = at;
        while at < line.len() && line[at].is_ascii_alphabetic() {
            at += 1;
        }
        if let Some(found) = of_word(&line[start..at])
            && !is_none(&line[..start], &line[at..])
        {
            worst = worst.max(Some(found));
        }
    }
    worst
}

fn of_word(word: &[u8]) -> Option<Severity> {
    if word.len() < 3 || word.len() > 40 {
        return None;
    }
    let mut lower = [0; 40];
    let lower = &mut lower[..word.len()];
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    match &*lower {
        b"panic" | b"panicked" | b"panicking" | b"fatal" | b"segfault" | b"sigsegv" | b"traceback" | b"oom"
        | b"aborted" | b"unhandled" | b"uncaught" | b"emerg" | b"deadlock" => Some(Severity::Fatal),
        b"error" | b"errors" | b"err" | b"fail" | b"failed" | b"fails" | b"failure" | b"failures" | b"failing"
        | b"critical" | b"crit" | b"severe" | b"exception" | b"denied" | b"refused" | b"killed" | b"timeout"
        | b"unreachable" | b"corrupt" | b"corrupted" => Some(Severity::Error),
        b"warn" | b"warning" | b"warnings" | b"deprecated" | b"deprecation" | b"retrying" => Some(Severity::Warning),
        // `AssertionError`, `NullPointerException`
        word if word.ends_with(b"error") || word.ends_with(b"exception") => Some(Severity::Error),
        _ => None,
    }
}

/// `0 errors`, `no warnings`, `failed: 0`, `errors=0` are not problems.
fn is_none(before: &[u8], after: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let ends = |word: &[u8]| {
        before.len() >= word.len()
            && before[before.len() - word.len()..].eq_ignore_ascii_case(word)
            && before[..before.len() - word.len()]
                .last()
                .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.')
    };
    let label = after.strip_prefix(b":").or(after.strip_prefix(b"=")).map(|rest| rest.trim_ascii_start());
    let zero = label.is_some_and(|rest| {
        rest.first() == Some(&b'0') && rest.get(1).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.')
    });
    zero || ends(b"0") || ends(b"no") || ends(b"without")
}

/// A hash of a line's shape: the same for lines that differ only in digits and hexadecimal words.
pub(super) fn shape(line: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric();
    let mut rest = line;
    while let Some((&first, _)) = rest.split_first() {
        let length = rest.iter().take_while(|byte| is_word(byte)).count();
        if length == 0 {
            // Runs of spaces and separator lines count as one character.
            if !first.is_ascii_whitespace() {
                add(first);
            }
            rest = &rest[1..];
            continue;
        }
        let word = &rest[..length];
        let has_digit = word.iter().any(u8::is_ascii_digit);
        if has_digit && (word.iter().all(u8::is_ascii_hexdigit) || length > 12) {
            add(b'0');
        } else {
            let mut digits = false;
            for byte in word {
                let is_digit = byte.is_ascii_digit();
                if !(is_digit && digits) {
                    add(if is_digit { b'0' } else { *byte });
                }
                digits = is_digit;
            }
        }
        rest = &rest[length..];
    }
    hash
}

/// A line for display: text, without colours, truncated.
pub(super) fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = plain(text.trim_end());
    let end = text.floor_char_boundary(SHOWN);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.into_owned() }
}
