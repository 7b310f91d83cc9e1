//! The feature list: what there is to do, how far it is, and what is next.

mod add;
mod claim;
mod decide;
mod edit;
mod export;
mod graph;
mod import;
mod list;
mod next;
mod report;
mod show;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_feature::{
    BY_AGENT, Document, Event, Outline, Queue, Readiness, Row, Rules, SessionState, Status, VERIFIERS_BY, transact,
};
use stead_pipeline::orchestrate::working_run;
use stead_store::{Layout, Room};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::project::{Project, now_millis};
use crate::ui::Ui;

/// The feature list: add, claim and report features, and see what is next
///
/// A feature is a piece of work with the commands that prove it. It becomes tested only with evidence: `report
/// --passed` runs its verifiers. Agents add, claim and report; only a person answers, unblocks, skips, edits and
/// imports.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead feature add login --title 'Sign in' --verifier 'cargo test login'\n  stead feature next\n  stead feature report login --passed"
)]
pub(crate) struct FeatureArgs {
    #[command(subcommand)]
    command: FeatureCommand,
}

#[derive(Subcommand)]
enum FeatureCommand {
    Add(add::AddArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Next(next::NextArgs),
    Claim(claim::ClaimArgs),
    Report(report::ReportArgs),
    Block(decide::BlockArgs),
    Unblock(decide::UnblockArgs),
    Skip(decide::SkipArgs),
    Answer(decide::AnswerArgs),
    Edit(edit::EditArgs),
    Graph(graph::GraphArgs),
    Export(export::ExportArgs),
    Import(import::ImportArgs),
}

pub(crate) fn run(args: FeatureArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    match args.command {
        FeatureCommand::Add(args) => add::run(args, &here, ui),
        FeatureCommand::List(args) => list::run(&args, &here, ui),
        FeatureCommand::Show(args) => show::run(&args, &here, ui),
        FeatureCommand::Next(args) => next::run(&args, &here, ui),
        FeatureCommand::Claim(args) => claim::run(&args, &here, ui),
        FeatureCommand::Report(args) => report::run(&args, &here, ui),
        FeatureCommand::Block(args) => decide::block(&args, &here, ui),
        FeatureCommand::Unblock(args) => decide::unblock(&args, &here, ui),
        FeatureCommand::Skip(args) => decide::skip(&args, &here, ui),
        FeatureCommand::Answer(args) => decide::answer(&args, &here, ui),
        FeatureCommand::Edit(args) => edit::run(args, &here, ui),
        FeatureCommand::Graph(args) => graph::run(&args, &here, ui),
        FeatureCommand::Export(args) => export::run(&args, &here, ui),
        FeatureCommand::Import(args) => import::run(&args, &here, ui),
    }
}

/// The project and its features folder.
struct Here {
    project: Project,
    room: PathBuf,
}

impl Here {
    fn find(ui: &Ui) -> Result<Self, CliError> {
        let project = Project::find(ui)?;
        project.require_marker()?;
        let room = Layout::of(&project.config).dir(project.root(), Room::Features);
        Ok(Self { room, project })
    }

    fn require_person(&self, what: &str) -> Result<(), CliError> {
        refuse_agents(what, Whose::Project, &self.project)
    }

    /// Applies an event and prints how the feature stands after it.
    fn apply(&self, event: &Event, as_json: bool, ui: &mut Ui) -> Result<Exit, CliError> {
        let id = event.feature().unwrap_or_default();
        transact(&self.room, |opened| {
            opened.require(&self.room)?;
            opened.apply(event, now_millis(), &Rules::default()).map_err(CliError::from)
        })?;
        self.tell(id, as_json, ui)
    }

    /// Prints how a feature stands.
    fn tell(&self, id: &str, as_json: bool, ui: &mut Ui) -> Result<Exit, CliError> {
        let (document, session) = (Document::require(&self.room)?, SessionState::read(&self.room)?);
        let queue = Queue::of(document.outline(), &session, now_millis());
        if let Some((row, ready)) = queue.iter().find(|(row, _)| row.id == id) {
            match as_json {
                true => ui.json(answer::FEATURE, &whole(&document, row, ready)?),
                false => ui.line(line(row, ready, &document.feature(id)?.title)),
            }
        }
        Ok(Exit::Done)
    }
}

/// Returns true if a run works on the list now.
fn is_worked_on(here: &Here) -> Result<bool, CliError> {
    let runs = Layout::of(&here.project.config).dir(here.project.root(), Room::Runs);
    Ok(working_run(&here.room, &runs)?.is_some())
}

/// One line of a list.
fn line(row: &Row, ready: &Readiness, title: &str) -> String {
    let note = note(row, ready).map(|note| format!("  ({note})")).unwrap_or_default();
    format!("{:<11}  {}  {title}{note}", row.status, row.id).trim_end().to_owned()
}

/// What a feature waits for, in a few words.
fn note(row: &Row, ready: &Readiness) -> Option<String> {
    match ready {
        Readiness::Claimed { owner, .. } => Some(format!("claimed by {owner}")),
        Readiness::Waits { on } => Some(format!("waits for {}", on.join(", "))),
        Readiness::Blocked { on: Some(on) } => Some(match row.question() {
            Some(question) => format!("asks: {question}"),
            None => format!("on {on}"),
        }),
        Readiness::Code if row.retries > 0 => Some("failed once".into()),
        Readiness::Code if row.status == Status::Claimed => Some("the claim expired".into()),
        _ => None,
    }
}

/// A feature as it counts, with who wrote its verifiers.
fn whole(document: &Document, row: &Row, ready: &Readiness) -> Result<Value, CliError> {
    let mut entry = described(document.value(&row.id)?, row, ready);
    if document.feature(&row.id)?.has_agent_verifiers() {
        entry[VERIFIERS_BY] = json!(BY_AGENT);
    }
    Ok(entry)
}

/// An entry with what follows from the whole list.
fn described(mut entry: Value, row: &Row, ready: &Readiness) -> Value {
    let (word, waits) = match ready {
        Readiness::Code => ("code", None),
        Readiness::Test => ("test", None),
        Readiness::Claimed { .. } => ("claimed", None),
        Readiness::Waits { on } => ("waits", Some(on)),
        Readiness::Blocked { .. } => ("blocked", None),
        Readiness::Done => ("done", None),
    };
    entry["status"] = json!(row.status);
    entry["ready"] = json!(word);
    if let Some(on) = waits {
        entry["waits_for"] = json!(on);
    }
    if let Readiness::Claimed { owner, expires } = ready {
        entry["claim"] = json!({"owner": owner, "expires_at": stead_model::rfc3339(*expires)});
    }
    entry
}

/// Fails with the nearest id if a feature is not in the list.
fn require<'a>(outline: &'a Outline, id: &str) -> Result<&'a Row, CliError> {
    Ok(outline.find(id)?)
}
