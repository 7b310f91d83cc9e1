//! The project at a glance, or one run.

pub(crate) mod glance;
mod watch;

use clap::Args;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::notify::bell;
use crate::run_report::RunReport;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// Show the state of the project, or of one run
///
/// Without a name: agents and when they last called, what guards did in the last 24 hours, loops, runs, packets, features
/// and intents, then what waits for you, in at most 20 lines; `--json` has all of it. With the name of a run: its stages,
/// what failed, and how to continue. A run whose engine died is `interrupted`. With `--watch` it exits with the run's own
/// code, as `stead wait` does.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead status\n  stead status auth --watch\n  stead status auth --json")]
pub(crate) struct StatusArgs {
    /// The name of the run
    run: Option<String>,
    /// Keep watching until the run ends
    #[arg(long, requires = "run")]
    watch: bool,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: StatusArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let Some(name) = &args.run else {
        return glance::run(args.json, ui);
    };
    let room = RunRoom::find(ui)?;
    let folder = room.known(name)?;
    if args.watch {
        watch::until_it_ends(&folder, args.json)?;
    }
    let report = RunReport::read(&folder, ui)?;
    // Whoever watched it to its end wants to know how it ended.
    let exit = if args.watch { report.exit() } else { Exit::Done };
    if args.watch {
        bell(&room.project, &report.headline());
    }
    if args.json {
        ui.json(answer::RUN, &report.json());
        return Ok(exit);
    }
    ui.line(report.headline());
    for line in report.stages() {
        ui.line(line);
    }
    for line in report.trouble(&room.project) {
        ui.line(line);
    }
    Ok(exit)
}
