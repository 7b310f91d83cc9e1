/// Finds the known name that a mistyped one most likely meant; `None` when nothing is close.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    let allowed = (length / 3).clamp(1, 4);
    let known: Vec<_> = known.into_iter().collect();
    let beginning = known.iter().find(|name| length >= 3 && name.starts_with(&typed));
    known
        .iter()
        .map(|name| (distance(&typed, name), *name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
        .or(beginning.copied())
}

/// Counts the insertions, removals and changes of a character between two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, expected: Option<&str>) {
        assert_eq!(nearest(typed, ["record.sessions", "gate.self_protection", "auto_init"]), expected, "{typed}");
    }

    #[test]
    fn typing_errors_find_their_word() {
        check("record.session", Some("record.sessions"));
        check("Record.Sessions", Some("record.sessions"));
        check("gate.selfprotection", Some("gate.self_protection"));
        check("autoinit", Some("auto_init"));
        check("auto-init", Some("auto_init"));
        check("rec", Some("record.sessions"));
        check("re", None);
        check("colour", None);
        check("", None);
    }
}
