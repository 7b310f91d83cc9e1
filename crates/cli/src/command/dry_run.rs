use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use serde_json::{Value, json};
use stead_client::Harness;
use stead_pipeline::preflight::{Concern, Weight, count_queues};
use stead_pipeline::prompt::{Resolved, Vars, resolve, text_of};
use stead_pipeline::{
    BACK_OFF, Guardrails, Join, Node, OnFailure, OnLimit, OnQuota, Plan, Provider, RunFolder, Select, Termination,
    VerifyMust, provider,
};

use super::run::{Changed, PlanArgs, Talk, compiled, refuse_for_agents};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::preflight;
use crate::progress::elapsed;
use crate::run_room::RunRoom;
use crate::trusting::refuse_plan;
use crate::ui::{Ui, counted};

/// Show what a run would do, without doing it
///
/// Prints the plan (order, needs, branches) and, for each stage, the files of its first iteration, its inputs, how its
/// provider would be started, its limits, and the prompt as the agent would get it. Then it says what cannot work: missing
/// programs, empty queues, untrusted files, missing time limits. Writes nothing, and starts nothing but the commands that
/// count the queues of the first stages.
///
/// Exits with 1 if the run cannot work.
#[derive(Args)]
#[command(
    after_help = format!("Examples:\n  stead dry-run stage work auth\n  stead dry-run pipeline full-refine auth --provider {}", Harness::NAMES[1])
)]
pub(crate) struct DryRunArgs {
    #[command(flatten)]
    plan: PlanArgs,
    /// The name of the run
    #[arg(default_value = "dry-run")]
    run: String,
    /// Print the plan and each first iteration as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: DryRunArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    let folder = room.folder(&args.run)?;
    let target = args.plan.target();
    let provider = args.plan.provider.as_deref().map(|typed| room.typed_provider(typed, ui)).transpose()?;
    let options = args.plan.options(&args.run, &room, provider, args.plan.inputs(&ui.dir()?).collect());
    let talk = if args.json { Talk::Errors } else { Talk::All };
    let plan = compiled(&target, &room, &options, talk, ui)?;
    let args_of = room.provider_args(plan.nodes.iter().map(|node| &node.provider))?;
    let first = |node| First::of(&room, &folder, &plan, node, &args_of);
    let firsts = plan.nodes.iter().map(first).collect::<Result<Vec<_>, CliError>>()?;
    let concerns = check(&plan, &room);
    let exit = if concerns.iter().any(|concern| concern.weight == Weight::Error) { Exit::Failed } else { Exit::Done };
    if args.json {
        let firsts: Vec<Value> = firsts.iter().map(First::as_json).collect();
        ui.json(answer::DRY_RUN, &json!({"plan": plan, "first": firsts, "concerns": preflight::as_json(&concerns)}));
        return Ok(exit);
    }
    ui.line(format!("{target} as run `{}`: {}", plan.run, bounds(&plan)));
    if folder.is_begun() {
        ui.note(format!("run `{}` already exists; this is not its plan", plan.run));
    }
    for first in &firsts {
        ui.line("");
        first.show(&room, ui);
    }
    preflight::tell(&concerns, ui);
    if concerns.is_empty() {
        ui.note("checked: every program was found, and everything has a time limit");
    }
    Ok(exit)
}

/// What cannot work. Queues are counted only if their commands may run.
fn check(plan: &Plan, room: &RunRoom) -> Vec<Concern> {
    let mut concerns = preflight::concerns(plan, room);
    let refused = refuse_plan(plan, room).and_then(|()| refuse_for_agents(plan, Changed::default(), room));
    match refused {
        Ok(()) => concerns.extend(count_queues(plan, room.project.root())),
        Err(error) => {
            let nodes = plan.nodes.iter().map(|node| node.id.clone()).collect();
            let hint = Some("`stead run` would refuse it".to_owned());
            concerns.push(Concern { weight: Weight::Error, nodes, message: error.to_string(), hint });
        }
    }
    concerns.sort_by_key(|concern| std::cmp::Reverse(concern.weight));
    concerns
}

