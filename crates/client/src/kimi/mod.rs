//! Kimi Code. It puts whatever a prompt hook prints before the model, so a no-op prints nothing, and
//! of JSON it reads a denial only.

use serde_json::json;
use stead_model::{Shape, Spot};

use crate::client::{Client, Facts, StopCap};
use crate::commands::shared_skill;
use crate::outcome;
use crate::settings::{Install, Line, Scope, SettingsFile, below, file, line, stop};

mod headless;
mod payload;

pub(crate) static CLIENT: Client = Client {
    facts: Facts {
        title: "Kimi Code",
        program: "kimi",
        checked: "2.1.0",
        traces: &[],
        project_vars: &[],
        events: payload::EVENTS,
        // The second stop of a turn does not even reach a hook.
        stop_cap: StopCap::Blocks { most: 1, but_last: false, variable: None, anew: false },
        stops_alike: true,
        drops_compact_start: false,
        subagents: "start and stop events; no mark on calls, nor on the stop that a sub-agent raises before its own",
        marks_calls: false,
        exit_status: false,
        shell_vars: &[],
        settings: SETTINGS,
        install: Install {
            shape: Shape::TomlList,
            // It reads no hooks from a project.
            project: None,
            local: None,
            user: user("config.toml"),
            lines: LINES,
            entry,
            whole: None,
            confirm: "nothing, but running sessions of `kimi` must be started anew",
        },
        commands: shared_skill("/skill:stead-{name}"),
    },
    decode: payload::decode,
    encode: payload::encode,
    outcome: outcome::unended,
    claims: payload::claims,
    transcript: None,
    headless: headless::HEADLESS,
};

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

/// Any further key makes it drop all hooks, the person's own included.
fn entry(line: &Line, command: &str, _: Scope) -> serde_json::Value {
    json!({"event": line.event, "command": command, "timeout": line.timeout})
}
