use std::borrow::Cow;

use stead_model::{Action, Agent, Author, Detail, Event, EventKind, Reply, ToolCall, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent};
use crate::lenient::Members;
use crate::tool::{Does, McpName, Tool, tool};

pub(super) const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::NONE),
    // What a hook prints beside an allowed prompt is discarded.
    event("UserPromptSubmit", EventKind::Prompt, Powers::DENY),
    // Asked in its mode that approves everything, it would run the call, so a denial takes the place of a question.
    event("PreToolUse", EventKind::BeforeTool, Powers { rewrite: true, ..Powers::DENY_CONTEXT }),
    event("PostToolUse", EventKind::AfterTool, Powers::DENY_CONTEXT),
    event("PostToolUseFailure", EventKind::ToolFailed, Powers::CONTEXT),
    event("PermissionDenied", EventKind::Other, Powers::NONE),
    event("Stop", EventKind::Stop, Powers::DENY),
    event("StopFailure", EventKind::StopFailed, Powers::NONE),
    event("StopCancelled", EventKind::StopFailed, Powers::NONE),
    event("SubagentStart", EventKind::SubagentStart, Powers::NONE),
    event("SubagentStop", EventKind::SubagentStop, Powers::DENY),
    event("PreCompact", EventKind::BeforeCompact, Powers::NONE),
    event("PostCompact", EventKind::AfterCompact, Powers::NONE),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// `use_tool` and skills are missing on purpose: they contain or load other calls.
const TOOLS: &[Tool] = &[
    tool("run_terminal_command|run_terminal_cmd", Does::Run { command: "command", dir: "" }),
    tool("write", Does::Write { path: "file_path", content: "content" }),
    tool("search_replace", Does::Edit { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" }),
    tool("read_file", Does::Read { paths: &["target_file", "file_path"] }),
    tool("grep", Does::Read { paths: &["path"] }),
    tool("list_dir", Does::Read { paths: &["target_directory", "path"] }),
    tool("spawn_subagent|task", Does::Spawn { role: "subagent_type", task: "prompt" }),
    tool("todo_write|web_search|web_fetch|ask_user_question|enter_plan_mode|exit_plan_mode|search_tool", Does::Nothing),
];

const ACCENT: Accent = Accent { author, ..Accent::new(EVENTS, &[TOOLS, dialect::TOOLS], McpName::Infix) };

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    let mut event = dialect::event(&ACCENT, wire, named);
    event.project = wire.filled("workspaceRoot");
    event.prompt = wire.filled("promptId");
    event.call = event.call.map(|call| unpacked(call, wire));
    let role = wire.filled("subagentType");
    if role.is_some() || event.agent.is_some() {
        // A sub-agent has a session of its own, whose id is the agent's; only its start is raised in its parent's.
        event.agent = Some(Agent { id: wire.filled("subagentId").or(event.session.clone()), role });
        if event.kind == EventKind::SessionEnd {
            event.kind = EventKind::Other;
            event.detail = Detail::None;
        }
    }
    // At a session's end it raises another stop, whose answer it ignores.
    if event.kind == EventKind::Stop && wire.filled("reason").is_some_and(|reason| reason != "end_turn") {
        event.kind = EventKind::Other;
        event.detail = Detail::None;
    }
    event
}

/// A server's tool is called through a tool of its own, whose input has the name and the arguments.
fn unpacked<'a>(call: ToolCall<'a>, wire: &Members<'a>) -> ToolCall<'a> {
    let inner = wire.members("tool_input");
    match (&call.action, inner.raw("tool_input"), inner.text("tool_name")) {
        (Action::Mcp { .. }, Some(input), Some(name)) if name == call.tool => {
            ToolCall { input: Cow::Borrowed(input), ..call }
        }
        _ => call,
    }
}

/// Whose prompt it is: it also raises the event for what it tells its agent by itself, and in a sub-agent.
fn author(wire: &Members<'_>) -> Author {
    let is_machine =
        wire.raw("subagentType").is_some() || wire.text("promptId").is_some_and(|id| id.contains("-completed-"));
    if is_machine { Author::Machine } else { Author::Unknown }
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    dialect::print(dialect::answer(&ACCENT, heard, verdict), "{}")
}

/// No other client sends the event's name twice.
pub(super) fn claims(signs: &Signs<'_>) -> bool {
    signs.session_is("GROK_SESSION_ID") || (signs.is_text("hookEventName") && signs.is_text("hook_event_name"))
}
