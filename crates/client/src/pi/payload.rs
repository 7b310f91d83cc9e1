use stead_model::{Event, EventKind, Reply, Verdict};

use crate::client::{EventFact, Heard, Powers, event};
use crate::lenient::Members;
use crate::plugin::{self, Talk};
use crate::tool::{Does, McpName, Tool, tool};

/// The extension gives its own calls the names of the plugin's.
pub(super) const EVENTS: &[EventFact] = &[
    // The extension stores the context and gives it with the first prompt.
    event("session.created", EventKind::SessionStart, Powers::CONTEXT),
    event("chat.message", EventKind::Prompt, Powers::CONTEXT),
    // The context is added to the result.
    event("tool.execute.before", EventKind::BeforeTool, Powers { rewrite: true, ..Powers::DENY_CONTEXT }),
    event("tool.execute.after", EventKind::AfterTool, Powers::DENY_CONTEXT),
    event("session.idle", EventKind::Stop, Powers::DENY),
    event("experimental.session.compacting", EventKind::BeforeCompact, Powers::NONE),
    event("session.compacted", EventKind::AfterCompact, Powers::NONE),
    event("session.deleted", EventKind::SessionEnd, Powers::NONE),
];

/// `codemode` is missing on purpose: it contains other calls.
const TOOLS: &[Tool] = &[
    tool("bash", Does::Run { command: "command", dir: "" }),
    tool("write", Does::Write { path: "path", content: "content" }),
    tool("edit", Does::EditMany { path: "path", edits: "edits", old: "oldText", new: "newText", all: "replaceAll" }),
    tool("read", Does::Read { paths: &["path"] }),
    tool("grep|find|ls", Does::Read { paths: &["path"] }),
];

const TALK: Talk = Talk { events: EVENTS, tools: &[TOOLS], mcp: McpName::Double };

pub(super) fn read<'a>(wire: &Members<'a>, named: Option<&'a str>) -> Event<'a> {
    // A typed command reaches the extension as the text that it became.
    Event { typed: None, ..plugin::read_as(&TALK, wire, named) }
}

pub(super) fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    plugin::encode_as(&TALK, heard, verdict)
}
