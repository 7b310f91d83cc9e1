use serde_json::json;

use super::{Effect, ToolPage};
use crate::schema::object;

pub(super) static PAGE: ToolPage = ToolPage {
    name: "store_trace",
    title: "Store a trace",
    description: "Remember a mistake or decision that may matter again. Passing states and what the code shows are refused.",
    fields: &[("files", "also FILE:LINE, FILE:NAME"), ("topic", "replaces older traces with it")],
    effect: Effect::Adds,
    needs_session: true,
    answer: || object(json!({"id": {"type": "string"}, "folded": {"type": "boolean"}}), &["id"]),
    text: None,
};
