use serde_json::json;

use super::{Effect, ToolPage};
use crate::schema::object;

pub(super) static PAGE: ToolPage = ToolPage {
    name: "where_is",
    title: "Find code by purpose",
    description: "Find where something is, by recorded intents and changes. Empty if nothing was recorded; never a guess.",
    fields: &[("question", "such as `billing logic`")],
    effect: Effect::Reads,
    needs_session: false,
    answer: || {
        let text = json!({"type": "string"});
        let why = json!({"type": "object", "properties": {"what": text, "text": text}});
        let answer = json!({"type": "object", "properties": {
            "path": text,
            "line": {"type": "integer"},
            "kind": text,
            "name": text,
            "intent": text,
            "why": {"type": "array", "items": why},
        }});
        object(json!({"items": {"type": "array", "items": answer}}), &["items"])
    },
    text: None,
};
