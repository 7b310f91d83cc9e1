use crate::brace::expand;
use crate::name::Case;
use crate::pattern::{Pattern, Scope, Touched};

/// Applies a list of patterns in which `!` takes back: of those that fit, the last one decides. Returns the pattern that
/// holds, if one does.
pub fn last_match<'p>(
    patterns: impl IntoIterator<Item = &'p str>,
    fits: impl Fn(&'p str) -> bool,
    takes_back: impl Fn(&'p str) -> bool,
) -> Option<&'p str> {
    let mut held = None;
    for pattern in patterns {
        match (pattern.strip_prefix('!'), held) {
            (Some(bare), Some(_)) if takes_back(bare) => held = None,
            (None, None) if fits(pattern) => held = Some(pattern),
            _ => {}
        }
    }
    held
}

/// Patterns over the files of a project.
#[derive(Clone, Debug)]
pub struct PatternList {
    texts: Vec<String>,
    case: Case,
}

impl PatternList {
    /// Reads a list. If every pattern takes back, or there is none, all other files are meant.
    pub fn new(patterns: &[String], case: Case) -> Self {
        let all = patterns.iter().all(|pattern| pattern.starts_with('!')).then(|| "**".to_owned());
        let texts = all.into_iter().chain(patterns.iter().flat_map(|pattern| expand(pattern))).collect();
        Self { texts, case }
    }

    /// The patterns that do not take back.
    pub fn wanted(&self) -> impl Iterator<Item = Pattern<'_>> {
        self.texts.iter().filter(|text| !text.starts_with('!')).map(|text| Pattern::parse(text))
    }

    /// Returns true if a file, by its path below the project root, is meant.
    pub fn matches(&self, file: &str) -> bool {
        let fits = |pattern: &str| Pattern::parse(pattern).matches(file, self.case);
        last_match(self.texts.iter().map(String::as_str), fits, fits).is_some()
    }

    /// Returns true if a file is meant that can lie at a path or below it; the path may hold wildcards of the shell.
    pub fn can_match_below(&self, path: &str) -> bool {
        let scope = Scope { case: self.case, home: None, takes_tree: true, is_folder: &|_| false };
        let below = format!("{path}/**");
        let open = crate::has_wildcard(path);
        let at = Touched { path: "", inside: Some(path), open, tree: false };
        let tree = Touched { inside: Some(&below), open: true, ..at };
        let texts = || self.texts.iter().map(String::as_str);
        [at, tree].iter().any(|touched| {
            let fits = |pattern: &str| Pattern::parse(pattern).meets(touched, scope);
            let takes_back = |pattern: &str| Pattern::parse(pattern).covers(touched, scope);
            last_match(texts(), fits, takes_back).is_some()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(patterns: &[&str]) -> PatternList {
        let patterns: Vec<String> = patterns.iter().map(|text| (*text).to_owned()).collect();
        PatternList::new(&patterns, Case::Exact)
    }

    #[test]
    fn the_last_pattern_that_fits_decides() {
        let check = |patterns: &[&str], file: &str, expected: bool| {
            assert_eq!(list(patterns).matches(file), expected, "{patterns:?} {file}");
        };
        check(&[], "anything/at/all", true);
        check(&["src"], "src/a.rs", true);
        check(&["src", "!src/gen"], "src/gen/a.rs", false);
        check(&["src", "!src/gen", "src/gen/keep.rs"], "src/gen/keep.rs", true);
        check(&["!src/gen", "src"], "src/gen/a.rs", true);
        check(&["!src/gen"], "src/gen/a.rs", false);
        check(&["!src/gen"], "src/a.rs", true);
        check(&["*.{rs,toml}"], "deep/a.toml", true);
        check(&["*", "!*.{rs,toml}"], "deep/a.toml", false);
        check(&["SRC"], "src/a.rs", false);
    }

    #[test]
    fn a_folder_is_searched_if_something_in_it_can_be_meant() {
        let check = |patterns: &[&str], path: &str, expected: bool| {
            assert_eq!(list(patterns).can_match_below(path), expected, "{patterns:?} {path}");
        };
        check(&["src/**"], "src", true);
        check(&["src/a/**"], "src", true);
        check(&["src/**"], "src/a/*.rs", true);
        check(&["src/*.py"], "src/*.rs", false);
        check(&["src/**"], "docs", false);
        check(&["src/**"], "", true);
        check(&["*.py"], "src", true);
        check(&["./*.py"], "src", false);
        check(&["Makefile"], "docs", true);
        check(&["Makefile"], "*", true);
        check(&["src/Makefile"], "*", true);
        check(&["src", "!src/gen"], "src/gen", false);
        check(&["src", "!src/gen/**"], "src", true);
        check(&[], "docs/*", true);
    }
}
