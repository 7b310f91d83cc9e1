use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use stead_pipeline::{NodeState, RunFolder, RunView, State};
use stead_store::nearest;

use crate::cli::Exit;
use crate::error::CliError;
use crate::log::Log;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// Show what the agents of a run said last
///
/// Prints the end of an agent's log: of the stage at work, or the last one that was. `--follow` goes on from iteration to
/// iteration until the run ends; where stages run side by side, `--stage` picks one.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead tail auth --follow\n  stead tail auth --stage review --iteration 2\n  stead tail auth --events"
)]
pub(crate) struct TailArgs {
    run: String,
    /// Go on until the run ends
    #[arg(long, short)]
    follow: bool,
    /// Only this stage, or branch of one
    #[arg(long, value_name = "ID")]
    stage: Option<String>,
    /// This iteration instead of the last; where there are several stages, `--stage` says of which one
    #[arg(long, value_name = "N", conflicts_with = "follow")]
    iteration: Option<u32>,
    /// The run's events instead, one JSON object a line
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
            let message = format!("run `{}` has several stages; the iteration of which one?", folder.name());
            return Err(CliError::usage(message).hinted(format!("add `--stage` with one of {}", ids.join(", "))));
        }
        None => at_work(&state),
    };
    let Some(node) = chosen.filter(|node| state.nodes[*node].iteration > 0 || args.follow).or(first(&args)) else {
        let message = format!("no agent of run `{}` has started yet", folder.name());
        return Err(CliError::user(message).hinted(format!(
            "`{} status {}` says how it stands",
            ui.program(),
            folder.name()
        )));
    };
    let begun = &state.nodes[node];
    let place = Place { node, iteration: args.iteration.unwrap_or(begun.iteration.max(1)) };
    let path = log_path(&folder, begun, place.iteration);
    if !path.exists() && !args.follow {
        let message = format!("stage `{}` has no log of iteration {}", begun.id, place.iteration);
        return Err(CliError::user(message).hinted(format!("it came to iteration {}", begun.iteration)));
    }
    if args.follow {
        head(begun, place, ui);
    }
    let (log, last) = Log::from_end(&path, args.lines);
    for line in last {
        ui.line(line);
    }
    if args.follow { follow(&folder, place, log, args.stage.is_some(), ui) } else { Ok(Exit::Done) }
}

/// Where following begins when nothing has.
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
struct Place {
    node: usize,
    iteration: u32,
}

fn head(node: &NodeState, place: Place, ui: &mut Ui) {
    ui.note(format!("--- {}, iteration {}", node.id, place.iteration));
}

/// Prints what is added to the log, and goes on to the next one when the engine has.
fn follow(folder: &RunFolder, mut place: Place, mut log: Log, only: bool, ui: &mut Ui) -> Result<Exit, CliError> {
    loop {
        // Both are asked before the last look, so that nothing is missed between the two.
        let live = is_live(folder);
        let state = state(folder)?;
        ui.raw(log.read());
        match next(&state, place, only) {
            Some(further) => {
                let node = &state.nodes[further.node];
                head(node, further, ui);
                log = Log::from_start(&log_path(folder, node, further.iteration));
                place = further;
            }
            None if !live => return Ok(Exit::Done),
            None => sleep(PAUSE),
        }
    }
}

/// Where the run has gone from here, if it has. What was begun is over once something behind it has begun.
fn next(state: &State, place: Place, only: bool) -> Option<Place> {
    let here = state.nodes.get(place.node)?;
    if here.iteration > place.iteration {
        return Some(Place { iteration: place.iteration + 1, ..place });
    }
    if only || !here.is_over() {
        return None;
    }
    let later = state.nodes.iter().enumerate().skip(place.node + 1);
    later.filter(|(_, node)| node.iteration > 0).map(|(node, _)| Place { node, iteration: 1 }).next()
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
        let hint = match nearest(id, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its stages are {}", known.join(", ")),
        };
        CliError::usage(format!("run `{}` has no stage `{id}`", state.run)).hinted(hint)
    })
}

/// The node at work, else the last that was.
fn at_work(state: &State) -> Option<usize> {
    let begun = |node: &NodeState| node.iteration > 0;
    let live = state.nodes.iter().position(|node| begun(node) && !node.is_over());
    live.or_else(|| state.nodes.iter().rposition(begun))
}

fn log_path(folder: &RunFolder, node: &NodeState, iteration: u32) -> PathBuf {
    folder.iteration_dir(&node.dir, iteration).join("agent.log")
}
