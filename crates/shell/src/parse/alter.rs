//! Variables that are changed as they are used: `${a#b}`, `${a%b}`, `${a/b/c}`, `${a:1:2}`, `${a^^}`.

use crate::glob;

use crate::parse::syntax::mark;

/// The maximum length of a value that is looked through.
const LONGEST: usize = 512;

/// Signs that change a value, longer ones first.
const SIGNS: &[&str] = &["##", "#", "%%", "%", "//", "/", "^^", "^", ",,", ",", "@", ":"];

/// Splits what follows a variable's name into sign and operand; `None` if it changes nothing.
pub(crate) fn split(rest: &str) -> Option<(&'static str, &str)> {
    let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
    let operand = &rest[sign.len()..];
    let stands_in = *sign == ":" && operand.starts_with(['-', '=', '+', '?']);
    (!stands_in).then_some((*sign, operand))
}

/// The values that one becomes. What cannot be computed may be anything; the value itself is the best guess beside it.
pub(crate) fn alter(value: &str, sign: &str, operand: &str) -> Vec<String> {
    let operand = operand.replace(['"', '\''], "");
    match compute(value, sign, &operand) {
        Some(changed) => vec![changed],
        None => vec![mark::UNKNOWN.to_string(), value.to_owned()],
    }
}

fn compute(value: &str, sign: &str, operand: &str) -> Option<String> {
    if value.len() > LONGEST || operand.len() > LONGEST || operand.contains(mark::is_mark) {
        return None;
    }
    match sign {
        "#" | "##" | "%" | "%%" => cut(value, sign, operand),
        "/" | "//" => {
            let (from, to) = operand.split_once('/').unwrap_or((operand, ""));
            let plain = !from.is_empty() && !from.starts_with(['#', '%']) && !from.contains(['*', '?', '[', '\\']);
            let all = || if sign == "//" { value.replace(from, to) } else { value.replacen(from, to, 1) };
            plain.then(all)
        }
        ":" => piece(value, operand),
        "@" => Some(value.to_owned()),
        _ if !operand.is_empty() => None,
        "^^" => Some(value.to_uppercase()),
        ",," => Some(value.to_lowercase()),
        _ => {
            let mut letters = value.chars();
            let first = letters
                .next()
                .map(|c| if sign == "^" { c.to_uppercase().to_string() } else { c.to_lowercase().to_string() });
            Some(first.unwrap_or_default() + letters.as_str())
        }
    }
}

/// Removes what fits at the beginning or the end, as little or as much as possible.
fn cut(value: &str, sign: &str, pattern: &str) -> Option<String> {
    if pattern.contains(['?', '[', '\\']) {
        return None;
    }
    let (letters, pattern): (Vec<char>, Vec<char>) = (value.chars().collect(), pattern.chars().collect());
    let fits = |at: usize| match sign {
        "#" | "##" => glob::covers(&pattern, &letters[..at]),
        _ => glob::covers(&pattern, &letters[at..]),
    };
    let mut places = 0..=letters.len();
    let at = match sign {
        "#" | "%%" => places.find(|at| fits(*at)),
        _ => places.rev().find(|at| fits(*at)),
    };
    Some(match (at, sign) {
        (None, _) => value.to_owned(),
        (Some(at), "#" | "##") => letters[at..].iter().collect(),
        (Some(at), _) => letters[..at].iter().collect(),
    })
}

/// `offset` and `offset:length`.
fn piece(value: &str, operand: &str) -> Option<String> {
    let (offset, length) = operand.split_once(':').unwrap_or((operand, ""));
    let letters: Vec<char> = value.chars().collect();
    let count = i64::try_from(letters.len()).ok()?;
    let from = |number: i64| if number < 0 { (count + number).max(0) } else { number.min(count) };
    let start = from(offset.trim().parse().ok()?);
    let end = match length.trim() {
        "" => count,
        length => match length.parse::<i64>().ok()? {
            length if length < 0 => (count + length).max(start),
            length => (start + length).min(count),
        },
    };
    let place = |number: i64| usize::try_from(number).ok();
    Some(letters.get(place(start)?..place(end)?)?.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, rest: &str, expected: &str) {
        let (sign, operand) = split(rest).unwrap();
        assert_eq!(alter(value, sign, operand), [expected], "{value} {rest}");
    }

    #[test]
    fn values_are_cut_and_replaced() {
        check("abcrm", "#abc", "rm");
        check("abcrm", "#x", "abcrm");
        check("a/b/c.tar.gz", "##*/", "c.tar.gz");
        check("a/b/c.tar.gz", "#*/", "b/c.tar.gz");
        check("a/b/c.tar.gz", "%/*", "a/b");
        check("a/b/c.tar.gz", "%%/*", "a");
        check("a/b/c.tar.gz", "%.gz", "a/b/c.tar");
        check("guXard", "/X/", "guard");
        check("a-b-c", "//-/_", "a_b_c");
        check("a-b-c", "/-/_", "a_b-c");
        check("zguard", ":1", "guard");
        check("zguardz", ":1:5", "guard");
        check("zguard", ": -5", "guard");
        check("GUARD", ",,", "guard");
        check("guard", "^", "Guard");
        check("guard", "@Q", "guard");
        check("", ":1", "");
    }

    #[test]
    fn what_cannot_be_computed_may_be_anything() {
        for rest in ["#?", "%[a-z]", "/a*/b", "^^[a]", ":x", ":1:y"] {
            let (sign, operand) = split(rest).unwrap();
            assert_eq!(alter("guard", sign, operand), [mark::UNKNOWN.to_string(), "guard".to_owned()], "{rest}");
        }
        for rest in ["", "-x", ":-x", ":=x", ":+x", ":?x", "[0]"] {
            assert_eq!(split(rest), None, "{rest}");
        }
    }
}
