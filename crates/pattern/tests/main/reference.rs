use proptest::prelude::*;
use stead_pattern::{Case, Pattern, Scope, Touched};

/// The plainest reading of one name: tries every length for a `*`.
fn name_is_in(pattern: &[char], name: &[char]) -> bool {
    match pattern {
        [] => name.is_empty(),
        ['*', rest @ ..] => (0..=name.len()).any(|at| name_is_in(rest, &name[at..])),
        ['?', rest @ ..] => !name.is_empty() && name_is_in(rest, &name[1..]),
        ['[', 'a', 'b', ']', rest @ ..] => matches!(name.first(), Some('a' | 'b')) && name_is_in(rest, &name[1..]),
        ['[', '!', 'a', ']', rest @ ..] => name.first().is_some_and(|c| *c != 'a') && name_is_in(rest, &name[1..]),
        [first, rest @ ..] => name.first() == Some(first) && name_is_in(rest, &name[1..]),
    }
}

fn name_matches(pattern: &str, name: &str) -> bool {
    name_is_in(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
}

/// The plainest reading of a pattern over a whole path: tries every number of names for a `**`, which at the end stands
/// for at least `least` of them.
fn is_in(pattern: &[&str], path: &[&str], least: usize, fits: &dyn Fn(&str, &str) -> bool) -> bool {
    match pattern {
        [] => path.is_empty(),
        ["**"] => path.len() >= least,
        ["**", rest @ ..] => (0..=path.len()).any(|at| is_in(rest, &path[at..], least, fits)),
        [first, rest @ ..] => !path.is_empty() && fits(first, path[0]) && is_in(rest, &path[1..], least, fits),
    }
}

/// A pattern matches a path that it or one of the folders above the path is in.
fn matches(pattern: &str, path: &[&str]) -> bool {
    let mut names: Vec<&str> = pattern.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    if !pattern.contains('/') && pattern != "**" {
        names.insert(0, "**");
    }
    (1..=path.len()).any(|end| is_in(&names, &path[..end], 1, &name_matches))
}

/// Every path of up to three names from a small set.
fn all_paths() -> Vec<Vec<&'static str>> {
    const NAMES: [&str; 5] = ["a", "b", "ab", ".a", ".b"];
    let mut paths: Vec<Vec<&str>> = NAMES.iter().map(|name| vec![*name]).collect();
    for length in 1..3 {
        let longer: Vec<Vec<&str>> = paths
            .iter()
            .filter(|path| path.len() == length)
            .flat_map(|path| NAMES.iter().map(|name| path.iter().copied().chain([*name]).collect()))
            .collect();
        paths.extend(longer);
    }
    paths
}

fn names() -> impl Strategy<Value = Vec<&'static str>> {
    let names = vec!["a", "b", "ab", ".a", "*", "a*", "*b", "a?", "**", ".*", "[ab]", "[!a]", "*a*", "?b*"];
    prop::collection::vec(prop::sample::select(names), 1..5)
}

fn scope() -> Scope<'static> {
    Scope { case: Case::Exact, home: None, takes_tree: false, is_folder: &|_| false }
}

