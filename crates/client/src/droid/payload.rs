use serde_json::{Value, json};
use stead_model::{Agent, Detail, Event, EventKind, Reply, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent};
use crate::lenient::{Members, items_of};
use crate::tool::{Does, McpName, Tool, tool};
use crate::transcript::Spoken;

pub(super) const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT),
    event("UserPromptSubmit", EventKind::Prompt, Powers::DENY_CONTEXT),
    // With `ask` the tool runs, and nobody sees a notice.
    event("PreToolUse", EventKind::BeforeTool, Powers { rewrite: true, ..Powers::DENY }),
    // A block is ignored here.
    event("PostToolUse", EventKind::AfterTool, Powers::CONTEXT),
    event("Stop", EventKind::Stop, Powers::DENY_NOTICE),
    // The answer is discarded.
    event("SubagentStop", EventKind::SubagentStop, Powers::NONE),
    // Exit code 2 blocks here, but every compaction is reported as automatic, and those must not be blocked.
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

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    let mut event = dialect::event(&ACCENT, wire, named);
    event.caller = wire.filled("calling_session_id");
    if event.kind == EventKind::SubagentStop {
        event.agent = Some(Agent { id: None, role: wire.filled("task_name") });
        event.detail =
            Detail::Stop { message: wire.filled("task_result"), again: wire.flag("stop_hook_active"), waiting: 0 };
    }
    event
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    let mut answer = dialect::answer(&ACCENT, heard, verdict);
    if heard.kind == EventKind::Prompt
        && let Some(Value::Object(top)) = &mut answer
        && let Some(reason) = top.remove("reason")
    {
        // Here a block is ignored. This rejects the prompt and shows the reason, and the session goes on.
        top.remove("decision");
        top.insert("continue".into(), json!(false));
        top.insert("stopReason".into(), reason);
    }
    dialect::print(answer, "")
}

/// One message a line, with its text and its calls. What a hook answered is a user's line that only the person sees.
pub(super) fn transcript(line: &str) -> Spoken {
    let line = Members::of(line);
    let message = line.members("message");
    if line.text("type").as_deref() != Some("message") || message.text("visibility").as_deref() == Some("user_only") {
        return Spoken::Nothing;
    }
    match message.text("role").as_deref() {
        Some("user") => Spoken::Unanswered,
        Some("assistant") => {
            let content = message.raw("content").unwrap_or_default();
            let is_call = |part: &str| Members::of(part).text("type").as_deref() == Some("tool_use");
            let text = dialect::prompt_text(content);
            if items_of(content).into_iter().any(is_call) {
                Spoken::Unanswered
            } else if text.is_empty() {
                Spoken::Nothing
            } else {
                Spoken::Agent(text.into_owned())
            }
        }
        _ => Spoken::Nothing,
    }
}

pub(super) fn claims(signs: &Signs<'_>) -> bool {
    matches!(signs.text("permission_mode").as_deref(), Some("off" | "spec" | "auto-low" | "auto-medium" | "auto-high"))
        || signs.text_contains("transcript_path", "/.factory/")
}
