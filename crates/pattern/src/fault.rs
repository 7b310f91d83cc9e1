/// Why a text is not a pattern of this grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Continues a sentence that begins with the pattern.
    pub problem: &'static str,
    pub hint: &'static str,
}

/// Checks one pattern, with or without its `!`.
pub fn check(pattern: &str) -> Result<(), Fault> {
    let bare = pattern.strip_prefix('!').unwrap_or(pattern);
    let fault = |problem, hint| Err(Fault { problem, hint });
    if bare.trim() != bare || bare.is_empty() {
        return fault("is empty or has white space around it", "remove the white space");
    }
    if bare.starts_with('!') {
        return fault("begins with more than one `!`", "write one `!`; a list is read from top to bottom");
    }
    if bare.split('/').any(|name| name == "..") {
        return fault(
            "contains `..`, which matches nothing",
            "patterns start at the project root; `/…`, `~/…` and `@outside` mean files outside it",
        );
    }
    if bare.contains('\\') {
        return fault("contains a backslash", "separate names with `/`; `[*]` matches a literal `*`");
    }
    if bare.starts_with('@') && !matches!(bare, "@outside" | "@root") {
        return fault("is not a known place", "expected one of `@outside`, `@root`; `[@]` matches a literal `@`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_found() {
        for (pattern, expected) in [
            ("src/**", None),
            ("!@outside", None),
            ("[@]types", None),
            ("", Some("empty")),
            ("!", Some("empty")),
            (" a", Some("white space")),
            ("!!a", Some("more than one `!`")),
            ("a/../b", Some("`..`")),
            ("a..b", None),
            ("a\\b", Some("backslash")),
            ("@nowhere", Some("known place")),
        ] {
            let found = check(pattern).err().map(|fault| fault.problem);
            assert_eq!(found.is_some(), expected.is_some(), "{pattern}");
            assert!(found.unwrap_or_default().contains(expected.unwrap_or_default()), "{pattern}: {found:?}");
        }
    }
}
