//! Intents: what agents are allowed to work on. People decide, agents select and request.

mod change;
mod complete;
mod history;
mod list;
mod others;
mod request;
mod scope;
mod select;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_context::Binding;
use stead_ledger::intent::{Intent, IntentFile};
use stead_model::FileId;
use stead_store::{Layout, Room};

use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::project::Project;
use crate::session::calling_session;
use crate::ui::Ui;

/// What agents may work on: add, select and complete intents
///
/// An intent names a piece of work and the paths that belong to it. As soon as a project has an intents file, an agent
/// has to select an intent before it changes anything, and may only change what the intent owns. Only a person adds,
/// widens and reopens intents; an agent requests.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead intent add INT-001 --name 'Sign in' --scope 'src/auth/**'\n  stead intent select INT-001\n  stead intent request 'the docs are outdated' --intent INT-001 --scope docs/auth.md"
)]
pub(crate) struct IntentArgs {
    #[command(subcommand)]
    command: IntentCommand,
}

#[derive(Subcommand)]
enum IntentCommand {
    Add(change::AddArgs),
    List(list::ListArgs),
    Show(list::ShowArgs),
    Select(select::SelectArgs),
    Release(select::ReleaseArgs),
    Complete(complete::CompleteArgs),
    History(history::HistoryArgs),
    Scope(scope::ScopeArgs),
    Check(list::CheckArgs),
    Request(request::RequestArgs),
    Confirm(request::ConfirmArgs),
    Reject(request::RejectArgs),
    Widen(change::WidenArgs),
    Reopen(change::ReopenArgs),
}

pub(crate) fn run(args: IntentArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    match args.command {
        IntentCommand::Add(args) => change::add(&args, &here, ui),
        IntentCommand::List(args) => list::list(&args, &here, ui),
        IntentCommand::Show(args) => list::show(&args, &here, ui),
        IntentCommand::Select(args) => select::select(&args, &here, ui),
        IntentCommand::Release(args) => select::release(&args, &here, ui),
        IntentCommand::Complete(args) => complete::run(&args, &here, ui),
        IntentCommand::History(args) => history::run(&args, &here, ui),
        IntentCommand::Scope(args) => scope::run(&args, &here, ui),
        IntentCommand::Check(args) => list::check(&args, &here, ui),
        IntentCommand::Request(args) => request::request(&args, &here, ui),
        IntentCommand::Confirm(args) => request::confirm(&args, &here, ui),
        IntentCommand::Reject(args) => request::reject(&args, &here, ui),
        IntentCommand::Widen(args) => change::widen(&args, &here, ui),
        IntentCommand::Reopen(args) => change::reopen(&args, &here, ui),
    }
}

/// The context of the command: project, intents and session.
struct Here {
    project: Project,
    room: PathBuf,
    /// The session that the command was called in.
    caller: Option<Binding>,
}

impl Here {
    fn find(ui: &Ui) -> Result<Self, CliError> {
        let project = Project::find(ui)?;
        project.require_marker()?;
        let room = Layout::of(&project.config).dir(project.root(), Room::Intents);
        Ok(Self { room, caller: calling_session(&project), project })
    }

    fn file(&self) -> Result<IntentFile, CliError> {
        Ok(IntentFile::read(&self.room)?)
    }

    /// The calling session's id and its sub-agent, if it can have a selection.
    fn session(&self) -> Option<(FileId, Option<&str>)> {
        let binding = self.caller.as_ref()?;
        Some((FileId::check(&binding.session).ok()?, binding.agent.as_deref()))
    }

    fn require_person(&self, what: &str) -> Result<(), CliError> {
        refuse_agents(what, Whose::Project, &self.project)
            .map_err(|error| error.hinted("agents use `stead intent request`; a person runs it in a terminal"))
    }
}

fn as_json(intent: &Intent) -> Value {
    let mut value = json!(intent);
    value["approval"] = json!(if intent.needs_approval { "required" } else { "none" });
    if let Some(map) = value.as_object_mut() {
        map.remove("needs_approval");
    }
    value
}
