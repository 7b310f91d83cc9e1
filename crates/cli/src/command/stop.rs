use std::time::{Duration, Instant};

use clap::Args;
use stead_pipeline::{RunLock, request_stop};

use crate::cli::Exit;
use crate::error::CliError;
use crate::run_report::RunReport;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// End a run: its agents first, then its engine
///
/// The agents get 5 seconds to put things in order. The run can be resumed.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead stop auth\n  stead stop auth --now")]
pub(crate) struct StopArgs {
    run: String,
    /// Without any time for the agents
    #[arg(long)]
    now: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// An engine needs no longer than its agents' time and some for itself.
const PATIENCE: Duration = Duration::from_secs(60);

const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn run(args: StopArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    let folder = room.known(&args.run)?;
    let engine = request_stop(&folder)?;
    let deadline = Instant::now() + PATIENCE;
    // Somebody may go on with the run while we look.
    while RunLock::holder(folder.path()).is_some_and(|holder| holder == engine) {
        if Instant::now() > deadline {
            let message = format!("the engine of run `{}` (process {}) does not end", folder.name(), engine.pid);
            let hint = format!("`stead stop {} --now` gives its agents no time", folder.name());
            return Err(CliError::user(message).hinted(hint));
        }
        std::thread::sleep(PAUSE);
        if args.now {
            // An engine that is asked twice does not wait for its agents.
            let _ = request_stop(&folder);
        }
    }
    let report = RunReport::read(&folder)?;
    if args.json {
        ui.json(&report.json());
    } else {
        ui.line(report.headline());
        for line in report.trouble(&room.project) {
            ui.line(line);
        }
    }
    Ok(Exit::Done)
}
