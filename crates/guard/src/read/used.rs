use stead_yaml::{Entry, Tree, Value, parse};

use super::reader::Reader;
use super::whole::part_of;
use crate::compile::ProjectRooms;
use crate::parameter;
use crate::shipped::{self, Shipped};

impl Reader<'_> {
    /// Applies a file that uses a shipped guard to that guard.
    pub(super) fn used(&mut self, root: &Tree, name: &Tree, rooms: &ProjectRooms) -> Option<(Tree, String)> {
        let (mut filled, name) = self.borrowed(root, name, rooms)?;
        if let Value::Map(entries) = &mut filled.value {
            // A guard that is used is enforced by default.
            if root.get("mode").is_none() {
                let (key, at, place) = ("mode".into(), root.at.clone(), root.place);
                let value = Tree { value: Value::Text("enforce".into()), at: at.clone(), place };
                entries.push(Entry { key, key_at: at, key_place: place, value });
            }
        }
        Some((filled, name))
    }

    /// What `use` names, a shipped guard or `PACK.GUARD`, with the keys of `own` in place of its own. Its mode and its
    /// tests stay behind.
    pub(super) fn borrowed(&mut self, own: &Tree, name: &Tree, rooms: &ProjectRooms) -> Option<(Tree, String)> {
        let name_text = self.text(name, "use")?;
        let (id, part) = match name_text.split_once('.') {
            Some((id, part)) => (id, Some(part)),
            None => (name_text.as_str(), None),
        };
        let Some(base) = Shipped::named(id) else {
            let hint = stead_model::suggestion(id, shipped::SHIPPED.iter().map(|shipped| shipped.id));
            self.fault(name.place, format!("there is no shipped guard `{id}`"), Some(hint));
            return None;
        };
        let tree = parse(base.text).ok()?;
        let mut values = shipped::defaults(&tree, rooms);
        let parameters = base.parameters();
        for entry @ Entry { value, .. } in own.get("with").and_then(|with| self.map(with, "with")).unwrap_or_default() {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            if !names.contains(&entry.key.as_str()) {
                self.unknown(entry, "`with`", &names);
                continue;
            }
            values.retain(|(known, _)| *known != entry.key);
            values.push((entry.key.clone(), value.clone()));
        }
        for parameter in parameters.iter().filter(|parameter| parameter.required) {
            if !values.iter().any(|(known, value)| *known == parameter.name && value.value != Value::Null) {
                let hint = format!("it is {}", parameter.about);
                self.fault(name.place, format!("`with` needs `{}`", parameter.name), Some(hint));
            }
        }
        let mut filled = parameter::fill(&tree, &values);
        if let Some(part) = part {
            let ids = |part: &Tree| part.get("id").and_then(Tree::scalar);
            let Some(found) = parts(&filled).iter().find(|known| ids(known).as_deref() == Some(part)) else {
                let known: Vec<String> = parts(&filled).iter().filter_map(ids).collect();
                let hint = stead_model::suggestion(part, known.iter().map(String::as_str));
                self.fault(name.place, format!("`{id}` has no guard `{part}`"), Some(hint));
                return None;
            };
            filled = part_of(&filled, found);
            if let Value::Map(entries) = &mut filled.value {
                for entry in entries.iter_mut().filter(|entry| entry.key == "id") {
                    entry.value.value = Value::Text(name_text.clone());
                }
            }
        }
        if let Value::Map(entries) = &mut filled.value {
            entries.retain(|entry| !matches!(entry.key.as_str(), "with" | "tests" | "mode"));
            for part in entries.iter_mut().filter(|entry| entry.key == "guards").map(|entry| &mut entry.value) {
                forget_tests(part);
            }
            for entry in own.entries().iter().filter(|entry| !matches!(entry.key.as_str(), "use" | "with")) {
                entries.retain(|known| known.key != entry.key);
                entries.push(entry.clone());
            }
        }
        filled.at = own.at.clone();
        filled.place = own.place;
        Some((filled, name_text))
    }
}

/// The guards of a file with several.
fn parts(file: &Tree) -> &[Tree] {
    match file.get("guards").map(|guards| &guards.value) {
        Some(Value::List(parts)) => parts,
        _ => &[],
    }
}

fn forget_tests(node: &mut Tree) {
    if let Value::List(parts) = &mut node.value {
        for part in parts {
            if let Value::Map(entries) = &mut part.value {
                entries.retain(|entry| entry.key != "tests");
            }
        }
    }
}
