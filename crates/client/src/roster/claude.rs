//! Claude Code. Checked on 2.1.325.

use serde_json::json;
use stead_model::{Base, Detail, Event, EventKind, Reply, Shape, Spot, Verdict};

use crate::client::{
    Client, EventFact, Facts, Heard, Install, Line, Powers, Scope, SettingsFile, StopCap, WarnBy, event,
};
use crate::commands::{CommandFormat, CommandKey, Commands};
use crate::detect::Signs;
use crate::dialect::{self, Accent, RewriteStyle};
use crate::lenient::Members;
use crate::outcome;
use crate::tool::{Does, McpName, Tool, tool};
use crate::transcript::Spoken;

pub(super) static CLIENT: Client = Client {
    facts: Facts {
        title: "Claude Code",
        program: "claude",
        checked: "2.1.325",
        traces: &[".claude", "CLAUDE.md"],
        // Stays at the folder the session was started in, even when the agent works in a worktree.
        project_vars: &["CLAUDE_PROJECT_DIR"],
        events: EVENTS,
        stop_cap: StopCap::Blocks {
            most: 8,
            but_last: false,
            variable: Some("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"),
            anew: true,
        },
        stops_alike: false,
        drops_compact_start: false,
        subagents: "start and stop events; calls carry agent_id",
        marks_calls: true,
        exit_status: true,
        shell_vars: &["CLAUDECODE"],
        settings: SETTINGS,
        install: Install {
            shape: Shape::Groups,
            project: Some(".claude/settings.json"),
            local: Some(".claude/settings.local.json"),
            user: user("settings.json"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "start `claude` in this folder once and accept its trust question; interactive sessions run no hooks before",
        },
        // `/context`, `/loop` and `/goal` are its own, so the folder is part of the name.
        commands: Commands {
            format: CommandFormat::Markdown(&[
                CommandKey::Description,
                CommandKey::ArgumentHint,
                CommandKey::AllowedTools,
            ]),
            project: ".claude/commands/stead/{name}.md",
            user: user("commands/stead/{name}.md"),
            typed: "/stead:{name}",
            arguments: Some("$ARGUMENTS"),
            older: &[],
        },
    },
    decode,
    encode,
    outcome: outcome::streams,
    claims,
    transcript: Some(transcript),
};

/// `systemMessage` is shown to the person.
const DENY_NOTICE: Powers = Powers { warn: WarnBy::Notice, ..Powers::DENY };

const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT),
    event("UserPromptSubmit", EventKind::Prompt, Powers::DENY_CONTEXT),
    event("PreToolUse", EventKind::BeforeTool, Powers { ask: true, rewrite: true, ..Powers::DENY_CONTEXT }),
    event("PermissionRequest", EventKind::PermissionRequest, Powers { grant: true, ..DENY_NOTICE }),
    event("PostToolUse", EventKind::AfterTool, Powers::DENY_CONTEXT),
    event("PostToolUseFailure", EventKind::ToolFailed, Powers::CONTEXT),
    // Context at a stop would itself continue the turn, so it is not offered.
    event("Stop", EventKind::Stop, DENY_NOTICE),
    event("StopFailure", EventKind::StopFailed, Powers::NONE),
    event("SubagentStart", EventKind::SubagentStart, Powers::CONTEXT),
    event("SubagentStop", EventKind::SubagentStop, DENY_NOTICE),
    // The one event where it drops a notice.
    event("PreCompact", EventKind::BeforeCompact, Powers::DENY),
    event("PostCompact", EventKind::AfterCompact, Powers::NONE),
    event("ConfigChange", EventKind::ConfigChange, DENY_NOTICE),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// Beside the shared ones. Those that end or feed a process are left out, so that their input is judged.
const TOOLS: &[Tool] = &[
    tool("TaskCreate", Does::Nothing),
    tool("TaskUpdate", Does::Nothing),
    tool("TaskGet", Does::Nothing),
    tool("TaskList", Does::Nothing),
    tool("TaskOutput", Does::Nothing),
    tool("BashOutput", Does::Nothing),
    tool("ToolSearch", Does::Nothing),
];

const ACCENT: Accent = Accent {
    events: EVENTS,
    tools: &[dialect::TOOLS, TOOLS],
    mcp: McpName::Double,
    plain: dialect::same_name,
    author: dialect::unknown_author,
    rewrite: RewriteStyle::Bare,
};

/// Switches that turn hooks off, and variables that decide whether a bare `stead` is found.
const WATCH: &str =
    "off:/disableAllHooks=true off:/allowManagedHooksOnly=true same:/env/PATH same:/env/CLAUDE_CODE_SHELL_PREFIX";

const SETTINGS: &[SettingsFile] = &[
    settings(project(".claude/settings.json")),
    settings(project(".claude/settings.local.json")),
    settings(user("settings.json")),
];

const fn settings(spot: Spot<'static>) -> SettingsFile {
    SettingsFile { spot, shape: Shape::Groups, watch: WATCH }
}

const fn project(path: &'static str) -> Spot<'static> {
    Spot { base: Base::Project, path }
}

const fn user(path: &'static str) -> Spot<'static> {
    Spot { base: Base::Var { name: "CLAUDE_CONFIG_DIR", fallback: ".claude" }, path }
}

/// Only what Stead listens to: every further event is one more process.
const LINES: &[Line] = &[
    line("SessionStart", None),
    line("UserPromptSubmit", None),
    line("PreToolUse", Some("*")),
    line("PermissionRequest", Some("*")),
    line("PostToolUse", Some("*")),
    line("PostToolUseFailure", Some("*")),
    // A check that a loop asked for may run here.
    Line { timeout: 600, ..line("Stop", None) },
    line("SubagentStart", None),
    line("SubagentStop", None),
    line("PreCompact", None),
    line("PostCompact", None),
    line("ConfigChange", None),
    line("SessionEnd", None),
];

const fn line(event: &'static str, matcher: Option<&'static str>) -> Line {
    Line { event, matcher, timeout: 10 }
}

fn entry(line: &Line, command: &str, scope: Scope) -> serde_json::Value {
    let mut entry = json!({"type": "command", "command": command, "timeout": line.timeout});
    if scope.is_strict() && line.event == "PreToolUse" {
        // Otherwise a crash, a timeout or a missing program lets the tool run.
        entry["onFailure"] = json!("block");
    }
    entry
}

fn decode<'a>(payload: &'a str, named: Option<&'a str>) -> serde_json::Result<Event<'a>> {
    let mut event = dialect::decode(&ACCENT, payload, named)?;
    // A compaction ends with the stop of its own summariser, a sub-agent of no type. Nobody spawned it and nobody may
    // keep it working.
    if event.kind == EventKind::SubagentStop && event.agent.as_ref().is_some_and(|a| a.role.as_deref() == Some("")) {
        event.kind = EventKind::Other;
        event.detail = Detail::None;
    }
    Ok(event)
}

fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    dialect::print(dialect::answer(&ACCENT, heard, verdict), "")
}

/// One content block a line; a sub-agent's lines are marked.
fn transcript(line: &str) -> Spoken {
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

fn claims(signs: &Signs<'_>) -> bool {
    signs.session_is("CLAUDE_CODE_SESSION_ID") || signs.text_contains("transcript_path", "/.claude/projects/")
}
