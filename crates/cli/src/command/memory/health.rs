use clap::Args;
use serde_json::{Value, json};
use stead_memory::{HEALTH_DAYS, HealthFinding, HealthStatus, HealthUnit, InjectionCount, health};
use stead_model::rfc3339;

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::memory::{OnRecord, retrievals};
use crate::patterns::HistoryProgress;
use crate::precedents::injections;
use crate::ui::Ui;

/// Check five habits that make a memory useless
///
/// Each is a number that is compared with a limit: traces that nobody retrieves, files that go back and forth,
/// reflections that would fit any failure, claims that evidence did not confirm, and long sessions that changed nothing.
/// The last 30 days count. A check with too little on record is not measured. Below the checks is how often agents were
/// told precedents, and whether the same happened again.
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
    let records = on_record.records();
    let findings = health(&records, &retrievals, &mut |reading| progress.show(reading, ui))?;
    let since = rfc3339(records.now - HEALTH_DAYS * 24 * 3600 * 1000);
    let log = injections(&here.project);
    let told = InjectionCount::of(&records, &log, &since, &mut |reading| progress.show(reading, ui))?;
    drop(progress);
    if args.json {
        let checks: Vec<Value> = findings.iter().map(HealthFinding::json).collect();
        ui.json(answer::MEMORY_HEALTH, &json!({"days": HEALTH_DAYS, "checks": checks, "precedents": told.json()}));
        return Ok(Exit::Done);
    }
    if findings.iter().all(|finding| finding.of == 0) && told.told == 0 {
        ui.line("Nothing recorded yet.");
        return Ok(Exit::Done);
    }
    ui.line(format!("{:<12}  {:<11}  {:>6}  {:>5}  what was found", "status", "check", "number", "limit"));
    findings.iter().for_each(|finding| tell(finding, ui));
    if told.told > 0 {
        let InjectionCount { told, not_repeated, repeated, open, .. } = told;
        ui.line("");
        ui.line(format!(
            "precedents were told {}: the same did not happen again {}, happened again {}, still open {}",
            times(told),
            times(not_repeated),
            times(repeated),
            times(open)
        ));
    }
    Ok(Exit::Done)
}

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
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
