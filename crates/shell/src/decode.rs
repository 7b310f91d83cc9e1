//! Decodes texts in which a name or a command may be hidden. Anything that does not decode to text is `None`.

use crate::glob;

/// The maximum length of a text that is decoded.
const LONGEST: usize = 64 * 1024;

/// Reads base64, with either alphabet, blanks ignored.
pub(crate) fn base64(text: &str) -> Option<String> {
    let digits = text.chars().filter(|c| !c.is_whitespace() && *c != '=').map(|c| match c {
        'A'..='Z' => Some(c as u32 - 'A' as u32),
        'a'..='z' => Some(c as u32 - 'a' as u32 + 26),
        '0'..='9' => Some(c as u32 - '0' as u32 + 52),
        '+' | '-' => Some(62),
        '/' | '_' => Some(63),
        _ => None,
    });
    bits(text, digits, 6)
}

/// Reads base32.
pub(crate) fn base32(text: &str) -> Option<String> {
    let digits = text.chars().filter(|c| !c.is_whitespace() && *c != '=').map(|c| match c.to_ascii_uppercase() {
        c @ 'A'..='Z' => Some(c as u32 - 'A' as u32),
        c @ '2'..='7' => Some(c as u32 - '2' as u32 + 26),
        _ => None,
    });
    bits(text, digits, 5)
}

/// Reads pairs of hexadecimal digits.
pub(crate) fn hex(text: &str) -> Option<String> {
    let digits = text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16));
    bits(text, digits, 4)
}

fn bits(text: &str, digits: impl Iterator<Item = Option<u32>>, width: u32) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let (mut bytes, mut held, mut value) = (Vec::new(), 0_u32, 0_u32);
    for digit in digits {
        value = value << width | digit?;
        held += width;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(value >> held & 0xff).ok()?);
            value &= (1 << held) - 1;
        }
    }
    clean(String::from_utf8(bytes).ok()?)
}

/// Applies ROT13.
pub(crate) fn rot13(text: &str) -> String {
    let turn = |c: char, first: char| {
        let turned = (c as u32 - first as u32 + 13) % 26 + first as u32;
        char::from_u32(turned).unwrap_or(c)
    };
    text.chars()
        .map(|c| match c {
            'a'..='z' => turn(c, 'a'),
            'A'..='Z' => turn(c, 'A'),
            other => other,
        })
        .collect()
}

/// Does what `tr` does with two sets; `None` for classes and flags.
pub(crate) fn translate(from: &str, to: &str, text: &str) -> Option<String> {
    if from.starts_with('-') || from.contains("[:") || to.contains("[:") {
        return None;
    }
    let (from, to) = (set(from), set(to));
    let last = *to.last()?;
    let turn = |c: char| match from.iter().position(|known| *known == c) {
        Some(at) => to.get(at).copied().unwrap_or(last),
        None => c,
    };
    (text.len() <= LONGEST).then(|| text.chars().map(turn).collect())
}

/// Writes out the ranges of a set.
fn set(text: &str) -> Vec<char> {
    let signs: Vec<char> = unescape(text).chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(&c) = signs.get(at) {
        match (signs.get(at + 1), signs.get(at + 2)) {
            (Some('-'), Some(&end)) if c <= end && (end as u32 - c as u32) < 256 => {
                all.extend(c..=end);
                at += 3;
            }
            _ => {
                all.push(c);
                at += 1;
            }
        }
    }
    all
}

/// Reads the escapes that most languages share: `\n`, `\t`, `\x41`, `\101`, `\u00e9`, `\u{e9}`.
pub(crate) fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let signs: Vec<char> = text.chars().collect();
    let mut plain = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&c) = signs.get(at) {
        at += 1;
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let Some(&kind) = signs.get(at) else {
            plain.push('\\');
            break;
        };
        at += 1;
        let (radix, most) = match kind {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='7' => (8, 3),
            _ => {
                match kind {
                    'n' => plain.push('\n'),
                    't' => plain.push('\t'),
                    'r' => plain.push('\r'),
                    'a' | 'b' | 'f' | 'v' | 'e' => plain.push(' '),
                    '\n' => {}
                    other => plain.push(other),
                }
                continue;
            }
        };
        at -= usize::from(radix == 8);
        let braced = signs.get(at) == Some(&'{') && radix == 16;
        at += usize::from(braced);
        let mut value = 0_u32;
        let mut digits = 0;
        while let Some(digit) = signs.get(at).and_then(|c| c.to_digit(radix)) {
            if digits == if braced { 8 } else { most } {
                break;
            }
            value = value.wrapping_mul(radix).wrapping_add(digit);
            at += 1;
            digits += 1;
        }
        at += usize::from(braced && signs.get(at) == Some(&'}'));
        plain.extend(char::from_u32(value).filter(|c| !is_mark(*c)));
    }
    plain
}

/// Removes our internal marks from decoded text.
fn clean(text: String) -> Option<String> {
    (!text.contains(is_mark)).then_some(text)
}

fn is_mark(c: char) -> bool {
    (glob::MANY..='\u{F0007}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_fall() {
        assert_eq!(base64("cm0gLXJmIGluZnJh").as_deref(), Some("rm -rf infra"));
        assert_eq!(base64("aW5mcmEvbWFpbi50Zg==\n").as_deref(), Some("infra/main.tf"));
        assert_eq!(base32("NFXGM4TB").as_deref(), Some("infra"));
        assert_eq!(hex("69 6e667261").as_deref(), Some("infra"));
        assert_eq!(rot13("vasen"), "infra");
        assert_eq!(translate("a-z", "b-za", "hmeq`").as_deref(), Some("infr`"));
        assert_eq!(unescape(r"\x69\156fr\u0061\n"), "infra\n");
    }

    #[test]
    fn what_is_no_text_stays_unknown() {
        assert_eq!(base64("!!!"), None);
        assert_eq!(base64("/w=="), None);
        assert_eq!(hex("zz"), None);
        assert_eq!(translate("[:upper:]", "[:lower:]", "A"), None);
        assert_eq!(unescape("a\\"), "a\\");
        assert_eq!(unescape(r"\u{f0000}x"), "x");
    }
}
