//! What a sub-agent returns: a result that lacks fields or is too long is sent back once, with exactly what is missing.

use serde_json::Value;
use stead_context::{ReturnRole, check_return};
use stead_model::{Action, Detail, EventKind, Verdict};
use stead_store::Durability;

use super::{GATE, is_on, state_of};
use crate::request::Request;

/// Where a session counts results that were sent back.
const SENT_BACK: &str = "returned:";

/// Judges the result of a sub-agent: at its stop where the client lets a hook answer that, else at the end of the call that
/// started it, where the main agent is told.
pub(crate) fn judge_return(request: &Request<'_>) -> Verdict {
    let event = request.event;
    let (role, text, who) = match (&event.detail, &event.call) {
        (Detail::Stop { message: Some(message), .. }, _) if event.kind == EventKind::SubagentStop => {
            let Some(agent) = &event.agent else { return Verdict::allow() };
            (agent.role.as_deref(), message.as_ref().to_owned(), agent.id.as_deref().unwrap_or_default())
        }
        (_, Some(call)) if event.kind == EventKind::AfterTool => match &call.action {
            // Few calls start a sub-agent, so what the client can do is asked after that.
            Action::Spawn { role, .. } if !request.harness.client().facts.answers_subagent_stop() => {
                let text = event.result.as_deref().map(said).unwrap_or_default();
                (role.as_deref(), text, call.id.as_deref().unwrap_or_default())
            }
            _ => return Verdict::allow(),
        },
        _ => return Verdict::allow(),
    };
    let (Some(role), false) = (role.and_then(ReturnRole::of_agent), text.trim().is_empty()) else {
        return Verdict::allow();
    };
    let (Some(session), Some(mut state)) = (request.session(), state_of(request)) else { return Verdict::allow() };
    let Some(message) = check_return(role, &text).message().filter(|_| is_on(request, Some(&state))) else {
        return Verdict::allow();
    };
    let powers = request.powers();
    let key = format!("{SENT_BACK}{who}");
    if state.holds.contains_key(&key) || !(powers.deny || powers.context) {
        return Verdict::allow();
    }
    state.holds.insert(key, 1);
    if state.write(request.indexes(), session, Durability::Quick).is_err() {
        return Verdict::allow();
    }
    match event.kind {
        EventKind::SubagentStop => Verdict::deny(GATE, format!("Stead: {message}")),
        _ => Verdict::inform(format!("Stead, about the result of this sub-agent: {message}")),
    }
}

/// The text in a tool's result, which each client wraps in its own way.
fn said(result: &str) -> String {
    fn collect(value: &Value, is_text: bool, texts: &mut Vec<String>) {
        match value {
            Value::String(text) if is_text => texts.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| collect(item, is_text, texts)),
            Value::Object(members) => {
                members.iter().for_each(|(name, value)| collect(value, TEXTS.contains(&name.as_str()), texts));
            }
            _ => {}
        }
    }
    let mut texts = Vec::new();
    match serde_json::from_str(result) {
        Ok(value) => collect(&value, true, &mut texts),
        Err(_) => texts.push(result.to_owned()),
    }
    texts.join("\n")
}

/// The members of a result that hold what an agent said.
const TEXTS: &[&str] = &["content", "llmContent", "message", "output", "result", "text", "textResultForLlm"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_result_is_found_in_every_wrapping() {
        for result in [
            r#""done""#,
            r#"{"output":"done","metadata":{"id":"x"}}"#,
            r#"{"content":[{"type":"text","text":"done"}],"agentId":"a"}"#,
            r#"{"llmContent":[{"text":"done"}]}"#,
            "done",
        ] {
            assert_eq!(said(result), "done", "{result}");
        }
    }
}
