use serde_json::json;

use super::{Effect, ToolPage};
use crate::schema::object;

pub(super) static PAGE: ToolPage = ToolPage {
    name: "why_line",
    title: "Explain a line",
    description: "Which intent and session wrote a line, when, and in which commit; `unknown` without evidence.",
    fields: &[],
    effect: Effect::Reads,
    needs_session: false,
    answer: || {
        let text = json!({"type": "string"});
        let properties = json!({
            "class": {"type": "string", "enum": ["agent", "human", "unknown"]},
            "intent": text,
            "session": text,
            "recorded_at": text,
            "mutation_class": text,
            "commit": text,
        });
        object(properties, &["class"])
    },
    text: None,
};
