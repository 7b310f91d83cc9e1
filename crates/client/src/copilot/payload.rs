use std::borrow::Cow;

use serde_json::{Map, Value, json};
use stead_model::{Agent, Author, Detail, Event, EventKind, Level, Reply, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent};
use crate::lenient::Members;
use crate::tool::{Does, Lines, McpName, Tool, call_with_quoted_input, tool};
use crate::transcript::Spoken;

pub(super) const EVENTS: &[EventFact] = &[
    event("sessionStart", EventKind::SessionStart, Powers::CONTEXT),
    // Blocking a prompt is only documented.
    event("userPromptSubmitted", EventKind::Prompt, Powers::CONTEXT),
    // `ask` and context are only documented.
    event("preToolUse", EventKind::BeforeTool, Powers { rewrite: true, ..Powers::DENY }),
    // It fired when tested, even if nobody would be asked; a denial here is only documented.
    event("permissionRequest", EventKind::PermissionRequest, Powers::NONE),
    event("postToolUse", EventKind::AfterTool, Powers::CONTEXT),
    event("postToolUseFailure", EventKind::ToolFailed, Powers::NONE),
    event("agentStop", EventKind::Stop, Powers::DENY),
    // Context and blocks for sub-agents are only documented.
    event("subagentStart", EventKind::SubagentStart, Powers::NONE),
    event("subagentStop", EventKind::SubagentStop, Powers::NONE),
    event("preCompact", EventKind::BeforeCompact, Powers::NONE),
    event("notification", EventKind::Notification, Powers::NONE),
    event("sessionEnd", EventKind::SessionEnd, Powers::NONE),
    // The dialect of another client's lines, as documented. A rewrite there was reported as ignored.
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT),
    event("UserPromptSubmit", EventKind::Prompt, Powers::CONTEXT),
    event("PreToolUse", EventKind::BeforeTool, Powers::DENY),
    event("PermissionRequest", EventKind::PermissionRequest, Powers::NONE),
    event("PostToolUse", EventKind::AfterTool, Powers::CONTEXT),
    event("PostToolUseFailure", EventKind::ToolFailed, Powers::NONE),
    event("Stop", EventKind::Stop, Powers::DENY),
    event("SubagentStart", EventKind::SubagentStart, Powers::NONE),
    event("SubagentStop", EventKind::SubagentStop, Powers::NONE),
    event("PreCompact", EventKind::BeforeCompact, Powers::NONE),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// Its own tool names; a skill, a memory or a query may write, so they stay unknown.
const TOOLS: &[Tool] = &[
    tool("bash", Does::Run { command: "command", dir: "" }),
    tool("powershell", Does::PowerShell { command: "command" }),
    // Types into a shell that is already running.
    tool("write_bash", Does::Run { command: "input", dir: "" }),
    tool("write_powershell", Does::PowerShell { command: "input" }),
    tool("read_bash|read_powershell", Does::Nothing),
    tool("create", Does::Write { path: "path", content: "file_text|content" }),
    tool("edit", Does::Edit { path: "path", old: "old_str", new: "new_str", all: "replace_all" }),
    tool("str_replace_editor", Does::Editor { path: "path" }),
    tool("apply_patch", Does::Patch { text: "input|patch|patchText" }),
    tool("view", Does::ReadLines { path: "path", lines: Lines::Pair("view_range") }),
    tool("glob|grep|rg", Does::Read { paths: &["path", "paths"] }),
    tool("task", Does::Spawn { role: "agent_type", task: "prompt" }),
    tool("report_intent|update_todo|web_fetch|web_search|ask_user|fetch_copilot_cli_documentation", Does::Nothing),
];

const ACCENT: Accent = Accent::new(EVENTS, &[TOOLS, dialect::TOOLS], McpName::LastHyphen);

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    if wire.raw("hook_event_name").is_some() || (wire.raw("sessionId").is_none() && wire.raw("session_id").is_some()) {
        return dialect::event(&ACCENT, wire, named);
    }
    let native = wire.filled("hookName").or(named.map(Cow::Borrowed)).unwrap_or_default();
    let fact = EVENTS.iter().find(|fact| fact.native == native);
    let kind = outcome(fact.map_or(EventKind::Other, |fact| fact.kind), wire);
    // A sub-agent has its own session id; the parent's is in a separate field.
    let parent = wire.filled("parentAgentId");
    let is_about_agent = parent.is_some() || matches!(kind, EventKind::SubagentStart | EventKind::SubagentStop);
    Event {
        session: parent.or(wire.filled("sessionId")),
        agent: is_about_agent.then(|| Agent { id: wire.filled("agentId"), role: wire.any_text("agentName|agentType") }),
        cwd: wire.filled("cwd"),
        transcript: wire.filled("transcriptPath"),
        call: tool_call(wire),
        result: wire.raw("toolResult").map(Cow::Borrowed),
        detail: detail(kind, wire),
        ..Event::new(kind, native)
    }
}

