use serde_json::{Value, json};

use super::{Effect, ToolPage};
use crate::schema::{object, texts};

pub(super) static PAGE: ToolPage = ToolPage {
    name: "select_active_intent",
    title: "Select the active intent",
    description: "Select the intent you work for, before you change files. Returns its scope, constraints and history.",
    fields: &[("intent_id", "such as INT-001"), ("mutation_class", "what your changes will be")],
    effect: Effect::Sets,
    needs_session: true,
    answer: || object(json!({"context": {"type": "string"}, "notes": texts()}), &["context"]),
    text: Some(text),
};

/// What the command prints: the context block and its notes.
fn text(answer: &Value) -> String {
    let notes = answer["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let context = answer["context"].as_str().unwrap_or_default();
    notes.fold(context.to_owned(), |text, note| format!("{text}{note}\n"))
}
