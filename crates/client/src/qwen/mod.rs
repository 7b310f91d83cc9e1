//! Qwen Code. It documents rewriting and context before a tool, but honours neither.

use serde_json::json;
use stead_model::{Shape, Spot};

use crate::acp::Acp;
use crate::agents::{AgentFormat, AgentKey, AgentTool, Agents, Skills};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::{CommandFormat, CommandKey, Commands};
use crate::injected::Injected;
use crate::servers::{KnownBy, Servers};
use crate::settings::{Install, Line, Scope, SettingsFile, below, file, line, project, stop};
use crate::status_line::StatusLine;
use crate::todo::TodoTools;
use crate::window::Window;
use crate::{dialect, outcome};

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Qwen Code",
        program: "qwen",
        checked: "0.24.4",
        traces: &[".qwen", "QWEN.md"],
        instructions: "QWEN.md",
        project_vars: &["QWEN_PROJECT_DIR"],
        events: payload::EVENTS,
        // `stopHookBlockingCap` in its settings changes it too.
        stop_cap: StopCap::Blocks {
            most: 8,
            excludes_last: true,
            variable: Some("QWEN_CODE_STOP_HOOK_BLOCK_CAP"),
            resets_on_tool_use: false,
        },
        window: Window { notes_held_stops: true, hides: &["calls a continued turn a hook error"], ..Window::PLAIN },
        todos: TodoTools::whole("todo_write"),
        injected: Injected {
            blocks: &["session_context", "hook_context", "state_snapshot"],
            wraps: &[],
            openings: &["This is the Qwen Code. We are setting up the context"],
        },
        stops_alike: false,
        drops_compact_start: true,
        server_word: None,
        hides_typing: false,
        starts_sessions: false,
        subagents: "start and stop events; calls carry agent_id",
        marks_calls: true,
        typed_by: Some(dialect::EXPANSION),
        exit_status: ExitStatus::All,
        lost_after_tool: None,
        reason_cap: None,
        shell_vars: &["QWEN_CODE"],
        acp: Acp::same("qwen --acp"),
        settings: SETTINGS,
        switches: switches::SWITCHES,
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
        servers: Servers {
            project: Some(".qwen/settings.json"),
            user: Some(user("settings.json")),
            known_by: KnownBy::Test,
            ..Servers::JSON
        },
        status_line: Some(StatusLine {
            keys: &["ui", "statusLine"],
            project: Some(".qwen/settings.json"),
            ..StatusLine::json(user("settings.json"))
        }),
        commands: Commands {
            format: CommandFormat::Markdown(&[CommandKey::Description]),
            project: ".qwen/commands/stead/{name}.md",
            user: user("commands/stead/{name}.md"),
            typed: "/stead:{name}",
            arguments: Some("{{args}}"),
            older: &[],
        },
        agents: Agents {
            format: AgentFormat::Markdown(&[AgentKey::Tools(TOOLS)]),
            project: ".qwen/agents/{name}.md",
            user: user("agents/{name}.md"),
            skills: Skills { project: ".qwen/skills/{name}/SKILL.md", user: user("skills/{name}/SKILL.md") },
            asks_first: false,
        },
    },
    read: payload::read,
    encode: payload::encode,
    outcome: outcome::report,
    claims: payload::claims,
    transcript: None,
    headless: headless::HEADLESS,
};

/// An agent with a list has only the tools of servers that the list names one by one.
const TOOLS: &[(AgentTool, &str)] = &[
    (AgentTool::Read, "read_file"),
    (AgentTool::Write, "write_file"),
    (AgentTool::Edit, "edit"),
    (AgentTool::Shell, "run_shell_command"),
    (AgentTool::Glob, "glob"),
    (AgentTool::Grep, "grep_search"),
    (AgentTool::Skill, "skill"),
];

const WATCH: &str = "off:/disableAllHooks=true same:/hooks/disabled off:/hooksConfig/enabled=false \
    same:/hooksConfig/disabled same:/security/folderTrust env:/env";

const SETTINGS: &[SettingsFile] =
    &[file(project(".qwen/settings.json"), Shape::Groups, WATCH), file(user("settings.json"), Shape::Groups, WATCH)];

const fn user(path: &'static str) -> Spot<'static> {
    below("QWEN_HOME", ".qwen", path)
}

const LINES: &[Line] = &[
    line("SessionStart"),
    line("UserPromptSubmit"),
    line(dialect::EXPANSION),
    line("PreToolUse"),
    line("PostToolUse"),
    line("PostToolUseFailure"),
    stop("Stop"),
    line("SubagentStart"),
    line("SubagentStop"),
    line("PreCompact"),
    line("PostCompact"),
    line("SessionEnd"),
];

/// Seconds; older builds use milliseconds, and all builds treat values from 1000 on as milliseconds.
fn entry(line: &Line, command: &str, _: Scope) -> serde_json::Value {
    json!({"type": "command", "command": command, "name": format!("stead {}", line.event), "timeout": line.timeout})
}
