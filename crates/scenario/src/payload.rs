//! Whether a client still says what its doorway reads. A payload that changed is named by field, before a scenario
//! fails further on for a reason that nobody sees.

use serde_json::Value;
use stead_harness::Harness;
use stead_model::{Action, EventKind};

use crate::witness::HookCall;

/// Names what the doorway could not find in a call.
pub(crate) fn complaints(harness: Harness, call: &HookCall) -> Vec<String> {
    let Some((named, native)) = call.hook().filter(|(named, _)| *named == harness.name()) else {
        return Vec::new();
    };
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(&call.stdin) else {
        return vec![format!("{named} {native}: stdin is not a JSON object")];
    };
    let fields = fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let event = match (harness.doorway().decode)(&call.stdin, Some(native)) {
        Ok(event) => event,
        Err(error) => return vec![format!("{named} {native}: {error}")],
    };
    let mut missing = Vec::new();
    if harness.doorway().event(&event.native).is_none() {
        missing.push(format!("the event `{}` is not in the table", event.native));
    }
    if event.session.is_none() {
        missing.push("no session id".to_owned());
    }
    if event.cwd.is_none() {
        missing.push("no folder".to_owned());
    }
    if matches!(event.kind, EventKind::BeforeTool | EventKind::AfterTool) {
        missing.extend(match &event.call {
            None => Some("no tool call".to_owned()),
            Some(call) if call.action == Action::Other => Some(format!("the tool `{}` is not known", call.tool)),
            Some(call) => unread(&call.action).map(|what| format!("{what} of `{}` was not read", call.tool)),
        });
    }
    missing.into_iter().map(|what| format!("{named} {native}: {what}; the payload's fields are {fields}")).collect()
}

/// The part of an action that should be there and is empty.
fn unread(action: &Action<'_>) -> Option<&'static str> {
    match action {
        Action::Run { command, .. } if command.is_empty() => Some("the command"),
        Action::Change(changes) if changes.iter().all(|change| change.path.is_empty()) => Some("the path"),
        Action::Read(paths) if paths.is_empty() => Some("the path"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(native: &str, stdin: Value, expected: &[&str]) {
        let args = ["hook", "claude", native].map(str::to_owned).to_vec();
        let call = HookCall { args, stdin: stdin.to_string(), ..HookCall::default() };
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
        check("PreToolUse", without("tool_name"), &["claude PreToolUse: the tool `` is not known"]);
        let mut renamed = whole.clone();
        renamed["tool_name"] = json!("Terminal");
        check("PreToolUse", renamed, &["claude PreToolUse: the tool `Terminal` is not known"]);
        let mut moved = whole;
        moved["tool_input"] = json!({"script": "ls"});
        check("PreToolUse", moved, &["claude PreToolUse: the command of `Bash` was not read"]);
        check(
            "Novelty",
            json!({"session_id": "s", "cwd": "/p"}),
            &["claude Novelty: the event `Novelty` is not in the table"],
        );
    }
}
