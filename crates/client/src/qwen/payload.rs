use stead_model::{Author, Event, EventKind, Reply, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent};
use crate::lenient::Members;
use crate::tool::{Does, McpName, Tool, tool};

pub(super) const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT),
    // A blocked prompt is dropped without telling the person.
    event("UserPromptSubmit", EventKind::Prompt, Powers::DENY_CONTEXT),
    // `ask` is only documented (it denies headless); `updatedInput` and `additionalContext` were ignored when tested.
    event("PreToolUse", EventKind::BeforeTool, Powers::DENY),
    // A block was ignored when tested.
    event("PostToolUse", EventKind::AfterTool, Powers::CONTEXT),
    // Context here, and all answers to the next four, are only documented.
    event("PostToolUseFailure", EventKind::ToolFailed, Powers::NONE),
    event("PermissionRequest", EventKind::PermissionRequest, Powers::NONE),
    event("SubagentStart", EventKind::SubagentStart, Powers::NONE),
    event("SubagentStop", EventKind::SubagentStop, Powers::NONE),
    event("StopFailure", EventKind::StopFailed, Powers::NONE),
    event("Stop", EventKind::Stop, Powers::DENY_NOTICE),
    // The context steers the summary.
    event("PreCompact", EventKind::BeforeCompact, Powers::CONTEXT),
    event("PostCompact", EventKind::AfterCompact, Powers::NONE),
    // Precedes the prompt event of a typed command; its skill tool raises it too.
    event(dialect::EXPANSION, EventKind::Other, Powers::CONTEXT),
    event("PostToolBatch", EventKind::Other, Powers::CONTEXT),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// `save_memory` and skills are missing on purpose: they write, or load something that runs.
const TOOLS: &[Tool] = &[
    tool("run_shell_command", Does::Run { command: "command", dir: "directory|dir_path" }),
    tool("write_file", Does::Write { path: "file_path", content: "content" }),
    tool("edit", Does::Edit { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" }),
    tool("notebook_edit", Does::Change { path: "notebook_path|file_path" }),
    tool("read_file", Does::Read { paths: &["file_path", "absolute_path"] }),
    tool("read_many_files", Does::Read { paths: &["paths", "include"] }),
    tool("list_directory|glob|grep_search", Does::Read { paths: &["path", "dir_path"] }),
    tool("agent|task", Does::Spawn { role: "subagent_type", task: "prompt" }),
    tool("todo_write|web_fetch|web_search|ask_user_question|exit_plan_mode", Does::Nothing),
];

const ACCENT: Accent = Accent {
    author,
    typed: |native, wire| dialect::expansion(native, wire, "stead:"),
    ..Accent::new(EVENTS, &[TOOLS], McpName::Double)
};

/// The prompt event fires before every model call; only a person's prompt is marked as such.
fn author(wire: &Members<'_>) -> Author {
    if wire.raw("submitted_prompt").is_some() { Author::Person } else { Author::Machine }
}

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    dialect::event(&ACCENT, wire, named)
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    dialect::print(dialect::answer(&ACCENT, heard, verdict), "{}")
}

pub(super) fn claims(signs: &Signs<'_>) -> bool {
    signs.session_is("QWEN_CODE_SESSION_ID")
        || signs.text_contains("transcript_path", "/.qwen/")
        // Of the clients that send both a textual time and a permission mode, only this one names the event once.
        || (signs.is_text("timestamp")
            && signs.is_text("permission_mode")
            && signs.is_text("hook_event_name")
            && !signs.has("hookEventName"))
}
