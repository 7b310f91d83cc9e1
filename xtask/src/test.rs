//! `cargo xtask test`: what a person waits for, and with `--slow` the rest of what CI checks. A failing step does not
//! stop the others; the end of the output lists the failed ones, and the last line has the counts.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::arguments::Arguments;
use crate::clients::{Build, Page};

mod pace;
mod programs;
mod started;
mod step;
mod tally;

use pace::{Pace, about};
use step::{STEPS, Step, Tier};
pub(crate) use tally::Tally;

pub(crate) fn run(mut arguments: Arguments) -> Result<ExitCode> {
    if arguments.flag("--clients") {
        return clients(arguments);
    }
    let list = arguments.flag("--list");
    let tier = if arguments.flag("--slow") { Tier::Slow } else { Tier::Quick };
    let mut only = Vec::new();
    while let Some(name) = arguments.value("--only")? {
        only.push(name);
    }
    arguments.finish()?;
    if list {
        for step in STEPS {
            let tier = if step.tier == Tier::Slow { "--slow" } else { "" };
            println!("{:<14} {tier:<7} {}", step.name, step.does);
        }
        return Ok(ExitCode::SUCCESS);
    }
    Ok(run_steps(&chosen(tier, &only)?))
}

fn run_steps(steps: &[&Step]) -> ExitCode {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let mut left: u32 = steps.iter().map(|step| step.seconds).sum();
    let mut pace = Pace::new();
    let mut total = Tally::default();
    let mut failures = Vec::new();
    for step in steps {
        println!("\n== {}: {} ({} left)", step.name, step.does, about(pace.estimate(left, cores)));
        let start = Instant::now();
        let (tally, reason) = outcome((step.run)());
        pace.finished(step.seconds, start.elapsed());
        left -= step.seconds;
        let word = if tally.failed == 0 { "ok" } else { "FAILED" };
        println!("== {} {word} ({tally}, {:.1} s)", step.name, start.elapsed().as_secs_f64());
        let is_missing_program = tally.failed > 0 && matches!(step.name, "prerequisites" | "tools");
        if tally.failed > 0 {
            failures.push(format!("{}: {reason}", step.name));
        }
        total += tally;
        if is_missing_program {
            // Each test that needs it would fail, minutes later, in words of its own.
            break;
        }
    }
    println!();
    for failure in &failures {
        println!("failed: {failure}");
    }
    println!("{total}");
    if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Plays the scenarios in real clients only.
fn clients(mut arguments: Arguments) -> Result<ExitCode> {
    let page = if arguments.flag("--write") { Page::Write } else { Page::Compare };
    let names = crate::clients::names(&mut arguments);
    arguments.finish()?;
    let tally = crate::clients::prove(&names, page, Build::Programs)?;
    println!("{tally}");
    Ok(if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The steps of a tier, or those that are named, of either.
fn chosen(tier: Tier, only: &[String]) -> Result<Vec<&'static Step>> {
    if let Some(unknown) = only.iter().find(|name| STEPS.iter().all(|step| step.name != *name)) {
        let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        bail!("there is no step `{unknown}`; the steps are {}", known.join(", "));
    }
    let is_chosen =
        |step: &&Step| if only.is_empty() { step.tier == tier } else { only.iter().any(|name| name == step.name) };
    Ok(STEPS.iter().filter(is_chosen).collect())
}

fn outcome(result: Result<Tally>) -> (Tally, String) {
    match result {
        Ok(tally) => {
            let reason = format!("{} of {} failed", tally.failed, tally.passed + tally.failed);
            (tally, reason)
        }
        Err(error) => (Tally::FAILED, format!("{error:#}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_chosen_by_name() {
        let names = |tier: Tier, only: &[&str]| -> Vec<_> {
            let only: Vec<_> = only.iter().map(|name| (*name).to_owned()).collect();
            chosen(tier, &only).unwrap().iter().map(|step| step.name).collect()
        };
        assert_eq!(names(Tier::Quick, &[]).len() + names(Tier::Slow, &[]).len(), STEPS.len());
        assert_eq!(names(Tier::Quick, &["tidy", "clippy", "fmt"]), ["fmt", "tidy", "clippy"]);
        assert!(chosen(Tier::Slow, &["tidyy".to_owned()]).is_err());
    }

    #[test]
    fn a_step_that_breaks_counts_as_one_failure() {
        assert_eq!(outcome(Err(anyhow::anyhow!("no disk"))), (Tally::FAILED, "no disk".to_owned()));
        let tally = Tally::new(4, 2);
        assert_eq!(outcome(Ok(tally.clone())), (tally, "2 of 6 failed".to_owned()));
    }
}
