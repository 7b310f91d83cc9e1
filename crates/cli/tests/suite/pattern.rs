//! The examples of docs/patterns.md through everything that reads patterns: the answer is the same everywhere.

use std::path::PathBuf;

use stead_evidence::Ground;
use stead_pattern::{Case, Pattern, PatternList, Scope, Touched, last_match};

const PAGE: &str = include_str!("../../../../docs/patterns.md");
/// The home folder of the page's examples, and the one of a guard's own tests.
const HOMES: [&str; 2] = ["/home/ann", "/home/person"];

/// One row of the page's tables.
struct Row {
    patterns: Vec<String>,
    examples: Vec<(String, bool)>,
}

/// The rows below a heading.
fn rows(heading: &str) -> Vec<Row> {
    let section = PAGE.split("\n## ").find(|section| section.starts_with(heading)).unwrap();
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Row> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            let [patterns, yes, no] = cells[..] else { panic!("{line}") };
            let examples = quoted(yes).into_iter().map(|file| (file, true));
            Row {
                patterns: quoted(patterns),
                examples: examples.chain(quoted(no).into_iter().map(|file| (file, false))).collect(),
            }
        })
        .collect();
    assert!(rows.len() > 4, "{heading}");
    rows
}

/// What a guard with `writes:` says about a write of each file.
fn check_guard(row: &Row) {
    let list = |matched: bool| {
        let files = row.examples.iter().filter(|(_, expected)| *expected == matched);
        files.map(|(file, _)| serde_json::json!({"write": file.replace(HOMES[0], HOMES[1])})).collect::<Vec<_>>()
    };
    let guard = serde_json::json!({
        "id": "g",
        "match": {"writes": row.patterns},
        "say": "no",
        "tests": {"must": list(true), "must_not": list(false)},
    });
    let source = stead_guard::Source::project("g.yaml".to_owned(), guard.to_string());
    let results =
        stead_guard::test(&source, &stead_guard::ProjectRooms::default()).unwrap_or_else(|told| panic!("{told:?}"));
    assert_eq!(results.len(), row.examples.len(), "{:?}", row.patterns);
    for result in results {
        assert!(result.passed, "{:?}: {} {}", row.patterns, result.title, result.detail);
    }
}

#[test]
fn a_pattern_means_the_same_everywhere() {
    let ground = Ground {
        root: PathBuf::from("/srv/project"),
        features: PathBuf::from("/srv/project/.agent/features"),
        indexes: PathBuf::from("/srv/project/.agent/context/indexes"),
        cache: PathBuf::from("/srv/project/.agent/cache"),
        state: None,
    };
    for row in rows("Examples") {
        for (file, expected) in &row.examples {
            let raw = PatternList::new(&row.patterns, Case::Exact).matches(file);
            assert_eq!(raw, *expected, "{:?} {file}", row.patterns);
            assert_eq!(stead_evidence::holds(&ground, &row.patterns, file), *expected, "{:?} {file}", row.patterns);
        }
        check_guard(&row);
    }
}

#[test]
fn files_outside_are_seen_by_guards_only() {
    let scope = Scope { case: Case::Folded, home: Some(HOMES[0]), takes_tree: true, is_folder: &|_| false };
    for row in rows("Outside the project") {
        for (file, expected) in &row.examples {
            let inside = (!file.starts_with('/')).then_some(file.as_str());
            let path = if inside.is_some() { format!("/srv/project/{file}") } else { file.clone() };
            let touched = Touched { path: &path, inside, open: false, tree: false };
            let fits = |pattern: &str| Pattern::parse(pattern).meets(&touched, scope);
            let held = last_match(row.patterns.iter().map(String::as_str), fits, fits);
            assert_eq!(held.is_some(), *expected, "{:?} {file}", row.patterns);
        }
        check_guard(&row);
    }
}
