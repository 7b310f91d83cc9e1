//! Turns the orchestrator in sessions on and off.

use clap::{Args, Subcommand};
use serde_json::json;
use stead_hook::{FLAG_OFF, FLAG_ON, SessionState};
use stead_model::FileId;
use stead_store::{CONFIG, Durability, set_value};

use crate::answer;
use crate::cli::Exit;
use crate::command::agent::{meant, open};
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::project::Project;
use crate::ui::Ui;

const KEY: &str = "orchestrate.in_session";

#[derive(Subcommand)]
pub(super) enum Switch {
    /// Tell the main agent what is next, and keep it working while features are ready
    ///
    /// Off by default. The agent is told at session start and when it wants to stop; after three reminders without a
    /// report it may stop.
    #[command(after_help = "Examples:\n  stead orchestrate on\n  stead orchestrate on --session 7c0e")]
    On(SwitchArgs),
    /// Let agents stop when they want
    #[command(after_help = "Example:\n  stead orchestrate off")]
    Off(SwitchArgs),
}

#[derive(Args)]
pub(super) struct SwitchArgs {
    /// Only for this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(switch: &Switch, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let (args, is_on) = match switch {
        Switch::On(args) => (args, true),
        Switch::Off(args) => (args, false),
    };
    refuse_agents("turn the orchestrator on or off", Whose::Project, &project)?;
    let word = if is_on { "on" } else { "off" };
    match &args.session {
        None => {
            set_value(&project.root().join(CONFIG), KEY, &is_on.to_string())?;
        }
        Some(session) => {
            let (session, harness) = meant(&project, Some(session))?;
            let (id, mut state) = open(&project, &session, harness.as_deref())?;
            state.flags.retain(|flag| flag != FLAG_ON && flag != FLAG_OFF);
            state.flags.push(if is_on { FLAG_ON } else { FLAG_OFF }.to_owned());
            state.write(&project.indexes(), &id, Durability::Synced)?;
        }
    }
    match (args.json, &args.session) {
        (true, session) => ui.json(answer::ORCHESTRATE_SWITCH, &json!({"in_session": is_on, "session": session})),
        (false, Some(session)) => ui.line(format!("the orchestrator is {word} for session {session}")),
        (false, None) => ui.line(format!("the orchestrator is {word} in the sessions of this project")),
    }
    Ok(Exit::Done)
}

/// Returns true if it is on for a session.
pub(crate) fn is_on(project: &Project, session: &str) -> bool {
    let state = FileId::check(session).ok().and_then(|id| SessionState::read(&project.indexes(), &id).ok().flatten());
    let has = |flag: &str| state.as_ref().is_some_and(|state| state.flags.iter().any(|known| known == flag));
    !has(FLAG_OFF) && (has(FLAG_ON) || project.config.bool(KEY))
}
