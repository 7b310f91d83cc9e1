//! Structures that make a client silently ignore a settings file, or its hooks.

use serde_json::Value;
use stead_model::Shape;

use crate::Problem;
use crate::line::{items, members};

/// The keys of a hook table in [`Shape::TomlList`]; with any other, the client that reads it rejects the whole file.
const LIST_KEYS: [&str; 4] = ["event", "matcher", "command", "timeout"];

/// Keys that some clients keep next to the events; under `state`, whether a person trusts a hook.
const SETTING_KEYS: [&str; 4] = ["enabled", "disabled", "notifications", "state"];

/// Lists what is wrong with the hook structure of a document.
pub(crate) fn problems(shape: Shape, document: &Value) -> Vec<Problem> {
    let mut found = Vec::new();
    if shape == Shape::Whole {
        return found;
    }
    if !document.is_object() {
        found.push(wrong("/", "an object"));
        return found;
    }
    let hooks = document.get("hooks");
    match shape {
        Shape::Groups | Shape::TomlGroups => events(hooks, "/hooks", group, &mut found),
        Shape::BareGroups => events(Some(document), "", group, &mut found),
        Shape::Flat => {
            if hooks.is_some() && document.get("version").and_then(Value::as_u64).is_none() {
                found.push(wrong("/version", "a number"));
            }
            events(hooks, "/hooks", flat_entry, &mut found);
        }
        Shape::TomlList => list(hooks, &mut found),
        Shape::Whole => {}
    }
    found
}

fn wrong(place: impl Into<String>, expected: &'static str) -> Problem {
    Problem::Structure { place: place.into(), expected }
}

type Check = fn(&Value, &str, &mut Vec<Problem>);

fn events(events: Option<&Value>, place: &str, check: Check, found: &mut Vec<Problem>) {
    let Some(value) = events else {
        return;
    };
    if !value.is_object() {
        found.push(wrong(place, "an object"));
    }
    for (event, value) in members(events).filter(|(key, _)| !SETTING_KEYS.contains(&key.as_str())) {
        let place = format!("{place}/{event}");
        if !value.is_array() || !items(value).all(Value::is_object) {
            found.push(wrong(&place, "a list of objects"));
            continue;
        }
        for (index, item) in items(value).enumerate() {
            check(item, &format!("{place}/{index}"), found);
        }
    }
}

fn group(group: &Value, place: &str, found: &mut Vec<Problem>) {
    if let Some(matcher) = group.get("matcher")
        && !matcher.is_string()
    {
        found.push(wrong(format!("{place}/matcher"), "a string"));
    }
    match group.get("hooks") {
        Some(Value::Array(entries)) if entries.iter().all(Value::is_object) => {}
        _ => found.push(wrong(format!("{place}/hooks"), "a list of objects")),
    }
}

fn flat_entry(entry: &Value, place: &str, found: &mut Vec<Problem>) {
    if let Some(matcher) = entry.get("matcher")
        && !matcher.is_string()
    {
        found.push(wrong(format!("{place}/matcher"), "a string"));
    }
}

fn list(hooks: Option<&Value>, found: &mut Vec<Problem>) {
    let Some(hooks) = hooks else {
        return;
    };
    if !hooks.is_array() {
        found.push(wrong("/hooks", "a list of tables"));
    }
    for (index, entry) in items(hooks).enumerate() {
        let place = format!("/hooks/{index}");
        for key in ["event", "command"] {
            if !entry.get(key).is_some_and(Value::is_string) {
                found.push(wrong(format!("{place}/{key}"), "a string"));
            }
        }
        for (key, _) in members(Some(entry)).filter(|(key, _)| !LIST_KEYS.contains(&key.as_str())) {
            found.push(Problem::UnknownKey { place: place.clone(), key: key.clone() });
        }
    }
}
