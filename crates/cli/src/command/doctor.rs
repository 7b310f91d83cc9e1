//! Proves that the installed hooks work. What it checks is beside what it tells.

mod check;
mod report;
mod support;
mod task;

use clap::Args;
use serde_json::json;
use stead_client::Harness;
use stead_install::{Capability, capability, diagnose};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::here::Here;
use crate::ui::Ui;
use report::Report;
use task::tasks;

/// Prove that the installed hooks work, and say what you have to do
///
/// Runs every installed hook the way its agent program does, with a recorded payload: a harmless call must be allowed,
/// a forbidden one must be denied in that program's format. Nothing is recorded. Says first what you have to do, then how
/// it stands with each agent program on this machine. That an agent program itself calls Stead is proved by its last call
/// only. Exits with 1 if something that is installed does not work.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead doctor\n  stead doctor --all\n  stead doctor --json")]
pub(crate) struct DoctorArgs {
    /// Also print every check, and what each supported agent program lets Stead do
    #[arg(long)]
    all: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: DoctorArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    let site = here.site();
    let mut diagnosis = diagnose(&site, &ui.global.config.clone());
    diagnosis.checks.extend(check::checks(&here.project)?);
    let capabilities: Vec<Capability> = Harness::ALL.into_iter().map(capability).collect();
    let tasks = tasks(&site, &diagnosis);
    let is_sound = diagnosis.is_sound();
    let report = Report { site: &site, diagnosis: &diagnosis, capabilities: &capabilities, tasks: &tasks };
    if args.json {
        ui.json(
            answer::DOCTOR,
            &json!({
                "sound": is_sound,
                "root": site.root,
                "tasks": tasks,
                "checks": diagnosis.checks,
                "harnesses": diagnosis.harnesses,
                "capabilities": capabilities,
                "summary": report.summary(),
            }),
        );
    } else {
        report.tell(args.all, ui);
    }
    Ok(if is_sound { Exit::Done } else { Exit::Failed })
}
