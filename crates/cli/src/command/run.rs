//! Runs a stage or a pipeline: compiles the plan, hands it to the engine, and shows its progress and result.

mod background;
mod plan_args;
mod refuse;
mod target;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use stead_client::Harness;
use stead_context::Shelf;
use stead_hook::{Asker, Rules, command_effects, refusal};
use stead_ledger::intent::{IntentFile, Status};
use stead_ledger::{Selected, Selection};
use stead_model::FileId;
use stead_pipeline::custody::{Cancel, cancel_on_signals};
use stead_pipeline::orchestrate::FeatureSupport;
use stead_pipeline::preflight::count_queues;
use stead_pipeline::provider::ProviderError;
use stead_pipeline::{
    AgentIntent, Change, CompileOptions, DefinitionError, Engine, EngineError, EventLine, Observer, Plan, Provider,
    ReloadedLimits, RunEnd, RunFolder, Surroundings, changed_sources, compile, lint, provider,
};
use stead_store::{Layout, Room, StoreError};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::heard;
use crate::notify::Notifier;
use crate::precedents;
use crate::preflight;
use crate::progress::{Manner, Progress};
use crate::project::{env, now, now_millis, user_dirs};
use crate::proof::{ground, written};
use crate::run_report::RunReport;
use crate::run_room::RunRoom;
use crate::trusting::{refuse_frozen_plan, refuse_packet, refuse_plan, verifier_problem};
use crate::ui::Ui;

pub(crate) use background::Background;
pub(crate) use plan_args::PlanArgs;
pub(crate) use refuse::{Changed, refuse_for_agents};
pub(crate) use target::{Kind, Target};

/// Run a stage or a pipeline of agents
///
/// Starts the agents headless, one fresh process per iteration, until each stage is done or reaches a limit. All
/// results are kept in `.agent/runs/RUN`. The plan is frozen when the run starts; `--resume` continues where the run
/// stopped and never repeats a finished iteration. Options given with `--resume` change only what is still to be done.
///
/// Before it starts, it checks programs, queues, verification, trust and limits, and says what cannot work.
///
/// Exit codes: 0 done, 1 failed, 2 usage, 3 ended but a stage reached its limit, 4 blocked on a person, 5 quota
/// exhausted, 6 ended but unverified, 7 stopped because no hook of an agent arrived, 130 cancelled.
#[derive(Args)]
#[command(
    after_help = format!("Examples:\n  stead run stage improve-plan auth --max 5\n  stead run pipeline full-refine auth --background\n  stead run pipeline full-refine auth --resume\n  stead run stage improve-plan auth --resume --max 10 --provider {}\n  stead run pipeline full-refine auth --resume --max-runtime 4h --max-cost 20", Harness::NAMES[1])
)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    plan: PlanArgs,
    /// The name of this run
    run: String,
    /// A packet for the agents to read: `latest` or its id
    #[arg(long, value_name = "ID")]
    packet: Option<String>,
    /// Continue an existing run; the options above then change what is left of it
    #[arg(long)]
    resume: bool,
    /// Take the limits (`guardrails`, and those of the pipeline) from the files again, and nothing else of them
    #[arg(long, requires = "resume")]
    reload: bool,
    /// Replace a run of this name of which no agent ever started
    #[arg(long, conflicts_with = "resume")]
    replace: bool,
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
    let target = args.plan.target();
    let (plan, change) = match args.resume {
        true => {
            if let Some(held) = background::held(&folder) {
                return Err(held.into());
            }
            let plan = begun(&args, &target, &room, &folder, ui)?;
            let reload = args.reload.then(|| reload(&args, &target, &room, &folder, ui)).transpose()?;
            (plan, Change { reload, ..change(&args, &room, ui)? })
        }
        false => (fresh(&args, &target, &room, &folder, ui)?, Change::default()),
    };
    let changed = Changed { provider: change.provider.as_ref(), model: change.model.as_deref() };
    refuse_for_agents(&plan, changed, &room)?;
    match args.resume {
        true => {
            refuse_frozen_plan(&folder.plan_path(), &room.project)?;
            check(&Engine::ahead(&folder, &change, &now())?, &room, &args, ui)?;
        }
        false => {
            refuse_plan(&plan, &room)?;
            check(&plan, &room, &args, ui)?;
        }
    }
    if args.replace && folder.is_begun() {
        Engine::discard_unstarted(&folder, &env, &now())?;
    }
    if args.background {
        let background = Background { room: &room, folder: &folder, json: args.json, resume: args.resume };
        return background.start(&mut background::command(&args, ui)?, ui);
    }
    let manner = if args.json { Manner::Silent } else { Manner::for_people() };
    let start = if args.resume { Start::Again(&change) } else { Start::Fresh };
    if let Err(error) = engine(&room, &folder, &plan, manner, start)? {
        return Err(stuck(error, &target, &folder, ui));
    }
    let report = RunReport::read(&folder, ui)?;
    if args.json {
        ui.json(answer::RUN, &report.json());
    } else {
        report.tell_end(&room.project, ui);
    }
    Ok(report.exit())
}

