//! Payloads that clients really sent (or, for two of them, that their documentation shows), made to speak of this
//! project.

use std::path::Path;

use serde_json::{Map, Value, json};
use stead_harness::Harness;
use stead_model::EventKind;

/// The session id of doctor's calls. It is not fit to be a file name, so nothing can be remembered under it.
pub(crate) const SESSION: &str = "stead doctor";

/// Where the recorded sessions took place.
const RECORDED_ROOT: &str = "/home/dev/project";

macro_rules! recorded {
    ($($folder:literal: [$($event:literal = $file:literal),* $(,)?])*) => {
        const RECORDED: &[(&str, &str, &str)] = &[
            $($(($folder, $event, include_str!(concat!("../../harness/fixtures/", $folder, "/", $file, ".json"))),)*)*
        ];
    };
}

recorded! {
    "claude": [
        "SessionStart" = "SessionStart.startup", "UserPromptSubmit" = "UserPromptSubmit",
        "PreToolUse" = "PreToolUse.Bash", "PermissionRequest" = "PermissionRequest.Bash",
        "PostToolUse" = "PostToolUse.Bash", "PostToolUseFailure" = "PostToolUseFailure.Bash", "Stop" = "Stop",
        "SubagentStart" = "SubagentStart", "SubagentStop" = "SubagentStop", "PreCompact" = "PreCompact.auto",
        "PostCompact" = "PostCompact.auto", "SessionEnd" = "SessionEnd.other",
    ]
    "codex": [
        "SessionStart" = "SessionStart.startup", "UserPromptSubmit" = "UserPromptSubmit",
        "PreToolUse" = "PreToolUse.Bash", "PermissionRequest" = "PermissionRequest.Bash",
        "PostToolUse" = "PostToolUse.Bash", "Stop" = "Stop", "SubagentStart" = "SubagentStart",
        "SubagentStop" = "SubagentStop", "PreCompact" = "PreCompact.auto", "PostCompact" = "PostCompact.auto",
        "SessionEnd" = "SessionEnd.other",
    ]
    "gemini": [
        "SessionStart" = "SessionStart", "BeforeAgent" = "BeforeAgent", "BeforeTool" = "BeforeTool",
        "AfterTool" = "AfterTool", "AfterAgent" = "AfterAgent", "SessionEnd" = "SessionEnd",
    ]
    "qwen": [
        "SessionStart" = "SessionStart", "UserPromptSubmit" = "UserPromptSubmit", "PreToolUse" = "PreToolUse",
        "PostToolUse" = "PostToolUse", "PostToolUseFailure" = "PostToolUseFailure", "Stop" = "Stop",
        "SubagentStart" = "SubagentStart", "SubagentStop" = "SubagentStop", "PreCompact" = "PreCompact",
    ]
    "opencode": [
        "session.created" = "event.session.created", "tool.execute.before" = "tool.execute.before",
        "tool.execute.after" = "tool.execute.after", "chat.message" = "chat.message",
        "session.idle" = "event.session.idle", "session.compacted" = "event.session.compacted",
        "experimental.session.compacting" = "experimental.session.compacting",
        "experimental.text.complete" = "experimental.text.complete",
    ]
    "copilot": [
        "sessionStart" = "sessionStart", "userPromptSubmitted" = "userPromptSubmitted", "preToolUse" = "preToolUse",
        "postToolUse" = "postToolUse", "agentStop" = "agentStop", "sessionEnd" = "sessionEnd",
    ]
    "kimi": [
        "SessionStart" = "SessionStart", "UserPromptSubmit" = "UserPromptSubmit", "PreToolUse" = "PreToolUse",
        "PostToolUseFailure" = "PostToolUseFailure", "Stop" = "Stop",
    ]
    "droid": [
        "SessionStart" = "SessionStart", "UserPromptSubmit" = "UserPromptSubmit", "PreToolUse" = "PreToolUse.Execute",
        "PostToolUse" = "PostToolUse.Execute", "Stop" = "Stop", "SubagentStop" = "SubagentStop",
        "PreCompact" = "PreCompact", "SessionEnd" = "SessionEnd",
    ]
    "cursor": [
        "sessionStart" = "sessionStart", "beforeSubmitPrompt" = "beforeSubmitPrompt",
        "preToolUse" = "preToolUse.Shell", "postToolUse" = "postToolUse",
        "postToolUseFailure" = "postToolUseFailure", "stop" = "stop", "subagentStart" = "subagentStart",
        "subagentStop" = "subagentStop", "preCompact" = "preCompact", "sessionEnd" = "sessionEnd",
    ]
}

/// Gives a payload of the event for this project; a call of the shell, where it has one, runs `command`.
pub(crate) fn payload(harness: Harness, event: &str, root: &Path, command: &str) -> Option<String> {
    let mut value = recorded(harness, event).or_else(|| bare(harness, event))?;
    settle(&mut value, &root.display().to_string(), command);
    if let Some(map) = value.as_object_mut().filter(|_| harness.name() == "opencode") {
        // What our own plugin adds to each call.
        map.insert("directory".to_owned(), json!(root.display().to_string()));
        map.insert("worktree".to_owned(), json!(root.display().to_string()));
    }
    Some(value.to_string())
}

fn recorded(harness: Harness, event: &str) -> Option<Value> {
    let (_, _, text) = RECORDED.iter().find(|(folder, native, _)| *folder == harness.name() && *native == event)?;
    serde_json::from_str(text).ok()
}

/// For events nobody has recorded yet: what every payload of the client carries.
fn bare(harness: Harness, event: &str) -> Option<Value> {
    let before_tool = harness.doorway().facts.events.iter().find(|fact| fact.kind == EventKind::BeforeTool)?;
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

/// Rewrites a payload to this project and doctor's session.
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
            let doorway = harness.doorway();
            for line in doorway.facts.install.lines {
                let text = payload(harness, line.event, Path::new("/here"), "true")
                    .unwrap_or_else(|| panic!("{harness} {}", line.event));
                let event = (doorway.decode)(&text, Some(line.event)).unwrap();
                assert_eq!(event.kind, doorway.heard(line.event).kind, "{harness} {}: {text}", line.event);
                assert!(!text.contains(RECORDED_ROOT), "{text}");
            }
        }
    }

    #[test]
    fn every_client_has_a_shell_call_to_rewrite() {
        for harness in Harness::ALL {
            let doorway = harness.doorway();
            let line = doorway.facts.events.iter().find(|fact| fact.kind == EventKind::BeforeTool).unwrap();
            let text = payload(harness, line.native, Path::new("/here"), "rm x").unwrap();
            let event = (doorway.decode)(&text, Some(line.native)).unwrap();
            let Some(stead_model::Action::Run { command, .. }) = event.call.map(|call| call.action) else {
                panic!("{harness}: {text}");
            };
            assert_eq!(command, "rm x", "{harness}");
            assert_eq!(event.session.as_deref(), Some(SESSION), "{harness}");
        }
    }
}
