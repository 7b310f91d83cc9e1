use clap::Args;
use serde_json::{Value, json};
use stead_memory::{HEALTH_DAYS, HealthFinding, HealthStatus, HealthUnit, health};

use super::Here;
use crate::cli::Exit;
use crate::error::CliError;
use crate::memory::{OnRecord, retrievals};
use crate::patterns::HistoryProgress;
use crate::ui::Ui;

/// Check five habits that make a memory useless
///
/// Each is a number that is compared with a limit: traces that nobody retrieves, files that go back and forth,
/// reflections that would fit any failure, claims that evidence did not confirm, and long sessions that changed nothing.
/// The last 30 days count. A check with too little on record is not measured.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead memory health\n  stead memory health --json")]
pub(crate) struct HealthArgs {
    /// Print the checks as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &HealthArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let on_record = OnRecord::read(&here.project, &here.memory)?;
    let mut progress = HistoryProgress::new();
    let retrievals = retrievals(&here.project);
    let findings = health(&on_record.records(), &retrievals, &mut |reading| progress.show(reading, ui))?;
    drop(progress);
    if args.json {
        let checks: Vec<Value> = findings.iter().map(HealthFinding::json).collect();
        ui.json(&json!({"days": HEALTH_DAYS, "checks": checks}));
        return Ok(Exit::Done);
    }
    if findings.iter().all(|finding| finding.of == 0) {
        ui.line("Nothing recorded yet.");
        return Ok(Exit::Done);
    }
    ui.line(format!("{:<12}  {:<11}  {:>6}  {:>5}  what was found", "status", "check", "number", "limit"));
    findings.iter().for_each(|finding| tell(finding, ui));
    Ok(Exit::Done)
}

fn tell(finding: &HealthFinding, ui: &mut Ui) {
    let HealthFinding { check, status, found, of, examples } = finding;
    let number = |value: f64| match check.unit() {
        HealthUnit::Count => format!("{value:.0}"),
        HealthUnit::Share => format!("{:.0} %", value * 100.0),
    };
    let value = finding.value().map_or_else(|| "-".to_owned(), number);
    let what = match *of {
        0 => "nothing on record".to_owned(),
        of if of < check.least() => format!("{of} {}; at least {} are needed", check.of(), check.least()),
        of => format!("{found} of {of} {} {}", check.of(), check.found()),
    };
    let status_name = status.name().replace('-', " ");
    let limit = number(check.threshold());
    ui.line(format!("{status_name:<12}  {:<11}  {value:>6}  {limit:>5}  {what}", check.name()));
    if *status == HealthStatus::Warn {
        examples.iter().for_each(|example| ui.line(format!("    {example}")));
        ui.line(format!("  hint: {}", check.advice()));
    }
}
