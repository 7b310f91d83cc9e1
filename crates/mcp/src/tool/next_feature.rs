use serde_json::json;

use super::{Effect, ToolPage};
use crate::schema::object;

pub(super) static PAGE: ToolPage = ToolPage {
    name: "next_feature",
    title: "Next feature",
    description: "Ask the feature list what to do next, with the command object for the agent that does it.",
    fields: &[("only", "ids of features")],
    effect: Effect::Sets,
    needs_session: true,
    answer: || {
        let text = json!({"type": "string"});
        let properties = json!({
            "action": text,
            "feature": text,
            "question": text,
            "until": text,
            "why": text,
            "command": {"type": "object"},
            "summary": {"type": "object"},
        });
        object(properties, &["action"])
    },
    text: None,
};