/// A failed tool may be reported as a result that is not a success.
fn outcome(kind: EventKind, wire: &Members<'_>) -> EventKind {
    let result = wire.members("toolResult").filled("resultType");
    match (kind, result.as_deref()) {
        (EventKind::AfterTool, Some(result)) if result != "success" => EventKind::ToolFailed,
        _ => kind,
    }
}

fn tool_call<'a>(wire: &Members<'a>) -> Option<stead_model::ToolCall<'a>> {
    let (name, input) = (wire.filled("toolName"), wire.any_raw("toolArgs|toolInput"));
    if name.is_none() && input.is_none() {
        return None;
    }
    let name = name.unwrap_or_default();
    let known = dialect::find_tool(ACCENT.tools, &name);
    Some(call_with_quoted_input(known, &ACCENT.mcp, name, None, input.unwrap_or(""), None))
}

fn detail<'a>(kind: EventKind, wire: &Members<'a>) -> Detail<'a> {
    match kind {
        EventKind::SessionStart => Detail::Start { source: wire.filled("source"), previous: None },
        EventKind::SessionEnd => Detail::End { reason: wire.filled("reason") },
        // Text from a hook raises the event again and looks like any other.
        EventKind::Prompt => Detail::Prompt {
            text: wire.text("prompt").unwrap_or_default(),
            author: if wire.filled("parentAgentId").is_some() { Author::Machine } else { Author::Unknown },
        },
        EventKind::Stop | EventKind::SubagentStop => {
            Detail::Stop { message: wire.filled("response"), again: wire.flag("stop_hook_active"), waiting: 0 }
        }
        EventKind::ToolFailed => Detail::Failed {
            error: wire
                .raw("error")
                .and_then(dialect::error_text)
                .or_else(|| wire.members("toolResult").text("textResultForLlm")),
            interrupted: false,
        },
        EventKind::BeforeCompact => Detail::Compact { trigger: dialect::trigger(wire) },
        EventKind::Notification => Detail::Notice { text: wire.filled("message") },
        _ => Detail::None,
    }
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    let mut top = Map::new();
    if verdict.level > Level::Warn {
        if heard.kind == EventKind::BeforeTool {
            top.insert("permissionDecision".into(), json!("deny"));
            top.insert("permissionDecisionReason".into(), json!(verdict.reason_text()));
        } else {
            top.insert("decision".into(), json!("block"));
            top.insert("reason".into(), json!(verdict.reason_text()));
        }
    }
    if let Some(input) = dialect::rewritten(verdict) {
        top.insert("modifiedArgs".into(), input);
    }
    if let Some(text) = dialect::for_the_model(EVENTS, heard, verdict) {
        top.insert("additionalContext".into(), json!(text));
    }
    // For another client's line, both dialects work: the answer is the same here.
    if heard.native.starts_with(|c: char| c.is_ascii_uppercase())
        && let Some(Value::Object(borrowed)) = dialect::answer(&ACCENT, heard, verdict)
    {
        top.extend(borrowed);
    }
    Reply::json(Value::Object(top).to_string())
}

/// Events with their own `data`; a sub-agent's messages name the call that started it.
pub(super) fn transcript(line: &str) -> Spoken {
    let line = Members::of(line);
    let data = line.members("data");
    if data.filled("parentToolCallId").is_some() {
        return Spoken::Nothing;
    }
    match line.text("type").as_deref() {
        Some("assistant.message") => match data.filled("content") {
            Some(text) => Spoken::Agent(text.into_owned()),
            None => Spoken::Unanswered,
        },
        Some("user.message" | "tool.execution_start" | "tool.execution_complete") => Spoken::Unanswered,
        _ => Spoken::Nothing,
    }
}

pub(super) fn claims(signs: &Signs<'_>) -> bool {
    let own = signs.is_text("sessionId") && signs.is_number("timestamp");
    // Of the clients with a textual time, only this one omits the transcript in most events.
    let borrowed = signs.is_text("hook_event_name")
        && signs.is_text("timestamp")
        && !signs.has("permission_mode")
        && (!signs.has("transcript_path") || signs.text_contains("transcript_path", "/session-state/"));
    own || borrowed
}
