//! Keeps what a session's agent last said and plans, and what Stead gave it to do, for the next packet.

use stead_client::{TodoChange, TodoItem};
use stead_context::{Todo, TodoState, Turn};
use stead_model::{Detail, EventKind, Level, Verdict};
use stead_store::StoreError;

use crate::record;
use crate::request::Request;

/// How clients write that an item is being worked on, and that it is done.
const WORKING: &[&str] = &["in_progress", "in-progress", "inprogress", "active", "doing", "started", "~", "-"];
const DONE: &[&str] = &["completed", "complete", "done", "x", "finished", "cancelled", "canceled", "deleted"];

/// Notes the text with which a stop is blocked. Some clients report it as a prompt, at once, so this comes before the
/// reply.
pub(crate) fn note_injection(request: &Request<'_>, verdict: &Verdict) {
    let is_blocked = matches!(request.event.kind, EventKind::Stop | EventKind::SubagentStop)
        && verdict.level > Level::Warn
        && request.powers().deny;
    if !is_blocked || request.writable_root().is_none() || request.is_by_doctor() {
        return;
    }
    let Some(session) = request.session() else { return };
    let text = verdict.reason_text();
    if let Err(error) = Turn::change(request.indexes(), session, |turn| turn.injected(&text, &record::now())) {
        request.note(&error);
    }
}

/// Records the agent's answer when its turn ends, and its to-do list when it changes.
pub(crate) fn record(request: &Request<'_>, now: &str) -> Result<(), StoreError> {
    let event = request.event;
    if event.agent.is_some() || !matches!(event.kind, EventKind::Stop | EventKind::AfterTool) {
        return Ok(());
    }
    let Some(session) = request.session() else { return Ok(()) };
    let records = || request.records("record.prompts", "STEAD_RECORD_PROMPTS");
    match &event.detail {
        Detail::Stop { message: Some(message), .. } if event.kind == EventKind::Stop && records() => {
            Turn::change(request.indexes(), session, |turn| turn.answered(message, now))
        }
        _ => match request.harness.client().todo_change(event) {
            Some(change) if records() => Turn::change(request.indexes(), session, |turn| plan(turn, change, now)),
            _ => Ok(()),
        },
    }
}

fn plan(turn: &mut Turn, change: TodoChange, now: &str) {
    let mut todos = std::mem::take(&mut turn.todos);
    match change {
        TodoChange::Whole(items) => todos = items.into_iter().map(todo).collect(),
        TodoChange::Add(item) => todos.push(todo(item)),
        TodoChange::Change(item) => {
            if let Some(known) = todos.iter_mut().find(|known| known.id.is_some() && known.id == item.id) {
                known.state = if item.state.is_empty() { known.state } else { state(&item.state) };
                known.text = if item.text.is_empty() { std::mem::take(&mut known.text) } else { item.text };
            }
        }
    }
    turn.planned(todos, now);
}

fn todo(item: TodoItem) -> Todo {
    Todo { state: state(&item.state), id: item.id, text: item.text }
}

fn state(written: &str) -> TodoState {
    let written = written.trim().to_lowercase();
    match written.as_str() {
        written if DONE.contains(&written) => TodoState::Done,
        written if WORKING.contains(&written) => TodoState::Working,
        _ => TodoState::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_replaced_or_changed_item_by_item() {
        let item = |id: &str, text: &str, state: &str| TodoItem {
            id: Some(id.into()),
            text: text.into(),
            state: state.into(),
        };
        let mut turn = Turn::default();
        plan(&mut turn, TodoChange::Add(item("1", "one", "")), "t");
        plan(&mut turn, TodoChange::Add(item("2", "two", "")), "t");
        plan(&mut turn, TodoChange::Change(item("1", "", "completed")), "t");
        plan(&mut turn, TodoChange::Change(item("2", "second", "In_Progress")), "t");
        plan(&mut turn, TodoChange::Change(item("9", "nobody", "completed")), "t");
        let shown: Vec<_> = turn.todos.iter().map(|todo| (todo.text.as_str(), todo.state)).collect();
        assert_eq!(shown, [("one", TodoState::Done), ("second", TodoState::Working)]);
        plan(&mut turn, TodoChange::Whole(vec![item("", "new", "pending")]), "t");
        assert_eq!((turn.todos.len(), turn.todos[0].state), (1, TodoState::Open));
    }
}
