//! Values for a shipped guard: `$name` as a whole value, or `${name}` inside a text.

use stead_yaml::{Entry, Tree, Value};

/// Substitutes values in a tree. Names without a value stay; [`missing`] finds them.
pub(crate) fn fill(node: &Tree, values: &[(String, Tree)]) -> Tree {
    let find = |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, node)| node);
    let value = match &node.value {
        Value::Text(text) => match text.strip_prefix('$').and_then(find) {
            Some(given) => return given.clone(),
            None => Value::Text(inside(text, &find)),
        },
        Value::List(items) => {
            let mut list = Vec::new();
            for item in items {
                let filled = fill(item, values);
                match filled.value {
                    // A list inside a list is merged into it.
                    Value::List(inner) if matches!(&item.value, Value::Text(text) if text.starts_with('$')) => {
                        list.extend(inner);
                    }
                    _ => list.push(filled),
                }
            }
            Value::List(list)
        }
        Value::Map(entries) => {
            let filled = |entry: &Entry| Entry { value: fill(&entry.value, values), ..entry.clone() };
            Value::Map(entries.iter().map(filled).collect())
        }
        other => other.clone(),
    };
    Tree { value, at: node.at.clone(), place: node.place }
}

fn inside<'n>(text: &str, find: &dyn Fn(&str) -> Option<&'n Tree>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let known = after.split_once('}').and_then(|(name, tail)| Some((find(name)?.scalar()?, tail)));
        match known {
            Some((value, tail)) => {
                // A folder may be given with a trailing slash.
                let value = if tail.starts_with('/') { value.trim_end_matches('/') } else { value.as_str() };
                filled.push_str(value);
                rest = tail;
            }
            None => {
                filled.push_str("${");
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use stead_yaml::parse;

    #[test]
    fn values_take_their_place() {
        let values: Vec<(String, Tree)> = parse("paths: [a, b]\nfolder: out\nlines: 7\n")
            .unwrap()
            .entries()
            .iter()
            .map(|entry| (entry.key.clone(), entry.value.clone()))
            .collect();
        let check = |text: &str, expected: &str| {
            assert_eq!(fill(&parse(text).unwrap(), &values).json(), parse(expected).unwrap().json(), "{text}");
        };
        check("x: $paths", "x: [a, b]");
        check("x: [$paths, c]", "x: [a, b, c]");
        check("x: ['>${lines}', '${folder}/{name}']", "x: ['>7', 'out/{name}']");
        check("x: $unknown ${unknown} $5", "x: $unknown ${unknown} $5");
        check("x: 'a$'", "x: 'a$'");
        let folder = vec![("folder".to_owned(), parse("/tmp/summary/").unwrap())];
        assert_eq!(fill(&parse("${folder}/**").unwrap(), &folder).scalar().as_deref(), Some("/tmp/summary/**"));
    }
}
