//! What to say about a name that is not known.

/// Says what to write instead of an unknown name: the one that was most likely meant, else all that are known.
pub fn suggestion<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(typed, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => expected_one_of(known),
    }
}

/// Lists the names that are known.
pub fn expected_one_of<'a>(known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<String> = known.into_iter().map(|name| format!("`{name}`")).collect();
    format!("expected one of {}", known.join(", "))
}

/// Finds the known name that a mistyped one most likely meant; `None` if nothing is close.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    let allowed = (length / 3).clamp(1, 4);
    let known: Vec<_> = known.into_iter().collect();
    let beginning = known.iter().find(|name| length >= 3 && name.starts_with(&typed));
    known
        .iter()
        .map(|name| (edit_distance(&typed, name), *name))
        .filter(|(distance, _)| *distance <= allowed)
        // Words that share no letter are not typos of each other, however short.
        .filter(|(distance, name)| *distance < length.max(name.chars().count()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
        .or(beginning.copied())
}

/// Counts insertions, deletions and substitutions of characters, and swaps of two neighbours, between two words.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let mut least = (last[j] + usize::from(from != to)).min(row[j] + 1).min(last[j + 1] + 1);
            if i > 0 && j > 0 && a[i - 1] == *to && b[j - 1] == *from {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, expected: Option<&str>) {
        assert_eq!(nearest(typed, ["record.sessions", "gate.self_protection", "auto_init"]), expected, "{typed}");
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_or_all() {
        assert_eq!(suggestion("wrtes", ["writes", "reads"]), "did you mean `writes`?");
        assert_eq!(suggestion("frobnicate", ["writes", "reads"]), "expected one of `writes`, `reads`");
    }

    #[test]
    fn a_swap_is_one_error() {
        assert_eq!(nearest("wrok", ["elegance", "work"]), Some("work"));
        assert_eq!(edit_distance("ab", "ba"), 1);
        assert_eq!(edit_distance("abc", "cba"), 2);
    }

    #[test]
    fn short_names_must_share_something() {
        assert_eq!(nearest("x", ["a", "b"]), None);
        assert_eq!(nearest("a", ["b", "ab"]), Some("ab"));
        assert_eq!(nearest("A", ["b", "a"]), Some("a"));
        assert_eq!(nearest("ab", ["xy", "xb"]), Some("xb"));
    }

    #[test]
    fn typing_errors_find_their_word() {
        check("record.session", Some("record.sessions"));
        check("Record.Sessions", Some("record.sessions"));
        check("gate.selfprotection", Some("gate.self_protection"));
        check("autoinit", Some("auto_init"));
        check("auto-init", Some("auto_init"));
        check("rec", Some("record.sessions"));
        check("atuo_iint", Some("auto_init"));
        check("re", None);
        check("colour", None);
        check("", None);
    }
}
