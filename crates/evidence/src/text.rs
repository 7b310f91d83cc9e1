//! Output of programs as text: without colours, and truncated at the start if it is long.

use std::borrow::Cow;

/// Returns the last bytes of a text, from the start of a line if possible.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let rest = &text[text.ceil_char_boundary(text.len() - most)..];
    match rest.find('\n') {
        Some(end) if end + 1 < rest.len() => &rest[end + 1..],
        _ => rest,
    }
}

/// Removes terminal sequences and text that a carriage return overwrote.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\r']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\u{1b}' => match signs.next() {
                // Ends at the first letter or one of a few other characters.
                Some('[') => while signs.next().is_some_and(|sign| !('@'..='~').contains(&sign)) {},
                // A title, up to its bell or the next sequence.
                Some(']') => while signs.next().is_some_and(|sign| sign != '\u{7}' && sign != '\\') {},
                _ => {}
            },
            '\r' if signs.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            sign => out.push(sign),
        }
    }
    Cow::Owned(out)
}

/// The SHA-1 of some bytes, as git's blob id.
pub(crate) fn blob_hash(bytes: &[u8]) -> String {
    let mut hash = sha1_smol::Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()).as_bytes());
    hash.update(bytes);
    hash.digest().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go() {
        assert_eq!(plain("\u{1b}[1;32mok\u{1b}[0m a\r\nb\rc"), "ok a\nb\nc");
        assert_eq!(plain("\u{1b}]0;title\u{7}x"), "x");
        assert_eq!(plain("\u{1b}"), "");
        assert!(matches!(plain("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn tails_begin_with_a_line() {
        assert_eq!(tail("one\ntwo\nthree", 9), "three");
        assert_eq!(tail("one", 9), "one");
        assert_eq!(tail("ééééé", 5), "éé");
    }

    #[test]
    fn hashes_are_gits() {
        assert_eq!(blob_hash(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
