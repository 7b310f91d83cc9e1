use serde_json::json;

use super::{Effect, ToolPage};
use crate::schema::object;

pub(super) static PAGE: ToolPage = ToolPage {
    name: "record_lesson",
    title: "Record a lesson",
    description: "Record what later sessions should know, in one or two sentences. A known lesson is counted instead.",
    fields: &[],
    effect: Effect::Adds,
    needs_session: true,
    answer: || object(json!({"id": {"type": "string"}, "known": {"type": "boolean"}}), &["id", "known"]),
    text: None,
};
