//! Where Stead's lines are in a document.

use serde_json::{Map, Value};
use stead_model::Shape;

use crate::OurLine;
use crate::json_text::Step;
use crate::line::{entry_command, items, members, whole_harness};

/// One of Stead's lines and the path to it from the root.
pub(crate) struct Position {
    pub(crate) line: OurLine,
    /// Ends at the entry; `[…, event, group, "hooks", entry]` in grouped shapes, `[…, entry]` in flat ones.
    pub(crate) path: Vec<Step>,
}

/// Finds all of Stead's lines, in document order.
pub(crate) fn positions(shape: Shape, document: &Value) -> Vec<Position> {
    let mut found = Vec::new();
    let hooks = document.get("hooks");
    match shape {
        Shape::Groups | Shape::TomlGroups => take_groups(hooks, &[Step::key("hooks")], &mut found),
        Shape::BareGroups => take_groups(Some(document), &[], &mut found),
        Shape::Flat => {
            for (event, list) in members(hooks) {
                let list_path = [Step::key("hooks"), Step::key(event)];
                take_entries(Some(list), &list_path, &Map::new(), |_| event.clone(), &mut found);
            }
        }
        Shape::TomlList => {
            let event = |entry: &Value| entry.get("event").and_then(Value::as_str).unwrap_or_default().to_owned();
            take_entries(hooks, &[Step::key("hooks")], &Map::new(), event, &mut found);
        }
        Shape::Whole => found.extend(document.as_str().and_then(whole)),
    }
    found
}

fn whole(text: &str) -> Option<Position> {
    let line = OurLine {
        harness: whole_harness(text)?,
        event: String::new(),
        group: Map::new(),
        entry: Value::String(text.to_owned()),
    };
    Some(Position { line, path: Vec::new() })
}

fn take_groups(events: Option<&Value>, base: &[Step], found: &mut Vec<Position>) {
    for (event, groups) in members(events) {
        for (index, group) in items(groups).enumerate() {
            let rest = members(Some(group)).filter(|(key, _)| *key != "hooks");
            let rest: Map<String, Value> = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
            let way = [Step::key(event), Step::Index(index), Step::key("hooks")];
            let path: Vec<Step> = base.iter().cloned().chain(way).collect();
            take_entries(group.get("hooks"), &path, &rest, |_| event.clone(), found);
        }
    }
}

fn take_entries(
    list: Option<&Value>,
    path: &[Step],
    group: &Map<String, Value>,
    event: impl Fn(&Value) -> String,
    found: &mut Vec<Position>,
) {
    for (index, entry) in list.into_iter().flat_map(items).enumerate() {
        if let Some((_, harness)) = entry_command(entry) {
            let line = OurLine { harness, event: event(entry), group: group.clone(), entry: entry.clone() };
            found.push(Position { line, path: path.iter().cloned().chain([Step::Index(index)]).collect() });
        }
    }
}
