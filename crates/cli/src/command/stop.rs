use std::time::{Duration, Instant};

use clap::Args;
use stead_pipeline::custody::Cancel;
use stead_pipeline::{Engine, EngineError, Holder, RunFolder, RunStatus, Surroundings, Unobserved, request_stop};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{env, now_millis};
use crate::run_report::RunReport;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// Stop a run: its agents first, then its engine
///
/// The agents get 5 seconds to clean up. The run can be resumed. If its engine has died, the agents that it left
/// running are killed.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead stop auth\n  stead stop auth --now")]
pub(crate) struct StopArgs {
    /// The name of the run
    run: String,
    /// Give the agents no time to clean up
    #[arg(long)]
    now: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// An engine needs no longer than its agents' time and a little more.
const PATIENCE: Duration = Duration::from_secs(60);

const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn run(args: StopArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    let folder = room.known(&args.run)?;
    let ended = match request_stop(&folder) {
        Ok(engine) => {
            wait_for(&engine, &folder, args.now, ui)?;
            None
        }
        // There is no engine to ask; what it left may still be running.
        Err(EngineError::NotRunning { .. }) => Some(end_left(&room, &folder, args.now)?),
        Err(error) => return Err(error.into()),
    };
    let report = RunReport::read(&folder, ui)?;
    if args.json {
        ui.json(answer::RUN, &report.json());
        return Ok(Exit::Done);
    }
    match ended {
        None => {}
        Some(0) => ui.line("its engine had died and left nothing running"),
        Some(1) => ui.line("its engine had died; killed 1 process that it left running"),
        Some(many) => ui.line(format!("its engine had died; killed {many} processes that it left running")),
    }
    ui.line(report.headline());
    for line in report.trouble(&room.project) {
        ui.line(line);
    }
    Ok(Exit::Done)
}

/// Waits until the engine that was asked to end has done so.
fn wait_for(engine: &Holder, folder: &RunFolder, now: bool, ui: &Ui) -> Result<(), CliError> {
    let deadline = Instant::now() + PATIENCE;
    // Somebody may resume the run while we look.
    let holds = || folder.engine().is_some_and(|holder| holder.is_same(engine));
    // An engine whose lock was deleted is not visible between its last agent and its last state.
    let has_more_to_say = || {
        let is_open = folder.state().is_ok_and(|state| state.is_some_and(|state| state.status == RunStatus::Running));
        is_open && engine.lives()
    };
    while holds() || has_more_to_say() {
        if Instant::now() > deadline {
            let message = format!("the engine of run `{}` (process {}) did not stop", folder.name(), engine.pid);
            let hint = format!("kill its agents at once with `{} stop {} --now`", ui.program(), folder.name());
            return Err(CliError::user(message).hinted(hint));
        }
        std::thread::sleep(PAUSE);
        if now {
            // An engine that is asked twice does not wait for its agents.
            let _ = request_stop(folder);
        }
    }
    Ok(())
}

/// Ends what a dead engine left running, and returns how many processes that were.
fn end_left(room: &RunRoom, folder: &RunFolder, now: bool) -> Result<usize, CliError> {
    let cancel = Cancel::new();
    if now {
        cancel.insist();
    }
    let around = Surroundings {
        root: room.project.root(),
        env: &env,
        now: &now_millis,
        provider_args: &|_| Vec::new(),
        bind_intent: &|_| Ok(()),
        unheard: &|_| None,
        features: None,
        observer: &Unobserved,
        cancel,
    };
    Ok(Engine::end_left(folder, &around)?.len())
}
