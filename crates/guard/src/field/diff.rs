//! Compares two documents. Items of a list are matched by their `id` or `name` if all have one, so that inserting an
//! item does not look like a change of all the others.

use serde_json::Value;

/// A child of a value in both documents.
pub(super) struct Pair<'a> {
    pub(super) label: String,
    pub(super) before: Option<&'a Value>,
    pub(super) after: Option<&'a Value>,
}

/// The children of two values, matched.
pub(super) fn children<'a>(before: Option<&'a Value>, after: Option<&'a Value>) -> Vec<Pair<'a>> {
    let (old, new) = (labelled(before), labelled(after));
    // Items with a duplicate label are compared with the first one of the other side, so that duplicates hide nothing.
    let mut pairs: Vec<Pair<'a>> = new
        .iter()
        .map(|(label, value)| Pair { label: label.clone(), before: find(&old, label), after: Some(*value) })
        .collect();
    for (label, value) in &old {
        if find(&new, label).is_none() {
            pairs.push(Pair { label: label.clone(), before: Some(*value), after: None });
        }
    }
    pairs
}

fn find<'a>(list: &[(String, &'a Value)], label: &str) -> Option<&'a Value> {
    list.iter().find(|(known, _)| known == label).map(|(_, value)| *value)
}

fn labelled(value: Option<&Value>) -> Vec<(String, &Value)> {
    match value {
        Some(Value::Object(map)) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Some(Value::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(at, item)| (identity(item).unwrap_or_else(|| format!("#{at}")), item))
            .collect(),
        _ => Vec::new(),
    }
}

fn identity(item: &Value) -> Option<String> {
    ["id", "name"].iter().find_map(|key| match item.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// The child with this name. In a list it may be an id or a position.
pub(super) fn child<'a>(value: Option<&'a Value>, name: &str) -> Option<&'a Value> {
    match value? {
        Value::Object(map) => map.get(name),
        list @ Value::Array(items) => match name.parse::<usize>() {
            Ok(at) => items.get(at),
            Err(_) => find(&labelled(Some(list)), name),
        },
        _ => None,
    }
}

/// Every path at which two documents differ, down to single values.
pub(super) fn differences(before: Option<&Value>, after: Option<&Value>) -> Vec<String> {
    let mut list = Vec::new();
    compare(before, after, &mut String::new(), &mut list);
    list
}

fn compare(before: Option<&Value>, after: Option<&Value>, path: &mut String, list: &mut Vec<String>) {
    if before == after {
        return;
    }
    let is_leaf = |value: Option<&Value>| match value {
        Some(Value::Object(map)) => map.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => true,
    };
    let both_same_kind = match (before, after) {
        (Some(a), Some(b)) => a.is_object() == b.is_object() && a.is_array() == b.is_array(),
        _ => true,
    };
    if (is_leaf(before) && is_leaf(after)) || !both_same_kind {
        list.push(if path.is_empty() { "/".to_owned() } else { path.clone() });
        return;
    }
    for pair in children(before, after) {
        let length = path.len();
        path.push('/');
        path.push_str(&pair.label.replace('~', "~0").replace('/', "~1"));
        compare(pair.before, pair.after, path, list);
        path.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_found_where_they_are() {
        let check = |before: Value, after: Value, expected: &[&str]| {
            assert_eq!(differences(Some(&before), Some(&after)), expected, "{before} {after}");
        };
        check(json!({"a": 1}), json!({"a": 1}), &[]);
        check(json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), &[]);
        check(json!({"a": 1}), json!({"a": 2, "b": {"c": 3}}), &["/a", "/b/c"]);
        check(
            json!({"a": [{"id": "x", "n": 1}]}),
            json!({"a": [{"id": "y", "n": 0}, {"id": "x", "n": 1}]}),
            &["/a/y/id", "/a/y/n"],
        );
        check(json!({"a": [1, 2]}), json!({"a": [1, 3]}), &["/a/#1"]);
        check(json!({"a": {"b": 1}}), json!({"a": "text"}), &["/a"]);
        check(json!({"a": {"b": 1}}), json!({}), &["/a/b"]);
        check(json!({"a/b": 1}), json!({"a/b": 2}), &["/a~1b"]);
        check(json!([]), json!({}), &["/"]);
    }
}
