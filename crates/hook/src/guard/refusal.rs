//! Decides whether a command may be run for an agent. A loop's check, a packet's validators and a feature's verifiers
//! run outside the client's tools, so they are judged here first: they must not be a way around the gates.

use std::path::Path;

use stead_client::Harness;
use stead_model::{Action, Event, EventKind, ToolCall};

use super::examine::examine;
use crate::location::Env;

/// The session for which a command is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    pub harness: Harness,
    pub session: Option<&'a str>,
    pub rules: Rules,
}

/// What a command is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// As if the agent had typed it.
    All,
    /// A person wrote it, so it needs no intent.
    WithoutIntents,
}

/// Returns why the agent may not run this command in `cwd` itself; `None` if it may.
pub fn refusal(root: &Path, cwd: &Path, env: &Env, asker: Asker<'_>, command: &str) -> Option<String> {
    let facts = &asker.harness.client().facts;
    let native = facts.events.iter().find(|fact| fact.kind == EventKind::BeforeTool).map_or("", |fact| fact.native);
    let mut event = Event::new(EventKind::BeforeTool, native);
    event.session = asker.session.map(Into::into);
    let input = serde_json::json!({"command": command}).to_string();
    let action = Action::Run { command: command.into(), dir: None };
    event.call = Some(ToolCall { tool: "".into(), id: None, action, input: input.into() });
    let mut examined = examine(root, cwd, env, asker.harness, &event, None);
    if asker.rules == Rules::WithoutIntents {
        examined.intents = None;
    }
    examined.refusal()
}
