//! The tools. What a tool takes, and the command it stands for, is in `stead_shell::OWN_TOOLS`; a file here adds what
//! clients show of it: title, description, hints and the schema of its answer.

mod check_action;
mod create_guard;
mod extract_patterns;
mod get_trace;
mod next_feature;
mod query_traces;
mod read_log;
mod record_lesson;
mod report_feature;
mod select_active_intent;
mod store_trace;
mod where_is;
mod why_line;

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use stead_shell::{Need, OwnTool};

use crate::commands::{Answer, Commands, ToolCall};
use crate::schema;
use crate::visible::{all_visible, visible};

/// All tools, in the order in which they are listed.
static TOOLS: &[&ToolPage] = &[
    &select_active_intent::PAGE,
    &check_action::PAGE,
    &next_feature::PAGE,
    &report_feature::PAGE,
    &record_lesson::PAGE,
    &store_trace::PAGE,
    &query_traces::PAGE,
    &get_trace::PAGE,
    &extract_patterns::PAGE,
    &create_guard::PAGE,
    &where_is::PAGE,
    &why_line::PAGE,
    &read_log::PAGE,
];

/// What clients and agents are shown of a tool.
pub(crate) struct ToolPage {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    /// What the fields of its input mean, where the name does not say it.
    pub(crate) fields: &'static [(&'static str, &'static str)],
    pub(crate) effect: Effect,
    /// What it does or answers depends on the session.
    pub(crate) needs_session: bool,
    /// The schema of its answer. What it does not name is not sent.
    pub(crate) answer: fn() -> JsonObject,
    /// The text of the answer, if it is not the answer's JSON.
    pub(crate) text: Option<fn(&Value) -> String>,
}

/// What a call changes, as clients want to know it. No tool reaches beyond the project, so none is open-world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// Calling it again changes nothing more.
    Sets,
    Adds,
}

impl ToolPage {
    fn tool(&self) -> Option<Tool> {
        let own = OwnTool::find(self.name)?;
        let hints = ToolAnnotations::new()
            .read_only(self.effect == Effect::Reads)
            .destructive(false)
            .idempotent(self.effect != Effect::Adds)
            .open_world(false);
        let tool = Tool::new(self.name, self.description, Arc::new(schema::input(own, self.fields)));
        let tool = tool.with_title(self.title).with_annotations(hints);
        Some(tool.with_raw_output_schema(Arc::new((self.answer)())))
    }

    fn answered(&self, answer: Answer) -> CallToolResult {
        let Answer { json, text } = answer;
        let json = json.unwrap_or_else(|| serde_json::json!({"text": text.trim_end()}));
        let structured = all_visible(schema::reduced(&json, &Value::Object((self.answer)())));
        let text = self.text.map_or_else(|| structured.to_string(), |text| text(&structured));
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(structured);
        result
    }
}

/// The list of tools as clients get it.
pub fn listed_tools() -> Vec<Tool> {
    TOOLS.iter().filter_map(|page| page.tool()).collect()
}

/// Calls a tool. `None` if there is no such tool; everything else that fails is told in the result.
pub(crate) fn call(name: &str, input: &Value, commands: &dyn Commands) -> Option<CallToolResult> {
    let page = TOOLS.iter().find(|page| page.name == name)?;
    let changes = page.effect != Effect::Reads;
    let call = ToolCall { tool: name, input, needs_session: page.needs_session, changes };
    let own = OwnTool::find(name)?;
    let words = own.command(input).map_err(|why| format!("error: {why}"));
    Some(match words.and_then(|words| commands.run(&words, Some(&call))) {
        Ok(answer) => page.answered(answer),
        Err(text) => CallToolResult::error(vec![ContentBlock::text(visible(&hinted(text, own)))]),
    })
}

/// An error with something that the agent can do about it: if nothing better is known, what the tool takes.
fn hinted(error: String, tool: &OwnTool) -> String {
    if error.contains("\nhint: ") { error } else { format!("{error}\nhint: {}", usage(tool)) }
}

/// What a tool takes, in one line.
fn usage(tool: &OwnTool) -> String {
    let named = tool.fields().map(|field| match field.need {
        Need::Optional => format!("{} (optional)", field.name),
        _ => field.name.to_owned(),
    });
    let named: Vec<_> = named.collect();
    let takes = if named.is_empty() { "no input".to_owned() } else { named.join(", ") };
    format!("`{}` takes {takes}", tool.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list may have this many tokens of four bytes.
    const MOST_TOKENS: usize = 2_500;

    #[test]
    fn every_own_tool_has_a_page_and_every_field_is_a_field() {
        let mut pages: Vec<&str> = TOOLS.iter().map(|page| page.name).collect();
        let mut own: Vec<&str> = stead_shell::OWN_TOOLS.iter().map(|tool| tool.name).collect();
        pages.sort_unstable();
        own.sort_unstable();
        assert_eq!(pages, own);
        for page in TOOLS {
            let fields: Vec<&str> = OwnTool::find(page.name).unwrap().fields().map(|field| field.name).collect();
            assert!(page.fields.iter().all(|(name, _)| fields.contains(name)), "{}: {fields:?}", page.name);
        }
    }

    #[test]
    fn the_list_is_short_enough_for_every_session() {
        let list = serde_json::to_string(&listed_tools()).unwrap();
        let tokens = list.len().div_ceil(4);
        assert!(tokens <= MOST_TOKENS, "{tokens} tokens");
    }

    /// Several clients and model providers reject lists of types, references and nullable properties.
    #[test]
    fn schemas_are_portable() {
        fn check(value: &Value, path: &str) {
            match value {
                Value::Object(map) => {
                    for (key, value) in map {
                        let is_word = matches!(key.as_str(), "$ref" | "anyOf" | "oneOf" | "allOf" | "nullable");
                        assert!(!is_word, "{path}/{key}");
                        assert!(key != "type" || value.is_string() || path.ends_with("/properties"), "{path}: {value}");
                        check(value, &format!("{path}/{key}"));
                    }
                }
                Value::Array(list) => list.iter().for_each(|value| check(value, path)),
                _ => {}
            }
        }
        for tool in listed_tools() {
            let schemas = [Some(&tool.input_schema), tool.output_schema.as_ref()];
            for schema in schemas.into_iter().flatten() {
                let schema = Value::Object(schema.as_ref().clone());
                assert_eq!(schema["type"], "object");
                jsonschema::validator_for(&schema).unwrap();
                check(&schema, &tool.name);
            }
            let hints = tool.annotations.unwrap();
            assert!(tool.title.is_some() && tool.description.is_some() && tool.output_schema.is_some());
            assert_eq!((hints.destructive_hint, hints.open_world_hint), (Some(false), Some(false)));
            assert!(hints.read_only_hint.is_some() && hints.idempotent_hint.is_some());
        }
    }
}
