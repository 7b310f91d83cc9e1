use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_pipeline::{PipelineView, lint};

use super::definition::{ListArgs, ShowArgs, about, tell_override, warn_of_errors, with_counts};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// List, show and create pipelines
///
/// A pipeline is a YAML file with stages and their order. Project pipelines are in `.agent/pipelines`; they override
/// built-in ones of the same name.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead pipeline list\n  stead pipeline show ideas\n  stead pipeline new mine --from ideas"
)]
pub(crate) struct PipelineArgs {
    #[command(subcommand)]
    command: PipelineCommand,
}

#[derive(Subcommand)]
enum PipelineCommand {
    /// List all pipelines, including the built-in ones
    #[command(after_help = "Example:\n  stead pipeline list")]
    List(ListArgs),
    /// Print a pipeline's file
    #[command(after_help = "Example:\n  stead pipeline show full-refine")]
    Show(ShowArgs),
    New(NewArgs),
}

/// Create a pipeline: a copy of another one, or a skeleton
#[derive(Args)]
#[command(after_help = "Examples:\n  stead pipeline new mine --from ideas\n  stead pipeline new nightly")]
struct NewArgs {
    /// The name of the new pipeline
    name: String,
    /// The pipeline to copy, built-in or not
    #[arg(long, value_name = "PIPELINE")]
    from: Option<String>,
}

pub(crate) fn run(args: PipelineArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    match args.command {
        PipelineCommand::List(args) => list(&args, &room, ui)?,
        PipelineCommand::Show(args) => show(&args, &room, ui)?,
        PipelineCommand::New(args) => make(&args, &room, ui)?,
    }
    Ok(Exit::Done)
}

fn list(args: &ListArgs, room: &RunRoom, ui: &mut Ui) -> Result<(), CliError> {
    let catalog = room.catalog();
    let names = catalog.pipelines();
    let pipelines = names.iter().map(|(name, _)| catalog.pipeline(name)).collect::<Result<Vec<_>, _>>()?;
    if args.json {
        ui.json(answer::PIPELINE_LIST, &pipelines.iter().map(as_json).collect());
        return Ok(());
    }
    let width = pipelines.iter().map(|pipeline| pipeline.name.len()).max().unwrap_or(0);
    for pipeline in &pipelines {
        let about = about(&pipeline.findings, pipeline.description.as_deref());
        ui.line(format!("{:width$}  {:<8}  {about}", pipeline.name, pipeline.origin.name()).trim_end());
        let ids: Vec<&str> = pipeline.stages.iter().map(|(id, _)| id.as_str()).collect();
        ui.line(format!("{:width$}  {}", "", ids.join(", ")));
    }
    Ok(())
}

fn show(args: &ShowArgs, room: &RunRoom, ui: &mut Ui) -> Result<(), CliError> {
    let pipeline = room.catalog().pipeline(&args.name)?;
    if args.json {
        let mut told = as_json(&pipeline);
        told["text"] = pipeline.file.text.as_str().into();
        told["findings"] = lint::as_json(&pipeline.findings);
        ui.json(answer::PIPELINE, &told);
        return Ok(());
    }
    ui.line(format!("# --- {}", pipeline.file.name));
    ui.line(pipeline.file.text.trim_end_matches('\n'));
    warn_of_errors("pipeline", &pipeline.name, &pipeline.findings, ui);
    Ok(())
}

fn make(args: &NewArgs, room: &RunRoom, ui: &mut Ui) -> Result<(), CliError> {
    room.project.require_marker()?;
    let catalog = room.catalog();
    let known = catalog.pipelines();
    let path = catalog.new_pipeline(&args.name, args.from.as_deref())?;
    ui.line(format!("wrote {}", room.project.short(&path).display()));
    tell_override("pipeline", &args.name, &known, ui);
    ui.note(format!("next: edit it, then `stead dry-run pipeline {}`", args.name));
    Ok(())
}

fn as_json(pipeline: &PipelineView) -> Value {
    let stages = pipeline.stages.iter().map(|(id, template)| json!({"id": id, "template": template}));
    let value = json!({
        "name": pipeline.name,
        "origin": pipeline.origin.name(),
        "description": pipeline.description,
        "stages": stages.collect::<Vec<_>>(),
        "path": pipeline.file.path.as_ref().map(|path| path.to_string_lossy()),
    });
    with_counts(value, &pipeline.findings)
}
