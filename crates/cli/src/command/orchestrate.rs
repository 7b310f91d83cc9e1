//! Works on the feature list headless: a run of the engine whose workers take one feature after the other.

mod switch;

use std::path::PathBuf;
use std::process::Command;

use clap::Args;
use stead_client::Harness;
use stead_feature::Outline;
use stead_pipeline::orchestrate::{Judge, Orchestrate, OrchestratePlan, last_run, working_run};
use stead_pipeline::provider::check;
use stead_pipeline::{Change, EngineError, OnQuota, Plan, Provider, RunFolder};

use self::switch::Switch;
pub(crate) use self::switch::is_on;
use super::run::{Background, Start, execute};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::progress::Manner;
use crate::project::{env, now};
use crate::proof::ground;
use crate::run_report::{RunReport, shown};
use crate::run_room::RunRoom;
use crate::span::{dollars, seconds};
use crate::speaker::Speaker;
use crate::ui::Ui;

/// Work on the feature list with headless agents
///
/// Coding agents implement what is ready, testers test it, and Stead runs the verifiers: a feature is tested only with
/// evidence. Without a list, an initializer writes one. A feature that fails twice is blocked, and the others go on.
/// It is a run like others: `stead status`, `tail` and `stop` work on it, and `--resume` continues it.
///
/// Exit codes: 0 all tested or skipped, 1 one is blocked or the run failed, 2 usage, 3 a limit was reached, 4 one waits
/// for a person, 5 quota exhausted, 130 cancelled.
#[derive(Args)]
#[command(
    after_help = format!("Examples:\n  stead orchestrate --max-cost 20\n  stead orchestrate --provider {} --tester-provider {} --max-parallel 3 --worktrees\n  stead orchestrate --resume", Harness::NAMES[0], Harness::NAMES[1])
)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct OrchestrateArgs {
    #[command(subcommand)]
    switch: Option<Switch>,
    /// Who implements: the name of an agent program, the path of a program, or `mock`
    #[arg(long, value_name = "P", conflicts_with = "resume")]
    provider: Option<String>,
    /// Who tests, if it is another
    #[arg(long, value_name = "P", conflicts_with = "resume")]
    tester_provider: Option<String>,
    /// The model to request from the providers
    #[arg(long, conflicts_with = "resume")]
    model: Option<String>,
    /// How many agents may work at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64), conflicts_with = "resume")]
    max_parallel: u32,
    /// End when the agents have cost this much
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    max_cost: Option<f64>,
    /// End after this time, such as `90m` or `8h`
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    max_runtime: Option<u64>,
    /// The features to work on, by their ids
    #[arg(long, value_name = "A,B", value_delimiter = ',', conflicts_with = "resume")]
    features: Vec<String>,
    /// Give each feature its own git worktree and branch, and merge it when it is tested
    #[arg(long, conflicts_with = "resume")]
    worktrees: bool,
    /// Who may refuse a proven feature after a look at its change
    #[arg(long, value_name = "P", conflicts_with = "resume")]
    judge: Option<String>,
    /// A file with further instructions for the judge
    #[arg(long, value_name = "FILE", requires = "judge")]
    judge_prompt: Option<PathBuf>,
    /// Wait until a provider's quota is renewed, instead of ending with 5
    #[arg(long, conflicts_with = "resume")]
    wait_for_quota: bool,
    /// The name of the run; `orchestrate-1` and so on by default
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Continue the last run, or the one named by `--run`
    #[arg(long)]
    resume: bool,
    /// Run in the background; returns once the engine has started
    #[arg(long)]
    background: bool,
    /// Print the report as JSON, and nothing else
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: OrchestrateArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    if let Some(switch) = &args.switch {
        return switch::run(switch, ui);
    }
    // A closed output pipe must not end the engine.
    stead_store::ignore_broken_pipes();
    let room = RunRoom::find(ui)?;
    room.project.require_marker()?;
    if Speaker::calling(&room.project).agent(&room.project).is_some() {
        return Err(CliError::user("an agent may not start `stead orchestrate`").hinted("ask the person to start it"));
    }
    let features = ground(&room.project).features;
    // A list with an error is reported before anything starts.
    let outline = Outline::read(&features)?;
    let folder = room.folder(&name(&args, &room)?)?;
    if let Some((run, engine)) = working_run(&features, &room.dir())? {
        let holder = format!("process {}, since {}", engine.pid, engine.since);
        return Err(EngineError::ListTaken { run, holder }.into());
    }
    let plan = match args.resume {
        true => begun(&folder)?,
        false => fresh(&args, &room, &folder, outline.as_ref(), ui)?,
    };
    if args.background {
        let background = Background { room: &room, folder: &folder, json: args.json, resume: args.resume };
        return background.start(&mut command(&args, &folder, ui)?, ui);
    }
    let manner = if args.json { Manner::Silent } else { Manner::for_people() };
    let change = Change { max_runtime_seconds: args.max_runtime, max_cost_usd: args.max_cost, ..Change::default() };
    let start = if args.resume { Start::Again(&change) } else { Start::Fresh };
    let report = execute(&room, &folder, &plan, manner, start, ui)?;
    tell(&report, &args, &room, &folder, ui);
    Ok(report.exit())
}

/// The name of the run that is meant.
fn name(args: &OrchestrateArgs, room: &RunRoom) -> Result<String, CliError> {
    if let Some(name) = &args.run {
        return Ok(name.clone());
    }
    if args.resume {
        let none = || CliError::usage("there is no run to continue").hinted("start one without `--resume`");
        return last_run(&ground(&room.project).features)?.ok_or_else(none);
    }
    let names = (1..).map(|number| format!("{}-{number}", OrchestratePlan::NAME));
    let mut free = names.filter(|name| !room.dir().join(name).exists());
    Ok(free.next().unwrap_or_default())
}

