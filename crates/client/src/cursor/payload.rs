use std::borrow::Cow;

use serde_json::{Map, Value, json};
use stead_model::{Action, Agent, Detail, Event, EventKind, Level, Reply, ToolCall, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent};
use crate::lenient::{Members, items_of, text_of};
use crate::tool::{Does, McpName, Tool, call_with_quoted_input, tool};

/// Asking the person and changing the input are documented, but were never seen. If they were ignored, the call would
/// run as it is, so they are not offered; a denial takes their place.
const TOOL: Powers = Powers::DENY;

pub(super) const EVENTS: &[EventFact] = &[
    event("sessionStart", EventKind::SessionStart, Powers::CONTEXT),
    // Context reaches the model in some builds only.
    event("beforeSubmitPrompt", EventKind::Prompt, Powers::DENY),
    event("preToolUse", EventKind::BeforeTool, TOOL),
    event("beforeShellExecution", EventKind::BeforeTool, TOOL),
    event("beforeMCPExecution", EventKind::BeforeTool, TOOL),
    event("beforeReadFile", EventKind::BeforeTool, Powers::DENY),
    event("beforeTabFileRead", EventKind::BeforeTool, Powers::DENY),
    event("postToolUse", EventKind::AfterTool, Powers::CONTEXT),
    event("postToolUseFailure", EventKind::ToolFailed, Powers::NONE),
    event("stop", EventKind::Stop, Powers::DENY),
    event("subagentStart", EventKind::SubagentStart, Powers::DENY),
    event("subagentStop", EventKind::SubagentStop, Powers::DENY),
    event("preCompact", EventKind::BeforeCompact, Powers::NOTICE),
    event("sessionEnd", EventKind::SessionEnd, Powers::NONE),
    // These repeat what postToolUse says.
    event("afterShellExecution", EventKind::Other, Powers::NONE),
    event("afterMCPExecution", EventKind::Other, Powers::NONE),
    event("afterFileEdit", EventKind::Other, Powers::NONE),
    event("afterTabFileEdit", EventKind::Other, Powers::NONE),
    event("afterAgentResponse", EventKind::Other, Powers::NONE),
    event("afterAgentThought", EventKind::Other, Powers::NONE),
    event("workspaceOpen", EventKind::Other, Powers::NONE),
    // Events of another client's lines, under their original names; it does not know the two that are missing.
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT),
    event("UserPromptSubmit", EventKind::Prompt, Powers::DENY),
    event("PreToolUse", EventKind::BeforeTool, Powers::DENY),
    event("PostToolUse", EventKind::AfterTool, Powers::CONTEXT),
    event("Stop", EventKind::Stop, Powers::DENY),
    event("SubagentStop", EventKind::SubagentStop, Powers::DENY),
    event("PreCompact", EventKind::BeforeCompact, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// Searched before the shared ones.
const TOOLS: &[Tool] = &[
    tool("Shell", Does::Run { command: "command", dir: "cwd|working_directory" }),
    tool("Write", Does::Write { path: "file_path|path", content: "content|contents" }),
    tool(
        "StrReplace",
        Does::Edit { path: "file_path|path", old: "old_string|old_str", new: "new_string|new_str", all: "replace_all" },
    ),
    tool("ApplyPatch", Does::Patch { text: "patch|input" }),
    tool("EditNotebook", Does::Change { path: "target_notebook|notebook_path|file_path" }),
    tool("Delete", Does::Delete { path: "file_path|path" }),
    tool("Read", Does::Read { paths: &["file_path", "path"] }),
    tool("Grep", Does::Read { paths: &["path"] }),
    tool("Task", Does::Spawn { role: "subagent_type", task: "prompt|task" }),
];

const ACCENT: Accent = Accent::new(EVENTS, &[TOOLS, dialect::TOOLS], McpName::Colon);

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    let mut event = dialect::event(&ACCENT, wire, named);
    event.session = event.session.or(wire.filled("conversation_id"));
    event.project = wire.raw("workspace_roots").and_then(|roots| items_of(roots).into_iter().find_map(text_of));
    // It selects one itself and does not say which.
    event.model = event.model.filter(|model| model != "auto" && model != "default");
    event.call = tool_call(&event.native, wire);
    match event.kind {
        EventKind::SubagentStart | EventKind::SubagentStop => {
            let id = wire.filled("subagent_id").or(wire.filled("agent_id"));
            event.agent = Some(Agent { id, role: wire.any_text("subagent_type|agent_type") });
            event.session = wire.filled("parent_conversation_id").or(event.session);
        }
        EventKind::ToolFailed => {
            event.detail = Detail::Failed {
                error: wire.filled("error_message").or(wire.raw("error").and_then(dialect::error_text)),
                interrupted: wire.flag("is_interrupt"),
            };
        }
        _ => {}
    }
    match (event.kind, wire.text("status").as_deref()) {
        // The person or a failure ended the turn, so it must not be continued.
        (EventKind::Stop | EventKind::SubagentStop, Some("aborted" | "error")) => {
            event.kind = EventKind::StopFailed;
            event.detail = Detail::Failed { error: wire.filled("status"), interrupted: false };
        }
        (EventKind::Stop | EventKind::SubagentStop, _) => {
            let message = wire.filled("last_assistant_message").or(wire.filled("result"));
            let again = wire.raw("loop_count").is_some_and(|count| count != "0") || wire.flag("stop_hook_active");
            event.detail = Detail::Stop { message, again, waiting: 0 };
        }
        _ => {}
    }
    event
}

