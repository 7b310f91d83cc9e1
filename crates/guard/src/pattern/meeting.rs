//! Whether two path patterns can mean the same path, name by name: what a guard asks for, and what a call touches.
//!
//! Both are walked side by side, so the answer is exact: `**/*.pyc` and `infra/**/*.tf` have no path in common.

use super::name::{is_open, meets, same};

/// What a call touches, beyond its names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    /// The names may hold wildcards of the shell.
    pub(super) open: bool,
    /// What happens to a folder happens to all in it.
    pub(super) reaches: bool,
    /// A folder with all in it: `x/**` means the folder `x`, too.
    pub(super) whole: bool,
    /// What is wanted is known to be a folder, which stands for all that is in it.
    pub(super) folder: bool,
    /// What is wanted is one file: its signs are letters, and nothing lies in it.
    pub(super) exact: bool,
}

/// More places than any real pair has; beyond them the answer is the careful one.
const MOST: usize = 1 << 20;

/// One name of what is wanted.
#[derive(Clone, Copy, Debug)]
enum Wanted<'a> {
    /// `**`: any number of names.
    Deep,
    /// A name that may be any.
    Any,
    Name(&'a str),
}

/// One name of what is touched.
#[derive(Clone, Copy, Debug)]
enum Name<'a> {
    Deep,
    Open(&'a str),
    Is(&'a str),
}

/// Where the walk stands in both.
#[derive(Clone, Copy)]
struct Spot {
    wanted: usize,
    name: usize,
    /// A `**` of the touched path stood for something.
    deep: bool,
    /// The last touched name was taken by a `**` of what is wanted.
    swallowed: bool,
}

/// Says whether a path exists that both mean.
pub(super) fn can_meet(wanted: &[&str], names: &[&str], way: Way) -> bool {
    if wanted.is_empty() {
        return true;
    }
    let wanted = wanted_names(wanted, way);
    let names = touched_names(names, way.open);
    let (width, height) = (wanted.len() + 1, names.len() + 1);
    if width * height > MOST {
        return true;
    }
    let mut seen = vec![false; 4 * width * height];
    let mut open = vec![Spot { wanted: 0, name: 0, deep: false, swallowed: false }];
    while let Some(spot) = open.pop() {
        let mark = 4 * (spot.wanted * height + spot.name) + 2 * usize::from(spot.deep) + usize::from(spot.swallowed);
        if std::mem::replace(&mut seen[mark], true) {
            continue;
        }
        if is_end(&wanted[spot.wanted..], &names[spot.name..], spot, way) {
            return true;
        }
        if step(&wanted, &names, spot, way, &mut open) {
            return true;
        }
    }
    false
}

/// A last `**` stands for at least one name.
fn wanted_names<'a>(wanted: &[&'a str], way: Way) -> Vec<Wanted<'a>> {
    let mut list = Vec::with_capacity(wanted.len() + 1);
    for (at, name) in wanted.iter().enumerate() {
        match *name {
            name if way.exact => list.push(Wanted::Name(name)),
            "**" if at + 1 == wanted.len() => list.extend([Wanted::Any, Wanted::Deep]),
            "**" => list.push(Wanted::Deep),
            name => list.push(Wanted::Name(name)),
        }
    }
    list
}

/// `**.md`, as git writes it, goes to any depth as well.
fn touched_names<'a>(names: &[&'a str], open: bool) -> Vec<Name<'a>> {
    let mut list = Vec::with_capacity(names.len());
    for name in names {
        match name.strip_prefix("**") {
            Some("") if open => list.push(Name::Deep),
            Some(_) if open => list.extend([Name::Deep, Name::Open(&name[1..])]),
            _ if open && is_open(name) => list.push(Name::Open(name)),
            _ => list.push(Name::Is(name)),
        }
    }
    list
}

