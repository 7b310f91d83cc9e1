//! Cursor. From its documentation of September 2026 and its bundle 2026.09.18; never run. Its SDK 1.0.32 was: it raised
//! four events without a call, and ran a project's hooks without asking for trust. Cursor also runs the hook lines in
//! another client's settings, and a permission event without valid JSON blocks.

use serde_json::{Value, json};
use stead_model::Shape;

use crate::acp::{Acp, AcpHooks};
use crate::agents::{AgentFormat, Agents, SHARED_SKILLS};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::{CommandFormat, Commands};
use crate::injected::Injected;
use crate::outcome;
use crate::servers::Servers;
use crate::settings::{Install, Line, Scope, SettingsFile, file, home, line, project, stop};
use crate::status_line::StatusLine;
use crate::todo::TodoTools;
use crate::window::Window;

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Cursor",
        program: "cursor-agent",
        checked: "documentation of 2026.09, never run",
        traces: &[".cursor", ".cursorrules"],
        instructions: "AGENTS.md",
        project_vars: &["CURSOR_PROJECT_DIR"],
        events: payload::EVENTS,
        // Our lines remove its limit of 5; another client's lines have none.
        stop_cap: StopCap::None,
        window: Window::PLAIN,
        todos: TodoTools::whole("TodoWrite|todo_write"),
        injected: Injected {
            blocks: &[
                "attached_files",
                "open_and_recently_viewed_files",
                "additional_data",
                "current_file",
                "user_info",
            ],
            wraps: &["user_query"],
            openings: &[],
        },
        stops_alike: false,
        drops_compact_start: false,
        server_word: None,
        hides_typing: false,
        starts_sessions: false,
        subagents: "start and stop events; calls do not name the agent",
        marks_calls: false,
        typed_by: None,
        exit_status: ExitStatus::All,
        lost_after_tool: None,
        reason_cap: None,
        shell_vars: &["CURSOR_AGENT"],
        acp: Acp { start: "cursor-agent acp", hooks: AcpHooks::Unproven("the program was never run") },
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::Flat,
            project: Some(".cursor/hooks.json"),
            local: None,
            user: home(".cursor/hooks.json"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "open this folder in Cursor and trust it; untrusted workspaces run no project hooks",
        },
        servers: Servers { project: Some(".cursor/mcp.json"), user: Some(home(".cursor/mcp.json")), ..Servers::JSON },
        status_line: Some(StatusLine { only_existing: true, ..StatusLine::json(home(".cursor/cli-config.json")) }),
        commands: Commands {
            format: CommandFormat::Markdown(&[]),
            project: ".cursor/commands/stead-{name}.md",
            user: home(".cursor/commands/stead-{name}.md"),
            typed: "/stead-{name}",
            // The text after the command is appended to it.
            arguments: None,
            older: &[],
        },
        // It has no list of tools, only a switch that forbids writing.
        agents: Agents {
            format: AgentFormat::Markdown(&[]),
            project: ".cursor/agents/{name}.md",
            user: home(".cursor/agents/{name}.md"),
            skills: SHARED_SKILLS,
            asks_first: false,
        },
    },
    read: payload::read,
    encode: payload::encode,
    outcome: outcome::document,
    claims: payload::claims,
    transcript: None,
    headless: headless::HEADLESS,
};

/// One unknown event name makes it ignore the whole file.
const WATCH: &str = "only:/hooks=sessionStart,sessionEnd,beforeSubmitPrompt,preToolUse,postToolUse,postToolUseFailure,subagentStart,subagentStop,beforeShellExecution,afterShellExecution,beforeMCPExecution,afterMCPExecution,beforeReadFile,afterFileEdit,afterAgentResponse,afterAgentThought,preCompact,stop,beforeTabFileRead,afterTabFileEdit,workspaceOpen";

const SETTINGS: &[SettingsFile] =
    &[file(project(".cursor/hooks.json"), Shape::Flat, WATCH), file(home(".cursor/hooks.json"), Shape::Flat, WATCH)];

/// preToolUse covers shell, files and MCP, so the separate events are not needed.
const LINES: &[Line] = &[
    line("sessionStart"),
    line("beforeSubmitPrompt"),
    line("preToolUse"),
    line("postToolUse"),
    line("postToolUseFailure"),
    stop("stop"),
    line("subagentStart"),
    line("subagentStop"),
    line("preCompact"),
    line("sessionEnd"),
];

fn entry(line: &Line, command: &str, scope: Scope) -> Value {
    let mut entry = json!({"command": command, "timeout": line.timeout});
    if matches!(line.event, "stop" | "subagentStop") {
        // Stead bounds its loops itself.
        entry["loop_limit"] = Value::Null;
    }
    if scope.is_strict() && line.event == "preToolUse" {
        entry["failClosed"] = json!(true);
    }
    entry
}
