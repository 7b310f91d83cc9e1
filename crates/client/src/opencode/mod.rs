//! OpenCode. It has no command hooks, so a small plugin replaces them.

use serde_json::{Value, json};
use stead_model::{Shape, Spot};

use crate::acp::Acp;
use crate::agents::{AgentFormat, AgentKey, Agents, SHARED_SKILLS};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::{CommandFormat, CommandKey, Commands};
use crate::injected::Injected;
use crate::servers::{KnownBy, SERVER_ARGUMENTS, Servers};
use crate::settings::{Install, Line, Scope, SettingsFile, below, file, line, project};
use crate::todo::TodoTools;
use crate::window::{Shown, Window};
use crate::{outcome, plugin};

mod headless;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "OpenCode",
        program: "opencode",
        checked: "1.18.33",
        traces: &[".opencode", "opencode.json", "opencode.jsonc"],
        instructions: "AGENTS.md",
        project_vars: &[],
        events: plugin::EVENTS,
        stop_cap: StopCap::Unknown,
        window: Window {
            denied: Shown::Nothing,
            denied_shell: Shown::Nothing,
            hides: &["shows the prompt that continues a turn as if you had typed it"],
            ..Window::PLAIN
        },
        todos: TodoTools::whole("todowrite"),
        injected: Injected::NONE,
        stops_alike: false,
        drops_compact_start: false,
        server_word: None,
        hides_typing: false,
        starts_sessions: false,
        subagents: "child sessions; the plugin names their parent",
        marks_calls: true,
        typed_by: Some("command.execute.before"),
        exit_status: ExitStatus::All,
        lost_after_tool: Some("calls no hook after a tool that failed"),
        reason_cap: None,
        shell_vars: &["OPENCODE"],
        acp: Acp::same("opencode acp"),
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::Whole,
            project: Some(".opencode/plugins/stead.js"),
            local: None,
            user: user("opencode/plugins/stead.js"),
            lines: LINES,
            entry,
            whole: Some(plugin::text!("OpenCode", "opencode", "/src/plugin.js")),
            confirm: "nothing, but restart running sessions of `opencode`",
        },
        servers: Servers {
            table: "mcp",
            project: Some("opencode.json"),
            user: Some(user("opencode/opencode.json")),
            entry: server,
            known_by: KnownBy::Test,
            ..Servers::JSON
        },
        // Of the two folder names it documents, the one that worked when tested.
        status_line: None,
        commands: Commands {
            format: CommandFormat::Markdown(&[CommandKey::Description]),
            project: ".opencode/command/stead-{name}.md",
            user: user("opencode/command/stead-{name}.md"),
            typed: "/stead-{name}",
            arguments: Some("$ARGUMENTS"),
            older: &[],
        },
        // Its list of tools is deprecated; its permissions only take away.
        agents: Agents {
            format: AgentFormat::Markdown(&[AgentKey::Line("mode: subagent")]),
            project: ".opencode/agent/{name}.md",
            user: user("opencode/agent/{name}.md"),
            skills: SHARED_SKILLS,
            asks_first: false,
        },
    },
    read: plugin::read,
    encode: plugin::encode,
    outcome: outcome::metadata,
    claims: |signs| plugin::is_of("opencode", true, signs),
    transcript: None,
    headless: headless::HEADLESS,
};

const SETTINGS: &[SettingsFile] = &[
    file(project(".opencode/plugins/stead.js"), Shape::Whole, ""),
    file(user("opencode/plugins/stead.js"), Shape::Whole, ""),
    file(project("opencode.json"), Shape::Groups, CONFIG_WATCH),
    file(project("opencode.jsonc"), Shape::Groups, CONFIG_WATCH),
    file(project(".opencode/opencode.json"), Shape::Groups, CONFIG_WATCH),
    file(project(".opencode/opencode.jsonc"), Shape::Groups, CONFIG_WATCH),
    file(user("opencode/opencode.json"), Shape::Groups, CONFIG_WATCH),
    file(user("opencode/opencode.jsonc"), Shape::Groups, CONFIG_WATCH),
];

/// Other plugins run beside Stead's and can change a call after it was judged.
const CONFIG_WATCH: &str = "same:/plugin";

const fn user(path: &'static str) -> Spot<'static> {
    below("XDG_CONFIG_HOME", ".config", path)
}

/// The events for which the plugin calls Stead.
const LINES: &[Line] = &[
    line("session.created"),
    line("command.execute.before"),
    line("chat.message"),
    line("tool.execute.before"),
    line("tool.execute.after"),
    line("experimental.text.complete"),
    line("session.idle"),
    line("experimental.session.compacting"),
    line("session.compacted"),
    line("session.deleted"),
];

/// The plugin is one file, not a list of entries.
fn entry(_: &Line, _: &str, _: Scope) -> Value {
    Value::Null
}

fn server(program: &str) -> Value {
    let command: Vec<&str> = std::iter::once(program).chain(SERVER_ARGUMENTS.iter().copied()).collect();
    json!({"type": "local", "command": command, "enabled": true})
}
