use std::path::PathBuf;

use clap::Args;
use stead_pipeline::page::RunPage;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::now_millis;
use crate::run_report::{RunReport, shown};
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// Write a run on one page: Markdown with a timeline
///
/// The page has the stages, every iteration with its decision and what was verified, cost, changed files, commits, and what
/// failed. It is written to `report/index.md` in the run's folder, with `timeline.svg` beside it, and can be written again
/// at any time, also while the run works.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead report night\n  stead report night --output docs/night\n  stead report night --json"
)]
pub(crate) struct ReportArgs {
    /// The name of the run
    run: String,
    /// The folder to write it to, instead of the run's
    #[arg(long, short, value_name = "DIR", conflicts_with = "json")]
    output: Option<PathBuf>,
    /// Print what is known as JSON, and write nothing
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: ReportArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let room = RunRoom::find(ui)?;
    let folder = room.known(&args.run)?;
    let page = RunPage::of(&folder, room.project.root(), now_millis())?;
    if args.json {
        ui.json(answer::RUN_PAGE, &serde_json::to_value(&page).unwrap_or_default());
        return Ok(Exit::Done);
    }
    let target = match &args.output {
        Some(output) => ui.dir()?.join(output),
        None => folder.path().join("report"),
    };
    let next = RunReport::read(&folder, ui)?.next();
    let written = page.write(&target, &next)?;
    ui.line(shown(&room.project, &written).display().to_string());
    Ok(Exit::Done)
}
