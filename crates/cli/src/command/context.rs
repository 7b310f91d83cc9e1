use clap::{Args, Subcommand};
use serde_json::json;
use stead_store::{Did, Done, Marker, find_root, holds_home, init};

use crate::answer;
use crate::cli::Exit;
use crate::command::init::{Answerer, begin_again, settle_place, trust_set_up};
use crate::error::CliError;
use crate::person::remember_at_setup;
use crate::project::{Project, env, now};
use crate::seal::refuse_former;
use crate::ui::Ui;

/// Manage the project's context: its marker, packets, loops and indexes
#[derive(Args)]
#[command(after_help = "Example:\n  stead context init")]
pub(crate) struct ContextArgs {
    #[command(subcommand)]
    command: ContextCommand,
}

#[derive(Subcommand)]
enum ContextCommand {
    Init(InitArgs),
}

/// Make this folder a project, or complete one
///
/// Creates the marker `.agent/context/root.json` and the folders around it in the project root: the nearest folder with
/// a marker, else the git root, else this folder. Existing files are not touched, so running it again changes nothing.
/// Folders in which earlier tools kept roles, intents, features, stages or pipelines stay in use.
#[derive(Args)]
#[command(after_help = "Example:\n  stead context init --json")]
struct InitArgs {
    /// Make exactly this folder a project, even inside another one
    #[arg(long)]
    here: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: ContextArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    match args.command {
        ContextCommand::Init(args) => run_init(&args, ui),
    }
}

fn run_init(args: &InitArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let dir = ui.dir()?;
    let root = if args.here { dir } else { find_root(&dir).dir().to_owned() };
    refuse_former(&root)?;
    let answerer = if ui.is_interactive() && !args.json { Answerer::Person } else { Answerer::Nobody };
    let is_home = !args.here && holds_home(&root, &env);
    if is_home && !settle_place(&Project::at(&root, ui), answerer, ui)? {
        ui.note("nothing was changed");
        return Ok(Exit::Failed);
    }
    let done = init(&root, &env, &now())?;
    begin_again(&root)?;
    let marker = Marker::read(&root)?;
    // First, before a look at the project finds the marker that this command made.
    let trusted = trust_set_up(&Project::at(&root, ui), &done, ui)?;
    remember_at_setup(&root, ui);
    if args.json {
        ui.json(
            answer::CONTEXT,
            &json!({
                "root": root.to_string_lossy(),
                "project_id": marker.project_id,
                "changed": done.iter().any(|done| done.did != Did::Kept),
                "done": done.iter().map(as_json).collect::<Vec<_>>(),
                "trusted": trusted,
            }),
        );
        return Ok(Exit::Done);
    }
    let mut changed = false;
    for Done { path, did } in &done {
        match did {
            Did::Created => ui.line(format!("created  {}", path.display())),
            Did::Adopted { room, because } => {
                ui.line(format!("adopted  {} as {} ({because})", path.display(), room.name()));
            }
            Did::Kept => continue,
        }
        changed = true;
    }
    for name in &trusted {
        ui.line(format!("trusted  {name}"));
    }
    let project = format!("project {} in {}", marker.project_id, root.display());
    ui.line(if changed { project } else { format!("{project} is complete; nothing to do") });
    Ok(Exit::Done)
}

fn as_json(done: &Done) -> serde_json::Value {
    let path = done.path.to_string_lossy();
    match &done.did {
        Did::Created => json!({"path": path, "did": "created"}),
        Did::Kept => json!({"path": path, "did": "kept"}),
        Did::Adopted { room, because } => {
            json!({"path": path, "did": "adopted", "room": room.name(), "because": because})
        }
    }
}
