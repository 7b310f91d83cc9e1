//! GitHub Copilot CLI. Its own events have camelCase payloads without the event's name; for hook lines in another
//! client's settings it uses that client's dialect. An exit code other than 0 denies a tool but loses the reason, so
//! every answer is JSON with exit code 0.

use serde_json::{Value, json};
use stead_model::{Shape, Spot};

use crate::acp::Acp;
use crate::agents::{AgentFormat, AgentKey, AgentTool, Agents, SHARED_SKILLS};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::shared_skill;
use crate::injected::Injected;
use crate::outcome;
use crate::servers::{SERVER_ARGUMENTS, Servers};
use crate::settings::{Install, Line, Scope, SettingsFile, below, file, line, project, stop};
use crate::status_line::StatusLine;
use crate::todo::TodoTools;
use crate::window::Window;

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Copilot CLI",
        program: "copilot",
        checked: "1.0.102",
        traces: &[".github/hooks", ".github/copilot", ".github/copilot-instructions.md"],
        instructions: "AGENTS.md",
        project_vars: &[],
        events: payload::EVENTS,
        stop_cap: StopCap::Blocks { most: 8, excludes_last: false, variable: None, resets_on_tool_use: false },
        todos: TodoTools::whole("update_todo"),
        injected: Injected {
            blocks: &[
                "current_datetime", "reminder", "agent_instructions", "custom_instruction", "environment_context",
            ],
            ..Injected::NONE
        },
        stops_alike: false,
        drops_compact_start: false,
        server_word: None,
        hides_typing: false,
        starts_sessions: false,
        subagents: "start and stop events, not for its general-purpose agent; calls carry parentAgentId",
        marks_calls: true,
        typed_by: None,
        exit_status: ExitStatus::All,
        lost_after_tool: None,
        reason_cap: None,
        shell_vars: &["COPILOT_CLI"],
        acp: Acp::same("copilot --acp"),
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::Flat,
            project: Some(".github/hooks/stead.json"),
            local: None,
            user: user("hooks/stead.json"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "start `copilot` in this folder and trust it; project hooks run in trusted folders only",
        },
        window: Window {
            hides: &[
                "cuts the reason of a denied call at the edge of the window",
                "shows the prompt that continues a turn as if you had typed it",
            ],
            ..Window::PLAIN
        },
        servers: Servers {
            project: Some(".github/mcp.json"),
            user: Some(user("mcp-config.json")),
            entry: server,
            ..Servers::JSON
        },
        status_line: Some(StatusLine::json(user("settings.json"))),
        commands: shared_skill("/stead-{name}"),
        agents: Agents {
            format: AgentFormat::Markdown(&[AgentKey::Tools(TOOLS)]),
            project: ".github/agents/{name}.agent.md",
            user: user("agents/{name}.agent.md"),
            skills: SHARED_SKILLS,
            asks_first: false,
        },
    },
    read: payload::read,
    encode: payload::encode,
    outcome: outcome::last_line,
    claims: payload::claims,
    transcript: Some(payload::transcript),
    headless: headless::HEADLESS,
};

/// Its documented aliases; it ignores names that it does not know. Tools of servers have no common name.
const TOOLS: &[(AgentTool, &str)] = &[
    (AgentTool::Read, "read"),
    (AgentTool::Write, "edit"),
    (AgentTool::Edit, "edit"),
    (AgentTool::Shell, "execute"),
    (AgentTool::Glob, "search"),
    (AgentTool::Grep, "search"),
    (AgentTool::Skill, "skill"),
];

const WATCH: &str = "off:/disableAllHooks=true env:/env";

const SETTINGS: &[SettingsFile] = &[
    file(project(".github/hooks/*.json"), Shape::Flat, WATCH),
    file(project(".github/copilot/settings.json"), Shape::Groups, WATCH),
    file(project(".github/copilot/settings.local.json"), Shape::Groups, WATCH),
    file(user("hooks/*.json"), Shape::Flat, WATCH),
    file(user("settings.json"), Shape::Groups, WATCH),
    file(
        user("config.json"),
        Shape::Groups,
        "off:/disableAllHooks=true trust:/trusted_folders/{here} trust:/trustedFolders/{here}",
    ),
];

const fn user(path: &'static str) -> Spot<'static> {
    below("COPILOT_HOME", ".copilot", path)
}

const LINES: &[Line] = &[
    line("sessionStart"),
    line("userPromptSubmitted"),
    line("preToolUse"),
    line("postToolUse"),
    line("postToolUseFailure"),
    stop("agentStop"),
    line("subagentStart"),
    line("subagentStop"),
    line("preCompact"),
    line("sessionEnd"),
];

fn entry(line: &Line, command: &str, _: Scope) -> Value {
    json!({"type": "command", "bash": command, "timeoutSec": line.timeout})
}

fn server(program: &str) -> Value {
    json!({"type": "local", "command": program, "args": SERVER_ARGUMENTS, "tools": ["*"]})
}
