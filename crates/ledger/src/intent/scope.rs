//! What an intent owns. Patterns start at the project root and are case-sensitive, because a list of what is allowed
//! must not widen by accident: `**/` asks for depth.

use super::file::check_pattern;
use crate::LedgerError;
use stead_pattern::{Case, Pattern, Scope as Comparison, Touched, expand, has_wildcard, last_match};

/// A path that a call changes.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
    /// Absolute, with links resolved.
    pub path: &'a str,
    /// Below the project root; `None` outside.
    pub inside: Option<&'a str>,
    /// Everything below it, too.
    pub tree: bool,
    /// The shell will expand it.
    pub open: bool,
}

/// The paths of an intent.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    patterns: Vec<String>,
}

impl Scope {
    pub fn new(patterns: &[String]) -> Self {
        Self { patterns: patterns.iter().flat_map(|pattern| expand(pattern)).collect() }
    }

    /// Checks patterns from a command line.
    pub fn check(patterns: &[String]) -> Result<(), LedgerError> {
        patterns.iter().try_for_each(|pattern| {
            check_pattern(pattern).map_err(|(why, hint)| LedgerError::Invalid {
                what: "pattern",
                value: pattern.clone(),
                why,
                hint: Some(hint),
            })
        })
    }

    /// Returns true if all that is reached belongs to the scope.
    pub fn owns(&self, reach: &Reach<'_>, home: Option<&str>) -> bool {
        owns(self.patterns.iter().map(String::as_str), Pattern::parse_anchored, reach, home)
    }

    /// Returns the pattern that owns a file of the project.
    pub fn owner_of(&self, file: &str) -> Option<&str> {
        let reach = Reach { path: "", inside: Some(file), tree: false, open: false };
        owner(self.patterns.iter().map(String::as_str), Pattern::parse_anchored, &reach, None)
    }

    /// Returns true if some path can belong to both.
    pub fn overlaps(&self, other: &Self) -> bool {
        let wanted = |scope: &Self| -> Vec<String> {
            scope.patterns.iter().filter(|pattern| !pattern.starts_with('!')).cloned().collect()
        };
        let (own, others) = (wanted(self), wanted(other));
        own.iter().any(|one| others.iter().any(|two| can_share(one, two) || can_share(two, one)))
    }
}

/// Returns true if a path that one pattern stands for can match the other.
fn can_share(one: &str, two: &str) -> bool {
    let place = one.strip_prefix("./").unwrap_or(one).trim_end_matches('/');
    let place = if place == "**" { "" } else { place.strip_suffix("/**").unwrap_or(place) };
    leads_to([two], place)
}

/// Returns true if something below a folder can match one of the patterns.
pub(super) fn leads_to<'p>(patterns: impl IntoIterator<Item = &'p str>, folder: &str) -> bool {
    let touched = Touched { path: folder, inside: Some(folder), open: has_wildcard(folder), tree: true };
    let mut wanted = patterns.into_iter().filter(|pattern| !pattern.starts_with('!'));
    wanted.any(|pattern| Pattern::parse_anchored(pattern).meets(&touched, comparison(None, true)))
}

fn comparison(home: Option<&str>, takes_tree: bool) -> Comparison<'_> {
    Comparison { case: Case::Exact, home, takes_tree, is_folder: &|_| false }
}

/// Returns true if the plain letters that a pattern starts with show that it does not match a path. A pattern without a
/// slash may match at any depth, depending on who reads it.
fn starts_elsewhere(pattern: &str, path: &str) -> bool {
    let bytes = pattern.trim_end_matches('/').as_bytes();
    let is_plain = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-' | b'.' | b'/');
    let same = bytes.iter().zip(path.as_bytes()).take_while(|(one, other)| one == other).count();
    let Some((differs, rest)) = bytes[same..].split_first() else { return false };
    // Between a slash and what follows it there may be nothing.
    let ends = *differs == b'/' && !rest.first().is_some_and(is_plain);
    let is_deep = || memchr::memchr(b'/', bytes).is_some() && !bytes.windows(2).any(|two| two == b"//");
    !ends && is_plain(differs) && bytes[..same].iter().all(is_plain) && bytes[0].is_ascii_alphanumeric() && is_deep()
}

/// Returns true if the patterns own all that is reached.
pub(super) fn owns<'p>(
    patterns: impl IntoIterator<Item = &'p str>,
    parse: fn(&'p str) -> Pattern<'p>,
    reach: &Reach<'_>,
    home: Option<&str>,
) -> bool {
    owner(patterns, parse, reach, home).is_some()
}

