//! The clauses that say what an edit of a settings file must not do, as clients define them: `off:/pointer=value`,
//! `same:/pointer`, `trust:/pointer`, `only:/pointer=key,key`, `env:/pointer`, `still:lines`, separated by spaces. `*` in a
//! pointer matches any key, `{here}` any path that concerns this project's hooks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use stead_model::{Shape, is_variable};

use crate::{Problem, document};

/// What must survive in a settings file.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    pub shape: Shape,
    /// The file's clauses.
    pub clauses: &'a str,
    /// The names of variables that the environment in the file may not set.
    pub variables: &'a [&'a str],
    /// The project whose hooks count, by every path to it. A value about other folders is the person's.
    pub project: &'a [&'a Path],
    /// The settings file itself: hooks beside it count, too.
    pub file: &'a Path,
}

/// One clause.
#[derive(Clone, Copy)]
enum Clause<'a> {
    /// A switch that disables hooks.
    Off { pointer: &'a str, value: &'a str },
    /// A value that must not change.
    Same { pointer: &'a str },
    /// What the client keeps of a person's trust: it must not get lost, and more of it does no harm.
    Trust { pointer: &'a str },
    /// The only keys the client accepts in an object.
    Only { pointer: &'a str, keys: &'a str },
    /// Variables that the client sets for hooks and commands; some decide whether Stead runs.
    Env { pointer: &'a str },
}

fn clauses(watch: &str) -> impl Iterator<Item = Clause<'_>> {
    watch.split_whitespace().filter_map(|clause| {
        let (verb, rest) = clause.split_once(':')?;
        match verb {
            "off" => rest.split_once('=').map(|(pointer, value)| Clause::Off { pointer, value }),
            "same" => Some(Clause::Same { pointer: rest }),
            "trust" => Some(Clause::Trust { pointer: rest }),
            "env" => Some(Clause::Env { pointer: rest }),
            "only" => rest.split_once('=').map(|(pointer, keys)| Clause::Only { pointer, keys }),
            _ => None,
        }
    })
}

impl Watch<'_> {
    /// Returns true if Stead's lines must also keep their position, because the client remembers a person's trust by
    /// position.
    pub(crate) fn wants_still_lines(&self) -> bool {
        self.clauses.split_whitespace().any(|clause| clause == "still:lines")
    }

    /// Lists the clauses that the edit breaks and that were not broken before.
    pub(crate) fn broken(&self, before: &Value, after: &Value) -> Vec<Problem> {
        let mut found = Vec::new();
        for clause in clauses(self.clauses) {
            match clause {
                Clause::Off { pointer, value } => {
                    let was = self.set_switches(before, pointer, value);
                    let is = self.set_switches(after, pointer, value);
                    found.extend(is.into_iter().filter(|problem| !was.contains(problem)));
                }
                Clause::Same { pointer } => {
                    let changed = changed(&self.at(before, pointer), &self.at(after, pointer));
                    found.extend(changed.into_iter().map(|pointer| Problem::Changed { pointer }));
                }
                Clause::Trust { pointer } => {
                    found.extend(lost_trust(&self.at(before, pointer), &self.at(after, pointer)))
                }
                Clause::Env { pointer } => {
                    let is_meant = |place: &String| {
                        let name = place.rsplit('/').next().unwrap_or_default();
                        self.variables.iter().any(|named| is_variable(named, name))
                    };
                    let every = format!("{pointer}/*");
                    let changed = changed(&self.at(before, &every), &self.at(after, &every));
                    found.extend(changed.into_iter().filter(is_meant).map(|pointer| Problem::Changed { pointer }));
                }
                Clause::Only { pointer, keys } => {
                    let was = self.unknown_keys(before, pointer, keys);
                    let is = self.unknown_keys(after, pointer, keys);
                    found.extend(is.into_iter().filter(|problem| !was.contains(problem)));
                }
            }
        }
        found
    }

    /// Lists the off switches that are set in a text, for a report on an existing file.
    pub fn switches(&self, text: &str) -> Vec<Problem> {
        let Ok(document) = document::read(self.shape, text) else {
            return Vec::new();
        };
        let switch = |clause| match clause {
            Clause::Off { pointer, value } => Some(self.set_switches(&document, pointer, value)),
            Clause::Same { .. } | Clause::Trust { .. } | Clause::Only { .. } | Clause::Env { .. } => None,
        };
        clauses(self.clauses).filter_map(switch).flatten().collect()
    }

    /// Whether the client keeps in a text that it trusts this project's hooks; `None` if it keeps that elsewhere, or asks by
    /// itself where it does not.
    pub fn has_trust(&self, text: &str) -> Option<bool> {
        if !self.wants_still_lines() {
            return None;
        }
        let pointers = clauses(self.clauses).filter_map(|clause| match clause {
            Clause::Trust { pointer } => Some(pointer),
            _ => None,
        });
        let document = document::read(self.shape, text).unwrap_or(Value::Null);
        let trust = pointers.map(|pointer| self.at(&document, pointer).into_values().any(is_given));
        trust.reduce(|one, other| one || other)
    }

    fn set_switches(&self, document: &Value, pointer: &str, value: &str) -> Vec<Problem> {
        let wanted: Value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        self.at(document, pointer)
            .into_iter()
            .filter(|(_, found)| **found == wanted)
            .map(|(pointer, found)| Problem::TurnsOff { pointer, value: found.to_string() })
            .collect()
    }

    fn unknown_keys(&self, document: &Value, pointer: &str, keys: &str) -> Vec<Problem> {
        self.at(document, pointer.trim_end_matches('/'))
            .into_iter()
            .flat_map(|(place, value)| {
                let place = if place.is_empty() { "/".to_owned() } else { place };
                let unknown = value.as_object().into_iter().flat_map(|map| map.keys());
                unknown
                    .filter(|key| !keys.split(',').any(|known| known == *key))
                    .map(move |key| Problem::UnknownKey { place: place.clone(), key: key.clone() })
            })
            .collect()
    }

    /// Finds the values that a pointer matches, by their JSON pointers. An item of a list that is matched by what it is has
    /// that in place of an index.
    fn at<'v>(&self, document: &'v Value, pointer: &str) -> BTreeMap<String, &'v Value> {
        let mut found = BTreeMap::from([(String::new(), document)]);
        for part in pointer.split('/').skip(1) {
            let matches = |key: &str| part == "*" || part == key || part == HERE && self.is_here(key);
            let mut next = BTreeMap::new();
            for (place, value) in found {
                match value {
                    Value::Object(map) => next.extend(
                        map.iter().filter(|(key, _)| matches(key)).map(|(key, value)| (below(&place, key), value)),
                    ),
                    Value::Array(list) if part == HERE => {
                        let here = list.iter().filter_map(|item| item.as_str().map(|text| (text, item)));
                        let here = here.filter(|(text, _)| self.is_here(text));
                        next.extend(here.map(|(text, item)| (below(&place, text), item)));
                    }
                    Value::Array(list) => {
                        let items = list.iter().enumerate().map(|(index, value)| (index.to_string(), value));
                        let matched = items.filter(|(index, _)| matches(index));
                        next.extend(matched.map(|(index, value)| (below(&place, &index), value)));
                    }
                    _ => {}
                }
            }
            found = next;
        }
        found
    }

    /// Returns true if a path concerns this project's hooks: the project, what is in it, what contains it, and what is
    /// beside the settings file.
    fn is_here(&self, path: &str) -> bool {
        let path = Path::new(path);
        let is_ours = |project: &Path| path.starts_with(project) || project.starts_with(path);
        path.is_absolute()
            && (self.project.iter().any(|project| is_ours(project))
                || self.file.parent().is_some_and(|folder| path.starts_with(folder)))
    }
}

/// Stands in a pointer for a path that concerns this project's hooks.
const HERE: &str = "{here}";

/// The JSON pointer of what has this name there.
fn below(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The names in a JSON pointer.
pub(crate) fn names(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~"))
}

/// The places whose values differ.
fn changed(was: &BTreeMap<String, &Value>, is: &BTreeMap<String, &Value>) -> BTreeSet<String> {
    let places = was.keys().chain(is.keys());
    places.filter(|place| was.get(*place) != is.get(*place)).cloned().collect()
}

fn is_given(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

/// The trust that was given and is no more there, or is another.
fn lost_trust(was: &BTreeMap<String, &Value>, is: &BTreeMap<String, &Value>) -> Vec<Problem> {
    let lost = was.iter().filter(|(place, value)| is_given(value) && is.get(*place) != Some(value));
    let problem = |pointer: &String| match is.get(pointer) {
        Some(value) if is_given(value) => Problem::TrustChanged { pointer: pointer.clone() },
        _ => Problem::TrustLost { pointer: pointer.clone() },
    };
    lost.map(|(place, _)| problem(place)).collect()
}
