use serde_json::json;

use super::{Effect, ToolPage};
use crate::schema::{any, object};

pub(super) static PAGE: ToolPage = ToolPage {
    name: "extract_patterns",
    title: "Find patterns",
    description: "What went wrong at least three times in two sessions, with its evidence.",
    fields: &[],
    effect: Effect::Reads,
    needs_session: false,
    answer: || {
        let properties = json!({
            "items": {"type": "array", "items": any(&["id", "summary"])},
            "omitted": {"type": "integer"},
        });
        object(properties, &["items"])
    },
    text: None,
};
