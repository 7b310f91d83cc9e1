use stead_yaml::{Entry, Tree, Value, parse};

use super::reader::Reader;
use crate::compile::ProjectRooms;
use crate::parameter;
use crate::shipped::{self, Shipped};

impl Reader<'_> {
    /// Applies a file that uses a shipped guard to that guard.
    pub(super) fn used(&mut self, root: &Tree, name: &Tree, rooms: &ProjectRooms) -> Option<(Tree, String)> {
        let name_text = self.text(name, "use")?;
        let known: Vec<&str> = shipped::SHIPPED.iter().map(|shipped| shipped.id).collect();
        let Some(base) = Shipped::named(&name_text) else {
            let hint = stead_model::suggestion(&name_text, known);
            self.fault(name.place, format!("there is no shipped guard `{name_text}`"), Some(hint));
            return None;
        };
        let tree = parse(base.text).ok()?;
        let mut values = shipped::defaults(&tree, rooms);
        let parameters = base.parameters();
        for entry @ Entry { value, .. } in root.get("with").and_then(|with| self.map(with, "with")).unwrap_or_default()
        {
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
        if let Value::Map(entries) = &mut filled.value {
            entries.retain(|entry| entry.key != "with" && entry.key != "tests");
            for part in entries.iter_mut().filter(|entry| entry.key == "guards").map(|entry| &mut entry.value) {
                forget_tests(part);
            }
            for entry in root.entries().iter().filter(|entry| !matches!(entry.key.as_str(), "use" | "with")) {
                entries.retain(|known| known.key != entry.key);
                entries.push(entry.clone());
            }
            // A guard that is used is enforced by default.
            if root.get("mode").is_none() {
                entries.retain(|entry| entry.key != "mode");
                let (key, at, place) = ("mode".into(), root.at.clone(), root.place);
                let value = Tree { value: Value::Text("enforce".into()), at: at.clone(), place };
                entries.push(Entry { key, key_at: at, key_place: place, value });
            }
        }
        filled.at = root.at.clone();
        filled.place = root.place;
        Some((filled, name_text))
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
