use serde_json::{Map, Value, json};
use stead_model::{Detail, Event, EventKind, Level, Reply, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent};
use crate::lenient::Members;
use crate::tool::{Does, Lines, McpName, Tool, tool};

pub(super) const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT.shown()),
    event("BeforeAgent", EventKind::Prompt, Powers::DENY_CONTEXT.shown()),
    // Context is ignored here; `ask` is only documented.
    event("BeforeTool", EventKind::BeforeTool, Powers { rewrite: true, ..Powers::DENY_NOTICE }),
    // The reason replaces the tool's result.
    event("AfterTool", EventKind::AfterTool, Powers::DENY_CONTEXT.shown()),
    event("AfterAgent", EventKind::Stop, Powers::DENY_NOTICE),
    // Fires before every model call, so it does not indicate a compaction.
    event("PreCompress", EventKind::Other, Powers::NOTICE),
    event("BeforeModel", EventKind::Other, Powers::NONE),
    event("BeforeToolSelection", EventKind::Other, Powers::NONE),
    event("AfterModel", EventKind::Other, Powers::NONE),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NOTICE),
];

/// `save_memory` and skills are missing on purpose: they write, or load something that runs.
const TOOLS: &[Tool] = &[
    tool("run_shell_command", Does::Run { command: "command", dir: "dir_path|directory" }),
    tool("write_file", Does::Write { path: "file_path", content: "content" }),
    tool("replace", Does::Edit { path: "file_path", old: "old_string", new: "new_string", all: "allow_multiple" }),
    tool(
        "read_file",
        Does::ReadLines { path: "file_path|absolute_path", lines: Lines::FromTo("start_line", "end_line") },
    ),
    tool("read_many_files", Does::Read { paths: &["paths", "include"] }),
    tool("list_directory|glob|grep_search|search_file_content", Does::Read { paths: &["dir_path", "path"] }),
    tool("invoke_agent", Does::Spawn { role: "agent_name", task: "prompt" }),
    tool("google_web_search|web_fetch|write_todos|ask_user|enter_plan_mode|exit_plan_mode", Does::Nothing),
];

/// The reason given at a stop arrives as a prompt that looks like any other.
const ACCENT: Accent = Accent::new(EVENTS, &[TOOLS], McpName::Single);

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    let mut event = dialect::event(&ACCENT, wire, named);
    // A failed call has no event of its own.
    let error = wire.members("tool_response").raw("error").filter(|raw| *raw != "null");
    if let (EventKind::AfterTool, Some(error)) = (event.kind, error) {
        event.kind = EventKind::ToolFailed;
        event.detail = Detail::Failed { error: dialect::error_text(error), interrupted: false };
    }
    event
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    let mut top = Map::new();
    let mut specific = Map::new();
    if verdict.level > Level::Warn {
        top.insert("decision".into(), json!("deny"));
        top.insert("reason".into(), json!(verdict.reason_text()));
    }
    if let Some(text) = verdict.notice_text() {
        top.insert("systemMessage".into(), json!(text));
    }
    if let Some(input) = dialect::rewritten(verdict) {
        specific.insert("tool_input".into(), input);
    }
    if let Some(text) = dialect::for_the_model(EVENTS, heard, verdict) {
        specific.insert("additionalContext".into(), json!(text));
    }
    if !specific.is_empty() {
        specific.insert("hookEventName".into(), json!(heard.native));
        top.insert("hookSpecificOutput".into(), Value::Object(specific));
    }
    Reply::json(Value::Object(top).to_string())
}

pub(super) fn claims(signs: &Signs<'_>) -> bool {
    // Only event names that no other client uses.
    let own = EVENTS.iter().filter(|fact| !matches!(fact.native, "SessionStart" | "SessionEnd" | "Notification"));
    let native = signs.text("hook_event_name");
    signs.session_is("GEMINI_SESSION_ID")
        || signs.text_contains("transcript_path", "/.gemini/")
        || own.into_iter().any(|fact| native.as_deref() == Some(fact.native))
}
