//! Pi. It has no command hooks, so a small extension replaces them, which talks like the plugin of other clients.

use serde_json::Value;
use stead_model::{Shape, Spot};

use crate::acp::{Acp, AcpHooks};
use crate::agents::{AgentFormat, Agents, SHARED_SKILLS};
use crate::client::{Client, ExitStatus, Facts, StopCap};
use crate::commands::shared_skill;
use crate::injected::Injected;
use crate::servers::{KnownBy, Servers};
use crate::settings::{Install, Line, Scope, SettingsFile, below, file, line, project};
use crate::todo::TodoTools;
use crate::window::Window;
use crate::{outcome, plugin};

mod headless;
mod payload;
mod switches;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Pi",
        program: "pi",
        checked: "1.5.2",
        traces: &[".pi"],
        instructions: "AGENTS.md",
        project_vars: &[],
        events: payload::EVENTS,
        stop_cap: StopCap::Unknown,
        window: Window::PLAIN,
        todos: TodoTools { whole: "", add: "", change: "" },
        injected: Injected::NONE,
        stops_alike: false,
        drops_compact_start: false,
        server_word: None,
        hides_typing: false,
        starts_sessions: false,
        subagents: "it has none of its own",
        marks_calls: false,
        typed_by: None,
        exit_status: ExitStatus::All,
        lost_after_tool: None,
        reason_cap: None,
        shell_vars: &["PI_CODING_AGENT"],
        acp: Acp { start: "", hooks: AcpHooks::Unproven("it has no ACP mode of its own") },
        settings: SETTINGS,
        switches: switches::SWITCHES,
        install: Install {
            shape: Shape::Whole,
            project: Some(".pi/extensions/stead.js"),
            local: None,
            user: user("extensions/stead.js"),
            lines: LINES,
            entry,
            whole: Some(plugin::text!("Pi", "pi", "/src/pi/extension.js")),
            confirm: "start `pi` in this folder and trust it; elsewhere it loads no project extensions",
        },
        servers: Servers {
            project: Some(".pi/mcp.json"),
            user: Some(user("mcp.json")),
            known_by: KnownBy::Documentation,
            ..Servers::JSON
        },
        status_line: None,
        commands: shared_skill("/skill:stead-{name}"),
        // Only extensions read them.
        agents: Agents {
            format: AgentFormat::Markdown(&[]),
            project: ".pi/agents/{name}.md",
            user: user("agents/{name}.md"),
            skills: SHARED_SKILLS,
            asks_first: false,
        },
    },
    read: payload::read,
    encode: payload::encode,
    outcome: outcome::metadata,
    claims: |signs| plugin::is_of("pi", false, signs),
    transcript: None,
    headless: headless::HEADLESS,
};

/// Other extensions run beside Stead's and can change a call after it was judged.
const WATCH: &str = "same:/extensions same:/packages";

const SETTINGS: &[SettingsFile] = &[
    file(project(".pi/extensions/stead.js"), Shape::Whole, ""),
    file(user("extensions/stead.js"), Shape::Whole, ""),
    file(project(".pi/settings.json"), Shape::Groups, WATCH),
    file(user("settings.json"), Shape::Groups, WATCH),
];

const fn user(path: &'static str) -> Spot<'static> {
    below("PI_CODING_AGENT_DIR", ".pi/agent", path)
}

/// The events for which the extension calls Stead.
const LINES: &[Line] = &[
    line("session.created"),
    line("chat.message"),
    line("tool.execute.before"),
    line("tool.execute.after"),
    line("session.idle"),
    line("experimental.session.compacting"),
    line("session.compacted"),
    line("session.deleted"),
];

/// The extension is one file, not a list of entries.
fn entry(_: &Line, _: &str, _: Scope) -> Value {
    Value::Null
}
