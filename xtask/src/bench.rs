//! `cargo xtask bench hook`: what one hook call costs, compared with programs that do nothing or do the same in another
//! language; with `--day`, what a mix of calls costs. `gate`: what guards add. `context`: what a stop and a handoff
//! cost in a project with large logs. `look`: what `stead status` and `stead log` cost with a million records.
//! `statusline`: what a status line costs. `ledger`: what recording a change costs. `feature`: what a question about a long
//! feature list costs. `engine`: what a run adds to its agents. `memory`: what search over a million traces costs. `seal`:
//! what the look after a tool costs. `semantic`: what the
//! sentence model costs. `redact`: what redaction costs. All but the last three spawn their programs in
//! turn, shuffled, so that the load of the machine affects all of them alike.
//!
//! Wall times are for people. CI checks only instruction counts, which do not depend on the load.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::arguments::Arguments;
use crate::prerequisite;

mod baseline;
mod callgrind;
mod contestant;
mod context;
mod day;
mod engine;
mod feature;
mod gate;
mod ground;
mod hook;
mod lackey;
mod ledger;
mod linker_map;
mod look;
mod measured;
mod memory;
pub(crate) mod order;
mod redact;
mod report;
mod seal;
mod semantic;
mod spawn;
mod statusline;

use ground::Ground;

const BENCHMARKS: &str = "`hook`, `gate`, `context`, `ledger`, `look`, `feature`, `engine`, `memory`, `redact`, `seal`, `semantic` or `statusline`";

pub(crate) fn run(mut arguments: Arguments) -> Result<ExitCode> {
    let rounds: Option<usize> = arguments.number("--rounds")?;
    let rounds = |default: usize| rounds.unwrap_or(default).max(1);
    let json = arguments.flag("--json");
    let benchmark = arguments.word();
    let mut code = ExitCode::SUCCESS;
    let report = match benchmark.as_deref() {
        Some("hook") => {
            let (instructions, accept) = (arguments.flag("--instructions"), arguments.flag("--accept"));
            let day = arguments.flag("--day");
            arguments.finish()?;
            match (accept, instructions, day) {
                (true, ..) => return accept_instructions().map(|()| code),
                (_, true, _) => return check_instructions().map(|()| code),
                (.., true) => day::measure(rounds(day::ROUNDS))?,
                _ => hook::measure(rounds(hook::ROUNDS))?,
            }
        }
        Some("gate") => {
            arguments.finish()?;
            gate::measure(rounds(gate::ROUNDS))?
        }
        Some("context") => {
            arguments.finish()?;
            context::measure(rounds(context::ROUNDS))?
        }
        Some("ledger") => {
            arguments.finish()?;
            ledger::measure(rounds(ledger::ROUNDS))?
        }
        Some("look") => {
            arguments.finish()?;
            let report = look::measure(rounds(look::ROUNDS))?;
            if !report.targets.iter().all(report::Target::met) {
                code = ExitCode::FAILURE;
            }
            report
        }
        Some("memory") => {
            arguments.finish()?;
            memory::measure(rounds(memory::ROUNDS))?
        }
        Some("seal") => {
            arguments.finish()?;
            seal::measure(rounds(seal::ROUNDS))?
        }
        Some("statusline") => {
            arguments.finish()?;
            statusline::measure(rounds(statusline::ROUNDS))?
        }
        Some("feature") => {
            arguments.finish()?;
            feature::measure(rounds(feature::ROUNDS))?
        }
        Some("engine") => {
            let iterations = arguments.number("--iterations")?.unwrap_or(engine::ITERATIONS);
            let check = arguments.flag("--check");
            arguments.finish()?;
            let figures = engine::measure(iterations)?;
            if check && !figures.holds() {
                code = ExitCode::FAILURE;
            }
            figures.report()
        }
        Some("semantic") => {
            arguments.finish()?;
            return semantic::run(json).map(|()| code);
        }
        Some("redact") => {
            arguments.finish()?;
            return redact::run(json);
        }
        Some(other) => bail!("unknown benchmark `{other}`; expected {BENCHMARKS}"),
        None => bail!("which benchmark? expected {BENCHMARKS}"),
    };
    print!("{}", if json { report.json() } else { report.table() });
    Ok(code)
}

/// Compares the instructions of calls with the baseline in the repository.
pub(crate) fn check_instructions() -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("NOT CHECKED: the baseline is for x86-64 Linux, and this machine is not");
        return Ok(());
    }
    let message = baseline::compare(&count_instructions()?, &baseline::read()?)?;
    println!("{message}");
    Ok(())
}

fn accept_instructions() -> Result<()> {
    let counts = count_instructions()?;
    baseline::write(&counts)?;
    for (name, count) in counts {
        println!("`{name}` is now {count}");
    }
    Ok(())
}

fn count_instructions() -> Result<baseline::Counts> {
    prerequisite::ensure(prerequisite::FOR_INSTRUCTIONS)?;
    let ground = Ground::prepare()?;
    let mut counts = baseline::Counts::new();
    for call in [contestant::hook_call(&ground)].into_iter().chain(gate::contestants(&ground)?) {
        call.prove()?;
        let (count, resolved_again) = callgrind::count_with_paths(&call, &ground.folder)?;
        counts.insert(call.name.clone(), count);
        *counts.entry("guards, paths resolved again".to_owned()).or_default() += resolved_again;
    }
    counts.extend(day::counts(&ground)?);
    Ok(counts)
}
