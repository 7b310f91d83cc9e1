//! Grok Build. Its payloads carry its own camelCase names and, beside most of them, those of the shared dialect. It also runs
//! the hook lines in other clients' settings, with the same payloads.

use serde_json::json;
use stead_model::{Shape, Spot, Syntax};

use crate::acp::{Acp, AcpHooks};
use crate::agents::{AgentFormat, Agents, SHARED_SKILLS};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::{CommandFormat, CommandKey, Commands};
use crate::injected::Injected;
use crate::outcome;
use crate::servers::{KnownBy, Servers};
use crate::settings::{Install, Line, SettingsFile, below, command_entry, file, line, project, stop};
use crate::status_line::StatusLine;
use crate::todo::TodoTools;
use crate::window::Window;

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Grok Build",
        program: "grok",
        checked: "1.0.41",
        traces: &[".grok"],
        instructions: "AGENTS.md",
        project_vars: &["GROK_WORKSPACE_ROOT"],
        events: payload::EVENTS,
        stop_cap: StopCap::Blocks { most: 8, excludes_last: false, variable: None, resets_on_tool_use: false },
        window: Window::PLAIN,
        todos: TodoTools::whole("todo_write"),
        injected: Injected { blocks: &["user_info", "git_status"], wraps: &["user_query"], openings: &[] },
        stops_alike: false,
        drops_compact_start: false,
        server_word: None,
        hides_typing: false,
        starts_sessions: false,
        subagents: "start and stop events; calls carry subagentType, in a session of the sub-agent's own",
        marks_calls: true,
        typed_by: None,
        exit_status: ExitStatus::All,
        lost_after_tool: None,
        reason_cap: Some(256),
        shell_vars: &["GROK_AGENT"],
        acp: Acp { start: "", hooks: AcpHooks::Unproven("no ACP mode of it is known") },
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::Groups,
            project: Some(".grok/hooks/stead.json"),
            local: None,
            user: user("hooks/stead.json"),
            lines: LINES,
            entry: command_entry,
            whole: None,
            confirm: "start `grok` in this folder and trust it; it runs project hooks in trusted git repositories only",
        },
        servers: Servers {
            syntax: Syntax::Toml,
            table: "mcp_servers",
            project: Some(".grok/config.toml"),
            user: Some(user("config.toml")),
            known_by: KnownBy::Test,
            ..Servers::JSON
        },
        status_line: Some(StatusLine {
            syntax: Syntax::Toml,
            keys: &["ui", "status_line"],
            entry: |command| json!({"type": "command", "command": command}),
            colours: true,
            ..StatusLine::json(user("config.toml"))
        }),
        commands: Commands {
            format: CommandFormat::Markdown(&[CommandKey::Description]),
            project: ".grok/commands/stead-{name}.md",
            user: user("commands/stead-{name}.md"),
            typed: "/stead-{name}",
            arguments: Some("$ARGUMENTS"),
            older: &[],
        },
        agents: Agents {
            format: AgentFormat::Markdown(&[]),
            project: ".grok/agents/{name}.md",
            user: user("agents/{name}.md"),
            skills: SHARED_SKILLS,
            asks_first: false,
        },
    },
    read: payload::read,
    encode: payload::encode,
    outcome: outcome::fields,
    claims: payload::claims,
    transcript: None,
    headless: headless::HEADLESS,
};

/// Hooks of every program whose settings it reads are switched off by one key.
const CONFIG_WATCH: &str =
    "off:/allow_managed_hooks_only=true off:/allowManagedHooksOnly=true off:/compat/*/hooks=false";

const SETTINGS: &[SettingsFile] = &[
    file(project(".grok/hooks/*.json"), Shape::Groups, ""),
    file(user("hooks/*.json"), Shape::Groups, ""),
    file(user("config.toml"), Shape::TomlGroups, CONFIG_WATCH),
];

const fn user(path: &'static str) -> Spot<'static> {
    below("GROK_HOME", ".grok", path)
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