/// The pattern that owns all that is reached. A `!` takes back what it can touch at all.
fn owner<'p>(
    patterns: impl IntoIterator<Item = &'p str>,
    parse: fn(&'p str) -> Pattern<'p>,
    reach: &Reach<'_>,
    home: Option<&str>,
) -> Option<&'p str> {
    let touched = Touched { path: reach.path, inside: reach.inside, open: reach.open, tree: reach.tree };
    // A pattern for any depth means the project's files, not those of others.
    let means = |pattern: &Pattern<'_>| reach.inside.is_some() || !matches!(pattern, Pattern::Anywhere(_));
    let fits = |text: &'p str| {
        // Most patterns of a long list start elsewhere.
        if reach.inside.is_some_and(|inside| starts_elsewhere(text, inside)) {
            return false;
        }
        let pattern = parse(text);
        means(&pattern) && pattern.covers(&touched, comparison(home, false))
    };
    let takes_back = |text: &'p str| {
        let pattern = parse(text);
        means(&pattern) && pattern.meets(&touched, comparison(home, true))
    };
    last_match(patterns, fits, takes_back)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scope(patterns: &[&str]) -> Scope {
        Scope::new(&patterns.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(patterns: &[&str], path: &str, expected: bool) {
        let (path, tree) = path.strip_suffix('/').map_or((path, false), |path| (path, true));
        let open = has_wildcard(path);
        let absolute = format!("/p/{path}");
        let reach = match path.strip_prefix("//") {
            Some(outside) => Reach { path: outside, inside: None, tree, open },
            None => Reach { path: &absolute, inside: Some(path), tree, open },
        };
        assert_eq!(scope(patterns).owns(&reach, Some("/home/ann")), expected, "{patterns:?} {path} tree: {tree}");
    }

    #[test]
    fn patterns_start_at_the_root_and_keep_case() {
        check(&["src/**"], "src/a.rs", true);
        check(&["src/**"], "src/deep/a.rs", true);
        check(&["src/**"], "lib/src/a.rs", false);
        check(&["src/**"], "SRC/a.rs", false);
        check(&["src"], "src/a.rs", true);
        check(&["src/"], "lib/src/a.rs", false);
        check(&["Makefile"], "Makefile", true);
        check(&["Makefile"], "lib/Makefile", false);
        check(&["**/Makefile"], "lib/Makefile", true);
        check(&["*.md"], "README.md", true);
        check(&["*.md"], "docs/a.md", false);
        check(&["**/*.md"], "docs/a.md", true);
        check(&["src/*.rs"], "src/deep/a.rs", false);
        check(&["./src"], "src/x", true);
        check(&["**"], "any/thing", true);
        check(&[], "a", false);
        check(&["!src/gen"], "src/a", false);
        check(&["src/{a,b}/**"], "src/b/x", true);
        check(&["src/**", "!src/gen/**"], "src/gen/x", false);
        check(&["src/**", "!src/gen/**"], "src/x", true);
        check(&["src/[a-c].rs"], "src/b.rs", true);
    }

    #[test]
    fn a_folder_or_a_shell_pattern_must_be_owned_as_a_whole() {
        check(&["src/**"], "src/", true);
        check(&["src"], "src/", true);
        check(&["src/*.rs"], "src/", false);
        check(&["src/**/*.rs"], "src/", false);
        check(&["**/*.rs"], "src/", false);
        check(&["src/a/**"], "src/", false);
        check(&["src/**", "!src/gen/**"], "src/", false);
        check(&["src/**", "!src/gen/**"], "src/lib/", true);
        check(&["src/**"], "src/*.rs", true);
        check(&["src/*.rs"], "src/*.rs", true);
        check(&["src/*.rs"], "src/**", false);
        check(&["src/a.rs"], "src/*.rs", false);
        check(&["src/**"], "*", false);
        check(&["**"], "/", true);
        check(&["src/**"], "/", false);
    }

    #[test]
    fn outside_the_project_only_patterns_for_it_count() {
        check(&["**"], "///etc/hosts", false);
        check(&["**/hosts"], "///etc/hosts", false);
        check(&["*"], "///etc/hosts", false);
        check(&["/etc/**"], "///etc/hosts", true);
        check(&["~/notes/**"], "///home/ann/notes/a", true);
        check(&["@outside"], "///etc/hosts", true);
        check(&["@outside", "!/etc/**"], "///etc/hosts", false);
    }

    #[test]
    fn scopes_overlap_where_a_path_can_be_in_both() {
        let check = |one: &[&str], two: &[&str], expected: bool| {
            assert_eq!(scope(one).overlaps(&scope(two)), expected, "{one:?} {two:?}");
            assert_eq!(scope(two).overlaps(&scope(one)), expected, "{two:?} {one:?}");
        };
        check(&["src/**"], &["src/auth/**"], true);
        check(&["src/**"], &["docs/**"], false);
        check(&["src/a.rs"], &["src/*.rs"], true);
        check(&["src/*.py"], &["src/*.rs"], false);
        check(&["**"], &["x"], true);
        check(&["**/*.rs"], &["src/**"], true);
        check(&["src/auth"], &["src/authority"], false);
        check(&[], &["**"], false);
    }

    proptest! {
        /// Whoever owns a folder owns every file in it, and nobody owns what lies beside its patterns.
        #[test]
        fn owning_a_folder_is_owning_all_of_it(
            pattern in "(\\*\\*|[ab*]{1,2})(/(\\*\\*|[ab*]{1,2})){0,3}", folder in "[ab](/[ab]){0,2}",
            below in "[abc](/[abc]){0,3}",
        ) {
            let one = scope(&[&pattern]);
            let file = format!("{folder}/{below}");
            let whole = Reach { path: "", inside: Some(&folder), tree: true, open: false };
            if one.owns(&whole, None) {
                prop_assert!(one.owner_of(&file).is_some(), "{pattern} {file}");
            }
        }

        #[test]
        fn wildcards_without_end_are_answered(stars in 1usize..60, letters in 1usize..120) {
            let pattern = "a*".repeat(stars) + "/" + &"**/a*b".repeat(stars / 6 + 1);
            let path = "a".repeat(letters) + "/" + &"a/".repeat(20) + "c";
            let begun = std::time::Instant::now();
            scope(&[&pattern]).owner_of(&path);
            prop_assert!(begun.elapsed().as_millis() < 500, "{pattern}");
        }
    }
}
