//! The clauses that say what an edit of a settings file must not do, as clients define them: `off:/pointer=value`,
//! `same:/pointer`, `only:/pointer=key,key`, `env:/pointer`, `still:lines`, separated by spaces. `*` in a pointer matches any key.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use stead_model::{Shape, is_variable};

use crate::{Problem, document};

/// One clause.
#[derive(Clone, Copy)]
enum Clause<'a> {
    /// A switch that disables hooks.
    Off { pointer: &'a str, value: &'a str },
    /// A value that must not change.
    Same { pointer: &'a str },
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
            "env" => Some(Clause::Env { pointer: rest }),
            "only" => rest.split_once('=').map(|(pointer, keys)| Clause::Only { pointer, keys }),
            _ => None,
        }
    })
}

/// Returns true if Stead's lines must also keep their position, because the client remembers a person's trust by
/// position.
pub(crate) fn wants_still_lines(watch: &str) -> bool {
    watch.split_whitespace().any(|clause| clause == "still:lines")
}

/// Lists the clauses that the edit breaks and that were not broken before. `variables` are those that the environment in a
/// settings file may not set.
pub(crate) fn broken(watch: &str, variables: &[&str], before: &Value, after: &Value) -> Vec<Problem> {
    let mut found = Vec::new();
    for clause in clauses(watch) {
        match clause {
            Clause::Off { pointer, value } => {
                let was = set_switches(before, pointer, value);
                found.extend(set_switches(after, pointer, value).into_iter().filter(|problem| !was.contains(problem)));
            }
            Clause::Same { pointer } => {
                let changed = changed(&at(before, pointer), &at(after, pointer));
                found.extend(changed.into_iter().map(|pointer| Problem::Changed { pointer }));
            }
            Clause::Env { pointer } => {
                let is_meant = |place: &String| {
                    let name = place.rsplit('/').next().unwrap_or_default();
                    variables.iter().any(|named| is_variable(named, name))
                };
                let every = format!("{pointer}/*");
                let changed = changed(&at(before, &every), &at(after, &every));
                found.extend(changed.into_iter().filter(is_meant).map(|pointer| Problem::Changed { pointer }));
            }
            Clause::Only { pointer, keys } => {
                let was = unknown_keys(before, pointer, keys);
                found.extend(unknown_keys(after, pointer, keys).into_iter().filter(|problem| !was.contains(problem)));
            }
        }
    }
    found
}

/// The places whose values differ.
fn changed(was: &BTreeMap<String, &Value>, is: &BTreeMap<String, &Value>) -> BTreeSet<String> {
    let places = was.keys().chain(is.keys());
    places.filter(|place| was.get(*place) != is.get(*place)).cloned().collect()
}

/// Lists the off switches that are set in a text, for a report on an existing file.
pub fn switches(shape: Shape, watch: &str, text: &str) -> Vec<Problem> {
    let Ok(document) = document::read(shape, text) else {
        return Vec::new();
    };
    clauses(watch)
        .filter_map(|clause| match clause {
            Clause::Off { pointer, value } => Some(set_switches(&document, pointer, value)),
            Clause::Same { .. } | Clause::Only { .. } | Clause::Env { .. } => None,
        })
        .flatten()
        .collect()
}

fn set_switches(document: &Value, pointer: &str, value: &str) -> Vec<Problem> {
    let wanted: Value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    at(document, pointer)
        .into_iter()
        .filter(|(_, found)| **found == wanted)
        .map(|(pointer, found)| Problem::TurnsOff { pointer, value: found.to_string() })
        .collect()
}

fn unknown_keys(document: &Value, pointer: &str, keys: &str) -> Vec<Problem> {
    at(document, pointer.trim_end_matches('/'))
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

/// Finds the values that a pointer matches, with their concrete pointers.
fn at<'a>(document: &'a Value, pointer: &str) -> BTreeMap<String, &'a Value> {
    let mut found = BTreeMap::from([(String::new(), document)]);
    for part in pointer.split('/').skip(1) {
        let mut next = BTreeMap::new();
        for (place, value) in found {
            match value {
                Value::Object(map) => next.extend(
                    map.iter()
                        .filter(|(key, _)| part == "*" || part == *key)
                        .map(|(key, value)| (format!("{place}/{key}"), value)),
                ),
                Value::Array(list) => next.extend(
                    list.iter()
                        .enumerate()
                        .map(|(index, value)| (index.to_string(), value))
                        .filter(|(index, _)| part == "*" || part == index)
                        .map(|(index, value)| (format!("{place}/{index}"), value)),
                ),
                _ => {}
            }
        }
        found = next;
    }
    found
}
