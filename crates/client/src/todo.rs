//! The to-do list of an agent, as far as its client shows it: some replace the whole list with every call, some change one
//! item at a time.

use stead_model::Event;

use crate::lenient::{Members, items_of, text_of};

/// The tools with which a client's agent keeps its list, each as `one|other`; empty if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct TodoTools {
    /// Replaces the list.
    pub whole: &'static str,
    /// Adds an item, and reports the item's id.
    pub add: &'static str,
    /// Changes the item that it names.
    pub change: &'static str,
}

impl TodoTools {
    pub(crate) const fn whole(tools: &'static str) -> Self {
        Self { whole: tools, add: "", change: "" }
    }
}

/// What a call does to the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TodoChange {
    Whole(Vec<TodoItem>),
    Add(TodoItem),
    /// What is empty stays as it is.
    Change(TodoItem),
}

/// One item. The state is as the client writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TodoItem {
    pub id: Option<String>,
    pub text: String,
    pub state: String,
}

/// The names of fields, by client.
const LISTS: &str = "todos|plan|items|todo_list";
const TEXTS: &str = "content|description|step|title|subject|text|task";
const STATES: &str = "status|state";

/// Reads what a finished call did to the list; `None` for any other call.
pub(crate) fn read(tools: &TodoTools, event: &Event<'_>) -> Option<TodoChange> {
    let call = event.call.as_ref()?;
    let is = |names: &str| names.split('|').any(|name| !name.is_empty() && name == call.tool);
    if is(tools.whole) {
        let list = Members::of(&call.input).any_raw(LISTS)?.to_owned();
        return Some(TodoChange::Whole(whole(&list)));
    }
    if is(tools.add) {
        let task =
            event.result.as_deref().map(|result| Members::of(result).members("task").text("id").map(String::from));
        let input = Members::of(&call.input);
        let text = input.any_text("subject|title|content|description")?.into_owned();
        return Some(TodoChange::Add(TodoItem { id: task.flatten(), text, state: String::new() }));
    }
    if is(tools.change) {
        let input = Members::of(&call.input);
        let own = |keys: &str| input.any_text(keys).unwrap_or_default().into_owned();
        let id = input.any_text("taskId|id").map(String::from);
        return Some(TodoChange::Change(TodoItem { id, text: own("subject|title|content"), state: own(STATES) }));
    }
    None
}

/// A list of objects or of texts, or one text with an item on each line.
fn whole(json: &str) -> Vec<TodoItem> {
    if let Some(text) = text_of(json) {
        return text.lines().filter_map(of_line).collect();
    }
    let item = |json: &str| match text_of(json) {
        Some(text) => Some(TodoItem { text: text.into_owned(), ..TodoItem::default() }),
        None => {
            let members = Members::of(json);
            let state = members.any_text(STATES).unwrap_or_default().into_owned();
            Some(TodoItem {
                id: members.text("id").map(String::from),
                text: members.any_text(TEXTS)?.into_owned(),
                state,
            })
        }
    };
    items_of(json).into_iter().filter_map(item).collect()
}

/// `1. [in_progress] text`, `- [x] text`, `* text`.
fn of_line(line: &str) -> Option<TodoItem> {
    let text = line.trim().trim_start_matches(|c: char| c.is_ascii_digit() || "-*+.)".contains(c)).trim_start();
    let (state, text) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((state, text)) => (state.trim(), text.trim()),
        None => ("", text),
    };
    (!text.is_empty()).then(|| TodoItem { id: None, text: text.to_owned(), state: state.to_owned() })
}

#[cfg(test)]
mod tests {
    use stead_model::EventKind;

    use super::*;
    use crate::Harness;

    #[track_caller]
    fn check(harness: Harness, tool: &str, input: &str, result: &str, expected: &[(&str, &str)]) {
        let mut event = Event::new(EventKind::AfterTool, "");
        let action = stead_model::Action::Inert;
        event.call = Some(stead_model::ToolCall { tool: tool.into(), id: None, action, input: input.into() });
        event.result = Some(result.into());
        let items = match harness.client().todo_change(&event) {
            Some(TodoChange::Whole(items)) => items,
            Some(TodoChange::Add(item) | TodoChange::Change(item)) => vec![item],
            None => Vec::new(),
        };
        let shown: Vec<_> = items.iter().map(|item| (item.state.as_str(), item.text.as_str())).collect();
        assert_eq!(shown, expected, "{input}");
    }

    #[test]
    fn each_client_writes_its_list_in_its_own_way() {
        let one = &[("in_progress", "a")][..];
        check(Harness::Claude, "TodoWrite", r#"{"todos":[{"content":"a","status":"in_progress"}]}"#, "{}", one);
        check(Harness::Gemini, "write_todos", r#"{"todos":[{"description":"a","status":"in_progress"}]}"#, "{}", one);
        check(Harness::Codex, "update_plan", r#"{"plan":[{"step":"a","status":"in_progress"}]}"#, "{}", one);
        check(Harness::Droid, "TodoWrite", r#"{"todos":"1. [in_progress] a"}"#, "{}", one);
        check(Harness::Copilot, "update_todo", r#"{"todos":"- [x] a\n- [ ] b"}"#, "{}", &[("x", "a"), ("", "b")]);
        check(
            Harness::Claude,
            "TaskCreate",
            r#"{"subject":"a","description":"y"}"#,
            r#"{"task":{"id":"1"}}"#,
            &[("", "a")],
        );
        check(Harness::Claude, "TaskUpdate", r#"{"taskId":"1","status":"completed"}"#, "{}", &[("completed", "")]);
        check(Harness::Claude, "Bash", r#"{"todos":[{"content":"a"}]}"#, "{}", &[]);
        check(Harness::Claude, "TodoWrite", "nonsense", "", &[]);
    }
}
