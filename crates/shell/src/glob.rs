//! Wildcards in one path component: `*` in a rule, and what a shell glob may stand for in a candidate.

/// Stands in a candidate for what the shell would fill in, any text; no real file name holds it.
pub const MANY: char = '\u{F0000}';
/// Stands in a candidate for any one character.
pub const ONE: char = '\u{F0001}';

/// Returns true if text holds a wildcard of the shell.
pub fn is_open(text: &str) -> bool {
    text.contains(is_sign)
}

/// Returns true if a character is a wildcard of the shell.
pub fn is_sign(c: char) -> bool {
    c == MANY || c == ONE
}

/// Returns true if the rule's component covers the candidate whatever its wildcards become.
pub fn covers(rule: &[char], candidate: &[char]) -> bool {
    run(rule, candidate, |_| false)
}

/// Returns true if rule and candidate can mean the same name.
pub fn can_meet(rule: &[char], candidate: &[char]) -> bool {
    // As in the shell, a wildcard in front does not stand for a dot.
    let hidden = rule.first() == Some(&'.') && candidate.first().is_some_and(|c| is_sign(*c));
    !hidden && run(rule, candidate, |c| c == MANY)
}

/// No file name is longer than this, so what is can only meet by its wildcards.
const LONGEST: usize = 512;

/// Walks the table of prefixes: `row[j]` says whether the rule so far can meet the first `j` characters.
fn run(rule: &[char], candidate: &[char], any_text: impl Fn(char) -> bool) -> bool {
    if candidate.len() > LONGEST {
        return candidate.iter().any(|c| any_text(*c));
    }
    // Most names differ in their first character already.
    if let (Some(wanted), Some(first)) = (rule.first(), candidate.first())
        && wanted != first
        && *wanted != '*'
        && !is_sign(*first)
    {
        return false;
    }
    if !rule.contains(&'*') && !candidate.iter().any(|c| is_sign(*c)) {
        return rule == candidate;
    }
    let mut row = vec![false; candidate.len() + 1];
    row[0] = true;
    spread(&mut row, candidate, &any_text);
    for &wanted in rule {
        let mut next = vec![false; candidate.len() + 1];
        for j in 0..=candidate.len() {
            if !row[j] {
                continue;
            }
            if wanted == '*' {
                next[j..].fill(true);
                break;
            }
            match candidate.get(j) {
                Some(&c) if any_text(c) => next[j] = true,
                Some(&c) if c == wanted || c == ONE => next[j + 1] = true,
                _ => {}
            }
        }
        spread(&mut next, candidate, &any_text);
        row = next;
    }
    row[candidate.len()]
}

/// A wildcard of the candidate may also stand for nothing.
fn spread(row: &mut [bool], candidate: &[char], any_text: &impl Fn(char) -> bool) {
    for (j, &c) in candidate.iter().enumerate() {
        if row[j] && any_text(c) {
            row[j + 1] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    /// In the candidate `%` writes [`MANY`] and `?` writes [`ONE`].
    #[track_caller]
    fn check(rule: &str, candidate: &str, meets: bool, covered: bool) {
        let typed: Vec<char> = candidate
            .chars()
            .map(|c| {
                if c == '%' {
                    MANY
                } else if c == '?' {
                    ONE
                } else {
                    c
                }
            })
            .collect();
        assert_eq!(can_meet(&chars(rule), &typed), meets, "{rule} meets {candidate}");
        assert_eq!(covers(&chars(rule), &typed), covered, "{rule} covers {candidate}");
    }

    #[test]
    fn rule_and_candidate_meet() {
        check("a", "a", true, true);
        check("a", "b", false, false);
        check("", "", true, true);
        check("*", "", true, true);
        check("*", "anything", true, true);
        check("*.json", "x.json", true, true);
        check("*.json", "x.toml", false, false);
        check("stage-*", "stage-00-plan", true, true);
        check(".agent", "%", false, false);
        check("agent", "%", true, false);
        check(".agent", ".%", true, false);
        check(".agent", "%agent", false, false);
        check(".agent", ".a%", true, false);
        check(".agent", "%.rs", false, false);
        check(".agent", ".age?t", true, true);
        check(".agent", "?????", false, false);
        check("*.json", "%", true, false);
        check("*.json", "%.toml", false, false);
        check("stage-*", "stage-%", true, true);
        check("a*b", "%x%", true, false);
        check("*", &"x".repeat(2_000), false, false);
    }
}
