//! Words as people read them: the one answer to where a word in a text or in a name begins and ends, and what its stem
//! is. Search and the intent map use it.

/// Calls `found` with each word of a text in lower case. A word ends at everything but letters and digits, between `aB`,
/// between `ABc` and before digits.
pub fn each_word(text: &str, mut found: impl FnMut(&str)) {
    let mut word = String::new();
    let mut last: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if !c.is_alphanumeric() {
            hand_over(&mut word, &mut found);
            last = None;
            continue;
        }
        let starts = last.is_some_and(|last| {
            last.is_lowercase() && c.is_uppercase()
                || last.is_uppercase() && c.is_uppercase() && chars.peek().is_some_and(|next| next.is_lowercase())
                || last.is_alphabetic() && c.is_numeric()
        });
        if starts {
            hand_over(&mut word, &mut found);
        }
        match c.is_ascii() {
            true => word.push(c.to_ascii_lowercase()),
            false => word.extend(c.to_lowercase()),
        }
        last = Some(c);
    }
    hand_over(&mut word, &mut found);
}

fn hand_over(word: &mut String, found: &mut impl FnMut(&str)) {
    if !word.is_empty() {
        found(word);
        word.clear();
    }
}

/// Cuts an English word down to its stem, in place, by the algorithm that Martin Porter published in 1980. Other words
/// than those of ASCII letters, and very short ones, stay as they are.
pub fn stem(word: &mut String) {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    plural(word);
    past(word);
    if ends_after_vowel(word, "y") {
        replace_end(word, 1, "i");
    }
    for (rules, least) in [(DERIVED, 0), (SHORTENED, 0), (REMOVED, 1)] {
        let Some((end, to)) = rules.iter().find(|(end, _)| word.ends_with(end)) else { continue };
        let kept = word.len() - end.len();
        let is_kept_whole = *end == "ion" && !matches!(word.as_bytes().get(kept.wrapping_sub(1)), Some(b's' | b't'));
        if measure(&word[..kept]) > least && !is_kept_whole {
            replace_end(word, end.len(), to);
        }
    }
    last_letters(word);
}

/// Suffixes of derived words, a longer one before the one that it ends with.
const DERIVED: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const SHORTENED: &[(&str, &str)] =
    &[("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];

const REMOVED: &[(&str, &str)] = &[
    ("al", ""),
    ("ance", ""),
    ("ence", ""),
    ("er", ""),
    ("ic", ""),
    ("able", ""),
    ("ible", ""),
    ("ant", ""),
    ("ement", ""),
    ("ment", ""),
    ("ent", ""),
    ("ion", ""),
    ("ou", ""),
    ("ism", ""),
    ("ate", ""),
    ("iti", ""),
    ("ous", ""),
    ("ive", ""),
    ("ize", ""),
];

fn plural(word: &mut String) {
    for (end, to) in [("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")] {
        if word.ends_with(end) {
            return replace_end(word, end.len(), to);
        }
    }
}

fn past(word: &mut String) {
    if let Some(kept) = word.strip_suffix("eed") {
        if measure(kept) > 0 {
            replace_end(word, 1, "");
        }
        return;
    }
    let Some(end) = ["ed", "ing"].into_iter().find(|end| ends_after_vowel(word, end)) else { return };
    replace_end(word, end.len(), "");
    if ["at", "bl", "iz"].iter().any(|end| word.ends_with(end)) {
        word.push('e');
    } else if has_double_consonant(word) && !word.ends_with(['l', 's', 'z']) {
        word.pop();
    } else if measure(word) == 1 && ends_in_short_syllable(word) {
        word.push('e');
    }
}

fn last_letters(word: &mut String) {
    if let Some(kept) = word.strip_suffix('e') {
        let times = measure(kept);
        if times > 1 || times == 1 && !ends_in_short_syllable(kept) {
            word.pop();
        }
    }
    if word.ends_with("ll") && measure(word) > 1 {
        word.pop();
    }
}

fn replace_end(word: &mut String, length: usize, to: &str) {
    word.truncate(word.len() - length);
    word.push_str(to);
}

fn is_consonant(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !is_consonant(word, at - 1),
        _ => true,
    }
}

/// Counts how often consonants follow vowels.
fn measure(word: &str) -> usize {
    let word = word.as_bytes();
    let kinds = (0..word.len()).map(|at| is_consonant(word, at));
    kinds.clone().zip(kinds.skip(1)).filter(|pair| *pair == (false, true)).count()
}

fn ends_after_vowel(word: &str, end: &str) -> bool {
    let kept = word.strip_suffix(end).map(str::as_bytes);
    kept.is_some_and(|kept| (0..kept.len()).any(|at| !is_consonant(kept, at)))
}

fn has_double_consonant(word: &str) -> bool {
    let bytes = word.as_bytes();
    let end = bytes.len();
    end > 1 && bytes[end - 1] == bytes[end - 2] && is_consonant(bytes, end - 1)
}

/// Whether it ends with a consonant, a vowel and a consonant other than `w`, `x` and `y`.
fn ends_in_short_syllable(word: &str) -> bool {
    let bytes = word.as_bytes();
    let Some(first) = bytes.len().checked_sub(3) else { return false };
    is_consonant(bytes, first)
        && !is_consonant(bytes, first + 1)
        && is_consonant(bytes, first + 2)
        && !word.ends_with(['w', 'x', 'y'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_as_people_read_them() {
        let check = |text: &str, expected: &[&str]| {
            let mut words = Vec::new();
            each_word(text, |word| words.push(word.to_owned()));
            assert_eq!(words, expected, "{text}");
        };
        check("", &[]);
        check("parseHTTPRequest", &["parse", "http", "request"]);
        check("src/billing_rules/v2.rs", &["src", "billing", "rules", "v", "2", "rs"]);
        check("Invoice::total_amount", &["invoice", "total", "amount"]);
        check("getÜberschrift", &["get", "überschrift"]);
        check("SCREAMING_CASE kebab-case", &["screaming", "case", "kebab", "case"]);
    }

    #[test]
    fn inflected_words_share_a_stem() {
        let check = |word: &str, expected: &str| {
            let mut stemmed = word.to_owned();
            stem(&mut stemmed);
            assert_eq!(stemmed, expected, "{word}");
        };
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("agreed", "agre"),
            ("feed", "feed"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("vietnamization", "vietnam"),
            ("triplicate", "triplic"),
            ("hopefulness", "hope"),
            ("adoption", "adopt"),
            ("effective", "effect"),
            ("controlling", "control"),
            ("roll", "roll"),
            ("rate", "rate"),
            ("cease", "ceas"),
        ] {
            check(word, expected);
        }
        for same in ["as", "x", "", "naïve", "utf8", "日本"] {
            check(same, same);
        }
    }
}
