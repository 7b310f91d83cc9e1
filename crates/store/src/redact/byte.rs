//! What single bytes mean to the redactor.

/// The end of the run of bytes from `at` on that pass a test.
pub(super) fn run_end(bytes: &[u8], at: usize, test: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|byte| !test(*byte)).map_or(bytes.len(), |length| at + length)
}

/// Returns true if a word may begin at `at`: after anything but a letter or digit, and after what is escaped or encoded
/// (`\n`, `\u003d`, `%3D`, `ESC[1m`).
pub(super) fn is_boundary(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    let Some(last) = before.last() else { return true };
    if !last.is_ascii_alphanumeric() && *last != b'_' {
        return true;
    }
    let is_hex = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v'] => true,
        [.., b'%', high, low] | [.., b'\\', b'x', high, low] if is_hex(&[*high, *low]) => true,
        _ => ends_colour(before) || is_escaped(before),
    }
}

/// `\u` and four digits, further back than a pattern can say.
fn is_escaped(before: &[u8]) -> bool {
    let Some((head, code)) = before.split_last_chunk::<4>() else { return false };
    head.ends_with(b"\\u") && code.iter().all(u8::is_ascii_hexdigit)
}

/// The end of a colour in a terminal: `ESC [ 0 ; 1 m`, also as text.
fn ends_colour(before: &[u8]) -> bool {
    let Some((b'm', head)) = before.split_last() else { return false };
    let numbers = head.iter().rev().take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
    head[..head.len() - numbers].ends_with(b"[")
}

/// A byte of a name: of a field, an option or a variable.
pub(super) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}
