//! Whether a client still says what Stead reads. A payload that changed is named by field, before a scenario
//! fails further on for a reason that nobody sees.

use serde_json::Value;
use stead_client::Harness;
use stead_model::{Action, EventKind};

use crate::witness::HookCall;

/// Names what Stead could not find in a call. One that the client ended early may not have got its payload.
pub(crate) fn complaints(harness: Harness, call: &HookCall) -> Vec<String> {
    if call.exit.is_none() {
        return Vec::new();
    }
    let Some((named, native)) = call.hook().filter(|(named, _)| *named == harness.name()) else {
        return Vec::new();
    };
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(&call.stdin) else {
        return vec![format!("{named} {native}: stdin is not a JSON object")];
    };
    let fields = fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let event = match harness.client().decode(&call.stdin, Some(native)) {
        Ok(event) => event,
        Err(error) => return vec![format!("{named} {native}: {error}")],
    };
    let mut missing = Vec::new();
    if harness.client().event(&event.native).is_none() {
        missing.push(format!("the event `{}` is not in the table", event.native));
    }
    if event.session.is_none() {
        missing.push("no session id".to_owned());
    }
    if event.cwd.is_none() {
        missing.push("no folder".to_owned());
    }
    if matches!(event.kind, EventKind::BeforeTool | EventKind::AfterTool) {
        match &event.call {
            None => missing.push("no tool call".to_owned()),
            Some(call) if call.action == Action::Other => {
                missing.push(format!("the call of `{}` with {} is not understood", call.tool, call.input));
            }
            Some(_) => {}
        }
    }
    missing.into_iter().map(|what| format!("{named} {native}: {what}; the payload's fields are {fields}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(native: &str, stdin: Value, expected: &[&str]) {
        let args = ["hook", "claude", native].map(str::to_owned).to_vec();
        let call = HookCall { args, stdin: stdin.to_string(), exit: Some(0), ..HookCall::default() };
        let found = complaints(Harness::Claude, &call);
        let shown: Vec<_> = found.iter().map(|text| text.split(';').next().unwrap_or_default()).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_changed_payload_is_named() {
        let whole = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/p", "tool_name": "Bash",
            "tool_input": {"command": "ls"}, "new_field": 1});
        check("PreToolUse", whole.clone(), &[]);
        let without = |name: &str| {
            let mut changed = whole.clone();
            changed.as_object_mut().unwrap().remove(name);
            changed
        };
        check("PreToolUse", without("session_id"), &["claude PreToolUse: no session id"]);
        check("PreToolUse", without("cwd"), &["claude PreToolUse: no folder"]);
        check(
            "PreToolUse",
            without("tool_name"),
            &[r#"claude PreToolUse: the call of `` with {"command":"ls"} is not understood"#],
        );
        let mut renamed = whole.clone();
        renamed["tool_name"] = json!("Terminal");
        check(
            "PreToolUse",
            renamed,
            &[r#"claude PreToolUse: the call of `Terminal` with {"command":"ls"} is not understood"#],
        );
        let mut moved = whole;
        moved["tool_input"] = json!({"script": "ls"});
        check(
            "PreToolUse",
            moved,
            &[r#"claude PreToolUse: the call of `Bash` with {"script":"ls"} is not understood"#],
        );
        check(
            "Novelty",
            json!({"session_id": "s", "cwd": "/p"}),
            &["claude Novelty: the event `Novelty` is not in the table"],
        );
    }
}