fn touched(inside: &str, open: bool) -> Touched<'_> {
    Touched { path: "", inside: Some(inside), open, tree: false }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn a_pattern_matches_what_the_naive_reading_matches(names in names(), rooted in any::<bool>()) {
        let text = format!("{}{}", if rooted { "./" } else { "" }, names.join("/"));
        for path in all_paths() {
            let file = path.join("/");
            let expected = matches(&text, &path);
            prop_assert_eq!(Pattern::parse(&text).matches(&file, Case::Exact), expected, "{} {}", text, file);
            prop_assert_eq!(Pattern::parse(&text).meets(&touched(&file, false), scope()), expected);
            prop_assert_eq!(Pattern::parse(&text).covers(&touched(&file, false), scope()), expected);
        }
    }

    #[test]
    fn a_pattern_without_a_slash_can_be_anchored(name in prop::sample::select(vec!["a", "*b", "**", "?b*"])) {
        for path in all_paths() {
            let file = path.join("/");
            let anchored = Pattern::parse_anchored(name).matches(&file, Case::Exact);
            prop_assert_eq!(anchored, Pattern::parse(&format!("./{name}")).matches(&file, Case::Exact));
            let deep = format!("**/{name}");
            let anywhere = Pattern::parse_anchored(&deep).matches(&file, Case::Exact);
            prop_assert_eq!(anywhere, Pattern::parse(&deep).matches(&file, Case::Exact));
        }
    }

    /// What both match, both mean; and where they meet, a path shows it.
    #[test]
    fn two_patterns_meet_where_a_path_is_in_both(wanted in names(), names in names()) {
        let text = format!("./{}", wanted.join("/"));
        let inside = names.join("/");
        // As in the shell, a wildcard in front does not stand for a dot; and only whole paths are named.
        let shell = |pattern: &str, name: &str| {
            !(name.starts_with('.') && pattern.starts_with(['*', '?', '['])) && name_matches(pattern, name)
        };
        let shared = all_paths()
            .into_iter()
            .find(|path| is_in(&names, path, 0, &shell) && is_in(&wanted, path, 1, &name_matches));
        let met = Pattern::parse(&text).meets(&touched(&inside, true), scope());
        // The other way round, a folder that is named in full stands for everything in it. `.` is not among the names
        // that are tried, nor are longer paths.
        let named = names.iter().any(|name| !stead_pattern::has_wildcard(name));
        let single_dot = wanted.iter().chain(&names).any(|name| name.starts_with("[!"));
        if shared.is_some() {
            prop_assert!(met, "{} {} share {:?}", text, inside, shared);
        } else if !named && !single_dot && wanted.len() + names.len() <= 4 {
            prop_assert!(!met, "{} {} share nothing", text, inside);
        }
    }

    /// What covers a shell pattern matches every path that the shell makes of it.
    #[test]
    fn what_covers_a_pattern_matches_all_of_it(wanted in names(), names in names()) {
        let text = wanted.join("/");
        let inside = names.join("/");
        if Pattern::parse(&text).covers(&touched(&inside, true), scope()) {
            for path in all_paths() {
                if is_in(&names, &path, 0, &name_matches) {
                    prop_assert!(matches(&text, &path), "{} covers {} but not {:?}", text, inside, path);
                }
            }
        }
    }

    #[test]
    fn every_path_matches_itself(parts in prop::collection::vec("[.]?[a-zA-Z.]{0,3}[a-z]", 1..5)) {
        let path = parts.join("/");
        prop_assert!(Pattern::parse(&path).matches(&path, Case::Exact));
        prop_assert!(Pattern::parse(&path.to_uppercase()).matches(&path, Case::Folded));
    }

    #[test]
    fn any_text_is_some_pattern(text in ".{0,60}", path in "([a-z*?\\[\\]{},!~@]|/|\\*\\*){1,40}") {
        let pattern = Pattern::parse(&text);
        let _ = pattern.matches(&path, Case::Folded);
        let _ = pattern.search_root();
        for tree in [false, true] {
            let touched = Touched { tree, ..touched(&path, true) };
            let _ = pattern.meets(&touched, scope());
            let _ = pattern.covers(&touched, scope());
        }
    }
}

#[test]
fn a_pattern_covers_what_every_expansion_matches() {
    for (pattern, word, expected) in [
        ("*a*/*", "[ab]/a", false),
        ("*/a", "[ab]/a", true),
        ("a*", "a?", true),
        ("*b", "a[b]", false),
        ("a/**", "a/**/b", true),
        ("a/*/*/b", "a/**/b", false),
        ("a/*", "a/*/b", true),
        ("*.py", "**/*.py", true),
        ("*.py", "**.py", true),
        ("./*.py", "**.py", false),
        ("a", "a/**", true),
    ] {
        assert_eq!(Pattern::parse(pattern).covers(&touched(word, true), scope()), expected, "{pattern} {word}");
    }
}

#[test]
fn long_patterns_do_not_explode() {
    let deep = "**/a/".repeat(60);
    let path = "a/".repeat(200);
    assert!(Pattern::parse(&deep).matches(path.trim_end_matches('/'), Case::Exact));
    let stars = "*a".repeat(200);
    assert!(!Pattern::parse(&stars).matches(&"b".repeat(200), Case::Exact));
    assert!(Pattern::parse(&stars).meets(&touched(&"*a".repeat(200), true), scope()));
}
