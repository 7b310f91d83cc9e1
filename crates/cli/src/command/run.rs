//! Runs a stage or a pipeline: compiles the plan, hands it to the engine, shows how it goes and how it ended.

mod asked;
mod background;

use std::path::PathBuf;

use clap::Args;
use stead_context::Shelf;
use stead_pipeline::custody::{Cancel, cancel_on_signals};
use stead_pipeline::{
    CompileOptions, DefinitionError, Engine, Plan, Purpose, RunFolder, Surroundings, changed_sources, compile, lint,
    parse_provider,
};

use crate::cli::Exit;
use crate::error::CliError;
use crate::progress::{Manner, Progress};
use crate::project::{env, now, now_millis};
use crate::run_report::RunReport;
use crate::run_room::RunRoom;
use crate::ui::Ui;

pub(crate) use asked::{Asked, Kind};

/// Run a stage or a pipeline of agents
///
/// Starts the agents headless, one fresh process per iteration, until each stage is done or reaches a bound. All they
/// leave is kept in `.agent/runs/RUN`. The plan is frozen when the run starts; `--resume` goes on with it where it
/// stopped and never repeats a finished iteration.
///
/// Exit codes: 0 done, 1 failed, 2 usage, 3 over but a stage reached its limit, 4 blocked on a person, 5 quota used up,
/// 130 cancelled.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead run stage improve-plan auth --max 5\n  stead run pipeline full-refine auth --background\n  stead run pipeline full-refine auth --resume"
)]
pub(crate) struct RunArgs {
    #[arg(value_enum)]
    kind: Kind,
    /// The name of the stage or pipeline
    name: String,
    /// What this run is called
    run: String,
    /// At most so many iterations of each stage
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max: Option<u32>,
    /// Who does the work: an agent program by its name, a program by its path, or `mock`
    #[arg(long)]
    provider: Option<String>,
    /// The model that the provider is asked for
    #[arg(long)]
    model: Option<String>,
    /// A file for the agents to read; may be repeated
    #[arg(long = "input", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// A packet for the agents to read, as `stead pickup` takes it: `latest`, or its id
    #[arg(long, value_name = "ID")]
    packet: Option<String>,
    /// Go on with a run that was begun
    #[arg(long, conflicts_with_all = ["max", "provider", "model", "inputs", "packet"])]
    resume: bool,
    /// Leave the run to an engine of its own, and return once that is at work
    #[arg(long)]
    background: bool,
    /// Print how the run ended as JSON, and nothing else
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: RunArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    // A reader that goes away must not take the engine with it.
    stead_store::ignore_broken_pipes();
    let room = RunRoom::find(ui)?;
    room.project.require_marker()?;
    let folder = room.folder(&args.run)?;
    let asked = Asked { kind: args.kind, name: args.name.clone() };
    let plan = if args.resume { begun(&asked, &room, &folder, ui)? } else { fresh(&args, &asked, &room, &folder, ui)? };
    if args.background {
        return background::start(&args, &room, &folder, ui);
    }
    let manner = if args.json { Manner::Silent } else { Manner::for_people() };
    let report = execute(&room, &folder, &plan, manner, if args.resume { Start::Again } else { Start::Fresh })?;
    if args.json {
        ui.json(&report.json());
    } else {
        report.tell_end(&room.project, ui);
    }
    Ok(report.exit())
}

/// Whether a run begins or goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    Fresh,
    Again,
}

/// Lets an engine work on the run until it ends, in this process.
pub(crate) fn execute(
    room: &RunRoom,
    folder: &RunFolder,
    plan: &Plan,
    manner: Manner,
    start: Start,
) -> Result<RunReport, CliError> {
    let args = room.provider_args(plan)?;
    let progress = Progress::new(plan, manner);
    let cancel = Cancel::new();
    cancel_on_signals(&cancel).map_err(|source| CliError::internal("cannot listen to signals").because(source))?;
    let around = Surroundings {
        root: room.project.root(),
        env: &env,
        now: &now_millis,
        provider_args: &|name| args.get(name).cloned().unwrap_or_default(),
        observer: &progress,
        cancel,
    };
    let ended = match start {
        Start::Fresh => Engine::start(plan, folder, &around),
        Start::Again => Engine::resume(folder, &around),
    };
    progress.finish();
    ended?;
    RunReport::read(folder)
}

/// The plan of a run that was begun, if it is what was asked for.
fn begun(asked: &Asked, room: &RunRoom, folder: &RunFolder, ui: &mut Ui) -> Result<Plan, CliError> {
    let plan = folder.plan().map_err(|error| CliError::from(error).into_usage())?;
    let own = Asked::of(&plan);
    if own != *asked {
        let message = format!("run `{}` is one of {own}, not of {asked}", folder.name());
        return Err(CliError::usage(message).hinted(format!("go on with it by `{}`", own.resume(folder.name()))));
    }
    for path in changed_sources(&room.catalog(), &plan) {
        ui.warning(format!("`{path}` has changed since the run began; the run keeps to its plan"));
    }
    Ok(plan)
}

/// A plan made now.
fn fresh(args: &RunArgs, asked: &Asked, room: &RunRoom, folder: &RunFolder, ui: &mut Ui) -> Result<Plan, CliError> {
    if folder.is_begun() {
        let hint = format!("go on with it by `{}`, or choose another name", asked.resume(folder.name()));
        return Err(CliError::usage(format!("there is a run `{}` already", folder.name())).hinted(hint));
    }
    room.project.warn(ui);
    let provider = match args.provider.as_deref().map(|typed| (typed, parse_provider(typed))) {
        None => None,
        Some((_, Ok(provider))) => Some(provider),
        Some((typed, Err(hint))) => {
            return Err(CliError::usage(format!("there is no provider `{typed}`")).hinted(hint));
        }
    };
    let dir = ui.dir()?;
    let mut inputs = match &args.packet {
        Some(wanted) => vec![packet(wanted, room)?],
        None => Vec::new(),
    };
    inputs.extend(args.inputs.iter().map(|path| stead_store::clean(&dir.join(path))));
    let options = CompileOptions {
        run: folder.name().to_owned(),
        max: args.max,
        provider,
        model: args.model.clone(),
        default_provider: room.default_provider(),
        inputs,
        now: now(),
        purpose: Purpose::Run,
    };
    let talk = if args.json { Talk::Errors } else { Talk::All };
    compiled(asked, room, &options, talk, ui)
}

/// The file of a packet. One that cannot be found is a mistake in the command line.
fn packet(wanted: &str, room: &RunRoom) -> Result<PathBuf, CliError> {
    let shelf = Shelf::new(&room.project.context());
    let id = shelf.find(wanted).map_err(|error| CliError::from(error).into_usage())?;
    Ok(shelf.path(&id))
}

/// Which findings of a definition are told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    Errors,
    All,
}

/// Makes the plan, and shows what is wrong with its sources.
pub(crate) fn compiled(
    asked: &Asked,
    room: &RunRoom,
    options: &CompileOptions,
    talk: Talk,
    ui: &mut Ui,
) -> Result<Plan, CliError> {
    match compile(&room.catalog(), asked.what(), options) {
        Ok(made) => {
            if talk == Talk::All {
                show(&made.warnings, ui);
            }
            Ok(made.plan)
        }
        Err(error) => {
            if let DefinitionError::Faulty { findings, .. } = &error {
                show(findings, ui);
            }
            Err(error.into())
        }
    }
}

fn show(findings: &[lint::Finding], ui: &mut Ui) {
    for finding in findings {
        ui.note(lint::render(finding).trim_end());
    }
}