/// Says whether the walk may end here.
fn is_end(wanted: &[Wanted<'_>], names: &[Name<'_>], spot: Spot, way: Way) -> bool {
    let free = |wanted: &[Wanted<'_>]| wanted.iter().all(|name| matches!(name, Wanted::Deep));
    if names.iter().all(|name| matches!(name, Name::Deep)) {
        return free(wanted)
            || (way.whole && matches!(wanted, [Wanted::Any, rest @ ..] if free(rest)))
            || (way.reaches && !(spot.deep && spot.swallowed));
    }
    wanted.is_empty() && way.folder
}

/// Goes on from a place; true when whatever comes fits.
fn step(wanted: &[Wanted<'_>], names: &[Name<'_>], spot: Spot, way: Way, open: &mut Vec<Spot>) -> bool {
    let (first, name) = (wanted.get(spot.wanted), names.get(spot.name));
    // A `**` may stand for nothing.
    if matches!(first, Some(Wanted::Deep)) {
        open.push(Spot { wanted: spot.wanted + 1, ..spot });
    }
    if matches!(name, Some(Name::Deep)) {
        open.push(Spot { name: spot.name + 1, ..spot });
    }
    let (Some(first), Some(name)) = (first, name) else { return false };
    match (first, name) {
        (Wanted::Deep, Name::Deep) => {}
        (Wanted::Deep, _) => open.push(Spot { name: spot.name + 1, swallowed: true, ..spot }),
        (_, Name::Deep) => open.push(Spot { wanted: spot.wanted + 1, deep: true, swallowed: false, ..spot }),
        (wanted_name, Name::Open(text) | Name::Is(text)) => {
            let is_open = matches!(name, Name::Open(_));
            let fits = match wanted_name {
                Wanted::Name(file) if way.exact => is_meant(file, text, is_open),
                Wanted::Name(pattern) => meets(pattern, text, is_open),
                Wanted::Any | Wanted::Deep => true,
            };
            if fits {
                // Named in full, it is a folder if more names follow.
                if !is_open && !way.exact && spot.wanted + 1 == wanted.len() {
                    return true;
                }
                open.push(Spot { wanted: spot.wanted + 1, name: spot.name + 1, swallowed: false, ..spot });
            }
        }
    }
    false
}

/// Says whether a touched name can be this one.
fn is_meant(file: &str, touched: &str, is_open: bool) -> bool {
    match is_open {
        // As in the shell, a wildcard in front does not stand for a dot.
        true => !(file.starts_with('.') && touched.starts_with(['*', '?', '['])) && meets(touched, file, false),
        false => same(touched, file),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    /// The plainest possible reading of one pattern over one path.
    fn is_in(pattern: &[&str], path: &[&str], fits: &dyn Fn(&str, &str) -> bool) -> bool {
        match pattern {
            [] => path.is_empty(),
            ["**"] => true,
            ["**", rest @ ..] => is_in(rest, path, fits) || (!path.is_empty() && is_in(pattern, &path[1..], fits)),
            [first, rest @ ..] => !path.is_empty() && fits(first, path[0]) && is_in(rest, &path[1..], fits),
        }
    }

    fn pattern() -> impl Strategy<Value = Vec<&'static str>> {
        let names = vec!["a", "b", "ab", ".a", "*", "a*", "*b", "a?", "**", ".*", "[ab]"];
        prop::collection::vec(prop::sample::select(names), 1..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

        #[test]
        fn two_patterns_meet_where_a_path_is_in_both(wanted in pattern(), names in pattern()) {
            let way = Way { open: true, ..Way::default() };
            let plain = |pattern: &str, name: &str| meets(pattern, name, false);
            let shell = |pattern: &str, name: &str| is_meant(name, pattern, true);
            let shared = all_paths().into_iter().find(|path| {
                // A last `**` of what is wanted takes at least one name.
                let deep = wanted.last() == Some(&"**");
                let fixed = &wanted[..wanted.len() - usize::from(deep)];
                let held = match deep {
                    true => (0..path.len()).any(|cut| is_in(fixed, &path[..cut], &plain)),
                    false => is_in(fixed, path, &plain),
                };
                held && is_in(&names, path, &shell)
            });
            let met = can_meet(&wanted, &names, way);
            if shared.is_some() {
                prop_assert!(met, "{:?} {:?} share {:?}", wanted, names, shared);
            }
            // The other way round a folder that is named in full stands for all in it.
            let named = names.iter().any(|name| !is_open(name));
            if met && !named && wanted.len() + names.len() <= 4 {
                prop_assert!(shared.is_some(), "{:?} {:?} share nothing", wanted, names);
            }
        }
    }
}
