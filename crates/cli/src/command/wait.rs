use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;
use stead_pipeline::{RunFolder, RunStatus};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::notify::bell;
use crate::run_report::RunReport;
use crate::run_room::RunRoom;
use crate::span::seconds;
use crate::ui::Ui;

/// Wait until runs have ended
///
/// Exits with the run's own code: 0 done, 1 failed or its engine died, 3 a stage reached its limit, 4 blocked on a person,
/// 5 quota exhausted, 6 unverified, 130 cancelled. With several runs, the code of the first one named that did not end with
/// 0. Exits with 124 if the time is up first; the runs continue.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead wait night && git push\n  stead wait night other --timeout 8h")]
pub(crate) struct WaitArgs {
    /// The names of the runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<String>,
    /// How long to wait, such as `90m` or `8h`
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    timeout: Option<u64>,
    /// Print how the runs ended as JSON
    #[arg(long)]
    json: bool,
}

/// How often to look.
const PAUSE: Duration = Duration::from_millis(150);

pub(crate) fn run(args: WaitArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    let folders = args.runs.iter().map(|name| room.known(name)).collect::<Result<Vec<RunFolder>, _>>()?;
    let deadline = args.timeout.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
    let mut is_late = false;
    for folder in &folders {
        while !is_late && folder.engine().is_some() {
            is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            sleep(PAUSE);
        }
    }
    let reports = folders.iter().map(|folder| RunReport::read(folder, ui)).collect::<Result<Vec<_>, _>>()?;
    if args.json {
        let items: Vec<_> = reports.iter().map(RunReport::json).collect();
        ui.json(answer::WAIT, &json!({"timed_out": is_late, "items": items}));
    } else {
        for report in &reports {
            ui.line(report.headline());
        }
    }
    let running = folders.iter().filter(|folder| folder.engine().is_some()).map(RunFolder::name);
    let running: Vec<String> = running.map(|name| format!("`{name}`")).collect();
    if is_late && !running.is_empty() {
        ui.note(format!("the time is up; still running: {}", running.join(", ")));
        return Ok(Exit::TimedOut);
    }
    bell(&room.project, &reports.iter().map(RunReport::headline).collect::<Vec<_>>().join("; "));
    let bad = reports.iter().find(|report| report.exit() != Exit::Run(RunStatus::Done));
    Ok(bad.map_or(Exit::Done, RunReport::exit))
}
