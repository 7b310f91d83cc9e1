//! Kimi Code. Checked on 2.1.0. It puts whatever a prompt hook prints before the model, so a no-op prints nothing, and
//! of JSON it reads a denial only.

use serde_json::json;
use stead_model::{Base, Event, EventKind, Level, Reply, Shape, Spot, Verdict};

use crate::client::{Client, EventFact, Facts, Heard, Install, Line, Powers, Scope, SettingsFile, StopCap, event};
use crate::commands::shared_skill;
use crate::detect::Signs;
use crate::dialect::{self, Accent, RewriteStyle};
use crate::lenient::Members;
use crate::outcome;
use crate::tool::{Does, McpName, Tool, tool};

pub(super) static CLIENT: Client = Client {
    facts: Facts {
        title: "Kimi Code",
        program: "kimi",
        checked: "2.1.0",
        traces: &[],
        project_vars: &[],
        events: EVENTS,
        // The second stop of a turn does not even reach a hook.
        stop_cap: StopCap::Blocks { most: 1, but_last: false, variable: None, anew: false },
        stops_alike: true,
        drops_compact_start: false,
        subagents: "start and stop events; no mark on calls, nor on the stop that a sub-agent raises before its own",
        marks_calls: false,
        exit_status: false,
        shell_vars: &[],
        settings: SETTINGS,
        install: Install {
            shape: Shape::TomlList,
            // It reads no hooks from a project.
            project: None,
            local: None,
            user: user("config.toml"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "nothing, but running sessions of `kimi` must be started anew",
        },
        commands: shared_skill("/skill:stead-{name}"),
    },
    decode,
    encode,
    outcome: outcome::unended,
    claims,
    transcript: None,
};

const EVENTS: &[EventFact] = &[
    // Text for the model is ignored here.
    event("SessionStart", EventKind::SessionStart, Powers::NONE),
    // Blocking a prompt was only read about.
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

/// In front of the shared ones: it names paths otherwise.
const TOOLS: &[Tool] = &[
    tool("Write", Does::Write { path: "path|file_path", content: "content" }),
    tool("Edit", Does::Edit { path: "path|file_path", old: "old_string", new: "new_string", all: "replace_all" }),
    tool("Read", Does::Read { paths: &["path", "file_path"] }),
    tool("Bash", Does::Run { command: "command", dir: "cwd" }),
    tool("TodoList", Does::Nothing),
    tool("FetchURL", Does::Nothing),
];

const ACCENT: Accent = Accent {
    events: EVENTS,
    tools: &[TOOLS, dialect::TOOLS],
    mcp: McpName::Double,
    plain: dialect::same_name,
    author: dialect::unknown_author,
    rewrite: RewriteStyle::Bare,
};

const SETTINGS: &[SettingsFile] = &[SettingsFile { spot: user("config.toml"), shape: Shape::TomlList, watch: "" }];

const fn user(path: &'static str) -> Spot<'static> {
    Spot { base: Base::Var { name: "KIMI_CODE_HOME", fallback: ".kimi-code" }, path }
}

const LINES: &[Line] = &[
    line("SessionStart"),
    line("UserPromptSubmit"),
    line("PreToolUse"),
    line("PostToolUse"),
    line("PostToolUseFailure"),
    // A check that a loop asked for may run here.
    Line { timeout: 600, ..line("Stop") },
    line("SubagentStart"),
    line("SubagentStop"),
    line("PreCompact"),
    line("PostCompact"),
    line("SessionEnd"),
];

const fn line(event: &'static str) -> Line {
    Line { event, matcher: None, timeout: 10 }
}

/// Any further key makes it drop all hooks, the person's own included.
fn entry(line: &Line, command: &str, _: Scope) -> serde_json::Value {
    json!({"event": line.event, "command": command, "timeout": line.timeout})
}

fn decode<'a>(payload: &'a str, named: Option<&'a str>) -> serde_json::Result<Event<'a>> {
    let wire = Members::read(payload)?;
    let mut event = dialect::event(&ACCENT, &wire, named);
    if let Some(agent) = &mut event.agent {
        agent.role = wire.filled("agent_name").or(agent.role.take());
    }
    Ok(event)
}

fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    match (heard.kind, verdict.level) {
        // JSON was seen to deny a tool, the exit code to continue a turn.
        (EventKind::Stop, Level::Ask | Level::Deny) => Reply::block(verdict.reason_text()),
        (_, Level::Ask | Level::Deny) => dialect::print(dialect::answer(&ACCENT, heard, verdict), ""),
        _ => match dialect::for_the_model(EVENTS, heard, verdict) {
            // A text that opens like JSON would be searched for an answer.
            Some(text) if text.trim_start().starts_with(['{', '[']) => Reply::json(format!("Stead: {text}")),
            Some(text) => Reply::json(text),
            None => Reply::silent(),
        },
    }
}

fn claims(signs: &Signs<'_>) -> bool {
    signs.text("client_type").as_deref() == Some("kimi_code_cli")
}
