//! Runs a stage or a pipeline: compiles the plan, hands it to the engine, and shows its progress and result.

mod asked;
mod background;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use stead_context::Shelf;
use stead_pipeline::custody::{Cancel, cancel_on_signals};
use stead_pipeline::provider::ProviderError;
use stead_pipeline::{
    Change, CompileOptions, DefinitionError, Engine, EngineError, Plan, Provider, Purpose, RunEnd, RunFolder,
    Surroundings, changed_sources, compile, lint, provider,
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
/// Starts the agents headless, one fresh process per iteration, until each stage is done or reaches a limit. All
/// results are kept in `.agent/runs/RUN`. The plan is frozen when the run starts; `--resume` continues where the run
/// stopped and never repeats a finished iteration. Options given with `--resume` change only what is still to be done.
///
/// Exit codes: 0 done, 1 failed, 2 usage, 3 ended but a stage reached its limit, 4 blocked on a person, 5 quota
/// exhausted, 130 cancelled.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead run stage improve-plan auth --max 5\n  stead run pipeline full-refine auth --background\n  stead run pipeline full-refine auth --resume\n  stead run stage improve-plan auth --resume --max 10 --provider codex"
)]
pub(crate) struct RunArgs {
    #[arg(value_enum)]
    kind: Kind,
    /// The name of the stage or pipeline
    name: String,
    /// The name of this run
    run: String,
    /// Maximum iterations of each stage, overriding its file; a `fixed` stage runs exactly that many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max: Option<u32>,
    /// Who does the work: the name of an agent program, the path of a program, or `mock`
    #[arg(long)]
    provider: Option<String>,
    /// The model to request from the provider
    #[arg(long)]
    model: Option<String>,
    /// A file for the agents to read; can be repeated
    #[arg(long = "input", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// A packet for the agents to read: `latest` or its id
    #[arg(long, value_name = "ID")]
    packet: Option<String>,
    /// Continue an existing run; the options above then change what is left of it
    #[arg(long)]
    resume: bool,
    /// Run in the background; returns once the engine has started
    #[arg(long)]
    background: bool,
    /// Print the result as JSON, and nothing else
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: RunArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    // A closed output pipe must not end the engine.
    stead_store::ignore_broken_pipes();
    let room = RunRoom::find(ui)?;
    room.project.require_marker()?;
    let folder = room.folder(&args.run)?;
    let asked = Asked { kind: args.kind, name: args.name.clone() };
    let (plan, change) = match args.resume {
        true => (begun(&asked, &room, &folder, ui)?, change(&args, &room, ui)?),
        false => (fresh(&args, &asked, &room, &folder, ui)?, Change::default()),
    };
    if args.background {
        return background::start(&args, &room, &folder, ui);
    }
    let manner = if args.json { Manner::Silent } else { Manner::for_people() };
    let start = if args.resume { Start::Again(&change) } else { Start::Fresh };
    if let Err(error) = engine(&room, &folder, &plan, manner, start)? {
        return Err(stuck(error, &asked, &folder, ui));
    }
    let report = RunReport::read(&folder, ui)?;
    if args.json {
        ui.json(&report.json());
    } else {
        report.tell_end(&room.project, ui);
    }
    Ok(report.exit())
}

/// Whether a run starts or continues.
#[derive(Clone, Copy)]
pub(crate) enum Start<'a> {
    Fresh,
    /// With this changed.
    Again(&'a Change),
}

/// Lets an engine work on the run until it ends, in this process.
pub(crate) fn execute(
    room: &RunRoom,
    folder: &RunFolder,
    plan: &Plan,
    manner: Manner,
    start: Start<'_>,
    ui: &Ui,
) -> Result<RunReport, CliError> {
    engine(room, folder, plan, manner, start)??;
    RunReport::read(folder, ui)
}

