//! Names of tools, roles, hosts and sub-commands: `*`, `?` and `[…]`, without regard to case.

use stead_pattern::{Case, last_match, name_matches};

/// Returns true if the pattern matches the name.
pub(crate) fn meets(pattern: &str, name: &str) -> bool {
    name_matches(pattern, name, Case::Folded)
}

/// Returns true if a list matches a name; `!` excludes. If every pattern excludes, all other names match.
pub(crate) fn one_of(patterns: &[String], name: &str) -> bool {
    let all = patterns.iter().all(|pattern| pattern.starts_with('!')).then_some("*");
    let fits = |pattern: &str| meets(pattern, name);
    last_match(all.into_iter().chain(patterns.iter().map(String::as_str)), fits, fits).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts() {
        let patterns = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert!(one_of(&patterns(&["cod*", "!coder"]), "coding"));
        assert!(!one_of(&patterns(&["cod*", "!coder"]), "coder"));
        assert!(one_of(&patterns(&["!coder"]), "main"));
        assert!(!one_of(&patterns(&["a"]), "b"));
    }
}