/// Says what cannot work, and refuses to start it.
fn check(plan: &Plan, room: &RunRoom, args: &RunArgs, ui: &mut Ui) -> Result<(), CliError> {
    let mut concerns = preflight::concerns(plan, room);
    if args.background {
        // Otherwise the engine says so at once.
        concerns.extend(count_queues(plan, room.project.root()));
    }
    // What is left of a run is in no file that `dry-run` reads.
    preflight::refuse(&concerns, (!args.resume).then_some("`stead dry-run` shows everything"))?;
    if !args.json {
        preflight::tell(&concerns, ui);
    }
    Ok(())
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
    let changed = match start {
        Start::Again(change) => Changed { provider: change.provider.as_ref(), model: change.model.as_deref() },
        Start::Fresh => Changed::default(),
    };
    refuse_for_agents(plan, changed, room)?;
    match start {
        Start::Again(_) => refuse_frozen_plan(&folder.plan_path(), &room.project)?,
        Start::Fresh => refuse_plan(plan, room)?,
    }
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
    let tester = plan.orchestrate.as_ref().map(|options| &options.tester);
    let args = room.provider_args(plan.nodes.iter().map(|node| &node.provider).chain(changed).chain(tester))?;
    let before = folder.state().ok().flatten().map_or(0.0, |state| state.elapsed_seconds);
    let progress = Progress::new(plan, manner, before);
    let notifier = Notifier::new(&room.project, folder.name(), plan.nodes.len());
    let watchers = Watchers { progress: &progress, notifier: &notifier };
    let cancel = Cancel::new();
    cancel_on_signals(&cancel)
        .map_err(|source| CliError::internal("could not install signal handlers").because(source))?;
    let speaker = Harness::ALL[0];
    let support = FeatureSupport {
        ground: ground(&room.project),
        config: user_dirs().ok().map(|dirs| dirs.config),
        effects: &|ground, command| command_effects(ground, &env, command),
        wrote: &|who, paths| written(&room.project, who, paths),
        refusal: &|command| {
            let asker = Asker { harness: speaker, session: None, rules: Rules::WithoutIntents };
            refusal(room.project.root(), room.project.root(), &env, asker, command)
        },
        untrusted: &|feature| verifier_problem(&room.project, feature),
        add_precedents: &|command| precedents::add_to_task(&room.project, command),
    };
    let around = Surroundings {
        root: room.project.root(),
        env: &env,
        now: &now_millis,
        provider_args: &|name| args.get(name).cloned().unwrap_or_default(),
        bind_intent: &|named| bind(room, named),
        unheard: &heard::unheard,
        features: Some(&support),
        observer: &watchers,
        cancel,
    };
    let work = || match start {
        Start::Fresh => Engine::start(plan, folder, &around),
        Start::Again(change) => Engine::resume_changed(folder, change, &around),
    };
    let ended = answering(&around.cancel, &progress, work);
    progress.finish();
    // After the last state: a command that hangs or kills us costs nothing.
    if let Ok(end) = &ended {
        notifier.ended(end.status, end.reason.as_deref());
    }
    Ok(ended)
}

/// Those who observe a run.
struct Watchers<'a> {
    progress: &'a Progress,
    notifier: &'a Notifier<'a>,
}

impl Observer for Watchers<'_> {
    fn event(&self, line: &EventLine) {
        self.progress.event(line);
        self.notifier.event(line);
    }
}