fn engine(
    room: &RunRoom,
    folder: &RunFolder,
    plan: &Plan,
    manner: Manner,
    start: Start<'_>,
) -> Result<Result<RunEnd, EngineError>, CliError> {
    let changed = match start {
        Start::Again(change) => change.provider.as_ref(),
        Start::Fresh => None,
    };
    let args = room.provider_args(plan.nodes.iter().map(|node| &node.provider).chain(changed))?;
    let progress = Progress::new(plan, manner);
    let cancel = Cancel::new();
    cancel_on_signals(&cancel)
        .map_err(|source| CliError::internal("could not install signal handlers").because(source))?;
    let around = Surroundings {
        root: room.project.root(),
        env: &env,
        now: &now_millis,
        provider_args: &|name| args.get(name).cloned().unwrap_or_default(),
        observer: &progress,
        cancel,
    };
    let work = || match start {
        Start::Fresh => Engine::start(plan, folder, &around),
        Start::Again(change) => Engine::resume_changed(folder, change, &around),
    };
    let ended = answering(&around.cancel, &progress, work);
    progress.finish();
    Ok(ended)
}

/// Runs the engine, and reports a cancellation at once: the agents get their time before anything else is visible.
fn answering<T>(cancel: &Cancel, progress: &Progress, work: impl FnOnce() -> T) -> T {
    const LONG: Duration = Duration::from_secs(3600);
    /// Ends the listener, however the work ended.
    struct Over(Cancel);
    impl Drop for Over {
        fn drop(&mut self) {
            self.0.ask();
        }
    }
    let over = cancel.child();
    std::thread::scope(|scope| {
        let _over = Over(over.clone());
        scope.spawn(|| {
            while !over.wait(LONG) {}
            if cancel.is_set() {
                progress.say("stopping the agents; they have 5 seconds (press Ctrl-C again to kill them now)");
            }
        });
        work()
    })
}

/// An error after which the run can continue, once its cause is fixed, says so.
fn stuck(error: EngineError, asked: &Asked, folder: &RunFolder, ui: &Ui) -> CliError {
    let is_passing = matches!(error, EngineError::Store(_)) && folder.is_begun();
    let told = CliError::from(error);
    if is_passing { told.hinted_too(format!("continue with `{}`", asked.resume(folder.name(), ui))) } else { told }
}

/// The plan of an existing run, if it is what was asked for.
fn begun(asked: &Asked, room: &RunRoom, folder: &RunFolder, ui: &mut Ui) -> Result<Plan, CliError> {
    let plan = folder.trusted_plan()?;
    let own = Asked::of(&plan);
    if own != *asked {
        let message = format!("run `{}` is a run of {own}, not of {asked}", folder.name());
        return Err(CliError::usage(message).hinted(format!("continue it with `{}`", own.resume(folder.name(), ui))));
    }
    for path in changed_sources(&room.catalog(), &plan) {
        ui.warning(format!("`{path}` has changed since the run started; the run keeps its plan"));
    }
    Ok(plan)
}

/// A newly compiled plan.
fn fresh(args: &RunArgs, asked: &Asked, room: &RunRoom, folder: &RunFolder, ui: &mut Ui) -> Result<Plan, CliError> {
    if let Some(held) = background::held(folder) {
        return Err(held.into());
    }
    if folder.is_begun() {
        return Err(exists(args, folder, ui));
    }
    room.project.warn(ui);
    let options = CompileOptions {
        run: folder.name().to_owned(),
        max: args.max,
        provider: provider(args, room, ui)?,
        model: args.model.clone(),
        default_provider: room.default_provider(),
        inputs: inputs(args, room, ui)?,
        now: now(),
        purpose: Purpose::Run,
    };
    let talk = if args.json { Talk::Errors } else { Talk::All };
    compiled(asked, room, &options, talk, ui)
}

