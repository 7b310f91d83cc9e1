//! Wildcards in one name: `*`, `?` and `[…]`.

/// Whether letters that differ in case only are the same letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    #[default]
    Exact,
    /// For what is protected: some disks and shells ignore case.
    Folded,
}

impl Case {
    fn fold(self, c: char) -> char {
        match (self, c) {
            (Self::Exact, c) => c,
            (Self::Folded, c) if c.is_ascii() => c.to_ascii_lowercase(),
            // Both lower-case forms of the Greek sigma belong to one upper-case letter.
            (Self::Folded, 'ς') => 'σ',
            (Self::Folded, c) => {
                let mut lower = c.to_lowercase();
                match (lower.next(), lower.next()) {
                    (Some(lower), None) => lower,
                    _ => c,
                }
            }
        }
    }

    pub(crate) fn same(self, a: &str, b: &str) -> bool {
        match self {
            Self::Exact => a == b,
            Self::Folded if a.is_ascii() && b.is_ascii() => a.eq_ignore_ascii_case(b),
            Self::Folded => a.chars().map(|c| self.fold(c)).eq(b.chars().map(|c| self.fold(c))),
        }
    }
}

/// Returns true if the text holds a wildcard.
pub fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Returns true if the pattern matches the name.
pub fn name_matches(pattern: &str, name: &str, case: Case) -> bool {
    if !has_wildcard(pattern) {
        return case.same(pattern, name);
    }
    if is_too_long(pattern, name) {
        return true;
    }
    let (mut wanted, mut rest) = (pattern, name);
    // Behind the last `*`, and the name from where that `*` ends at the earliest.
    let mut retry: Option<(&str, &str)> = None;
    loop {
        let (token, behind) = next(wanted);
        match token {
            Some(Token::Many) => {
                if behind.is_empty() {
                    return true;
                }
                wanted = behind;
                retry = Some((wanted, rest));
                continue;
            }
            None if rest.is_empty() => return true,
            _ => {}
        }
        let Some(c) = rest.chars().next() else { return false };
        if token.is_some_and(|token| token.holds(c, case)) {
            wanted = behind;
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let Some((after, from)) = retry else { return false };
        let mut longer = from.chars();
        longer.next();
        (wanted, rest) = (after, longer.as_str());
        retry = Some((wanted, rest));
    }
}

/// Returns true if a name exists that both match: a pattern of ours and a word that the shell will expand.
pub(crate) fn names_meet(pattern: &str, word: &str, case: Case) -> bool {
    if !has_wildcard(word) {
        return name_matches(pattern, word, case);
    }
    // As in the shell, a wildcard in front does not stand for a dot.
    let hides = word.starts_with(['*', '?', '[']);
    if hides && (pattern.starts_with('.') || next(pattern).0.is_some_and(Token::is_only_a_dot)) {
        return false;
    }
    if is_too_long(pattern, word) {
        return true;
    }
    let (pattern, word) = (tokens(pattern), tokens(word));
    // `row[j]` says whether the pattern so far can meet the first `j` tokens of the word.
    let spread = |row: &mut Vec<bool>| {
        for (j, token) in word.iter().enumerate() {
            row[j + 1] |= row[j] && matches!(token, Token::Many);
        }
    };
    let mut row = vec![false; word.len() + 1];
    row[0] = true;
    spread(&mut row);
    for wanted in pattern {
        let mut following = vec![false; word.len() + 1];
        for j in 0..=word.len() {
            if !row[j] {
                continue;
            }
            if matches!(wanted, Token::Many) {
                following[j..].fill(true);
                break;
            }
            match word.get(j) {
                Some(Token::Many) => following[j] = true,
                Some(token) if wanted.meets(*token, case) => following[j + 1] = true,
                _ => {}
            }
        }
        spread(&mut following);
        row = following;
    }
    row[word.len()]
}

/// A name in which each wildcard is one character that only a `*` of a pattern matches.
pub(crate) fn masked(name: &str) -> String {
    let mask = |token| match token {
        Token::Many | Token::One | Token::Set(..) => ODD,
        Token::Is(c) => c,
    };
    tokens(name).into_iter().map(mask).collect()
}

/// Stands in no real name and in no pattern.
pub(crate) const ODD: char = '\u{1}';

/// More work than any real name needs; beyond it the answer is the careful one, a match.
fn is_too_long(a: &str, b: &str) -> bool {
    const MOST: usize = 1 << 20;
    a.len().saturating_mul(b.len()) > MOST
}

#[derive(Clone, Copy)]
enum Token<'a> {
    Many,
    One,
    /// What stands between the brackets, and whether those characters are the ones that do not fit.
    Set(&'a str, bool),
    Is(char),
}

impl Token<'_> {
    fn holds(self, c: char, case: Case) -> bool {
        match self {
            Self::Many | Self::One => true,
            Self::Set(body, negated) => set_holds(body, negated, case.fold(c), case),
            Self::Is(own) => case.fold(own) == case.fold(c),
        }
    }

    /// Returns true if two tokens that stand for one character each can stand for the same one.
    fn meets(self, other: Self, case: Case) -> bool {
        match (self, other) {
            (token, Self::Is(c)) | (Self::Is(c), token) => token.holds(c, case),
            // Membership changes only where a range begins or ends, so trying these is enough.
            (Self::Set(a, not_a), Self::Set(b, not_b)) => {
                let behind = |c: char| char::from_u32(c as u32 + 1);
                let edges = ranges(a, case).chain(ranges(b, case)).flat_map(|(from, to)| [Some(from), behind(to)]);
                let both = |c: char| set_holds(a, not_a, c, case) && set_holds(b, not_b, c, case);
                edges.flatten().chain(['\u{1}']).any(both)
            }
            _ => true,
        }
    }

    /// Returns true for a set that holds a dot and nothing else.
    fn is_only_a_dot(self) -> bool {
        matches!(self, Self::Set(body, false) if ranges(body, Case::Exact).all(|range| range == ('.', '.')))
    }
}

