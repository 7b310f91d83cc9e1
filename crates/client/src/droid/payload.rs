use stead_model::{Agent, Detail, Event, EventKind, Reply, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent};
use crate::lenient::Members;
use crate::tool::{Does, McpName, Tool, tool};

pub(super) const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT),
    // A block is ignored here and after a tool; only `continue: false` works, which ends the run.
    event("UserPromptSubmit", EventKind::Prompt, Powers::CONTEXT),
    // With `ask` the tool runs, and nobody sees a notice.
    event("PreToolUse", EventKind::BeforeTool, Powers { rewrite: true, ..Powers::DENY }),
    event("PostToolUse", EventKind::AfterTool, Powers::CONTEXT),
    event("Stop", EventKind::Stop, Powers::DENY),
    // The answer is discarded.
    event("SubagentStop", EventKind::SubagentStop, Powers::NONE),
    // That exit code 2 blocks here is only documented.
    event("PreCompact", EventKind::BeforeCompact, Powers::NONE),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// In addition to the shared ones.
const TOOLS: &[Tool] = &[
    tool("Create", Does::Write { path: "file_path", content: "content" }),
    tool(
        "Edit",
        Does::Edit {
            path: "file_path",
            old: "old_string|old_str",
            new: "new_string|new_str",
            all: "change_all|replace_all",
        },
    ),
    tool("ApplyPatch", Does::Patch { text: "patch|input" }),
    tool("Execute", Does::Run { command: "command", dir: "cwd" }),
    tool("Read", Does::Read { paths: &["file_path"] }),
    tool("LS", Does::Read { paths: &["directory_path", "path"] }),
    tool("Glob", Does::Read { paths: &["folder", "path"] }),
    tool("Grep", Does::Read { paths: &["path"] }),
    tool("FetchUrl|AskUser|ToolSearch", Does::Nothing),
];

/// Missing fields would keep their values, but the whole input is sent.
const ACCENT: Accent = Accent::new(EVENTS, &[TOOLS, dialect::TOOLS], McpName::Triple);

pub(super) fn decode<'a>(payload: &'a str, named: Option<&'a str>) -> serde_json::Result<Event<'a>> {
    let wire = Members::read(payload)?;
    let mut event = dialect::event(&ACCENT, &wire, named);
    if event.kind == EventKind::SubagentStop {
        event.agent = Some(Agent { id: None, role: wire.filled("task_name") });
        event.detail =
            Detail::Stop { message: wire.filled("task_result"), again: wire.flag("stop_hook_active"), waiting: 0 };
    }
    Ok(event)
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    dialect::print(dialect::answer(&ACCENT, heard, verdict), "")
}

pub(super) fn claims(signs: &Signs<'_>) -> bool {
    matches!(signs.text("permission_mode").as_deref(), Some("off" | "spec" | "auto-low" | "auto-medium" | "auto-high"))
        || signs.text_contains("transcript_path", "/.factory/")
}
