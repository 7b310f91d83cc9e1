use super::{Effect, ToolPage};
use crate::schema::any;

pub(super) static PAGE: ToolPage = ToolPage {
    name: "create_guard",
    title: "Propose a guard",
    description: "Draft what a pattern leads to, try it on the recorded history, and propose it. A person accepts it with \
                  `stead guard accept`.",
    fields: &[("pattern_id", "of `extract_patterns`")],
    effect: Effect::Sets,
    needs_session: false,
    answer: || any(&["pattern", "kind", "proposal"]),
    text: None,
};
