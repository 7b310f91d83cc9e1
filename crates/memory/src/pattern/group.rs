//! Finds incidents that belong together: by the folder, file name or extension of what they touch, or by its name.

use std::collections::{BTreeMap, BTreeSet};

use super::{Incident, LEAST_COUNT, LEAST_SESSIONS, Touch, Verb};

/// Incidents that do the same to the same kind of thing.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) verb: Verb,
    /// A folder with `/` at its end, a file name, `*.` and an extension, or a name.
    pub(super) about: String,
    /// Their positions.
    pub(super) members: BTreeSet<usize>,
}

/// Returns true if incidents are often enough a pattern.
pub(super) fn is_enough<'i>(members: impl IntoIterator<Item = &'i Incident>) -> bool {
    let (mut count, mut sessions) = (0, BTreeSet::new());
    for incident in members {
        count += 1;
        sessions.extend(incident.session.as_deref());
    }
    count >= LEAST_COUNT && sessions.len() >= LEAST_SESSIONS
}

/// Groups incidents. An incident is in a second group only if that says something else.
pub(super) fn groups(incidents: &[Incident]) -> Vec<Group> {
    let mut accepted: Vec<Group> = Vec::new();
    for verb in Verb::ALL {
        let levels = match verb {
            Verb::Change | Verb::Read => by_place(incidents, verb),
            _ => by_key(incidents, verb),
        };
        let mut claimed = BTreeSet::new();
        for level in levels {
            for (about, members) in level {
                let members: BTreeSet<usize> = members.difference(&claimed).copied().collect();
                if !is_enough(members.iter().map(|at| &incidents[*at])) {
                    continue;
                }
                claimed.extend(members.iter().copied());
                if !accepted.iter().any(|group| members.is_subset(&group.members)) {
                    accepted.push(Group { verb, about, members });
                }
            }
        }
    }
    accepted
}

/// Incidents by name.
type Level = BTreeMap<String, BTreeSet<usize>>;

fn touches(incidents: &[Incident], verb: Verb) -> impl Iterator<Item = (usize, &Touch)> {
    incidents.iter().enumerate().flat_map(move |(at, incident)| {
        incident.touches.iter().filter(move |touch| touch.verb == verb).map(move |touch| (at, touch))
    })
}

/// Folders from the innermost to the outermost, then file names, then extensions.
fn by_place(incidents: &[Incident], verb: Verb) -> Vec<Level> {
    let (mut folders, mut names, mut endings) = (BTreeMap::<usize, Level>::new(), Level::new(), Level::new());
    for (at, touch) in touches(incidents, verb) {
        let Some(place) = touch.place() else { continue };
        for folder in place.folders() {
            let level = folders.entry(folder.matches('/').count()).or_default();
            level.entry(format!("{folder}/")).or_default().insert(at);
        }
        if let Some(name) = place.name().filter(|_| place.is_in_project()) {
            names.entry(name.to_owned()).or_default().insert(at);
        }
        if let Some(ending) = place.extension().filter(|_| place.is_in_project()) {
            endings.entry(format!("*.{ending}")).or_default().insert(at);
        }
    }
    folders.into_values().rev().chain([names, endings]).collect()
}

fn by_key(incidents: &[Incident], verb: Verb) -> Vec<Level> {
    let mut levels = vec![Level::new(), Level::new()];
    for (at, touch) in touches(incidents, verb) {
        let keys = touch.keys();
        let skipped = levels.len().saturating_sub(keys.len());
        for (level, key) in levels.iter_mut().skip(skipped).zip(keys) {
            level.entry(key).or_default().insert(at);
        }
    }
    levels
}
