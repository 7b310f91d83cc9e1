//! Text of others that a terminal would obey, or that hides words from a person which a model reads: shown as what it is.

use std::borrow::Cow;

/// Returns true for a character that is not shown and changes how others are read: it reorders a line, joins words or
/// carries hidden ones. Joiners, marks of direction and the selectors of emoji are part of ordinary writing.
pub fn is_misleading(c: char) -> bool {
    matches!(
        c,
        '\u{200b}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns true for a character that is not printed as it is: a control character but line feed and tab, or a misleading one.
pub fn is_hidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || is_misleading(c)
}

/// The text with hidden characters written out, such as `\u{1b}`. A byte order mark at the beginning and a carriage return
/// before a line feed stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    const MARK: char = '\u{feff}';
    let behind = text.strip_prefix(MARK).unwrap_or(text);
    if is_plain(text) || !behind.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    shown.push_str(&text[..text.len() - behind.len()]);
    let mut rest = behind.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' if rest.peek() == Some(&'\n') => shown.push(c),
            c if is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Returns true for printable ASCII. Without a look at single characters, because nearly all text is that.
fn is_plain(text: &str) -> bool {
    let is_odd = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    !text.as_bytes().chunks(64).any(|chunk| chunk.iter().fold(false, |odd, byte| odd | is_odd(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_written_out() {
        let check = |text: &str, expected: &str| assert_eq!(visible(text), expected);
        check("a\u{1b}[31mb\r\nc\td\u{7}\u{9b}2J\u{7f}\rx", "a\\u{1b}[31mb\r\nc\td\\u{7}\\u{9b}2J\\u{7f}\\u{d}x");
        check("\u{1b}]8;;https://x\u{7}link", "\\u{1b}]8;;https://x\\u{7}link");
        check("a\u{202e}cod.exe \u{200b}\u{e0041}", "a\\u{202e}cod.exe \\u{200b}\\u{e0041}");
        check("\u{feff}a\u{feff}", "\u{feff}a\\u{feff}");
        for plain in [
            "plain\ttext\n",
            "\u{feff}x",
            "\u{1f469}\u{200d}\u{1f4bb} \u{2764}\u{fe0f} \u{645}\u{6cc}\u{200c}\u{62e} é",
        ] {
            assert!(matches!(visible(plain), Cow::Borrowed(_)), "{plain}");
        }
    }
}
