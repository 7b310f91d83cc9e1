use stead_store::redact;

/// The longest name, in bytes.
const MOST: usize = 40;

/// Builds a name from the first words of a text: lower case, digits and hyphens.
pub fn slug(text: &str) -> String {
    join(text, |c| c.is_ascii_alphanumeric())
}

/// Builds the part of a packet's or a loop's file name that people read: like [`slug`], with the letters of every
/// script and the marks on them. Words that may be keys or passwords are left out, because a name is shown and shared more
/// freely than a text.
pub fn title_slug(text: &str) -> String {
    let covered = redact(text);
    let own: Vec<&str> = text.split_whitespace().collect();
    // What the redaction changed is not a word of the text.
    let words = covered.split_whitespace().filter(|word| own.contains(word) && !is_like_key(word));
    join(&words.collect::<Vec<_>>().join(" "), char::is_alphanumeric)
}

fn join(text: &str, is_kept: fn(char) -> bool) -> String {
    let mut slug = String::new();
    let mut is_open = false;
    for character in text.chars() {
        let is_mark = is_open && !slug.ends_with('-') && is_mark(character) && is_kept('é');
        is_open = is_kept(character) || is_mark;
        if is_open {
            let lower: String = character.to_lowercase().filter(|c| is_kept(*c) || is_mark).collect();
            if slug.len() + lower.len() > MOST {
                break;
            }
            slug.push_str(&lower);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "untitled".to_owned() } else { slug.to_owned() }
}

/// Returns true for a mark that belongs to the letter before it: an accent, a vowel sign, a virama, a tone.
pub(crate) fn is_mark(c: char) -> bool {
    const MARKS: [(u32, u32); 15] = [
        (0x0300, 0x036F),
        (0x0483, 0x0487),
        (0x0591, 0x05C7),
        (0x0610, 0x061A),
        (0x064B, 0x065F),
        (0x06D6, 0x06ED),
        // The scripts of India and their neighbours, whose full stops are in between.
        (0x0900, 0x0963),
        (0x0981, 0x0DDF),
        (0x0E31, 0x0E4E),
        (0x0EB1, 0x0ECE),
        (0x0F18, 0x0FBC),
        (0x102B, 0x1038),
        (0x1039, 0x103E),
        (0x17B4, 0x17D3),
        (0x3099, 0x309A),
    ];
    !c.is_alphanumeric() && MARKS.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)))
}

/// Returns true for a word as long and mixed as keys are, whatever the redaction says about it.
fn is_like_key(word: &str) -> bool {
    const LONG: usize = 16;
    let longest = word.split(|c: char| !c.is_ascii_alphanumeric()).max_by_key(|part| part.len()).unwrap_or_default();
    let has = |test: fn(&u8) -> bool| longest.bytes().any(|byte| test(&byte));
    longest.len() >= LONG && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// Converts an RFC 3339 timestamp to the one that file names start with: `20261115T194530Z`.
pub fn stamp(moment: &str) -> String {
    let whole = moment.split('.').next().unwrap_or(moment);
    let digits: String = whole.chars().filter(|c| c.is_ascii_digit() || *c == 'T').collect();
    format!("{digits}Z")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        assert_eq!(slug("Fix add(): it subtracts!"), "fix-add-it-subtracts");
        assert_eq!(slug("  ../../etc  "), "etc");
        assert_eq!(slug("日本語"), "untitled");
        assert!(slug(&"word ".repeat(50)).len() <= 40);
    }

    #[test]
    fn titles_keep_the_letters_of_every_script() {
        let check = |text: &str, expected: &str| assert_eq!(title_slug(text), expected, "{text}");
        check("Fix add(): it subtracts!", "fix-add-it-subtracts");
        check("Исправить вход", "исправить-вход");
        check("ログインを直す", "ログインを直す");
        check("Größe prüfen", "größe-prüfen");
        check("ИİΣ", "иiσ");
        check("../../etc", "etc");
        check("!?", "untitled");
        check("cafe\u{301} re\u{301}sume\u{301}", "cafe\u{301}-re\u{301}sume\u{301}");
        check("हिन्दी में", "हिन्दी-में");
        check("แก้ไขหน้าเข้าสู่", "แก้ไขหน้าเข้า");
        check("שָׁלוֹם", "שָׁלוֹם");
        check("🎉🎉", "untitled");
        check("\u{301}a", "a");
    }

    #[test]
    fn titles_hold_no_secrets() {
        let check = |text: &str, expected: &str| assert_eq!(title_slug(text), expected, "{text}");
        check("use token=abc123 for the login", "use-for-the-login");
        check("deploy with sk-ant-abcdefgh12345678 today", "deploy-with-today");
        check("key q8Zr2LmX4vTn9BwK1cYd works", "key-works");
        check("password: hunter22 is wrong", "password-is-wrong");
        check("https://bob:secret9@host/x is down", "is-down");
    }

    #[test]
    fn stamps_sort_by_time() {
        assert_eq!(stamp("2026-11-15T19:45:30.123Z"), "20261115T194530Z");
    }

    proptest! {
        #[test]
        fn any_text_gives_a_file_name(text in "\\PC{0,80}") {
            let name = title_slug(&text);
            prop_assert!(!name.is_empty() && name.len() <= MOST);
            prop_assert!(name.chars().all(|c| c.is_alphanumeric() || c == '-' || is_mark(c)), "{name}");
            prop_assert!(!name.starts_with(is_mark) && !name.contains("--"), "{name}");
        }
    }
}
