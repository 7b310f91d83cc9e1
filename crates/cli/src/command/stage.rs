use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_pipeline::{StageView, Termination, lint};

use super::definition::{ListArgs, ShowArgs, about, tell_override, warn_of_errors, with_counts};
use crate::answer;
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
    /// List all stages, including the built-in ones
    #[command(after_help = "Example:\n  stead stage list")]
    List(ListArgs),
    /// Print a stage's files
    #[command(after_help = "Example:\n  stead stage show work")]
    Show(ShowArgs),
    New(NewArgs),
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
        ui.json(answer::STAGE_LIST, &stages.iter().map(as_json).collect());
        return Ok(());
    }
    let width = stages.iter().map(|stage| stage.name.len()).max().unwrap_or(0);
    for stage in &stages {
        let ending = stage.termination.as_ref().map_or("?", ending);
        let about = about(&stage.findings, stage.description.as_deref());
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
        told["fixtures"] = stage.fixtures.iter().map(|(name, text)| json!({"name": name, "text": text})).collect();
        told["findings"] = lint::as_json(&stage.findings);
        ui.json(answer::STAGE, &told);
        return Ok(());
    }
    for file in [&stage.manifest, &stage.prompt] {
        ui.line(format!("# --- {}", file.name));
        ui.line(file.text.trim_end_matches('\n'));
    }
    for (name, text) in &stage.fixtures {
        ui.line(format!("# --- fixtures/{name}"));
        ui.line(text.trim_end_matches('\n'));
    }
    warn_of_errors("stage", &stage.name, &stage.findings, ui);
    Ok(())
}

fn make(args: &NewArgs, room: &RunRoom, ui: &mut Ui) -> Result<(), CliError> {
    room.project.require_marker()?;
    let catalog = room.catalog();
    let known = catalog.stages();
    for path in catalog.new_stage(&args.name, args.from.as_deref())? {
        ui.line(format!("wrote {}", room.project.short(&path).display()));
    }
    tell_override("stage", &args.name, &known, ui);
    ui.note(format!("next: edit its prompt, then `stead test stage {}`", args.name));
    Ok(())
}

fn as_json(stage: &StageView) -> Value {
    let value = json!({
        "name": stage.name,
        "origin": stage.origin.name(),
        "description": stage.description,
        "termination": stage.termination,
        "max_iterations": stage.max_iterations,
        "path": stage.manifest.path.as_ref().map(|path| path.to_string_lossy()),
    });
    with_counts(value, &stage.findings)
}

/// The termination in a word, as the file has it.
pub(crate) fn ending(termination: &Termination) -> &'static str {
    match termination {
        Termination::Fixed => "fixed",
        Termination::Judgment { .. } => "judgment",
        Termination::Queue { .. } | Termination::Features { .. } => "queue",
        Termination::Promise { .. } => "promise",
    }
}