fn set_holds(body: &str, negated: bool, folded: char, case: Case) -> bool {
    ranges(body, case).any(|(from, to)| (from..=to).contains(&folded)) != negated
}

/// The ranges of a set; a single character is a range of its own.
fn ranges(body: &str, case: Case) -> impl Iterator<Item = (char, char)> {
    let mut rest = body.chars();
    std::iter::from_fn(move || {
        let from = rest.next()?;
        let mut ahead = rest.clone();
        let to = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(to)) => {
                rest = ahead;
                to
            }
            _ => from,
        };
        Some((case.fold(from), case.fold(to)))
    })
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(|| {
        let (token, behind) = next(rest);
        rest = behind;
        token
    })
    .collect()
}

/// The first token, and what follows it.
fn next(text: &str) -> (Option<Token<'_>>, &str) {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return (None, text) };
    let behind = chars.as_str();
    match first {
        '*' => (Some(Token::Many), behind),
        '?' => (Some(Token::One), behind),
        '[' => set(behind).map_or((Some(Token::Is('[')), behind), |(token, behind)| (Some(token), behind)),
        other => (Some(Token::Is(other)), behind),
    }
}

/// Reads a set behind its opening bracket. A `]` in front is one of its characters; without a closing one it is no set.
fn set(text: &str) -> Option<(Token<'_>, &str)> {
    let body = text.strip_prefix(['!', '^']);
    let (body, negated) = (body.unwrap_or(text), body.is_some());
    let first = body.chars().next()?.len_utf8();
    let end = first + body[first..].find(']')?;
    Some((Token::Set(&body[..end], negated), &body[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, expected: bool) {
        assert_eq!(name_matches(pattern, name, Case::Folded), expected, "{pattern} {name}");
    }

    #[test]
    fn patterns_match_names() {
        check("a", "a", true);
        check("a", "A", true);
        check("É", "é", true);
        check("ΟΔΟΣ", "οδος", true);
        check("Σ*", "ς", true);
        check("*.tf", "main.tf", true);
        check("*.tf", "main.tfx", false);
        check("*", "", true);
        check("", "", true);
        check("?", "", false);
        check("m?in", "main", true);
        check("m?in", "müin", true);
        check("m?in", "mün", false);
        check("m?n", "mün", true);
        check("a*b*c", "abbbc", true);
        check("a*b*c", "abbbd", false);
        check("*ab", "aab", true);
        check("[a-c]x", "bx", true);
        check("[A-C]x", "bx", true);
        check("[!a-c]x", "bx", false);
        check("[^a-c]x", "dx", true);
        check("[a-]x", "-x", true);
        check("[]]x", "]x", true);
        check("[]x", "[]x", true);
        check("[", "[", true);
        check("[[]slug]", "[slug]", true);
        check("main.tf", "*.tf", false);
        check("*", &"x".repeat(3_000_000), true);
    }

    #[test]
    fn case_counts_if_asked() {
        assert!(!name_matches("A*", "ab", Case::Exact));
        assert!(!name_matches("a", "A", Case::Exact));
        assert!(!name_matches("[a-c]", "B", Case::Exact));
        assert!(name_matches("[a-c]", "b", Case::Exact));
    }

    #[test]
    fn patterns_meet_words_of_the_shell() {
        let check = |pattern: &str, word: &str, expected: bool| {
            assert_eq!(names_meet(pattern, word, Case::Folded), expected, "{pattern} {word}");
        };
        check("main.tf", "*.tf", true);
        check("main.tf", "*.rs", false);
        check(".env", "*", false);
        check(".env", ".e*", true);
        check("[.]env", "*", false);
        check("a*b", "*x*", true);
        check("main", "m[a-z]in", true);
        check("[a-c]x", "[c-e]x", true);
        check("[a-c]x", "[d-e]x", false);
        check("[!a-c]x", "[a-c]x", false);
        check("[!a-c]x", "[b-d]x", true);
    }
}
