use stead_model::{Event, EventKind, Level, Reply, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent};
use crate::lenient::Members;
use crate::tool::{Does, Lines, McpName, Tool, tool};

pub(super) const EVENTS: &[EventFact] = &[
    // Text for the model is ignored here.
    event("SessionStart", EventKind::SessionStart, Powers::NONE),
    // Blocking a prompt is only documented.
    event("UserPromptSubmit", EventKind::Prompt, Powers::CONTEXT),
    event("PreToolUse", EventKind::BeforeTool, Powers::DENY),
    event("PostToolUse", EventKind::AfterTool, Powers::NONE),
    event("PostToolUseFailure", EventKind::ToolFailed, Powers::NONE),
    event("PermissionRequest", EventKind::PermissionRequest, Powers::NONE),
    event("Stop", EventKind::Stop, Powers::DENY),
    event("StopFailure", EventKind::StopFailed, Powers::NONE),
    event("SubagentStart", EventKind::SubagentStart, Powers::NONE),
    event("SubagentStop", EventKind::SubagentStop, Powers::NONE),
    event("PreCompact", EventKind::BeforeCompact, Powers::NONE),
    event("PostCompact", EventKind::AfterCompact, Powers::NONE),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// Searched before the shared ones, because its path fields have other names.
const TOOLS: &[Tool] = &[
    tool("Write", Does::Write { path: "path|file_path", content: "content" }),
    tool("Edit", Does::Edit { path: "path|file_path", old: "old_string", new: "new_string", all: "replace_all" }),
    tool("Read", Does::ReadLines { path: "path|file_path", lines: Lines::Count("n_lines") }),
    tool("Bash", Does::Run { command: "command", dir: "cwd" }),
    tool("TodoList|FetchURL", Does::Nothing),
];

const ACCENT: Accent = Accent::new(EVENTS, &[TOOLS, dialect::TOOLS], McpName::Double);

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    let mut event = dialect::event(&ACCENT, wire, named);
    if let Some(agent) = &mut event.agent {
        agent.role = wire.filled("agent_name").or(agent.role.take());
    }
    event
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    match (heard.kind, verdict.level) {
        // When tested, JSON denied a tool, and the exit code continued a turn.
        (EventKind::Stop, Level::Ask | Level::Deny) => Reply::block(verdict.reason_text()),
        (_, Level::Ask | Level::Deny) => dialect::print(dialect::answer(&ACCENT, heard, verdict), ""),
        _ => match dialect::for_the_model(EVENTS, heard, verdict) {
            // A text that starts like JSON would be parsed as an answer.
            Some(text) if text.trim_start().starts_with(['{', '[']) => Reply::json(format!("Stead: {text}")),
            Some(text) => Reply::json(text),
            None => Reply::silent(),
        },
    }
}

pub(super) fn claims(signs: &Signs<'_>) -> bool {
    signs.text("client_type").as_deref() == Some("kimi_code_cli")
}
