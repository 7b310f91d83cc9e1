use serde_json::json;

use super::{Effect, ToolPage};
use crate::schema::object;

pub(super) static PAGE: ToolPage = ToolPage {
    name: "report_feature",
    title: "Report a feature",
    description: "Report what became of a feature. `passed` runs its verifiers; only a tester reports a test.",
    fields: &[("files", "changed for it"), ("summary", "what was seen")],
    effect: Effect::Adds,
    needs_session: true,
    answer: || {
        let text = json!({"type": "string"});
        object(json!({"id": text, "title": text, "status": text, "ready": text}), &["id", "status"])
    },
    text: None,
};
