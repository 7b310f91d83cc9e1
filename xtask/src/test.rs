//! `cargo xtask test`: everything CI checks, in one command. A failing step does not stop the others; the end of the
//! output lists the failed ones, and the last line has the counts.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::arguments::Arguments;
use crate::clients::{Build, Page};

mod step;
mod tally;

use step::{STEPS, Step};
use tally::Tally;

pub(crate) fn run(mut arguments: Arguments) -> Result<ExitCode> {
    if arguments.flag("--clients") {
        return clients(arguments);
    }
    let list = arguments.flag("--list");
    let mut only = Vec::new();
    while let Some(name) = arguments.value("--only")? {
        only.push(name);
    }
    arguments.finish()?;
    if list {
        for step in STEPS {
            println!("{:<14} {}", step.name, step.does);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let steps = chosen(&only)?;
    let mut total = Tally::default();
    let mut failures = Vec::new();
    for step in steps {
        println!("\n== {}: {}", step.name, step.does);
        let start = Instant::now();
        let (tally, reason) = outcome((step.run)());
        let seconds = start.elapsed().as_secs_f64();
        let word = if tally.failed == 0 { "ok" } else { "FAILED" };
        println!("== {} {word} ({tally}, {seconds:.1} s)", step.name);
        if tally.failed > 0 {
            failures.push(format!("{}: {reason}", step.name));
        }
        total += tally;
    }
    println!();
    for failure in &failures {
        println!("failed: {failure}");
    }
    println!("{total}");
    Ok(if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Plays the scenarios in real clients only.
fn clients(mut arguments: Arguments) -> Result<ExitCode> {
    let page = if arguments.flag("--write") { Page::Write } else { Page::Compare };
    let names = crate::clients::names(&mut arguments);
    arguments.finish()?;
    let (_, failed) = crate::clients::prove(&names, page, Build::Programs)?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chosen(only: &[String]) -> Result<Vec<&'static Step>> {
    if let Some(unknown) = only.iter().find(|name| STEPS.iter().all(|step| step.name != *name)) {
        let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        bail!("there is no step `{unknown}`; the steps are {}", known.join(", "));
    }
    Ok(STEPS.iter().filter(|step| only.is_empty() || only.iter().any(|name| name == step.name)).collect())
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
        let names = |only: &[&str]| -> Vec<_> {
            let only: Vec<_> = only.iter().map(|name| (*name).to_owned()).collect();
            chosen(&only).unwrap().iter().map(|step| step.name).collect()
        };
        assert_eq!(names(&[]).len(), STEPS.len());
        assert_eq!(names(&["tidy", "fmt"]), ["fmt", "tidy"]);
        assert!(chosen(&["tidyy".to_owned()]).is_err());
    }

    #[test]
    fn a_step_that_breaks_counts_as_one_failure() {
        assert_eq!(outcome(Err(anyhow::anyhow!("no disk"))), (Tally::FAILED, "no disk".to_owned()));
        let tally = Tally::new(4, 2);
        assert_eq!(outcome(Ok(tally.clone())), (tally, "2 of 6 failed".to_owned()));
    }
}