/// The limits of the run as a whole.
fn bounds(plan: &Plan) -> String {
    let mut words = vec![format!("{} in parallel", plan.max_parallel)];
    words.extend(plan.max_runtime_seconds.map(|most| format!("at most {}", elapsed(most as f64))));
    words.extend(plan.max_cost_usd.map(|most| format!("at most ${most:.2}")));
    if plan.nodes.len() > 1 {
        words.push(match plan.on_failure {
            OnFailure::Finish => "after a failure what runs finishes".to_owned(),
            OnFailure::Stop => "a failure stops everything".to_owned(),
        });
    }
    words.join(", ")
}

/// A node and its first iteration.
struct First<'a> {
    node: &'a Node,
    vars: Vars,
    inputs: Vec<(String, String)>,
    argv: Vec<String>,
    prompt: Resolved,
}

impl<'a> First<'a> {
    /// `args` are additional arguments of known providers, by name.
    fn of(
        room: &RunRoom,
        folder: &RunFolder,
        plan: &Plan,
        node: &'a Node,
        args: &BTreeMap<String, Vec<String>>,
    ) -> Result<Self, CliError> {
        let dir = folder.iteration_dir(&node.dir, 1);
        let stage_dir = folder.stage_dir(node);
        let inputs = inputs(folder, plan, node);
        let of_inputs = |inputs: &mut dyn Iterator<Item = &str>| inputs.collect::<Vec<_>>().join("\n");
        let output =
            node.output.as_ref().map_or_else(|| stage_dir.join("output.md"), |path| room.project.root().join(path));
        let vars = Vars {
            ctx: text(&dir.join("context.json")),
            progress: text(&stage_dir.join("progress.md")),
            output: text(&output),
            status: text(&dir.join("status.json")),
            session: plan.run.clone(),
            iteration: 1,
            inputs: of_inputs(&mut inputs.iter().map(|(_, path)| path.as_str())),
            inputs_by_stage: node
                .inputs
                .iter()
                .map(|input| {
                    let own = inputs.iter().filter(|(from, _)| *from == input.from);
                    (input.from.clone(), of_inputs(&mut own.map(|(_, path)| path.as_str())))
                })
                .collect(),
            item: node.branch.as_ref().and_then(|branch| branch.item.clone()),
        };
        let extra = match &node.provider {
            Provider::Known(name) => args.get(name).map(Vec::as_slice).unwrap_or_default(),
            Provider::Command(_) | Provider::Mock => &[],
        };
        let argv = provider::argv(&node.provider, node.model.as_deref(), extra)
            .map_err(|error| CliError::user(error.to_string()).hinted_if(error.hint()))?;
        let prompt = resolve(&text_of(node), &vars);
        Ok(Self { node, vars, inputs, argv, prompt })
    }

    fn show(&self, room: &RunRoom, ui: &mut Ui) {
        let node = self.node;
        let template = if node.template.is_empty() { "(inline)" } else { &node.template };
        ui.line(format!("{}  {template}  {}", node.id, ends(&node.termination, &node.guardrails)));
        let mut fact = |name: &str, value: String| ui.line(format!("  {name:<9} {value}"));
        if !node.needs.is_empty() {
            fact("after", node.needs.join(", "));
        }
        if let Some(when) = &node.when {
            fact("when", format!("{} ended as {}", when.stage, outcomes(when)));
        }
        if let Some(join) = node.join {
            fact("join", joins(join, node.worktree));
        }
        if let Some(most) = node.stage_parallel {
            fact("parallel", format!("at most {most} at a time"));
        }
        if let Some(item) = &self.vars.item {
            fact("item", item.clone());
        }
        for (name, value) in limits(node) {
            fact(name, value);
        }
        fact("agent", self.argv.join(" "));
        let root = room.project.root();
        let short = |path: &str| Path::new(path).strip_prefix(root).unwrap_or(Path::new(path)).display().to_string();
        for (name, path) in [
            ("context", &self.vars.ctx),
            ("progress", &self.vars.progress),
            ("output", &self.vars.output),
            ("status", &self.vars.status),
        ] {
            fact(name, short(path));
        }
        for (from, path) in &self.inputs {
            fact("input", format!("{} ({from})", short(path)));
        }
        for command in &node.verify {
            let must = match node.verify_must {
                VerifyMust::Pass => "must pass before the stage is done",
                VerifyMust::Run => "if it fails, the stage is unverified",
            };
            fact("verify", format!("{command} ({must})"));
        }
        fact("prompt", counted(self.prompt.text.lines().count(), "line"));
        for line in self.prompt.text.lines() {
            ui.line(format!("  | {line}").trim_end());
        }
    }

