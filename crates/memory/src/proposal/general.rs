//! Generalises the paths of incidents carefully: to what all of them have in common, and to nothing wider.

use std::collections::BTreeMap;

use crate::pattern::Place;

/// The patterns that match a place, and how specific each is: the lower, the more.
fn patterns(place: &Place) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let path = place.path.as_str();
    let anchored = if place.is_in_project() && !path.contains('/') { format!("./{path}") } else { path.to_owned() };
    let ending = place.extension();
    if !place.tree {
        found.insert(anchored, 0);
        let folder = path.rsplit_once('/').map_or("./", |(folder, _)| &path[..=folder.len()]);
        if let Some(ending) = ending {
            found.insert(format!("{folder}*.{ending}"), 1);
        }
    }
    for (at, folder) in place.folders().into_iter().enumerate() {
        let rank = 10 + 3 * at;
        if let Some(name) = place.name() {
            found.entry(format!("{folder}/**/{name}")).or_insert(rank);
        }
        if let Some(ending) = ending {
            found.entry(format!("{folder}/**/*.{ending}")).or_insert(rank + 1);
        }
        found.entry(format!("{folder}/**")).or_insert(rank + 2);
    }
    if place.is_in_project() {
        found.extend(place.name().map(|name| (name.to_owned(), 1_000)));
        found.extend(ending.map(|ending| (format!("*.{ending}"), 1_001)));
    }
    found
}

/// The most specific pattern that matches one place of each incident; `None` if they have nothing in common.
pub(super) fn common(incidents: &[Vec<&Place>]) -> Option<String> {
    let mut shared: Option<BTreeMap<String, usize>> = None;
    for places in incidents {
        let mut own: BTreeMap<String, usize> = BTreeMap::new();
        for (pattern, rank) in places.iter().flat_map(|place| patterns(place)) {
            let known = own.entry(pattern).or_insert(rank);
            *known = (*known).max(rank);
        }
        shared = Some(match shared {
            None => own,
            // What is far away for one of them is far away.
            Some(shared) => shared
                .into_iter()
                .filter_map(|(pattern, rank)| Some((rank.max(*own.get(&pattern)?), pattern)))
                .map(|(rank, pattern)| (pattern, rank))
                .collect(),
        });
    }
    shared?.into_iter().min_by_key(|(pattern, rank)| (*rank, pattern.clone())).map(|(pattern, _)| pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_common_is_kept() {
        let check = |paths: &[&str], expected: Option<&str>| {
            let places: Vec<Place> =
                paths.iter().map(|path| Place::new(path.trim_end_matches('/'), path.ends_with('/')).unwrap()).collect();
            let each: Vec<Vec<&Place>> = places.iter().map(|place| vec![place]).collect();
            assert_eq!(common(&each).as_deref(), expected, "{paths:?}");
        };
        check(&["infra/a.tf", "infra/a.tf"], Some("infra/a.tf"));
        check(&["infra/a.tf", "infra/b.tf"], Some("infra/*.tf"));
        check(&["infra/a.tf", "infra/mod/b.tf"], Some("infra/**/*.tf"));
        check(&["infra/a.tf", "infra/b.md"], Some("infra/**"));
        check(&["infra/a.tf", "infra/"], Some("infra/**"));
        check(&["infra/x/a.tf", "infra/x/b/a.tf"], Some("infra/x/**/a.tf"));
        check(&["Cargo.lock", "Cargo.lock"], Some("./Cargo.lock"));
        check(&["a/package.json", "package.json"], Some("package.json"));
        check(&["a/x.snap", "b/y.snap"], Some("*.snap"));
        check(&["a.snap", "b.snap"], Some("./*.snap"));
        check(&["~/.ssh/id", "~/.ssh/config"], Some("~/.ssh/**"));
        check(&["/etc/hosts", "/etc/hosts"], Some("/etc/hosts"));
        check(&["a/x.rs", "b/y.py"], None);
        check(&["~/x/a.rs", "y/a.rs"], None);
    }
}
