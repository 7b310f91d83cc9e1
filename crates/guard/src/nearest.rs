/// Finds the known name that somebody probably meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Counts the letters to add, drop or change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let kept = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = kept.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood() {
        let known = ["writes", "deletes", "runs", "unless"];
        let check = |name: &str, expected: Option<&str>| assert_eq!(nearest(name, known), expected, "{name}");
        check("write", Some("writes"));
        check("unles", Some("unless"));
        check("runns", Some("runs"));
        check("wrtes", Some("writes"));
        check("frobnicate", None);
        check("", None);
    }
}
