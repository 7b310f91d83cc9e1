use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use stead_model::suggestion;
use stead_pipeline::{NodeState, RunFolder, RunView, State};

use crate::cli::Exit;
use crate::error::CliError;
use crate::log::Log;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// Show the latest output of a run's agents
///
/// Prints the end of an agent's log, of the running stage or the last one that ran. `--follow` continues from iteration
/// to iteration until the run ends; if stages run in parallel, `--stage` picks one.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead tail auth --follow\n  stead tail auth --stage review --iteration 2\n  stead tail auth --events"
)]
pub(crate) struct TailArgs {
    /// The name of the run
    run: String,
    /// Keep printing until the run ends
    #[arg(long, short)]
    follow: bool,
    /// Only this stage, or branch of one
    #[arg(long, value_name = "ID")]
    stage: Option<String>,
    /// This iteration instead of the last; with several stages, `--stage` is required
    #[arg(long, value_name = "N", conflicts_with = "follow")]
    iteration: Option<u32>,
    /// Print the run's events instead, one JSON object per line
    #[arg(long, conflicts_with_all = ["stage", "iteration"])]
    events: bool,
    /// How many lines
    #[arg(long, short = 'n', value_name = "N", default_value_t = 40)]
    lines: usize,
}

const PAUSE: Duration = Duration::from_millis(150);

pub(crate) fn run(args: TailArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    let folder = room.known(&args.run)?;
    if args.events {
        return Ok(events(&args, &folder, ui));
    }
    let state = state(&folder)?;
    let chosen = match &args.stage {
        Some(id) => Some(named(&state, id)?),
        None if args.iteration.is_some() && state.nodes.len() > 1 => {
            let ids: Vec<&str> = state.nodes.iter().map(|node| node.id.as_str()).collect();
            let message = format!("run `{}` has several stages; `--iteration` needs `--stage`", folder.name());
            return Err(CliError::usage(message).hinted(format!("add `--stage` with one of {}", ids.join(", "))));
        }
        None => at_work(&state),
    };
    let Some(node) = chosen.filter(|node| state.nodes[*node].iteration > 0 || args.follow).or(first(&args)) else {
        let message = format!("no agent of run `{}` has started yet", folder.name());
        return Err(CliError::user(message).hinted(format!(
            "`{} status {}` shows its state",
            ui.program(),
            folder.name()
        )));
    };
    let begun = &state.nodes[node];
    let cursor = Cursor { node, iteration: args.iteration.unwrap_or(begun.iteration.max(1)) };
    let path = log_path(&folder, begun, cursor.iteration);
    if !path.exists() && !args.follow {
        let message = format!("stage `{}` has no log of iteration {}", begun.id, cursor.iteration);
        return Err(CliError::user(message).hinted(format!("the last one is iteration {}", begun.iteration)));
    }
    if args.follow {
        head(begun, cursor, ui);
    }
    let (log, last) = Log::from_end(&path, args.lines);
    for line in last {
        ui.line(line);
    }
    if args.follow { follow(&folder, cursor, log, args.stage.is_some(), ui) } else { Ok(Exit::Done) }
}

/// Where following starts if nothing has started.
fn first(args: &TailArgs) -> Option<usize> {
    args.follow.then_some(0)
}

fn events(args: &TailArgs, folder: &RunFolder, ui: &mut Ui) -> Exit {
    let (mut log, last) = Log::from_end(&folder.events_path(), args.lines);
    for line in last {
        ui.line(line);
    }
    if !args.follow {
        return Exit::Done;
    }
    loop {
        let live = is_live(folder);
        ui.raw(log.read());
        if !live {
            return Exit::Done;
        }
        sleep(PAUSE);
    }
}

/// A node of the plan and one of its iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cursor {
    node: usize,
    iteration: u32,
}

fn head(node: &NodeState, cursor: Cursor, ui: &mut Ui) {
    ui.note(format!("--- {}, iteration {}", node.id, cursor.iteration));
}

/// Prints what is added to the log, and continues with the next log when the engine does.
fn follow(folder: &RunFolder, mut cursor: Cursor, mut log: Log, only: bool, ui: &mut Ui) -> Result<Exit, CliError> {
    loop {
        // Both are checked before the last read, so that nothing is missed in between.
        let live = is_live(folder);
        let state = state(folder)?;
        ui.raw(log.read());
        match next(&state, cursor, only) {
            Some(further) => {
                let node = &state.nodes[further.node];
                head(node, further, ui);
                log = Log::from_start(&log_path(folder, node, further.iteration));
                cursor = further;
            }
            None if !live => return Ok(Exit::Done),
            None => sleep(PAUSE),
        }
    }
}

/// Where the run continued from here, if it did. A node is finished once a later one has started.
fn next(state: &State, cursor: Cursor, only: bool) -> Option<Cursor> {
    let here = state.nodes.get(cursor.node)?;
    if here.iteration > cursor.iteration {
        return Some(Cursor { iteration: cursor.iteration + 1, ..cursor });
    }
    if only || !here.is_over() {
        return None;
    }
    let later = state.nodes.iter().enumerate().skip(cursor.node + 1);
    later.filter(|(_, node)| node.iteration > 0).map(|(node, _)| Cursor { node, iteration: 1 }).next()
}

fn is_live(folder: &RunFolder) -> bool {
    folder.engine().is_some()
}

fn state(folder: &RunFolder) -> Result<State, CliError> {
    Ok(RunView::read(folder, 0)?.state)
}

fn named(state: &State, id: &str) -> Result<usize, CliError> {
    let found = state.nodes.iter().position(|node| node.id == id);
    found.ok_or_else(|| {
        let known: Vec<&str> = state.nodes.iter().map(|node| node.id.as_str()).collect();
        let hint = suggestion(id, known);
        CliError::usage(format!("run `{}` has no stage `{id}`", state.run)).hinted(hint)
    })
}

/// The running node, else the last that ran.
fn at_work(state: &State) -> Option<usize> {
    let begun = |node: &NodeState| node.iteration > 0;
    let live = state.nodes.iter().position(|node| begun(node) && !node.is_over());
    live.or_else(|| state.nodes.iter().rposition(begun))
}

fn log_path(folder: &RunFolder, node: &NodeState, iteration: u32) -> PathBuf {
    folder.iteration_dir(&node.dir, iteration).join("agent.log")
}
