use serde_json::{Value, json};

use super::{Draft, Form};
use crate::FeatureList;

/// Where the items of each form are, besides a bare list.
const PLACES: &[(&str, Option<Form>)] = &[
    ("userStories", Some(Form::Prd)),
    ("user_stories", Some(Form::Prd)),
    ("stories", Some(Form::Prd)),
    ("issues", Some(Form::Beads)),
    ("features", None),
];

/// Fields that only one form has.
const SIGNS: &[(&str, Form)] = &[
    ("acceptanceCriteria", Form::Prd),
    ("issue_type", Form::Beads),
    ("depends_on_id", Form::Beads),
    ("tested", Form::Stead),
    ("verifiers", Form::Stead),
    ("depends_on", Form::Stead),
    ("passes", Form::Anthropic),
    ("steps", Form::Anthropic),
    ("status", Form::Beads),
];

/// The items of a document: a list, a member that is one, or one object per line.
fn items(text: &str) -> Result<(Vec<Value>, Option<Form>), String> {
    let document: Value = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(error) => {
            let lines = text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str::<Value>);
            let lines: Vec<Value> = lines.collect::<Result<_, _>>().map_err(|_| error.to_string())?;
            return Ok((lines, Some(Form::Beads)));
        }
    };
    if document.get("schema").is_some_and(|schema| schema == FeatureList::SCHEMA) {
        let items = document["features"].as_array().cloned();
        return Ok((items.unwrap_or_default(), Some(Form::Stead)));
    }
    match document {
        Value::Array(items) => Ok((items, None)),
        Value::Object(mut members) => {
            let place = PLACES.iter().find(|(name, _)| members.get(*name).is_some_and(Value::is_array));
            match place.and_then(|(name, form)| Some((members.remove(*name)?, *form))) {
                Some((Value::Array(items), form)) => Ok((items, form)),
                _ if members.contains_key("id") => Ok((vec![Value::Object(members)], Some(Form::Beads))),
                _ => Err("it has no list of features, stories or issues".into()),
            }
        }
        _ => Err("it is neither a list nor an object".into()),
    }
}

pub(super) fn recognise(text: &str) -> Option<Form> {
    let (items, form) = items(text).ok()?;
    let sign = |(name, _): &&(&str, Form)| items.iter().any(|item| item.get(*name).is_some());
    form.or_else(|| SIGNS.iter().find(sign).map(|(_, form)| *form))
}

pub(super) fn read(text: &str, form: Form) -> Result<Vec<Draft>, String> {
    let (items, _) = items(text)?;
    let mut drafts = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if !item.is_object() {
            return Err(format!("item {} is not an object", at + 1));
        }
        drafts.push(draft(item, form).ok_or_else(|| format!("item {} has neither a title nor a description", at + 1))?);
    }
    Ok(drafts)
}

fn draft(item: &Value, form: Form) -> Option<Draft> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let id = item.get("id").and_then(|id| match id {
        Value::String(id) => Some(id.trim().to_owned()).filter(|id| !id.is_empty()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    });
    let description = text("description");
    let title = text("title").or(text("name")).or(description).or(id.as_deref())?;
    let is_done = ["passes", "tested", "completed", "done"].iter().any(|name| item.get(*name) == Some(&json!(true)))
        || matches!(text("status"), Some("closed" | "done" | "completed" | "implemented" | "tested" | "passed"));
    let mut draft = Draft::new(id.as_deref(), title.lines().next().unwrap_or(title), is_done);
    draft.set("description", json!(description.filter(|text| *text != title)));
    draft.set("category", json!(text("category").or(text("issue_type"))));
    draft.set("labels", list(item, &["labels", "tags"]));
    draft.set("steps", list(item, &["steps", "acceptanceCriteria", "acceptance_criteria", "acceptance"]));
    draft.set(
        "priority",
        item.get("priority").filter(|number| number.is_i64() || number.is_u64()).cloned().unwrap_or_default(),
    );
    draft.set("depends_on", dependencies(item));
    if form == Form::Stead {
        let own = ["files", "verifiers", "ui", "success_criteria", "timeout_seconds", "intent"];
        own.into_iter().for_each(|name| draft.set(name, item.get(name).cloned().unwrap_or_default()));
    }
    Some(draft)
}

/// A list of texts under one of the names; a text becomes one item per line.
fn list(item: &Value, names: &[&str]) -> Value {
    let found = names.iter().find_map(|name| item.get(*name));
    let texts: Vec<String> = match found {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(text)) => {
            text.lines().map(|line| line.trim_start_matches(['-', '*', ' ']).to_owned()).collect()
        }
        _ => Vec::new(),
    };
    json!(texts.into_iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>())
}

/// Ids under `depends_on`, `dependsOn` or `blockedBy`, and the issues that block an issue.
fn dependencies(item: &Value) -> Value {
    let mut ids = Vec::new();
    for name in ["depends_on", "dependsOn", "blockedBy", "blocked_by", "dependencies"] {
        for one in item.get(name).and_then(Value::as_array).into_iter().flatten() {
            let blocks = one.get("type").or(one.get("dependency_type")).is_none_or(|kind| kind == "blocks");
            let id = match one {
                Value::Object(_) if blocks => one.get("depends_on_id").or(one.get("id")).cloned(),
                Value::String(_) | Value::Number(_) => Some(one.clone()),
                _ => None,
            };
            let id = id.map(|id| id.as_str().map_or_else(|| id.to_string(), |id| id.trim().to_owned()));
            ids.extend(id.filter(|id| !ids.contains(id)));
        }
    }
    json!(ids)
}