    fn as_json(&self) -> Value {
        json!({
            "node": self.node.id,
            "argv": self.argv,
            "paths": {
                "context": self.vars.ctx,
                "progress": self.vars.progress,
                "output": self.vars.output,
                "status": self.vars.status,
            },
            "inputs": self.inputs.iter().map(|(from, path)| json!({"from": from, "path": path})).collect::<Vec<_>>(),
            "prompt": self.prompt.text,
            "warnings": self.prompt.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

/// Every limit of a node, and what happens when one is reached.
fn limits(node: &Node) -> Vec<(&'static str, String)> {
    let limits = &node.guardrails;
    let time = |seconds: Option<u64>| seconds.map_or_else(|| "no limit".to_owned(), |most| elapsed(most as f64));
    let cost = limits.max_cost_usd.map_or_else(|| "no limit".to_owned(), |most| format!("${most:.2}"));
    let on_limit = match limits.on_limit {
        OnLimit::Continue => "the run continues",
        OnLimit::Fail => "the run fails",
    };
    let on_quota = match limits.on_quota {
        OnQuota::Stop => "the run ends and can be resumed".to_owned(),
        OnQuota::Wait => format!("waits until the stated time, or tries again {BACK_OFF}"),
    };
    vec![
        (
            "time",
            format!(
                "{} in total, {} per iteration",
                time(limits.max_runtime_seconds),
                time(limits.iteration_timeout_seconds)
            ),
        ),
        ("cost", cost),
        ("at limit", on_limit.to_owned()),
        ("at quota", on_quota),
    ]
}

/// Where inputs will be: the files given now, and the future outputs of other stages.
fn inputs(folder: &RunFolder, plan: &Plan, node: &Node) -> Vec<(String, String)> {
    let mut inputs: Vec<(String, String)> =
        plan.initial_inputs.iter().map(|path| ("--input".to_owned(), path.clone())).collect();
    for input in &node.inputs {
        let which = match input.select {
            Select::Latest => "<last>",
            Select::All => "*",
        };
        for source in plan.nodes.iter().filter(|source| source.stage == input.from) {
            let path = folder.stage_dir(source).join("iterations").join(which).join("output.md");
            inputs.push((input.from.clone(), text(&path)));
        }
    }
    inputs
}

fn ends(termination: &Termination, guardrails: &Guardrails) -> String {
    let most = guardrails.max_iterations;
    match termination {
        Termination::Fixed if most == 1 => "once".to_owned(),
        Termination::Fixed => format!("{most} times"),
        Termination::Judgment { min_iterations, consensus } => {
            format!("until {consensus} in a row decide to stop, {min_iterations} to {most} times")
        }
        Termination::Features { .. } => format!("until no feature is ready, at most {most} times"),
        Termination::Queue { command } => format!("until `{command}` is empty, at most {most} times"),
        Termination::Promise { promises } => {
            format!("until `{}` is promised, at most {most} times", promises.join("|"))
        }
    }
}

fn outcomes(when: &stead_pipeline::When) -> String {
    let words = when.outcome.iter().map(|outcome| format!("{outcome:?}").to_lowercase());
    words.collect::<Vec<_>>().join(" or ")
}

fn joins(join: Join, worktree: bool) -> String {
    let joins = match join {
        Join::All => "all branches".to_owned(),
        Join::First => "the first branch".to_owned(),
        Join::Quorum { count: 1 } => "any one branch".to_owned(),
        Join::Quorum { count } => format!("any {count} branches"),
    };
    if worktree { format!("{joins}, each in its own worktree") } else { joins }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
