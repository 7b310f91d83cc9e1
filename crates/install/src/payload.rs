//! Payloads that clients really sent (or, for two of them, that their documentation shows), rewritten for this project.

use std::path::Path;

use serde_json::{Map, Value, json};
use stead_client::Harness;
use stead_model::{Action, EventKind};

/// The session id of doctor's calls. It is not a valid file name, so nothing can be stored under it.
pub(crate) const SESSION: &str = "stead doctor";

/// Where the recorded sessions ran.
const RECORDED_ROOT: &str = "/home/dev/project";

/// Folder, file name and text of each.
const RECORDED: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/payloads.rs"));

/// Returns a payload of the event for this project; if it is a shell call, it runs `command`.
pub(crate) fn payload(harness: Harness, event: &str, root: &Path, command: &str) -> Option<String> {
    let mut value = recorded(harness, event).or_else(|| bare(harness, event))?;
    let root = root.display().to_string();
    settle(&mut value, &root, command);
    let names_folder = harness.client().decode(&value.to_string(), Some(event)).is_ok_and(|event| event.cwd.is_some());
    if let Some(map) = value.as_object_mut().filter(|_| !names_folder) {
        // Our plugin adds the folder itself.
        map.extend(["directory", "worktree"].map(|key| (key.to_owned(), json!(root))));
    }
    Some(value.to_string())
}

/// The payload recorded for an event: preferably one that runs a command, else the simplest.
fn recorded(harness: Harness, event: &str) -> Option<Value> {
    let is_of_event = |name: &str| {
        let name = name.strip_prefix("event.").unwrap_or(name);
        name == event || name.strip_prefix(event).is_some_and(|variant| variant.starts_with('.'))
    };
    let runs_command = |text: &str| {
        let event = harness.client().decode(text, Some(event)).ok();
        let call = event.filter(|event| event.agent.is_none()).and_then(|event| event.call);
        call.is_some_and(|call| matches!(call.action, Action::Run { .. }))
    };
    let of_event = RECORDED.iter().filter(|(folder, name, _)| *folder == harness.name() && is_of_event(name));
    let (_, _, text) = of_event.min_by_key(|(_, name, text)| (!runs_command(text), name.len()))?;
    serde_json::from_str(text).ok()
}

/// For events that were never recorded: the fields that every payload of the client has.
fn bare(harness: Harness, event: &str) -> Option<Value> {
    let before_tool = harness.client().facts.events.iter().find(|fact| fact.kind == EventKind::BeforeTool)?;
    let Value::Object(call) = recorded(harness, before_tool.native)? else {
        return None;
    };
    let kept = call.into_iter().filter(|(key, _)| !key.starts_with("tool"));
    let mut envelope: Map<String, Value> = kept.collect();
    for name in ["hook_event_name", "hookName"] {
        if let Some(value) = envelope.get_mut(name) {
            *value = json!(event);
        }
    }
    Some(Value::Object(envelope))
}

/// Rewrites a payload for this project and doctor's session.
fn settle(value: &mut Value, root: &str, command: &str) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), &mut *value) {
                    ("session_id" | "sessionId" | "sessionID" | "conversation_id", Value::String(id)) => {
                        *id = SESSION.to_owned();
                    }
                    ("command", Value::String(text)) => *text = command.to_owned(),
                    _ => settle(value, root, command),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|item| settle(item, root, command)),
        Value::String(text) if text.contains(RECORDED_ROOT) => *text = text.replace(RECORDED_ROOT, root),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_client_has_a_payload() {
        for harness in Harness::ALL {
            let client = harness.client();
            for line in client.facts.install.lines {
                let text = payload(harness, line.event, Path::new("/here"), "true")
                    .unwrap_or_else(|| panic!("{harness} {}", line.event));
                let event = client.decode(&text, Some(line.event)).unwrap();
                assert_eq!(event.kind, client.heard(line.event).kind, "{harness} {}: {text}", line.event);
                assert!(!text.contains(RECORDED_ROOT), "{text}");
            }
        }
    }

    #[test]
    fn every_client_has_a_shell_call_to_rewrite() {
        for harness in Harness::ALL {
            let client = harness.client();
            let line = client.facts.events.iter().find(|fact| fact.kind == EventKind::BeforeTool).unwrap();
            let text = payload(harness, line.native, Path::new("/here"), "rm x").unwrap();
            let event = client.decode(&text, Some(line.native)).unwrap();
            let Some(Action::Run { command, .. }) = event.call.map(|call| call.action) else {
                panic!("{harness}: {text}");
            };
            assert_eq!(command, "rm x", "{harness}");
            assert_eq!(event.session.as_deref(), Some(SESSION), "{harness}");
        }
    }
}
