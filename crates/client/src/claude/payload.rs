use stead_model::{Detail, Event, EventKind, Reply, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::detect::Signs;
use crate::dialect::{self, Accent, HoldStyle};
use crate::lenient::Members;
use crate::tool::{Does, McpName, Tool, tool};
use crate::transcript::Spoken;

pub(super) const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT.shown()),
    event("UserPromptSubmit", EventKind::Prompt, Powers::DENY_CONTEXT.shown()),
    // Follows the prompt event of a typed command. Other answers are only documented.
    event(dialect::EXPANSION, EventKind::Other, Powers::NONE),
    event("PreToolUse", EventKind::BeforeTool, Powers { ask: true, rewrite: true, ..Powers::DENY_CONTEXT.shown() }),
    event("PermissionRequest", EventKind::PermissionRequest, Powers { grant: true, ..Powers::DENY_NOTICE }),
    event("PostToolUse", EventKind::AfterTool, Powers::DENY_CONTEXT.shown()),
    event("PostToolUseFailure", EventKind::ToolFailed, Powers::CONTEXT.shown()),
    // Context at a stop would itself continue the turn, so it is not offered.
    event("Stop", EventKind::Stop, Powers::DENY_NOTICE),
    event("StopFailure", EventKind::StopFailed, Powers::NONE),
    event("SubagentStart", EventKind::SubagentStart, Powers::CONTEXT),
    event("SubagentStop", EventKind::SubagentStop, Powers::DENY_NOTICE),
    // The only event at which it drops a notice.
    event("PreCompact", EventKind::BeforeCompact, Powers::DENY),
    event("PostCompact", EventKind::AfterCompact, Powers::NONE),
    event("ConfigChange", EventKind::ConfigChange, Powers::DENY_NOTICE),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// In addition to the shared ones. Tools that end or write to a process are missing, so that their input is judged.
const TOOLS: &[Tool] =
    &[tool("TaskCreate|TaskUpdate|TaskGet|TaskList|TaskOutput|BashOutput|ToolSearch", Does::Nothing)];

const ACCENT: Accent = Accent {
    typed: |native, wire| dialect::expansion(native, wire, "stead:"),
    hold: HoldStyle::Context,
    ..Accent::new(EVENTS, &[dialect::TOOLS, TOOLS], McpName::Double)
};

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    let mut event = dialect::event(&ACCENT, wire, named);
    // A compaction ends with the stop of its summariser, a sub-agent without a type, which must not be kept working.
    if event.kind == EventKind::SubagentStop && event.agent.as_ref().is_some_and(|a| a.role.as_deref() == Some("")) {
        event.kind = EventKind::Other;
        event.detail = Detail::None;
    }
    event
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    dialect::print(dialect::answer(&ACCENT, heard, verdict), "")
}

/// One content block a line; a sub-agent's lines are marked.
pub(super) fn transcript(line: &str) -> Spoken {
    let line = Members::of(line);
    if line.flag("isSidechain") || line.flag("isMeta") {
        return Spoken::Nothing;
    }
    match line.text("type").as_deref() {
        Some("user") => Spoken::Unanswered,
        Some("assistant") => {
            let content = line.members("message").raw("content").unwrap_or_default();
            let text = dialect::prompt_text(content);
            if text.is_empty() && content.contains("\"tool_use\"") {
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
    signs.session_is("CLAUDE_CODE_SESSION_ID") || signs.text_contains("transcript_path", "/.claude/projects/")
}