/// Some events are about one tool and carry its input in the payload itself.
fn tool_call<'a>(native: &str, wire: &Members<'a>) -> Option<ToolCall<'a>> {
    match native {
        "beforeShellExecution" => {
            let command = wire.text("command");
            let input = json!({"command": command}).to_string();
            let action = command.map_or(Action::Other, |command| Action::Run { command, dir: wire.filled("cwd") });
            Some(ToolCall { tool: Cow::Borrowed("Shell"), id: None, action, input: Cow::Owned(input) })
        }
        "beforeReadFile" | "beforeTabFileRead" => {
            let path = wire.text("file_path");
            let input = json!({"file_path": path}).to_string();
            let action = Action::Read(path.into_iter().collect());
            Some(ToolCall { tool: Cow::Borrowed("Read"), id: None, action, input: Cow::Owned(input) })
        }
        _ => {
            let (name, input) = (wire.filled("tool_name"), wire.raw("tool_input"));
            if name.is_none() && input.is_none() {
                return None;
            }
            let name = name.unwrap_or_default();
            let (known, mcp, server) = match native {
                "beforeMCPExecution" => (None, McpName::Plain, Some(wire.text("mcp_server_name").unwrap_or_default())),
                _ => (dialect::find_tool(ACCENT.tools, &name), McpName::Colon, wire.filled("mcp_server_name")),
            };
            let id = wire.filled("tool_use_id");
            Some(call_with_quoted_input(known, &mcp, name, id, input.unwrap_or(""), server))
        }
    }
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    let mut top = Map::new();
    let reason = verdict.reason_text();
    match (heard.kind, verdict.level) {
        // An aborted turn accepts no answer.
        (_, Level::Allow | Level::Warn) | (EventKind::StopFailed, _) => {
            if let Some(text) = verdict.notice_text() {
                top.insert("user_message".into(), json!(text));
            }
        }
        (EventKind::Prompt, _) => {
            top.insert("continue".into(), json!(false));
            top.insert("user_message".into(), json!(reason));
        }
        (EventKind::Stop | EventKind::SubagentStop, _) => {
            top.insert("followup_message".into(), json!(reason));
        }
        (_, level) => {
            top.insert("permission".into(), json!(level.name()));
            top.insert("agent_message".into(), json!(reason));
            top.insert("user_message".into(), json!(reason));
        }
    }
    if let Some(text) = dialect::for_the_model(EVENTS, heard, verdict) {
        top.insert("additional_context".into(), json!(text));
    }
    // For another client's line, both dialects work: the answer is the same here.
    if heard.native.starts_with(|c: char| c.is_ascii_uppercase())
        && let Some(Value::Object(borrowed)) = dialect::answer(&ACCENT, heard, verdict)
    {
        top.extend(borrowed);
    }
    Reply::json(Value::Object(top).to_string())
}

pub(super) fn claims(signs: &Signs<'_>) -> bool {
    signs.has("cursor_version")
}