/// The plan of an existing run.
fn begun(folder: &RunFolder) -> Result<Plan, CliError> {
    if !folder.is_begun() {
        return Err(folder.unknown().into());
    }
    let plan = folder.trusted_plan()?;
    match plan.orchestrate {
        Some(_) => Ok(plan),
        None => Err(CliError::usage(format!("run `{}` does not work on the feature list", folder.name()))
            .hinted("continue it with `stead run … --resume`")),
    }
}

fn fresh(
    args: &OrchestrateArgs,
    room: &RunRoom,
    folder: &RunFolder,
    outline: Option<&Outline>,
    ui: &mut Ui,
) -> Result<Plan, CliError> {
    if folder.is_begun() {
        let hint = format!("continue it with `stead orchestrate --resume --run {}`", folder.name());
        return Err(CliError::usage(format!("run `{}` already exists", folder.name())).hinted(hint));
    }
    for id in &args.features {
        match outline {
            Some(outline) => outline.find(id).map(drop)?,
            None => return Err(CliError::usage("there is no feature list to choose from")),
        }
    }
    room.project.warn(ui);
    let provider = provider(args.provider.as_deref(), room, ui)?;
    let tester = match &args.tester_provider {
        Some(typed) => self::provider(Some(typed), room, ui)?,
        None => provider.clone(),
    };
    if !args.json {
        match outline {
            None => ui.note("there is no feature list; an initializer writes one first"),
            Some(outline) => ui.note(format!("working on {}", outline.path.display())),
        }
    }
    let minutes = |key: &str| room.project.config.number(key).max(1).saturating_mul(60);
    let options = OrchestratePlan {
        run: folder.name().to_owned(),
        created_at: now(),
        provider,
        model: args.model.clone(),
        max_parallel: args.max_parallel,
        max_cost_usd: args.max_cost,
        max_runtime_seconds: args.max_runtime,
        on_quota: if args.wait_for_quota { OnQuota::Wait } else { OnQuota::Stop },
        orchestrate: Orchestrate {
            tester,
            only: args.features.clone(),
            worktrees: args.worktrees,
            timeout_seconds: minutes("orchestrate.timeout"),
            lease_seconds: minutes("orchestrate.lease"),
            judge: judge(args, room, ui)?,
        },
    };
    Ok(options.plan())
}

fn judge(args: &OrchestrateArgs, room: &RunRoom, ui: &Ui) -> Result<Option<Judge>, CliError> {
    let Some(typed) = &args.judge else { return Ok(None) };
    let read = |path: &PathBuf| {
        let path = ui.dir()?.join(path);
        let told = |source| CliError::usage(format!("could not read `{}`", path.display())).because(source);
        stead_store::read_text(&path).map_err(told)
    };
    let prompt = args.judge_prompt.as_ref().map(read).transpose()?.unwrap_or_default();
    Ok(Some(Judge { provider: provider(Some(typed), room, ui)?, prompt }))
}

/// A provider that can be started.
fn provider(typed: Option<&str>, room: &RunRoom, ui: &Ui) -> Result<Provider, CliError> {
    let provider = match typed {
        Some(typed) => room.typed_provider(typed, ui)?,
        None => room.default_provider(),
    };
    match check(&provider, room.project.root(), &env) {
        Ok(()) => Ok(provider),
        Err(error) => Err(CliError::usage(error.to_string()).hinted_if(error.hint())),
    }
}

/// This command, but for the background.
fn command(args: &OrchestrateArgs, folder: &RunFolder, ui: &Ui) -> Result<Command, CliError> {
    let mut command = Background::command(ui)?;
    command.args(["orchestrate", "--run", folder.name()]);
    let cost = args.max_cost.map(|cost| cost.to_string());
    let time = args.max_runtime.map(|seconds| format!("{seconds}s"));
    if args.resume {
        command.arg("--resume");
        for (option, value) in [("--max-cost", &cost), ("--max-runtime", &time)] {
            command.args(value.iter().flat_map(|value| [option, value.as_str()]));
        }
        return Ok(command);
    }
    command.args(["--max-parallel", &args.max_parallel.to_string()]);
    let judge_prompt = args.judge_prompt.as_ref().map(|path| path.to_string_lossy().into_owned());
    let features = Some(args.features.join(",")).filter(|features| !features.is_empty());
    let options = [
        ("--provider", &args.provider),
        ("--tester-provider", &args.tester_provider),
        ("--model", &args.model),
        ("--judge", &args.judge),
        ("--judge-prompt", &judge_prompt),
        ("--max-cost", &cost),
        ("--max-runtime", &time),
        ("--features", &features),
    ];
    for (option, value) in options {
        command.args(value.iter().flat_map(|value| [option, value.as_str()]));
    }
    for (option, is_set) in [("--worktrees", args.worktrees), ("--wait-for-quota", args.wait_for_quota)] {
        command.args(is_set.then_some(option));
    }
    Ok(command)
}

fn tell(report: &RunReport, args: &OrchestrateArgs, room: &RunRoom, folder: &RunFolder, ui: &mut Ui) {
    let file = |name: &str| folder.path().join(name);
    if args.json {
        let text = stead_store::read_text(&file("report.json")).unwrap_or_default();
        match serde_json::from_str(&text) {
            Ok(json) => ui.json(answer::ORCHESTRATE, &json),
            Err(_) => ui.json(answer::RUN, &report.json()),
        }
        return;
    }
    report.tell_end(&room.project, ui);
    if file("report.md").is_file() {
        ui.line(format!("report: {}", shown(&room.project, &file("report.md")).display()));
    }
}