/// The error if the name of a new run is taken.
fn exists(args: &RunArgs, folder: &RunFolder, ui: &Ui) -> CliError {
    // It may be a run of something else, and it may need more iterations to continue.
    let own = folder.plan().map(|plan| Asked::of(&plan)).ok();
    let asked = own.unwrap_or_else(|| Asked { kind: args.kind, name: args.name.clone() });
    let report = RunReport::read(folder, ui).ok().and_then(|report| report.resume);
    let resume = report.unwrap_or_else(|| asked.resume(folder.name(), ui));
    let hint = format!("continue it with `{resume}`, or choose another name");
    CliError::usage(format!("run `{}` already exists", folder.name())).hinted(hint)
}

/// What an existing run should do differently from now on.
fn change(args: &RunArgs, room: &RunRoom, ui: &Ui) -> Result<Change, CliError> {
    let inputs = inputs(args, room, ui)?;
    if let Some(missing) = inputs.iter().find(|path| !path.is_file()) {
        return Err(DefinitionError::Input { path: missing.clone() }.into());
    }
    Ok(Change {
        max_iterations: args.max,
        provider: provider(args, room, ui)?,
        model: args.model.clone(),
        inputs: inputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
    })
}

/// The provider that was asked for, if it can be started.
fn provider(args: &RunArgs, room: &RunRoom, ui: &Ui) -> Result<Option<Provider>, CliError> {
    let Some(typed) = args.provider.as_deref() else { return Ok(None) };
    let provider = room.typed_provider(typed, ui)?;
    match provider::check(&provider, room.project.root(), &env) {
        Ok(()) => Ok(Some(provider)),
        Err(error) => {
            let told = CliError::usage(error.to_string());
            let hint = match error {
                ProviderError::NoSuchFile { .. } => Some("paths are relative to the current folder".to_owned()),
                error => error.hint(),
            };
            Err(hint.into_iter().fold(told, CliError::hinted))
        }
    }
}

/// The files for the agents to read, absolute.
fn inputs(args: &RunArgs, room: &RunRoom, ui: &Ui) -> Result<Vec<PathBuf>, CliError> {
    let dir = ui.dir()?;
    let mut inputs = match &args.packet {
        Some(wanted) => vec![packet(wanted, room)?],
        None => Vec::new(),
    };
    inputs.extend(args.inputs.iter().map(|path| stead_store::clean(&dir.join(path))));
    Ok(inputs)
}

/// The file of a packet. A missing one is a usage error.
fn packet(wanted: &str, room: &RunRoom) -> Result<PathBuf, CliError> {
    let shelf = Shelf::new(&room.project.context());
    let id = shelf.find(wanted).map_err(|error| CliError::from(error).into_usage())?;
    Ok(shelf.path(&id))
}

/// Which findings of a definition are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    Errors,
    All,
}

/// Compiles the plan, and shows what is wrong with its sources.
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
                warn(&made.warnings, ui);
            }
            Ok(made.plan)
        }
        Err(error) => {
            if let DefinitionError::Faulty { findings, .. } | DefinitionError::Alone { findings, .. } = &error {
                show(findings, ui);
            }
            Err(error.into())
        }
    }
}

/// One line each: whoever runs something wants to see it run.
fn warn(findings: &[lint::Finding], ui: &mut Ui) {
    for line in lint::brief(findings) {
        ui.warning(line);
    }
    // What a prompt leaves out is not rewritten.
    let is_older = |finding: &lint::Finding| {
        finding.severity == lint::Severity::Deprecation && !matches!(finding.code, lint::Code::L016 | lint::Code::L017)
    };
    if findings.iter().any(is_older) {
        ui.note("hint: `stead migrate pipelines` updates the older format; `stead lint` shows details");
    } else if !findings.is_empty() {
        ui.note("hint: `stead lint` shows details");
    }
}

fn show(findings: &[lint::Finding], ui: &mut Ui) {
    for finding in findings {
        ui.note(lint::render(finding).trim_end());
    }
}
