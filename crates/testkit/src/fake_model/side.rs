//! Requests beside the conversation: what is not a turn of the script, and what it gets.

use serde_json::{Map, Value, json};

use super::api::{Asked, items};

/// What a client asks for on its own account while it carries tools, told by words of its prompt.
const OWN_ACCOUNT: &[&str] = &[
    "Respond with plain text only",
    "CONTEXT CHECKPOINT COMPACTION",
    "You are about to run out of context",
    "Managed memory has TWO directories",
    "tool execution is disabled",
    "Write an ultra-short dashboard line",
    "Your task is to produce a faithful, concise summary of the conversation",
];

/// Tools that a client offers alone where it asks something on its own account.
const OWN_TOOLS: &[&str] = &["apply_patch", "session_title"];

/// The text of a summary, of a title, of anything that no test looks at.
pub(super) const SIDE_TEXT: &str = "A scripted session";

/// Gives the answer to a request that is no turn, `None` for one that is.
pub(super) fn side_answer(asked: &Asked) -> Option<String> {
    if OWN_ACCOUNT.iter().any(|words| asked.last.contains(words)) {
        // Some clients ask again when a summary is short.
        return Some(format!("<summary>{}</summary>", [SIDE_TEXT; 30].join(". ")));
    }
    let is_alone = asked.offered.len() == 1 && OWN_TOOLS.contains(&asked.offered[0].name.as_str());
    if !asked.offered.is_empty() && !is_alone {
        return None;
    }
    Some(match &asked.schema {
        Some(schema) => smallest(schema).to_string(),
        None => SIDE_TEXT.to_owned(),
    })
}

/// The smallest value that fits a schema: enough for routers and checks.
pub(super) fn smallest(schema: &Value) -> Value {
    if let Some(values) = schema["enum"].as_array().filter(|values| !values.is_empty()) {
        // Asked who speaks next, the model must not say that it does.
        let user = values.iter().find(|value| *value == "user");
        return user.unwrap_or(&values[0]).clone();
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = items(&schema[choice]).next() {
            return smallest(first);
        }
    }
    let kind = schema["type"].as_str().or_else(|| items(&schema["type"]).find_map(Value::as_str));
    let kind = kind.map(str::to_ascii_lowercase);
    match kind.as_deref() {
        Some("array") => json!([]),
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(false),
        Some("null") => Value::Null,
        Some("string") => json!("scripted"),
        _ => Value::Object(required(schema)),
    }
}

/// The members that an object must have, each the smallest.
pub(super) fn required(schema: &Value) -> Map<String, Value> {
    let names = items(&schema["required"]).filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), smallest(&schema["properties"][name]))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::api::Offered;
    use super::*;

    #[track_caller]
    fn check(schema: Value, expected: Value) {
        assert_eq!(smallest(&schema), expected, "{schema}");
    }

    #[test]
    fn the_smallest_value_fits() {
        check(json!({"type": "STRING"}), json!("scripted"));
        check(json!({"enum": ["model", "user"]}), json!("user"));
        check(json!({"enum": ["flash", "pro"]}), json!("flash"));
        check(json!({"type": ["integer", "null"]}), json!(1));
        check(json!({"anyOf": [{"type": "boolean"}, {"type": "string"}]}), json!(false));
        check(
            json!({"type": "object", "required": ["a", "b"], "properties": {
                "a": {"type": "array"}, "b": {"properties": {}}, "c": {"type": "string"}}}),
            json!({"a": [], "b": {}}),
        );
        check(Value::Null, json!({}));
    }

    #[test]
    fn only_requests_with_tools_are_turns() {
        let tool = Offered { name: "t".into(), namespace: None, schema: None };
        let turn = Asked { offered: vec![tool], ..Asked::default() };
        assert_eq!(side_answer(&turn), None);
        assert_eq!(side_answer(&Asked::default()).as_deref(), Some(SIDE_TEXT));
        let compaction = Asked { last: "… Respond with plain text only …".into(), ..turn };
        assert!(side_answer(&compaction).unwrap().contains("summary"));
        for name in OWN_TOOLS {
            let tool = Offered { name: (*name).into(), namespace: None, schema: None };
            assert!(side_answer(&Asked { offered: vec![tool], ..Asked::default() }).is_some(), "{name}");
        }
        let json = Asked { schema: Some(json!({"type": "object"})), ..Asked::default() };
        assert_eq!(side_answer(&json).as_deref(), Some("{}"));
    }
}
