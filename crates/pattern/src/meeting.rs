//! Compares a pattern with a path, or with another pattern, name by name.
//!
//! Two patterns are walked side by side, so the answer is exact: `**/*.pyc` and `infra/**/*.tf` have no path in common.

use crate::name::{Case, has_wildcard, name_matches, names_meet};

/// What is known about the touched side beyond its names, and about the wanted one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    pub(crate) case: Case,
    /// The touched names may hold wildcards of the shell.
    pub(crate) open: bool,
    /// What happens to a touched folder happens to everything in it.
    pub(crate) reaches: bool,
    /// A folder with everything in it is touched: `x/**` means the folder `x`, too.
    pub(crate) whole: bool,
    /// What is wanted is known to be a folder, which stands for everything in it.
    pub(crate) folder: bool,
    /// What is wanted is one file: its wildcards are letters, and nothing lies in it.
    pub(crate) exact: bool,
}

/// Returns true if the pattern matches the path or a folder above it.
pub(crate) fn matches<'a>(pattern: impl Iterator<Item = &'a str> + Clone, path: &str, case: Case) -> bool {
    let (mut wanted, mut rest) = (pattern, names(path));
    // Behind the last `**`, and the names from where that `**` ends at the earliest.
    let mut retry = None;
    loop {
        let Some(first) = wanted.next() else { return true };
        if first == "**" {
            // At the end it stands for at least one name.
            let mut ahead = wanted.clone();
            if ahead.next().is_none() {
                return rest.next().is_some();
            }
            retry = Some((wanted.clone(), rest.clone()));
            continue;
        }
        let Some(name) = rest.next() else { return false };
        if !name_matches(first, name, case) {
            let Some((after, from)) = &mut retry else { return false };
            from.next();
            (wanted, rest) = (after.clone(), from.clone());
        }
    }
}

/// The names of a path.
pub(crate) fn names(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split('/').filter(|name| !name.is_empty() && *name != ".")
}

/// More places than any real pair has; beyond them the answer is the careful one, a match.
const MOST: usize = 1 << 20;

/// One name of what is wanted.
#[derive(Clone, Copy, Debug)]
enum Wanted<'a> {
    /// `**`: any number of names.
    Deep,
    /// Any one name.
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

/// How far the walk got in both.
#[derive(Clone, Copy)]
struct Spot {
    wanted: usize,
    name: usize,
    /// A `**` of the touched path stood for something.
    deep: bool,
    /// The last touched name was taken by a `**` of what is wanted.
    swallowed: bool,
}

/// Returns true if a path exists that both mean.
pub(crate) fn can_meet<'a>(
    wanted: impl Iterator<Item = &'a str> + Clone,
    touched: impl Iterator<Item = &'a str>,
    way: Way,
) -> bool {
    let wanted = wanted_names(wanted, way);
    if wanted.is_empty() {
        return true;
    }
    let names = touched_names(touched, way.open);
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
        if is_end(&wanted[spot.wanted..], &names[spot.name..], spot, way) || step(&wanted, &names, spot, way, &mut open)
        {
            return true;
        }
    }
    false
}

/// A last `**` stands for at least one name.
fn wanted_names<'a>(wanted: impl Iterator<Item = &'a str> + Clone, way: Way) -> Vec<Wanted<'a>> {
    let mut list = Vec::with_capacity(8);
    let mut rest = wanted;
    while let Some(name) = rest.next() {
        match name {
            name if way.exact => list.push(Wanted::Name(name)),
            "**" if rest.clone().next().is_none() => list.extend([Wanted::Any, Wanted::Deep]),
            "**" => list.push(Wanted::Deep),
            name => list.push(Wanted::Name(name)),
        }
    }
    list
}

/// `**.md`, as git writes it, goes to any depth as well.
fn touched_names<'a>(names: impl Iterator<Item = &'a str>, open: bool) -> Vec<Name<'a>> {
    let mut list = Vec::with_capacity(8);
    for name in names {
        match name.strip_prefix("**") {
            Some("") if open => list.push(Name::Deep),
            Some(_) if open => list.extend([Name::Deep, Name::Open(&name[1..])]),
            _ if open && has_wildcard(name) => list.push(Name::Open(name)),
            _ => list.push(Name::Is(name)),
        }
    }
    list
}

/// Returns true if the walk may end here.
fn is_end(wanted: &[Wanted<'_>], names: &[Name<'_>], spot: Spot, way: Way) -> bool {
    let free = |wanted: &[Wanted<'_>]| wanted.iter().all(|name| matches!(name, Wanted::Deep));
    if names.iter().all(|name| matches!(name, Name::Deep)) {
        return free(wanted)
            || (way.whole && matches!(wanted, [Wanted::Any, rest @ ..] if free(rest)))
            || (way.reaches && !(spot.deep && spot.swallowed));
    }
    wanted.is_empty() && way.folder
}

/// Goes on from a spot; returns true if everything that could follow fits.
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
                Wanted::Name(file) if way.exact => can_be(file, text, is_open, way.case),
                Wanted::Name(pattern) if is_open => names_meet(pattern, text, way.case),
                Wanted::Name(pattern) => name_matches(pattern, text, way.case),
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

/// Returns true if a touched name can be this file's.
fn can_be(file: &str, touched: &str, is_open: bool, case: Case) -> bool {
    match is_open {
        // As in the shell, a wildcard in front does not stand for a dot.
        true => !(file.starts_with('.') && touched.starts_with(['*', '?', '['])) && name_matches(touched, file, case),
        false => case.same(touched, file),
    }
}
