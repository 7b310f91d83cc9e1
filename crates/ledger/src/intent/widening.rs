//! Whether changed intents let agents do more than before.

use super::file::IntentFile;
use super::ignore::IntentIgnore;
use super::item::Intent;

/// Why the second intents file allows more than the first, if it does. `None` as text means that there is no file.
pub fn widens(before: Option<&str>, after: Option<&str>) -> Option<String> {
    let Some(was) = before.and_then(parse) else {
        // A file that cannot be read blocks everything; without a file nothing applies.
        return (before.is_some() && after.is_none()).then(|| "the intents file is gone".to_owned());
    };
    let Some(after) = after else { return Some("the intents file is gone".to_owned()) };
    // It blocks everything, but must not become what later changes are compared with.
    let Some(is) = parse(after) else { return Some("the intents can no longer be read".to_owned()) };
    is.iter().find_map(|intent| match was.iter().find(|known| known.id == intent.id) {
        None => Some(format!("intent `{}` is new", intent.id)),
        Some(known) => wider(known, intent),
    })
}

fn parse(text: &str) -> Option<Vec<Intent>> {
    IntentFile::parse(text).ok().map(|(intents, _)| intents)
}

fn wider(was: &Intent, is: &Intent) -> Option<String> {
    let id = &is.id;
    let added = |before: &[String], after: &[String]| after.iter().find(|entry| !before.contains(entry)).cloned();
    // A pattern that excludes allows more by its absence.
    let excluded = |scope: &[String]| -> Vec<String> {
        scope.iter().filter(|pattern| pattern.starts_with('!')).cloned().collect()
    };
    if let Some(pattern) = added(&was.owned_scope, &is.owned_scope).filter(|pattern| !pattern.starts_with('!')) {
        return Some(format!("intent `{id}` owns `{pattern}` as well"));
    }
    if let Some(pattern) = added(&excluded(&is.owned_scope), &excluded(&was.owned_scope)) {
        return Some(format!("intent `{id}` no longer excludes `{pattern}`"));
    }
    if let Some(command) = added(&was.commands, &is.commands) {
        return Some(format!("intent `{id}` may run `{command}` as well"));
    }
    let dropped = was.constraints.iter().any(|rule| !is.constraints.contains(rule))
        || was.acceptance_criteria.iter().any(|rule| !is.acceptance_criteria.contains(rule));
    match () {
        () if dropped => Some(format!("intent `{id}` has fewer rules")),
        () if was.needs_approval && !is.needs_approval => Some(format!("intent `{id}` needs no approval any more")),
        () if was.exclusive && !is.exclusive => Some(format!("intent `{id}` is no longer exclusive")),
        () if was.status != is.status => {
            Some(format!("intent `{id}` goes from {} to {}", was.status.name(), is.status.name()))
        }
        () => None,
    }
}

/// Why the second `.intentignore` allows more than the first, if it does.
pub fn frees_more(before: Option<&str>, after: Option<&str>) -> Option<String> {
    let read = |text: Option<&str>| IntentIgnore::parse(text.unwrap_or_default()).ok();
    let Some(is) = read(after) else { return Some("it can no longer be read".to_owned()) };
    let was = read(before).unwrap_or_default();
    if let Some(pattern) =
        is.free.iter().find(|pattern| !was.free.contains(pattern)).filter(|one| !one.starts_with('!'))
    {
        return Some(format!("`{pattern}` is free for every intent"));
    }
    if let Some(pattern) = was.free.iter().find(|one| one.starts_with('!') && !is.free.contains(one)) {
        return Some(format!("`{pattern}` is no longer excluded"));
    }
    was.barred.iter().find(|id| !is.barred.contains(id)).map(|id| format!("intent `{id}` is no longer barred"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "active_intents:\n  - id: INT-1\n    name: login\n    status: IN_PROGRESS\n    owned_scope: [\"src/login/**\", \"!src/login/keys/**\"]\n    constraints: [keep the API]\n";

    #[track_caller]
    fn check(before: Option<&str>, after: Option<&str>, expected: Option<&str>) {
        let why = widens(before, after);
        match expected {
            None => assert_eq!(why, None, "{after:?}"),
            Some(part) => assert!(why.as_ref().is_some_and(|why| why.contains(part)), "{why:?} {after:?}"),
        }
    }

    #[test]
    fn what_allows_more_is_wider() {
        let with = |old: &str, new: &str| {
            assert!(ONE.contains(old), "{old}");
            ONE.replace(old, new)
        };
        check(Some(ONE), None, Some("is gone"));
        check(Some("broken: ["), None, Some("is gone"));
        check(Some(ONE), Some("broken: ["), Some("can no longer be read"));
        check(
            Some(ONE),
            Some(&format!("{ONE}  - id: INT-2\n    name: x\n    status: PENDING\n    owned_scope: [\"docs/**\"]\n")),
            Some("`INT-2` is new"),
        );
        check(Some(ONE), Some(&with("[\"src/login/**\"", "[\"src/**\", \"src/login/**\"")), Some("owns `src/**`"));
        check(Some(ONE), Some(&with(", \"!src/login/keys/**\"", "")), Some("no longer excludes"));
        check(Some(ONE), Some(&with("    constraints: [keep the API]\n", "")), Some("fewer rules"));
        check(Some(ONE), Some(&with("    constraints", "    commands: [make *]\n    constraints")), Some("may run"));
        check(Some(ONE), Some(&with("IN_PROGRESS", "PENDING")), Some("from IN_PROGRESS to PENDING"));
    }

    #[test]
    fn what_allows_less_is_not() {
        check(Some(ONE), Some(ONE), None);
        check(None, Some(ONE), None);
        check(Some(ONE), Some(&ONE.replace("name: login", "name: sign in")), None);
        check(Some(ONE), Some(&ONE.replace("\"src/login/**\", ", "\"src/login/**\", \"!src/login/x\", ")), None);
        check(Some(ONE), Some("active_intents: []\n"), None);
    }

    #[test]
    fn ignored_paths_are_free() {
        let check = |before: Option<&str>, after: Option<&str>, wider: bool| {
            assert_eq!(frees_more(before, after).is_some(), wider, "{before:?} {after:?}");
        };
        check(None, Some("target/\n"), true);
        check(Some("target/\n"), None, false);
        check(Some("target/\n"), Some("# why\ntarget/\n"), false);
        check(Some("target/\n!target/keep\n"), Some("target/\n"), true);
        check(Some("intent: INT-1\n"), Some(""), true);
        check(Some(""), Some("../x\n"), true);
    }
}
