//! Gemini CLI. It reads stderr if stdout is empty, and treats any text with an exit code above 1 as a denial, so every
//! answer is JSON with exit code 0.

use serde_json::{Value, json};
use stead_model::Shape;

use crate::acp::{Acp, AcpHooks};
use crate::agents::{AgentFormat, AgentKey, AgentTool, Agents, SHARED_SKILLS};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::{CommandFormat, Commands};
use crate::injected::Injected;
use crate::outcome;
use crate::servers::{KnownBy, Servers};
use crate::settings::{Install, Line, Scope, SettingsFile, file, home, line, project, stop};
use crate::todo::TodoTools;
use crate::window::{Shown, Window};

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Gemini CLI",
        program: "gemini",
        checked: "0.61.0",
        traces: &[".gemini", "GEMINI.md"],
        instructions: "GEMINI.md",
        project_vars: &["GEMINI_PROJECT_DIR"],
        events: payload::EVENTS,
        // Its limit of 100 turns and its loop detector end a run; neither counts blocks.
        stop_cap: StopCap::Unknown,
        window: Window {
            denied: Shown::Nothing,
            denied_shell: Shown::Nothing,
            notes_held_stops: true,
            hides: &["calls a continued turn a request that failed"],
            ..Window::PLAIN
        },
        todos: TodoTools::whole("write_todos"),
        injected: Injected {
            blocks: &["session_context", "hook_context", "state_snapshot", "loaded_context"],
            wraps: &[],
            openings: &["This is the Gemini CLI. We are setting up the context"],
        },
        stops_alike: false,
        drops_compact_start: false,
        server_word: None,
        hides_typing: false,
        starts_sessions: false,
        subagents: "no events; calls do not name the agent",
        marks_calls: false,
        typed_by: None,
        exit_status: ExitStatus::None,
        lost_after_tool: None,
        reason_cap: None,
        shell_vars: &["GEMINI_CLI"],
        acp: Acp { start: "gemini --acp", hooks: AcpHooks::NoTools { words: &["--acp", "--experimental-acp"] } },
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::Groups,
            project: Some(".gemini/settings.json"),
            local: None,
            user: home(".gemini/settings.json"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "trust this folder in `gemini`; elsewhere it runs no project hooks, and it warns once about new ones",
        },
        servers: Servers {
            project: Some(".gemini/settings.json"),
            user: Some(home(".gemini/settings.json")),
            known_by: KnownBy::Test,
            ..Servers::JSON
        },
        status_line: None,
        commands: Commands {
            format: CommandFormat::Toml,
            project: ".gemini/commands/stead/{name}.toml",
            user: home(".gemini/commands/stead/{name}.toml"),
            typed: "/stead:{name}",
            arguments: Some("{{args}}"),
            older: &[],
        },
        // It ends an agent after 30 turns or 10 minutes by default, and rejects unknown keys.
        agents: Agents {
            format: AgentFormat::Markdown(&[
                AgentKey::Tools(TOOLS),
                AgentKey::Line("max_turns: 200"),
                AgentKey::Line("timeout_mins: 60"),
            ]),
            project: ".gemini/agents/{name}.md",
            user: home(".gemini/agents/{name}.md"),
            skills: SHARED_SKILLS,
            asks_first: true,
        },
    },
    read: payload::read,
    encode: payload::encode,
    outcome: outcome::unended,
    claims: payload::claims,
    transcript: None,
    headless: headless::HEADLESS,
};

/// One unknown name makes the definition invalid.
const TOOLS: &[(AgentTool, &str)] = &[
    (AgentTool::Read, "read_file"),
    (AgentTool::Write, "write_file"),
    (AgentTool::Edit, "replace"),
    (AgentTool::Shell, "run_shell_command"),
    (AgentTool::Glob, "glob"),
    (AgentTool::Grep, "grep_search"),
    (AgentTool::Skill, "activate_skill"),
    (AgentTool::Servers, "mcp_*"),
];

/// Earlier versions had the switches in `tools` and `hooks`. Folder trust turns the hooks off where there is no trust.
const WATCH: &str = "off:/hooksConfig/enabled=false same:/hooksConfig/disabled off:/tools/enableHooks=false \
    off:/hooks/enabled=false same:/hooks/disabled same:/security/folderTrust same:/admin";

const SETTINGS: &[SettingsFile] = &[
    file(project(".gemini/settings.json"), Shape::Groups, WATCH),
    file(home(".gemini/settings.json"), Shape::Groups, WATCH),
];

/// Without the model events, which would cost a process per chunk, and PreCompress, which does not indicate a
/// compaction.
const LINES: &[Line] = &[
    line("SessionStart"),
    line("BeforeAgent"),
    line("BeforeTool"),
    line("AfterTool"),
    stop("AfterAgent"),
    line("SessionEnd"),
];

/// Its timeouts are in milliseconds.
fn entry(line: &Line, command: &str, _: Scope) -> Value {
    json!({"type": "command", "command": command, "name": format!("stead {}", line.event), "timeout": line.timeout * 1000})
}
