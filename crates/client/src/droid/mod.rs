//! Factory Droid, as it ran headless without an account. Exit code 3 aborts the agent. A failed tool raises no event.

use serde_json::{Value, json};
use stead_model::{Shape, Spot};

use crate::acp::Acp;
use crate::agents::{AgentFormat, AgentKey, AgentTool, Agents, SHARED_SKILLS};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::{CommandFormat, CommandKey, Commands};
use crate::injected::Injected;
use crate::outcome;
use crate::servers::{SERVER_ARGUMENTS, Servers};
use crate::settings::{Install, Line, SettingsFile, below, command_entry, file, line, project, stop};
use crate::status_line::StatusLine;
use crate::todo::TodoTools;
use crate::window::Window;

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Factory Droid",
        program: "droid",
        checked: "0.225.2",
        traces: &[".factory"],
        instructions: "AGENTS.md",
        project_vars: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
        events: payload::EVENTS,
        // It obeyed 60 blocks in a row.
        stop_cap: StopCap::None,
        window: Window {
            hides: &[
                "does not show why a call was denied",
                "shows what a hook answers at a stop as it was sent, in JSON",
            ],
            ..Window::PLAIN
        },
        todos: TodoTools::whole("TodoWrite"),
        injected: Injected::NONE,
        stops_alike: false,
        drops_compact_start: false,
        server_word: None,
        hides_typing: false,
        starts_sessions: true,
        subagents: "sessions of their own, whose start names the caller",
        marks_calls: true,
        // What its prompt event says about a typed command was not seen.
        typed_by: None,
        exit_status: ExitStatus::Successful,
        lost_after_tool: Some(
            "calls no hook after a tool that failed, such as a command that exits with another status than 0",
        ),
        reason_cap: None,
        shell_vars: &[],
        acp: Acp::same("droid exec --output-format acp"),
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::Groups,
            // Older builds read hooks from here only, never from `hooks.json`.
            project: Some(".factory/settings.json"),
            local: None,
            user: user(".factory/settings.json"),
            lines: LINES,
            entry: command_entry,
            whole: None,
            confirm: "start `droid` in this folder once and trust it, because interactive sessions skip hooks elsewhere; restart running ones",
        },
        servers: Servers {
            project: Some(".factory/mcp.json"),
            user: Some(user(".factory/mcp.json")),
            entry: server,
            ..Servers::JSON
        },
        // It does not search subfolders.
        status_line: Some(StatusLine {
            project: Some(".factory/settings.json"),
            local: Some(".factory/settings.local.json"),
            ..StatusLine::json(user(".factory/settings.json"))
        }),
        commands: Commands {
            format: CommandFormat::Markdown(&[CommandKey::Description, CommandKey::ArgumentHint]),
            project: ".factory/commands/stead-{name}.md",
            user: user(".factory/commands/stead-{name}.md"),
            typed: "/stead-{name}",
            arguments: Some("$ARGUMENTS"),
            older: &["handoff", "pickup"],
        },
        agents: Agents {
            format: AgentFormat::Markdown(&[AgentKey::Tools(TOOLS)]),
            project: ".factory/droids/{name}.md",
            user: user(".factory/droids/{name}.md"),
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

/// One unknown name makes the definition invalid. Tools of servers have no common name.
const TOOLS: &[(AgentTool, &str)] = &[
    (AgentTool::Read, "Read"),
    (AgentTool::Write, "Create"),
    (AgentTool::Edit, "Edit"),
    (AgentTool::Shell, "Execute"),
    (AgentTool::Glob, "Glob"),
    (AgentTool::Grep, "Grep"),
    (AgentTool::Skill, "Skill"),
];

const WATCH: &str = "off:/hooks/hooksDisabled=true off:/allowManagedHooksOnly=true";

/// A list in `hooks.json` replaces the list of the same event in `settings.json`, ours included.
const SHADOW: &str = "off:/hooksDisabled=true same:/SessionStart same:/UserPromptSubmit same:/PreToolUse same:/PostToolUse same:/Stop same:/SubagentStop same:/PreCompact same:/SessionEnd";

const SETTINGS: &[SettingsFile] = &[
    file(project(".factory/settings.json"), Shape::Groups, WATCH),
    file(project(".factory/settings.local.json"), Shape::Groups, WATCH),
    file(project(".factory/hooks.json"), Shape::BareGroups, SHADOW),
    file(project(".factory/hooks/hooks.json"), Shape::BareGroups, SHADOW),
    file(user(".factory/settings.json"), Shape::Groups, WATCH),
    file(user(".factory/settings.local.json"), Shape::Groups, WATCH),
    file(user(".factory/hooks.json"), Shape::BareGroups, SHADOW),
    file(user(".factory/hooks/hooks.json"), Shape::BareGroups, SHADOW),
];

/// The variable names the folder that is used as home.
const fn user(path: &'static str) -> Spot<'static> {
    below("FACTORY_HOME_OVERRIDE", "", path)
}

const LINES: &[Line] = &[
    line("SessionStart"),
    line("UserPromptSubmit"),
    line("PreToolUse").any(),
    line("PostToolUse").any(),
    stop("Stop"),
    line("SubagentStop"),
    line("PreCompact"),
    line("SessionEnd"),
];

fn server(program: &str) -> Value {
    json!({"type": "stdio", "command": program, "args": SERVER_ARGUMENTS, "disabled": false})
}
