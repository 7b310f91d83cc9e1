/// Builds a file name from the first words of a text: lower case, digits and hyphens.
pub fn slug(text: &str) -> String {
    const MOST: usize = 40;
    let mut slug = String::new();
    for character in text.chars() {
        if slug.len() >= MOST {
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "untitled".to_owned() } else { slug.to_owned() }
}

/// Converts an RFC 3339 timestamp to the one that file names start with: `20261115T194530Z`.
pub fn stamp(moment: &str) -> String {
    let whole = moment.split('.').next().unwrap_or(moment);
    let digits: String = whole.chars().filter(|c| c.is_ascii_digit() || *c == 'T').collect();
    format!("{digits}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_plain() {
        assert_eq!(slug("Fix add(): it subtracts!"), "fix-add-it-subtracts");
        assert_eq!(slug("  ../../etc  "), "etc");
        assert_eq!(slug("日本語"), "untitled");
        assert!(slug(&"word ".repeat(50)).len() <= 40);
    }

    #[test]
    fn stamps_sort_by_time() {
        assert_eq!(stamp("2026-11-15T19:45:30.123Z"), "20261115T194530Z");
    }
}
