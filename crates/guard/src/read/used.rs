use super::reader::Reader;
use crate::compile::Ground;
use crate::parameter;
use crate::shipped::{self, Shipped};
use crate::yaml::{Key, Node, Value, parse};

impl Reader<'_> {
    /// Puts a file that uses a shipped guard over that guard.
    pub(super) fn used(&mut self, root: &Node, name: &Node, ground: &Ground) -> Option<(Node, String)> {
        let name_text = self.text(name, "use")?;
        let known: Vec<&str> = shipped::SHIPPED.iter().map(|shipped| shipped.id).collect();
        let Some(base) = Shipped::named(&name_text) else {
            let hint = stead_model::suggestion(&name_text, known);
            self.fault(name.place, format!("no guard `{name_text}` is shipped"), Some(hint));
            return None;
        };
        let tree = parse(base.text).ok()?;
        let mut values = shipped::defaults(&tree, ground);
        let parameters = base.parameters();
        for (key, value) in root.get("with").and_then(|with| self.map(with, "with")).unwrap_or_default() {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            if !names.contains(&key.name.as_str()) {
                self.unknown(key, "`with`", &names);
                continue;
            }
            values.retain(|(known, _)| *known != key.name);
            values.push((key.name.clone(), value.clone()));
        }
        for parameter in parameters.iter().filter(|parameter| parameter.required) {
            if !values.iter().any(|(known, value)| *known == parameter.name && value.value != Value::Null) {
                let hint = format!("it is {}", parameter.about);
                self.fault(name.place, format!("`with` needs `{}`", parameter.name), Some(hint));
            }
        }
        let mut filled = parameter::fill(&tree, &values);
        if let Value::Map(entries) = &mut filled.value {
            entries.retain(|(key, _)| key.name != "with" && key.name != "tests");
            for part in entries.iter_mut().filter(|(key, _)| key.name == "guards").map(|(_, node)| node) {
                forget_tests(part);
            }
            for (key, value) in root.entries().iter().filter(|(key, _)| !matches!(key.name.as_str(), "use" | "with")) {
                entries.retain(|(known, _)| known.name != key.name);
                entries.push((key.clone(), value.clone()));
            }
            // Using a guard means wanting it.
            if root.get("mode").is_none() {
                entries.retain(|(key, _)| key.name != "mode");
                let key = Key { name: "mode".into(), place: root.place };
                entries.push((key, Node { value: Value::Text("enforce".into()), place: root.place }));
            }
        }
        filled.place = root.place;
        Some((filled, name_text))
    }
}

fn forget_tests(node: &mut Node) {
    if let Value::List(parts) = &mut node.value {
        for part in parts {
            if let Value::Map(entries) = &mut part.value {
                entries.retain(|(key, _)| key.name != "tests");
            }
        }
    }
}
