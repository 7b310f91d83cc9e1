//! Codex CLI. It rejects an answer with one unknown key, lets a denial without a reason pass, and
//! never ends a turn that a hook keeps alive.

use stead_model::{Shape, Spot, Syntax};

use crate::acp::Acp;
use crate::agents::{AgentFormat, Agents, SHARED_SKILLS};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::shared_skill;
use crate::injected::Injected;
use crate::outcome;
use crate::servers::{KnownBy, Servers};
use crate::settings::{Install, Line, SettingsFile, below, command_entry, line, project, stop};
use crate::todo::TodoTools;
use crate::window::Window;

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Codex CLI",
        program: "codex",
        checked: "0.169.0",
        traces: &[".codex"],
        instructions: "AGENTS.md",
        project_vars: &[],
        events: payload::EVENTS,
        stop_cap: StopCap::None,
        window: Window::PLAIN,
        todos: TodoTools::whole("update_plan"),
        injected: Injected {
            blocks: &[
                "environment_context", "user_instructions", "INSTRUCTIONS", "turn_aborted", "user_shell_command",
                "skill", "subagent_notification", "user_action", "collaboration_mode", "model_switch",
            ],
            wraps: &[],
            openings: &["# AGENTS.md instructions for ", "Another language model started to solve this problem"],
        },
        stops_alike: false,
        drops_compact_start: false,
        server_word: Some("app-server"),
        hides_typing: true,
        starts_sessions: false,
        subagents: "start and stop events; calls and prompts carry agent_id",
        marks_calls: true,
        typed_by: Some("UserPromptSubmit"),
        exit_status: ExitStatus::None,
        lost_after_tool: Some("calls no hook after a tool that ends in an error"),
        reason_cap: None,
        shell_vars: &["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_CI"],
        acp: Acp::same("codex-acp"),
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::Groups,
            project: Some(".codex/hooks.json"),
            local: None,
            user: user("hooks.json"),
            lines: LINES,
            entry: command_entry,
            whole: None,
            confirm: "run `/hooks` in `codex` and trust Stead's lines; until then, and after every change of them, it skips them silently",
        },
        servers: Servers {
            syntax: Syntax::Toml,
            table: "mcp_servers",
            project: Some(".codex/config.toml"),
            user: Some(user("config.toml")),
            known_by: KnownBy::Test,
            ..Servers::JSON
        },
        status_line: None,
        commands: shared_skill("$stead-{name}"),
        // It rejects a file without instructions, and one with a key that its configuration does not have.
        agents: Agents {
            format: AgentFormat::Toml,
            project: ".codex/agents/{name}.toml",
            user: user("agents/{name}.toml"),
            skills: SHARED_SKILLS,
            asks_first: false,
        },
    },
    read: payload::read,
    encode: payload::encode,
    outcome: outcome::unended,
    claims: payload::claims,
    transcript: Some(payload::transcript),
    headless: headless::HEADLESS,
};

/// An unknown top-level key makes it ignore the file, and it trusts a line by its position.
const HOOKS_WATCH: &str = "still:lines only:/=description,hooks";

/// Trust is stored per line in the user's configuration; a project marked untrusted runs no hooks at all.
const CONFIG_WATCH: &str = "still:lines off:/features/hooks=false off:/features/codex_hooks=false \
    off:/profiles/*/features/hooks=false off:/profiles/*/features/codex_hooks=false \
    off:/projects/{here}/trust_level=untrusted off:/hooks/state/{here}/enabled=false \
    trust:/hooks/state/{here}/trusted_hash \
    env:/shell_environment_policy/set env:/profiles/*/shell_environment_policy/set";

const SETTINGS: &[SettingsFile] = &[
    SettingsFile { spot: project(".codex/hooks.json"), shape: Shape::Groups, watch: HOOKS_WATCH },
    SettingsFile { spot: project(".codex/config.toml"), shape: Shape::TomlGroups, watch: CONFIG_WATCH },
    SettingsFile { spot: user("hooks.json"), shape: Shape::Groups, watch: HOOKS_WATCH },
    SettingsFile { spot: user("config.toml"), shape: Shape::TomlGroups, watch: CONFIG_WATCH },
    // `--profile name` adds such a file to the config.
    SettingsFile { spot: user("*.config.toml"), shape: Shape::TomlGroups, watch: CONFIG_WATCH },
];

const fn user(path: &'static str) -> Spot<'static> {
    below("CODEX_HOME", ".codex", path)
}

const LINES: &[Line] = &[
    line("SessionStart"),
    line("UserPromptSubmit"),
    line("PreToolUse"),
    line("PermissionRequest"),
    line("PostToolUse"),
    stop("Stop"),
    line("SubagentStart"),
    line("SubagentStop"),
    line("PreCompact"),
    line("PostCompact"),
    // Three seconds is the maximum here.
    Line { event: "SessionEnd", matcher: None, timeout: 3 },
];
