//! Factory Droid. Known from its documentation and its bundle 0.223.0; not seen running. An exit code of 3 aborts the
//! agent, so only 0 is used.

use serde_json::json;
use stead_model::{Agent, Base, Detail, Event, EventKind, Reply, Shape, Spot, Verdict};

use crate::client::{
    Client, EventFact, Facts, Heard, Install, Line, Powers, Scope, SettingsFile, StopCap, WarnBy, event,
};
use crate::commands::{CommandFormat, CommandKey, Commands};
use crate::detect::Signs;
use crate::dialect::{self, Accent, RewriteStyle};
use crate::lenient::Members;
use crate::outcome;
use crate::tool::{Does, McpName, Tool, tool};

pub(super) static CLIENT: Client = Client {
    facts: Facts {
        title: "Factory Droid",
        program: "droid",
        checked: "documented for 0.223.0, not seen running",
        traces: &[".factory"],
        project_vars: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
        events: EVENTS,
        stop_cap: StopCap::Unknown,
        stops_alike: false,
        drops_compact_start: false,
        subagents: "stop events only; no mark on calls",
        marks_calls: false,
        exit_status: true,
        shell_vars: &[],
        settings: SETTINGS,
        install: Install {
            shape: Shape::Groups,
            // Older builds read hooks from here only, never from `hooks.json`.
            project: Some(".factory/settings.json"),
            local: None,
            user: user(".factory/settings.json"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "restart `droid`, or review the lines in its `/hooks`; it reads hooks at start only",
        },
        // It looks at the top of the folder only.
        commands: Commands {
            format: CommandFormat::Markdown(&[CommandKey::Description, CommandKey::ArgumentHint]),
            project: ".factory/commands/stead-{name}.md",
            user: user(".factory/commands/stead-{name}.md"),
            typed: "/stead-{name}",
            arguments: Some("$ARGUMENTS"),
            older: &["handoff", "pickup"],
        },
    },
    decode,
    encode,
    outcome: outcome::last_line,
    claims,
    transcript: None,
};

const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT),
    event("UserPromptSubmit", EventKind::Prompt, Powers::DENY_CONTEXT),
    event(
        "PreToolUse",
        EventKind::BeforeTool,
        Powers { ask: true, warn: WarnBy::Notice, rewrite: true, ..Powers::DENY },
    ),
    event("PostToolUse", EventKind::AfterTool, Powers::DENY_CONTEXT),
    event("Stop", EventKind::Stop, Powers::DENY),
    event("SubagentStop", EventKind::SubagentStop, Powers::DENY),
    // The bundle blocks on exit 2, the documentation says it does not.
    event("PreCompact", EventKind::BeforeCompact, Powers::NONE),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// Beside the shared ones.
const TOOLS: &[Tool] = &[
    tool("Create", Does::Write { path: "file_path", content: "content" }),
    tool(
        "Edit",
        Does::Edit { path: "file_path", old: "old_string|old_str", new: "new_string|new_str", all: "replace_all" },
    ),
    tool("ApplyPatch", Does::Patch { text: "patch|input" }),
    tool("Execute", Does::Run { command: "command", dir: "cwd" }),
    tool("Read", Does::Read { paths: &["file_path"] }),
    tool("LS", Does::Read { paths: &["directory_path", "path"] }),
    tool("Glob", Does::Read { paths: &["folder", "path"] }),
    tool("Grep", Does::Read { paths: &["path"] }),
    tool("FetchUrl", Does::Nothing),
    tool("AskUser", Does::Nothing),
];

const ACCENT: Accent = Accent {
    events: EVENTS,
    tools: &[TOOLS, dialect::TOOLS],
    mcp: McpName::Double,
    plain: dialect::same_name,
    author: dialect::unknown_author,
    // Fields that are left out keep their value; the whole input is sent, so that does not matter.
    rewrite: RewriteStyle::Bare,
};

const WATCH: &str = "off:/hooksDisabled=true off:/allowManagedHooksOnly=true";

/// A list in `hooks.json` replaces the list of the same event in `settings.json`, ours included.
const SHADOW: &str = "same:/SessionStart same:/UserPromptSubmit same:/PreToolUse same:/PostToolUse same:/Stop same:/SubagentStop same:/PreCompact same:/SessionEnd";

const SETTINGS: &[SettingsFile] = &[
    SettingsFile { spot: project(".factory/settings.json"), shape: Shape::Groups, watch: WATCH },
    SettingsFile { spot: project(".factory/settings.local.json"), shape: Shape::Groups, watch: WATCH },
    SettingsFile { spot: project(".factory/hooks.json"), shape: Shape::BareGroups, watch: SHADOW },
    SettingsFile { spot: project(".factory/hooks/hooks.json"), shape: Shape::BareGroups, watch: SHADOW },
    SettingsFile { spot: user(".factory/settings.json"), shape: Shape::Groups, watch: WATCH },
    SettingsFile { spot: user(".factory/hooks.json"), shape: Shape::BareGroups, watch: SHADOW },
    SettingsFile { spot: user(".factory/hooks/hooks.json"), shape: Shape::BareGroups, watch: SHADOW },
];

const fn project(path: &'static str) -> Spot<'static> {
    Spot { base: Base::Project, path }
}

/// The variable names the folder that stands for home.
const fn user(path: &'static str) -> Spot<'static> {
    Spot { base: Base::Var { name: "FACTORY_HOME_OVERRIDE", fallback: "" }, path }
}

const LINES: &[Line] = &[
    line("SessionStart", None),
    line("UserPromptSubmit", None),
    line("PreToolUse", Some("*")),
    line("PostToolUse", Some("*")),
    // A check that a loop asked for may run here.
    Line { timeout: 600, ..line("Stop", None) },
    line("SubagentStop", None),
    line("PreCompact", None),
    line("SessionEnd", None),
];

const fn line(event: &'static str, matcher: Option<&'static str>) -> Line {
    Line { event, matcher, timeout: 10 }
}

fn entry(line: &Line, command: &str, _: Scope) -> serde_json::Value {
    json!({"type": "command", "command": command, "timeout": line.timeout})
}

fn decode<'a>(payload: &'a str, named: Option<&'a str>) -> serde_json::Result<Event<'a>> {
    let wire = Members::read(payload)?;
    let mut event = dialect::event(&ACCENT, &wire, named);
    if event.kind == EventKind::SubagentStop {
        event.agent = Some(Agent { id: None, role: wire.filled("task_name") });
        event.detail =
            Detail::Stop { message: wire.filled("task_result"), again: wire.flag("stop_hook_active"), waiting: 0 };
    }
    Ok(event)
}

fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    dialect::print(dialect::answer(&ACCENT, heard, verdict), "")
}

fn claims(signs: &Signs<'_>) -> bool {
    matches!(signs.text("permission_mode").as_deref(), Some("off" | "spec" | "auto-low" | "auto-medium" | "auto-high"))
        || signs.text_contains("transcript_path", "/.factory/")
}
