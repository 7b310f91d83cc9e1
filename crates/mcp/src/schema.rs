//! JSON Schemas that every client accepts: each property has one type, optional ones may be omitted, no references.

use rmcp::model::JsonObject;
use serde_json::{Value, json};
use stead_shell::{FieldKind, Need, OwnTool};

/// The schema of a tool's input. Its fields are known from the command it stands for; `about` describes them.
pub(crate) fn input(tool: &OwnTool, about: &[(&str, &str)]) -> JsonObject {
    let mut properties = JsonObject::new();
    let mut required = Vec::new();
    for field in tool.fields() {
        let mut property = match field.kind {
            FieldKind::Text => json!({"type": "string"}),
            FieldKind::Number(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            FieldKind::Texts => texts(),
            FieldKind::OneOf(names) => json!({"type": "string", "enum": names}),
        };
        if let Some((_, text)) = about.iter().find(|(name, _)| *name == field.name) {
            property["description"] = json!(text);
        }
        properties.insert(field.name.to_owned(), property);
        if field.need != Need::Optional {
            required.push(field.name);
        }
    }
    let mut schema = object(Value::Object(properties), &required);
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// An object with these properties.
pub(crate) fn object(properties: Value, required: &[&str]) -> JsonObject {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

/// An object of which only these properties are promised; all of it is sent.
pub(crate) fn any(required: &[&str]) -> JsonObject {
    let mut schema = object(Value::Null, required);
    schema.remove("properties");
    schema
}

/// A list of strings.
pub(crate) fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

/// What a value says of what a schema names. A property that is null or not named is omitted.
pub(crate) fn reduced(value: &Value, schema: &Value) -> Value {
    match (value, &schema["properties"], &schema["items"]) {
        (Value::Object(map), Value::Object(properties), _) => {
            let kept = properties.iter().filter_map(|(name, schema)| {
                let value = map.get(name).filter(|value| !value.is_null())?;
                Some((name.clone(), reduced(value, schema)))
            });
            Value::Object(kept.collect())
        }
        (Value::Array(list), _, items) => list.iter().map(|value| reduced(value, items)).collect(),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_reduced_to_its_schema() {
        let schema = json!({"properties": {"a": {}, "b": {"items": {"properties": {"c": {}}}}, "d": {}}});
        let value = json!({"a": {"any": null}, "b": [{"c": 1, "e": 2}, {"c": null}], "d": null, "f": 1});
        assert_eq!(reduced(&value, &schema), json!({"a": {"any": null}, "b": [{"c": 1}, {}]}));
        assert_eq!(reduced(&value, &Value::Object(any(&["a"]))), value);
    }
}
