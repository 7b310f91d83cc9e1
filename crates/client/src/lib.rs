//! What is known about each agent program, in one folder each: what it sends and which answers it supports, where its
//! settings are and how Stead's lines look there, its commands, how it is run headless and what it reports.
//!
//! A [`Client`] turns the program's JSON into an [`Event`](stead_model::Event) and a [`Verdict`](stead_model::Verdict)
//! into a [`Reply`](stead_model::Reply) for that program and that event. It judges nothing, and it does no I/O: the
//! environment reaches it as a function.

#[macro_use]
mod roster;

mod acp;
mod agents;
mod client;
mod commands;
mod detect;
mod dialect;
mod headless;
mod injected;
mod lenient;
mod original;
mod outcome;
mod plugin;
mod report;
mod servers;
mod settings;
mod status_line;
mod steps;
mod switches;
mod todo;
mod tool;
mod transcript;
mod window;

// One folder per agent program, and its line below.
mod claude;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod grok;
mod kilo;
mod kimi;
mod opencode;
mod pi;
mod qwen;

roster! {
    Claude = claude,
    Codex = codex,
    Gemini = gemini,
    Qwen = qwen,
    OpenCode = opencode,
    Copilot = copilot,
    Kimi = kimi,
    Droid = droid,
    Cursor = cursor,
    Grok = grok,
    Kilo = kilo,
    Pi = pi,
}

pub use acp::{Acp, AcpHooks};
pub use agents::{AgentFormat, AgentKey, AgentTool, Agents, Skills};
pub use client::{Client, EventFact, ExitStatus, Facts, Heard, Powers, StopCap, WarnBy};
pub use commands::{CommandFormat, CommandKey, Commands};
pub use detect::{Signs, detect, detect_unnamed, raising};
pub use headless::{Headless, PromptWay};
pub use injected::Injected;
pub use lenient::Members;
pub use original::{Original, original};
pub use outcome::Outcome;
pub use report::{Quota, Report};
pub use servers::{KnownBy, SERVER_ARGUMENTS, Servers};
pub use settings::{Scope, SettingsFile};
pub use status_line::{StatusInput, StatusLine};
pub use switches::{CommandSwitch, FileSwitch, Switches, VARIABLES, VariableSwitch};
pub use todo::{TodoChange, TodoItem, TodoTools};
pub use transcript::{Spoken, last_message};
pub use window::{Shown, Window, first};
