use serde_json::json;

use super::{Effect, ToolPage};
use crate::schema::{object, texts};

pub(super) static PAGE: ToolPage = ToolPage {
    name: "check_action",
    title: "Check an action",
    description: "Find out whether a shell command, or a tool used on files, would be blocked, and why. Runs nothing.",
    fields: &[("command", "a shell command"), ("tool", "instead of a command, with `paths`")],
    effect: Effect::Reads,
    needs_session: true,
    answer: || {
        let text = json!({"type": "string"});
        let effect = json!({"type": "object", "properties": {"does": text}});
        let properties = json!({
            "verdict": {"type": "string", "enum": ["allow", "warn", "ask", "deny"]},
            "self_protection": text,
            "reason": text,
            "intents": {"type": "object", "properties": {"text": text}},
            "notes": texts(),
            "coverage": text,
            "effects": {"type": "array", "items": effect},
        });
        object(properties, &["verdict"])
    },
    text: None,
};
