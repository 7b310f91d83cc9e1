use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_pipeline::{Origin, StageView, Termination, lint};

use crate::cli::Exit;
use crate::error::CliError;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// List, show and create stages
///
/// A stage is a folder: `stage.yaml`, `prompt.md`, and `fixtures/` with mock answers. Project stages are in
/// `.agent/stages`; they override built-in ones of the same name.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead stage list\n  stead stage show improve-plan\n  stead stage new tidy --from elegance"
)]
pub(crate) struct StageArgs {
    #[command(subcommand)]
    command: StageCommand,
}

#[derive(Subcommand)]
enum StageCommand {
    List(ListArgs),
    Show(ShowArgs),
    New(NewArgs),
}

/// List all stages, including the built-in ones
#[derive(Args)]
#[command(after_help = "Example:\n  stead stage list")]
struct ListArgs {
    /// Print them as JSON
    #[arg(long)]
    json: bool,
}

/// Print a stage's files
#[derive(Args)]
#[command(after_help = "Example:\n  stead stage show work")]
struct ShowArgs {
    /// The name of the stage
    name: String,
    /// Print its details as JSON
    #[arg(long)]
    json: bool,
}

/// Create a stage: a copy of another one, or a skeleton
#[derive(Args)]
#[command(after_help = "Examples:\n  stead stage new tidy --from elegance\n  stead stage new review")]
struct NewArgs {
    /// The name of the new stage
    name: String,
    /// The stage to copy, built-in or not
    #[arg(long, value_name = "STAGE")]
    from: Option<String>,
}

pub(crate) fn run(args: StageArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    match args.command {
        StageCommand::List(args) => list(&args, &room, ui)?,
        StageCommand::Show(args) => show(&args, &room, ui)?,
        StageCommand::New(args) => make(&args, &room, ui)?,
    }
    Ok(Exit::Done)
}

fn list(args: &ListArgs, room: &RunRoom, ui: &mut Ui) -> Result<(), CliError> {
    let catalog = room.catalog();
    let names = catalog.stages();
    let stages = names.iter().map(|(name, _)| catalog.stage(name)).collect::<Result<Vec<_>, _>>()?;
    if args.json {
        ui.json(&stages.iter().map(as_json).collect());
        return Ok(());
    }
    let width = stages.iter().map(|stage| stage.name.len()).max().unwrap_or(0);
    for stage in &stages {
        let ending = stage.termination.as_ref().map_or("?", ending);
        let about =
            if has_errors(stage) { "(has errors: `stead lint`)" } else { stage.description.as_deref().unwrap_or("") };
        ui.line(format!("{:width$}  {:<8}  {ending:<8}  {about}", stage.name, stage.origin.name()).trim_end());
    }
    Ok(())
}

fn show(args: &ShowArgs, room: &RunRoom, ui: &mut Ui) -> Result<(), CliError> {
    let stage = room.catalog().stage(&args.name)?;
    if args.json {
        let mut told = as_json(&stage);
        told["stage.yaml"] = stage.manifest.text.as_str().into();
        told["prompt.md"] = stage.prompt.text.as_str().into();
        told["findings"] = lint::as_json(&stage.findings);
        ui.json(&told);
        return Ok(());
    }
    for file in [&stage.manifest, &stage.prompt] {
        ui.line(format!("# --- {}", file.name));
        ui.line(file.text.trim_end_matches('\n'));
    }
    if has_errors(&stage) {
        ui.warning(format!("it has errors: `stead lint stage {}` shows them", stage.name));
    }
    Ok(())
}

fn make(args: &NewArgs, room: &RunRoom, ui: &mut Ui) -> Result<(), CliError> {
    room.project.require_marker()?;
    let catalog = room.catalog();
    let replaces = catalog.stages().contains(&(args.name.clone(), Origin::Builtin));
    for path in catalog.new_stage(&args.name, args.from.as_deref())? {
        ui.line(format!("wrote {}", room.project.short(&path).display()));
    }
    if replaces {
        ui.note(format!("it overrides the built-in stage `{}`", args.name));
    }
    ui.note(format!("next: edit its prompt, then `stead test stage {}`", args.name));
    Ok(())
}

fn has_errors(stage: &StageView) -> bool {
    stage.findings.iter().any(lint::Finding::is_error)
}

fn as_json(stage: &StageView) -> Value {
    json!({
        "name": stage.name,
        "origin": stage.origin.name(),
        "description": stage.description,
        "termination": stage.termination,
        "max_iterations": stage.max_iterations,
        "path": stage.manifest.path.as_ref().map(|path| path.to_string_lossy()),
        "errors": stage.findings.iter().filter(|finding| finding.is_error()).count(),
        "warnings": stage.findings.iter().filter(|finding| !finding.is_error()).count(),
    })
}

/// The termination in a word, as the file has it.
pub(crate) fn ending(termination: &Termination) -> &'static str {
    match termination {
        Termination::Fixed => "fixed",
        Termination::Judgment { .. } => "judgment",
        Termination::Queue { .. } => "queue",
        Termination::Promise { .. } => "promise",
    }
}
