//! Finds patterns in a feature list that match nothing, or other files than they did before features and guards shared
//! one grammar.

use std::collections::BTreeSet;

use stead_feature::{Feature, FeatureList};
use stead_pattern::{Pattern, check};

use crate::ground::{Bounds, Ground};
use crate::tree::list;

/// Checks the patterns of a list, one line per finding. A pattern whose meaning changed is reported only if that makes
/// a difference on disk, with the spelling that keeps the earlier meaning.
pub fn pattern_findings(ground: &Ground, list: &FeatureList, bounds: &Bounds<'_>) -> Vec<String> {
    let findings = |feature: &Feature| {
        let found = of_feature(ground, feature, bounds);
        found.into_iter().map(|finding| format!("feature `{}`: {finding}", feature.id)).collect::<Vec<_>>()
    };
    list.features.iter().flat_map(findings).collect()
}

fn of_feature(ground: &Ground, feature: &Feature, bounds: &Bounds<'_>) -> Vec<String> {
    let mut findings = Vec::new();
    for pattern in &feature.files {
        let bare = pattern.trim_start_matches('!');
        let nothing = match (check(pattern), Pattern::parse(bare)) {
            (Err(fault), _) => Some((fault.problem, fault.hint.to_owned())),
            (_, Pattern::Root) => Some(("is the project folder, not a file in it", "write `**`".to_owned())),
            (_, Pattern::Absolute(_)) => Some(("is outside the project", format!("write `.{bare}`"))),
            (_, Pattern::Home(_) | Pattern::Outside) => Some(("is outside the project", "remove it".to_owned())),
            _ => None,
        };
        if let Some((problem, hint)) = nothing {
            findings.push(format!("`{pattern}` {problem}; {hint}"));
            continue;
        }
        let earlier = earlier(bare);
        if earlier != bare
            && let Some(change) = change(ground, &[bare.to_owned()], std::slice::from_ref(&earlier), bounds)
        {
            let sign = if pattern.starts_with('!') { "!" } else { "" };
            let confirm = match bare.contains('/') {
                true => String::new(),
                false => format!(", or `{sign}**/{bare}` to keep this one"),
            };
            findings
                .push(format!("`{pattern}` {change}; write `{sign}{earlier}` to keep the earlier meaning{confirm}"));
        }
    }
    // Before, a leading `!` excluded from all patterns.
    let (taken_back, wanted): (Vec<String>, Vec<String>) =
        feature.files.iter().cloned().partition(|pattern| pattern.starts_with('!'));
    if findings.is_empty()
        && let Some(change) = change(ground, &feature.files, &[wanted, taken_back].concat(), bounds)
    {
        findings.push(format!("`files` {change}; move the patterns with `!` to the end to keep the earlier meaning"));
    }
    findings
}

/// The pattern that now means what a pattern without `!` meant before: it started at the root, and brackets were
/// literal.
fn earlier(bare: &str) -> String {
    let rooted = if bare.contains('/') || bare == "**" { "" } else { "./" };
    format!("{rooted}{}", bare.replace('[', "[[]"))
}

/// Describes how two lists differ in what they match now, by an example.
fn change(ground: &Ground, now: &[String], before: &[String], bounds: &Bounds<'_>) -> Option<String> {
    if now == before {
        return None;
    }
    let files = |patterns: &[String]| -> Option<BTreeSet<String>> {
        let found = list(ground, patterns, bounds).ok()?;
        Some(found.into_iter().filter_map(|(path, data)| data.map(|_| path)).collect())
    };
    let (now, before) = (files(now)?, files(before)?);
    match (now.difference(&before).next(), before.difference(&now).next()) {
        (Some(path), _) => Some(format!("now also matches `{path}`")),
        (None, Some(path)) => Some(format!("no longer matches `{path}`")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[track_caller]
    fn check(files: &str, expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        for path in ["a.py", "src/deep/x.py", "src/gen/y.py", "app/[id].tsx", "Makefile"] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let room = |name: &str| root.join(".agent").join(name);
        let ground =
            Ground { features: room("features"), indexes: room("indexes"), cache: room("cache"), root, state: None };
        let text = format!(r#"[{{"id": "a", "files": {files}}}]"#);
        let features = FeatureList::parse(text.as_bytes(), Path::new("list")).unwrap();
        assert_eq!(pattern_findings(&ground, &features, &Bounds::command()), expected, "{files}");
    }

    #[test]
    fn a_pattern_that_matches_other_files_than_before_is_told() {
        check(
            r#"["*.py"]"#,
            &["feature `a`: `*.py` now also matches `src/deep/x.py`; write `./*.py` to keep the earlier meaning, or \
               `**/*.py` to keep this one"],
        );
        check(
            r#"["**", "!deep"]"#,
            &[
                "feature `a`: `!deep` now also matches `src/deep/x.py`; write `!./deep` to keep the earlier meaning, or \
               `!**/deep` to keep this one",
            ],
        );
        check(
            r#"["app/[id].tsx"]"#,
            &["feature `a`: `app/[id].tsx` no longer matches `app/[id].tsx`; write `app/[[]id].tsx` to keep the \
               earlier meaning"],
        );
        check(
            r#"["!src/gen", "src/**"]"#,
            &["feature `a`: `files` now also matches `src/gen/y.py`; move the patterns with `!` to the \
               end to keep the earlier meaning"],
        );
    }

    #[test]
    fn a_pattern_that_makes_no_difference_is_left_alone() {
        for files in
            [r#"["**/*.py"]"#, r#"["./*.py"]"#, r#"["src"]"#, r#"["Makefile"]"#, r#"["src/**", "!src/gen"]"#, "[]"]
        {
            check(files, &[]);
        }
    }

    #[test]
    fn a_pattern_that_matches_nothing_is_told() {
        check(r#"["."]"#, &["feature `a`: `.` is the project folder, not a file in it; write `**`"]);
        check(r#"["/src/**"]"#, &["feature `a`: `/src/**` is outside the project; write `./src/**`"]);
        check(
            r#"["../x"]"#,
            &["feature `a`: `../x` contains `..`, which matches nothing; patterns start at the project root; `/…`, \
               `~/…` and `@outside` mean files outside it"],
        );
    }
}
