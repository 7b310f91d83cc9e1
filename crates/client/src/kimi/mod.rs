//! Kimi Code. It shows the model whatever a prompt hook prints, so a no-op prints nothing, and from JSON it reads only
//! a denial.

use serde_json::json;
use stead_model::{Shape, Spot, Syntax};

use crate::acp::Acp;
use crate::agents::{AgentFormat, AgentKey, AgentTool, Agents, SHARED_SKILLS};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::shared_skill;
use crate::injected::Injected;
use crate::outcome;
use crate::servers::Servers;
use crate::settings::{Install, Line, Scope, SettingsFile, below, file, line, stop};
use crate::status_line::StatusLine;
use crate::todo::TodoTools;
use crate::window::Window;

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Kimi Code",
        program: "kimi",
        checked: "2.1.0",
        traces: &[],
        instructions: "AGENTS.md",
        project_vars: &[],
        events: payload::EVENTS,
        // The second stop of a turn does not even reach a hook.
        stop_cap: StopCap::Blocks { most: 1, excludes_last: false, variable: None, resets_on_tool_use: false },
        todos: TodoTools::whole("TodoList|SetTodoList"),
        injected: Injected { blocks: &["system"], ..Injected::NONE },
        stops_alike: true,
        drops_compact_start: false,
        server_word: None,
        hides_typing: false,
        starts_sessions: false,
        subagents: "start and stop events; neither calls nor the stop event that precedes a sub-agent's own name the agent",
        marks_calls: false,
        typed_by: None,
        exit_status: ExitStatus::None,
        lost_after_tool: Some("does not wait for the hook after a tool, and may end before it has run"),
        reason_cap: None,
        shell_vars: &[],
        acp: Acp::same("kimi acp"),
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::TomlList,
            // It reads no hooks from a project.
            project: None,
            local: None,
            user: user("config.toml"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "nothing, but restart running sessions of `kimi`",
        },
        window: Window { shows_context: true, hides: &["continues a turn without showing why"], ..Window::PLAIN },
        // It reads a file in the project, too, but no hooks from there, and without them no call has a session.
        servers: Servers {
            user: Some(user("mcp.json")),
            by_hand: "its hooks are read only from the user's settings, and so its server; install with `--user`",
            ..Servers::JSON
        },
        status_line: Some(StatusLine {
            syntax: Syntax::Toml,
            keys: &["status_line"],
            entry: |command| json!({"command": command}),
            ..StatusLine::json(user("tui.toml"))
        }),
        commands: shared_skill("/skill:stead-{name}"),
        agents: Agents {
            format: AgentFormat::Markdown(&[AgentKey::Tools(TOOLS)]),
            project: ".kimi-code/agents/{name}.md",
            user: user("agents/{name}.md"),
            skills: SHARED_SKILLS,
            asks_first: false,
        },
    },
    read: payload::read,
    encode: payload::encode,
    outcome: outcome::unended,
    claims: payload::claims,
    transcript: None,
    headless: headless::HEADLESS,
};

const TOOLS: &[(AgentTool, &str)] = &[
    (AgentTool::Read, "Read"),
    (AgentTool::Write, "Write"),
    (AgentTool::Edit, "Edit"),
    (AgentTool::Shell, "Bash"),
    (AgentTool::Glob, "Glob"),
    (AgentTool::Grep, "Grep"),
    (AgentTool::Skill, "Skill"),
    (AgentTool::Servers, "mcp__*"),
];

const SETTINGS: &[SettingsFile] = &[file(user("config.toml"), Shape::TomlList, "")];

const fn user(path: &'static str) -> Spot<'static> {
    below("KIMI_CODE_HOME", ".kimi-code", path)
}

const LINES: &[Line] = &[
    line("SessionStart"),
    line("UserPromptSubmit"),
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

/// Any other key makes it drop all hooks, including the person's own.
fn entry(line: &Line, command: &str, _: Scope) -> serde_json::Value {
    json!({"event": line.event, "command": command, "timeout": line.timeout})
}
