//! Qwen Code. Checked on 0.24.4. It documents rewriting and context before a tool, but honours neither.

use serde_json::json;
use stead_model::{Author, Base, Event, EventKind, Reply, Shape, Spot, Verdict};

use crate::client::{Client, EventFact, Facts, Heard, Install, Line, Powers, Scope, SettingsFile, StopCap, event};
use crate::commands::{CommandFormat, CommandKey, Commands};
use crate::detect::Signs;
use crate::dialect::{self, Accent, RewriteStyle};
use crate::lenient::Members;
use crate::outcome;
use crate::tool::{Does, McpName, Tool, tool};

pub(super) static CLIENT: Client = Client {
    facts: Facts {
        title: "Qwen Code",
        program: "qwen",
        checked: "0.24.4",
        traces: &[".qwen", "QWEN.md"],
        project_vars: &["QWEN_PROJECT_DIR"],
        events: EVENTS,
        // `stopHookBlockingCap` in its settings changes it too.
        stop_cap: StopCap::Blocks {
            most: 8,
            but_last: true,
            variable: Some("QWEN_CODE_STOP_HOOK_BLOCK_CAP"),
            anew: false,
        },
        stops_alike: false,
        drops_compact_start: true,
        subagents: "start and stop events; calls carry agent_id",
        marks_calls: true,
        exit_status: true,
        shell_vars: &["QWEN_CODE"],
        settings: SETTINGS,
        install: Install {
            shape: Shape::Groups,
            project: Some(".qwen/settings.json"),
            local: None,
            user: user("settings.json"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "trust this folder in `qwen`; elsewhere it reads no project settings",
        },
        commands: Commands {
            format: CommandFormat::Markdown(&[CommandKey::Description]),
            project: ".qwen/commands/stead/{name}.md",
            user: user("commands/stead/{name}.md"),
            typed: "/stead:{name}",
            arguments: Some("{{args}}"),
            older: &[],
        },
    },
    decode,
    encode,
    outcome: outcome::report,
    claims,
    transcript: None,
};

const EVENTS: &[EventFact] = &[
    event("SessionStart", EventKind::SessionStart, Powers::CONTEXT),
    // A blocked prompt is dropped without a word to the person.
    event("UserPromptSubmit", EventKind::Prompt, Powers::DENY_CONTEXT),
    // `ask` was only read about (it denies headless); `updatedInput` and `additionalContext` were seen ignored.
    event("PreToolUse", EventKind::BeforeTool, Powers::DENY),
    // A block was seen ignored.
    event("PostToolUse", EventKind::AfterTool, Powers::CONTEXT),
    // Context here, and all answers to the next four, were only read about.
    event("PostToolUseFailure", EventKind::ToolFailed, Powers::NONE),
    event("PermissionRequest", EventKind::PermissionRequest, Powers::NONE),
    event("SubagentStart", EventKind::SubagentStart, Powers::NONE),
    event("SubagentStop", EventKind::SubagentStop, Powers::NONE),
    event("StopFailure", EventKind::StopFailed, Powers::NONE),
    event("Stop", EventKind::Stop, Powers::DENY),
    // The context steers the summary.
    event("PreCompact", EventKind::BeforeCompact, Powers::CONTEXT),
    event("PostCompact", EventKind::AfterCompact, Powers::NONE),
    event("UserPromptExpansion", EventKind::Other, Powers::CONTEXT),
    event("PostToolBatch", EventKind::Other, Powers::CONTEXT),
    event("Notification", EventKind::Notification, Powers::NONE),
    event("SessionEnd", EventKind::SessionEnd, Powers::NONE),
];

/// `save_memory` and skills are missing on purpose: they write, or load what runs.
const TOOLS: &[Tool] = &[
    tool("run_shell_command", Does::Run { command: "command", dir: "directory|dir_path" }),
    tool("write_file", Does::Write { path: "file_path", content: "content" }),
    tool("edit", Does::Edit { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" }),
    tool("notebook_edit", Does::Change { path: "notebook_path|file_path" }),
    tool("read_file", Does::Read { paths: &["file_path", "absolute_path"] }),
    tool("read_many_files", Does::Read { paths: &["paths", "include"] }),
    tool("list_directory", Does::Read { paths: &["path", "dir_path"] }),
    tool("glob", Does::Read { paths: &["path", "dir_path"] }),
    tool("grep_search", Does::Read { paths: &["path", "dir_path"] }),
    tool("agent", Does::Spawn { role: "subagent_type", task: "prompt" }),
    tool("task", Does::Spawn { role: "subagent_type", task: "prompt" }),
    tool("todo_write", Does::Nothing),
    tool("web_fetch", Does::Nothing),
    tool("web_search", Does::Nothing),
    tool("ask_user_question", Does::Nothing),
    tool("exit_plan_mode", Does::Nothing),
];

const ACCENT: Accent = Accent {
    events: EVENTS,
    tools: &[TOOLS],
    mcp: McpName::Double,
    plain: dialect::same_name,
    author,
    rewrite: RewriteStyle::Bare,
};

/// The prompt event fires before every model call; only what a person submitted says so.
fn author(wire: &Members<'_>) -> Author {
    if wire.raw("submitted_prompt").is_some() { Author::Person } else { Author::Machine }
}

const WATCH: &str = "off:/disableAllHooks=true";

const SETTINGS: &[SettingsFile] = &[
    SettingsFile { spot: project(".qwen/settings.json"), shape: Shape::Groups, watch: WATCH },
    SettingsFile { spot: user("settings.json"), shape: Shape::Groups, watch: WATCH },
];

const fn project(path: &'static str) -> Spot<'static> {
    Spot { base: Base::Project, path }
}

const fn user(path: &'static str) -> Spot<'static> {
    Spot { base: Base::Var { name: "QWEN_HOME", fallback: ".qwen" }, path }
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

/// Seconds; older builds read milliseconds, and all of them read values from 1000 on so.
const fn line(event: &'static str) -> Line {
    Line { event, matcher: None, timeout: 10 }
}

fn entry(line: &Line, command: &str, _: Scope) -> serde_json::Value {
    json!({"type": "command", "command": command, "name": format!("stead {}", line.event), "timeout": line.timeout})
}

fn decode<'a>(payload: &'a str, named: Option<&'a str>) -> serde_json::Result<Event<'a>> {
    dialect::decode(&ACCENT, payload, named)
}

fn encode(heard: &Heard<'_>, verdict: &Verdict) -> Reply {
    dialect::print(dialect::answer(&ACCENT, heard, verdict), "{}")
}

fn claims(signs: &Signs<'_>) -> bool {
    signs.session_is("QWEN_CODE_SESSION_ID")
        || signs.text_contains("transcript_path", "/.qwen/")
        // No other client sends both a written time and a permission mode.
        || (signs.is_text("timestamp") && signs.is_text("permission_mode") && signs.is_text("hook_event_name"))
}
