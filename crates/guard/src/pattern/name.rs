//! Wildcards in one name: `*`, `?` and `[…]`, without regard to case, because some disks and shells have none.

/// Says whether a text holds a wildcard.
pub(crate) fn is_open(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Says whether a name meets one of the patterns; `!` takes back, the last word counts.
pub(crate) fn one_of(patterns: &[String], name: &str) -> bool {
    let mut held = patterns.iter().all(|pattern| pattern.starts_with('!'));
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(not) => held = held && !meets(not, name, false),
            None => held = held || meets(pattern, name, false),
        }
    }
    held
}

/// Says whether pattern and name can mean the same; `open` if the name may hold wildcards of the shell itself.
pub(crate) fn meets(pattern: &str, name: &str, open: bool) -> bool {
    let open = open && is_open(name);
    if !open && !is_open(pattern) {
        return same(pattern, name);
    }
    // As in the shell, a wildcard in front does not stand for a dot.
    let hides = open && name.starts_with(['*', '?', '[']);
    if hides && pattern.starts_with('.') {
        return false;
    }
    let pattern = tokens(pattern, true);
    let name = tokens(name, open);
    if hides && is_only_a_dot(pattern.first()) {
        return false;
    }
    if pattern.len() * name.len() > MOST {
        return true;
    }
    run(&pattern, &name)
}

/// More work than any real name needs; beyond it the answer is the careful one.
const MOST: usize = 1 << 20;

pub(super) fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || (!a.is_ascii() && a.to_lowercase() == b.to_lowercase())
}

enum Token {
    Many,
    One,
    /// The characters between the brackets, and whether they are the ones that do not fit.
    Set(Vec<(char, char)>, bool),
    Is(char),
}

fn tokens(text: &str, open: bool) -> Vec<Token> {
    let chars: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    if !open {
        return chars.into_iter().map(Token::Is).collect();
    }
    let mut list = Vec::with_capacity(chars.len());
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '*' => list.push(Token::Many),
            '?' => list.push(Token::One),
            '[' => match set(&chars[at + 1..]) {
                Some((token, length)) => {
                    list.push(token);
                    at += length;
                }
                None => list.push(Token::Is('[')),
            },
            other => list.push(Token::Is(other)),
        }
        at += 1;
    }
    list
}

/// Reads a set behind its opening bracket, and how many characters it takes with the closing one.
fn set(chars: &[char]) -> Option<(Token, usize)> {
    let negated = matches!(chars.first(), Some('!' | '^'));
    let start = usize::from(negated);
    let end = start + 1 + chars.get(start + 1..)?.iter().position(|c| *c == ']')?;
    let mut ranges = Vec::new();
    let mut at = start;
    while at < end {
        if at + 2 < end && chars[at + 1] == '-' {
            ranges.push((chars[at], chars[at + 2]));
            at += 3;
        } else {
            ranges.push((chars[at], chars[at]));
            at += 1;
        }
    }
    Some((Token::Set(ranges, negated), end + 1))
}

/// Says whether a token is a set that holds a dot and nothing else.
fn is_only_a_dot(token: Option<&Token>) -> bool {
    matches!(token, Some(Token::Set(ranges, false)) if ranges.iter().all(|range| *range == ('.', '.')))
}

/// Whether two tokens that stand for one character each can stand for the same.
fn fits(a: &Token, b: &Token) -> bool {
    match (a, b) {
        (Token::Is(a), Token::Is(b)) => a == b,
        (Token::Set(ranges, negated), Token::Is(c)) | (Token::Is(c), Token::Set(ranges, negated)) => {
            ranges.iter().any(|(from, to)| (from..=to).contains(&c)) != *negated
        }
        (Token::Set(a, not_a), Token::Set(b, not_b)) => share(a, *not_a, b, *not_b),
        _ => true,
    }
}

/// Says whether a character is in both sets. Membership changes only where a range begins or ends, so these are tried.
fn share(a: &[(char, char)], not_a: bool, b: &[(char, char)], not_b: bool) -> bool {
    let holds =
        |ranges: &[(char, char)], not: bool, c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != not;
    let behind = |c: char| char::from_u32(c as u32 + 1);
    let edges = a.iter().chain(b).flat_map(|(from, to)| [Some(*from), behind(*to)]).flatten().chain(['\u{1}']);
    edges.into_iter().any(|c| holds(a, not_a, c) && holds(b, not_b, c))
}

/// Walks the table of prefixes: `row[j]` says whether the pattern so far can meet the first `j` tokens.
fn run(pattern: &[Token], name: &[Token]) -> bool {
    let spread = |row: &mut Vec<bool>| {
        for (j, token) in name.iter().enumerate() {
            if row[j] && matches!(token, Token::Many) {
                row[j + 1] = true;
            }
        }
    };
    let mut row = vec![false; name.len() + 1];
    row[0] = true;
    spread(&mut row);
    for wanted in pattern {
        let mut next = vec![false; name.len() + 1];
        for j in 0..=name.len() {
            if !row[j] {
                continue;
            }
            if matches!(wanted, Token::Many) {
                next[j..].fill(true);
                break;
            }
            match name.get(j) {
                Some(Token::Many) => next[j] = true,
                Some(token) if fits(wanted, token) => next[j + 1] = true,
                _ => {}
            }
        }
        spread(&mut next);
        row = next;
    }
    row[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, name: &str, open: bool, expected: bool) {
        assert_eq!(meets(pattern, name, open), expected, "{pattern} {name}");
    }

    #[test]
    fn names_meet_patterns() {
        check("a", "a", false, true);
        check("a", "A", false, true);
        check("É", "é", false, true);
        check("*.tf", "main.tf", false, true);
        check("*.tf", "main.tfx", false, false);
        check("*", "", false, true);
        check("m?in", "main", false, true);
        check("[a-c]x", "bx", false, true);
        check("[!a-c]x", "bx", false, false);
        check("[]x", "[]x", false, true);
        check("[", "[", false, true);
        check("main.tf", "*.tf", false, false);
        check("main.tf", "*.tf", true, true);
        check("main.tf", "*.rs", true, false);
        check(".env", "*", true, false);
        check(".env", ".e*", true, true);
        check("a*b", "*x*", true, true);
        check("main", "m[a-z]in", true, true);
        check("*", &"x".repeat(3_000_000), false, true);
    }

    #[test]
    fn the_last_word_counts() {
        let patterns = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert!(one_of(&patterns(&["cod*", "!coder"]), "coding"));
        assert!(!one_of(&patterns(&["cod*", "!coder"]), "coder"));
        assert!(one_of(&patterns(&["!coder"]), "main"));
        assert!(!one_of(&patterns(&["a"]), "b"));
    }
}
