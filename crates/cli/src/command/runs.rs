//! The runs of a project: listed, and old ones removed.

mod prune;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_pipeline::{RunView, list_runs};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::progress::spent;
use crate::project::now_millis;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// List runs, the latest first, or remove old ones
#[derive(Args)]
#[command(after_help = "Examples:\n  stead runs --json\n  stead runs prune --older-than 30d")]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    command: Option<RunsCommand>,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum RunsCommand {
    Prune(prune::PruneArgs),
}

pub(crate) fn run(args: RunsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    if let Some(RunsCommand::Prune(args)) = &args.command {
        return prune::run(args, ui);
    }
    let room = RunRoom::find(ui)?;
    let (runs, unread) = list_runs(&room.dir());
    let now = now_millis();
    let runs: Vec<RunView> = runs.into_iter().map(|view| view.as_of(now)).collect();
    let exit = if unread.is_empty() { Exit::Done } else { Exit::Failed };
    if args.json {
        let broken = unread.iter().map(|name| json!({"run": name, "status": null, "problem": "it cannot be read"}));
        ui.json(answer::RUN_LIST, &Value::Array(runs.iter().map(as_json).chain(broken).collect()));
        return Ok(exit);
    }
    let width = runs.iter().map(|run| run.run.chars().count()).max().unwrap_or(0);
    for view in &runs {
        let state = &view.state;
        let what = state.pipeline.clone().or_else(|| state.nodes.first().map(|node| node.stage.clone()));
        ui.line(format!(
            "{:width$}  {:<11}  {}  {} ({})",
            view.run,
            view.status.name(),
            state.started_at.get(..16).unwrap_or(&state.started_at).replace('T', " "),
            what.unwrap_or_default(),
            spent(state.elapsed_seconds, state.cost_usd),
        ));
    }
    for name in &unread {
        ui.warning(format!("run `{name}` cannot be read; `{} status {name}` shows why", ui.program()));
    }
    if runs.is_empty() && unread.is_empty() {
        ui.note("no runs yet; start one with `stead run stage NAME RUN`");
    }
    Ok(exit)
}

fn as_json(view: &RunView) -> Value {
    let state = &view.state;
    json!({
        "run": view.run,
        "status": view.status,
        "pid": view.pid,
        "pipeline": state.pipeline,
        "stages": state.nodes.iter().map(|node| &node.id).collect::<Vec<_>>(),
        "started_at": state.started_at,
        "ended_at": state.ended_at,
        "elapsed_seconds": state.elapsed_seconds,
        "cost_usd": state.cost_usd,
    })
}
