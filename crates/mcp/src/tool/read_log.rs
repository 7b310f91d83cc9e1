use serde_json::{Value, json};

use super::{Effect, ToolPage};
use crate::schema::object;

pub(super) static PAGE: ToolPage = ToolPage {
    name: "read_log",
    title: "Read a log",
    description: "The lines of a log that matter: errors and warnings with their surroundings, repetitions counted.",
    fields: &[("pattern", "only lines that match this regular expression")],
    effect: Effect::Reads,
    needs_session: true,
    answer: || object(json!({"text": {"type": "string"}}), &["text"]),
    text: Some(|answer: &Value| answer["text"].as_str().unwrap_or_default().to_owned()),
};
