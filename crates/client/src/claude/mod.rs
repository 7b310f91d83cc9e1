//! Claude Code.

use serde_json::json;
use stead_model::{Shape, Spot};

use crate::agents::{AgentFormat, AgentKey, AgentTool, Agents, Skills};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::{CommandFormat, CommandKey, Commands};
use crate::servers::{KnownBy, Servers};
use crate::settings::{Install, Line, Scope, SettingsFile, below, command_entry, file, home, line, project, stop};
use crate::todo::TodoTools;
use crate::window::{Shown, Window};
use crate::{dialect, outcome};

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Claude Code",
        program: "claude",
        checked: "2.1.325",
        traces: &[".claude", "CLAUDE.md"],
        instructions: "CLAUDE.md",
        // Stays the folder the session was started in, even if the agent works in a worktree.
        project_vars: &["CLAUDE_PROJECT_DIR"],
        events: payload::EVENTS,
        stop_cap: StopCap::Blocks {
            most: 8,
            excludes_last: false,
            variable: Some("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"),
            resets_on_tool_use: true,
        },
        window: Window {
            denied_shell: Shown::FirstLine,
            notes_held_stops: true,
            hides: &["asks before an edit without showing why"],
            ..Window::PLAIN
        },
        todos: TodoTools { whole: "TodoWrite", add: "TaskCreate", change: "TaskUpdate" },
        stops_alike: false,
        drops_compact_start: false,
        subagents: "start and stop events; calls carry agent_id",
        marks_calls: true,
        typed_by: Some(dialect::EXPANSION),
        exit_status: ExitStatus::All,
        lost_after_tool: None,
        shell_vars: &["CLAUDECODE"],
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::Groups,
            project: Some(".claude/settings.json"),
            local: Some(".claude/settings.local.json"),
            user: user("settings.json"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "start `claude` in this folder once and trust it; until then, interactive sessions run no hooks",
        },
        servers: Servers {
            project: Some(".mcp.json"),
            by_hand: "it keeps its own file of servers; run `claude mcp add --scope user stead -- stead mcp`",
            confirm: Some("approve the MCP server `stead` when `claude` asks; headless sessions start it at once"),
            known_by: KnownBy::Test,
            ..Servers::JSON
        },
        // `/context`, `/loop` and `/goal` are built-in commands, so the folder is part of the name.
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
        agents: Agents {
            format: AgentFormat::Markdown(&[AgentKey::Tools(TOOLS), AgentKey::Skills]),
            project: ".claude/agents/{name}.md",
            user: user("agents/{name}.md"),
            skills: Skills { project: ".claude/skills/{name}/SKILL.md", user: user("skills/{name}/SKILL.md") },
            asks_first: false,
        },
    },
    decode: payload::decode,
    encode: payload::encode,
    outcome: outcome::streams,
    claims: payload::claims,
    transcript: Some(payload::transcript),
    headless: headless::HEADLESS,
};

/// There is no name for the tools of all servers.
const TOOLS: &[(AgentTool, &str)] = &[
    (AgentTool::Read, "Read"),
    (AgentTool::Write, "Write"),
    (AgentTool::Edit, "Edit"),
    (AgentTool::Shell, "Bash"),
    (AgentTool::Glob, "Glob"),
    (AgentTool::Grep, "Grep"),
    (AgentTool::Skill, "Skill"),
];

const WATCH: &str =
    "off:/disableAllHooks=true off:/allowManagedHooksOnly=true same:/strictPluginOnlyCustomization env:/env";

/// Without trust in the folder, interactive sessions run no hooks. The program keeps this file itself.
const TRUST_WATCH: &str = "same:/projects/*/hasTrustDialogAccepted same:/hasTrustDialogHooksAccepted env:/env";

const SETTINGS: &[SettingsFile] = &[
    settings(project(".claude/settings.json")),
    settings(project(".claude/settings.local.json")),
    settings(user("settings.json")),
    file(home(".claude.json"), Shape::Groups, TRUST_WATCH),
    file(user(".claude.json"), Shape::Groups, TRUST_WATCH),
];

const fn settings(spot: Spot<'static>) -> SettingsFile {
    SettingsFile { spot, shape: Shape::Groups, watch: WATCH }
}

const fn user(path: &'static str) -> Spot<'static> {
    below("CLAUDE_CONFIG_DIR", ".claude", path)
}

/// Only events that Stead uses: each event costs a process.
const LINES: &[Line] = &[
    line("SessionStart"),
    line("UserPromptSubmit"),
    line(dialect::EXPANSION),
    line("PreToolUse").any(),
    line("PermissionRequest").any(),
    line("PostToolUse").any(),
    line("PostToolUseFailure").any(),
    stop("Stop"),
    line("SubagentStart"),
    line("SubagentStop"),
    line("PreCompact"),
    line("PostCompact"),
    line("ConfigChange"),
    line("SessionEnd"),
];

fn entry(line: &Line, command: &str, scope: Scope) -> serde_json::Value {
    let mut entry = command_entry(line, command, scope);
    if scope.is_strict() && line.event == "PreToolUse" {
        // Otherwise a crash, a timeout or a missing program lets the tool run.
        entry["onFailure"] = json!("block");
    }
    entry
}