/// Selects an intent for agents that the engine is about to start. Their session ids are not known yet.
fn bind(room: &RunRoom, named: &AgentIntent<'_>) -> Result<(), StoreError> {
    let (Ok(run), Ok(stage)) = (FileId::check(named.run), FileId::check(named.stage)) else { return Ok(()) };
    let path = Selection::run_path(&room.project.indexes(), &run, &stage);
    let selected = Selected { intent: named.intent.to_owned(), at: now(), claim: None };
    Selection::write(&path, None, Some(&selected))?;
    // Selecting starts an intent. One that does not exist or cannot be read blocks the agent with the reason.
    let intents = Layout::of(&room.project.config).dir(room.project.root(), Room::Intents);
    let _ = IntentFile::amend(&intents, |file| match file.find(named.intent)?.status {
        Status::Pending => file.with_status(named.intent, Status::InProgress),
        Status::InProgress | Status::Completed => Ok(None),
    });
    Ok(())
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
fn stuck(error: EngineError, target: &Target, folder: &RunFolder, ui: &Ui) -> CliError {
    let is_passing = matches!(error, EngineError::Store(_)) && folder.is_begun();
    let told = CliError::from(error);
    if is_passing { told.hinted_too(format!("continue with `{}`", target.resume(folder.name(), ui))) } else { told }
}

/// The plan of an existing run, if it is what was asked for.
fn begun(args: &RunArgs, target: &Target, room: &RunRoom, folder: &RunFolder, ui: &mut Ui) -> Result<Plan, CliError> {
    let plan = folder.trusted_plan()?;
    let own = Target::of(&plan);
    if own != *target {
        let message = format!("run `{}` is a run of {own}, not of {target}", folder.name());
        return Err(CliError::usage(message).hinted(format!("continue it with `{}`", own.resume(folder.name(), ui))));
    }
    for path in changed_sources(&room.catalog(), &plan) {
        let kept = if args.reload { "only its limits are taken" } else { "the run keeps its plan" };
        ui.warning(format!("`{path}` has changed since the run started; {kept}"));
    }
    Ok(plan)
}

/// The limits that the files set now. A person must trust the files, as if the run were new.
fn reload(
    args: &RunArgs,
    target: &Target,
    room: &RunRoom,
    folder: &RunFolder,
    ui: &mut Ui,
) -> Result<ReloadedLimits, CliError> {
    let options = CompileOptions { max: None, ..args.plan.options(folder.name(), room, None, Vec::new()) };
    let options = CompileOptions { max_runtime_seconds: None, max_cost_usd: None, ..options };
    let plan = compiled(target, room, &options, Talk::Errors, ui)?;
    refuse_plan(&plan, room)?;
    Ok(ReloadedLimits::of(&plan))
}

/// A newly compiled plan.
fn fresh(args: &RunArgs, target: &Target, room: &RunRoom, folder: &RunFolder, ui: &mut Ui) -> Result<Plan, CliError> {
    if let Some(held) = background::held(folder) {
        return Err(held.into());
    }
    if folder.is_begun() && !args.replace {
        return Err(exists(folder, ui));
    }
    room.project.warn(ui);
    let options = args.plan.options(folder.name(), room, provider(args, room, ui)?, inputs(args, room, ui)?);
    let talk = if args.json { Talk::Errors } else { Talk::All };
    compiled(target, room, &options, talk, ui)
}

/// The error if the name of a new run is taken.
fn exists(folder: &RunFolder, ui: &Ui) -> CliError {
    // It may be a run of something else, and it may need more iterations to continue.
    let own = folder.plan().map(|plan| Target::of(&plan).resume(folder.name(), ui)).ok();
    let report = RunReport::read(folder, ui).ok().and_then(|report| report.resume);
    let hint = match report.or(own) {
        Some(_) if folder.is_unstarted() => "no agent of it ever started; replace it with `--replace`".to_owned(),
        Some(resume) => format!("continue it with `{resume}`, or choose another name"),
        None => "choose another name".to_owned(),
    };
    CliError::usage(format!("run `{}` already exists", folder.name())).hinted(hint)
}

/// What an existing run should do differently from now on.
fn change(args: &RunArgs, room: &RunRoom, ui: &Ui) -> Result<Change, CliError> {
    let inputs = inputs(args, room, ui)?;
    if let Some(missing) = inputs.iter().find(|path| !path.is_file()) {
        return Err(DefinitionError::Input { path: missing.clone() }.into());
    }
    Ok(Change {
        max_iterations: args.plan.max,
        max_runtime_seconds: args.plan.max_runtime,
        max_cost_usd: args.plan.max_cost,
        reload: None,
        provider: provider(args, room, ui)?,
        model: args.plan.model.clone(),
        inputs: inputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
    })
}

/// The provider that was asked for, if it can be started.
fn provider(args: &RunArgs, room: &RunRoom, ui: &Ui) -> Result<Option<Provider>, CliError> {
    let Some(typed) = args.plan.provider.as_deref() else { return Ok(None) };
    let provider = room.typed_provider(typed, ui)?;
    match provider::check(&provider, room.project.root(), &env) {
        Ok(()) => Ok(Some(provider)),
        Err(error) => {
            let hint = match &error {
                ProviderError::NoSuchFile { .. } => Some("paths are relative to the current folder".to_owned()),
                error => error.hint(),
            };
            Err(CliError::usage(error.to_string()).hinted_if(hint))
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
    inputs.extend(args.plan.inputs(&dir));
    Ok(inputs)
}

/// The file of a packet. A missing one is a usage error.
fn packet(wanted: &str, room: &RunRoom) -> Result<PathBuf, CliError> {
    let shelf = Shelf::new(&room.project.context());
    let id = shelf.find(wanted).map_err(|error| CliError::from(error).into_usage())?;
    refuse_packet(&room.project, &shelf.path(&id))?;
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
    target: &Target,
    room: &RunRoom,
    options: &CompileOptions,
    talk: Talk,
    ui: &mut Ui,
) -> Result<Plan, CliError> {
    match compile(&room.catalog(), target.what(), options) {
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
