use std::collections::HashSet;

use super::unit::Unit;

/// Are the imports of both sides as good as equal? They may differ for items that moved between the files, and lose names
/// that nobody mentions.
pub(super) fn agree(before: &[Unit], after: &[Unit], moved: &HashSet<String>, stems: &[String], rest: &[Unit]) -> bool {
    let mut unmatched: Vec<&Unit> = after.iter().collect();
    let mut lost: Vec<&Unit> = Vec::new();
    for old in before {
        let key = old.key();
        match unmatched.iter().position(|new| new.file == old.file && new.key() == key) {
            Some(place) => drop(unmatched.remove(place)),
            None => lost.push(old),
        }
    }
    let words = |units: &[&Unit]| -> HashSet<String> {
        units.iter().flat_map(|unit| unit.words()).map(str::to_owned).collect()
    };
    let (old, new) = (words(&lost), words(&unmatched));
    if moved.is_empty() {
        // Nothing moved: names may only go, and only unused ones.
        let unused = |word: &&String| !rest.iter().any(|unit| unit.mentions(word));
        let gone: Vec<_> = old.difference(&new).collect();
        return new.is_subset(&old)
            && unmatched.len() <= lost.len()
            && (lost.is_empty() || !gone.is_empty() && gone.iter().all(unused));
    }
    let all_before = words(&before.iter().collect::<Vec<_>>());
    let is_file = |word: &str| {
        let last = word.rsplit(['/', '.', ':']).find(|part| !part.is_empty()).unwrap_or(word);
        let first = word.rsplit('/').next().and_then(|file| file.split('.').find(|part| !part.is_empty()));
        stems.iter().any(|stem| stem == last || Some(stem.as_str()) == first)
    };
    let known = |word: &&String| {
        moved.contains(*word) || all_before.contains(*word) || is_file(word) || matches!(word.as_str(), "crate" | "super" | "self")
            // Names of the files' own items.
            || rest.iter().any(|unit| unit.name == **word)
    };
    new.iter().collect::<Vec<_>>().iter().all(known)
}
