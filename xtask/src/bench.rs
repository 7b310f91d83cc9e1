//! `cargo xtask bench hook`: what one hook call costs, beside programs that do nothing or do the same in another
//! language. `gate`: what guards add to it. `context`: what a stop and a handoff cost where much has piled up. `engine`:
//! what a run costs beside its agents. All but the last spawn their programs in turn, shuffled within one run, so that a
//! busy machine is unfair to nobody.
//!
//! Wall times are for people. CI looks at the instruction count alone, which does not depend on the load.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::arguments::Arguments;
use crate::prerequisite;

mod baseline;
mod callgrind;
mod contestant;
mod context;
mod engine;
mod gate;
mod ground;
pub(crate) mod order;
mod report;
mod spawn;

use contestant::Contestant;
use ground::Ground;
use report::Report;
use spawn::Cost;

const ROUNDS: usize = 300;

pub(crate) fn run(mut arguments: Arguments) -> Result<ExitCode> {
    let rounds: Option<usize> = arguments.number("--rounds")?;
    let json = arguments.flag("--json");
    let instructions = arguments.flag("--instructions");
    let accept = arguments.flag("--accept");
    match arguments.word().as_deref() {
        Some("hook") => {}
        Some("context") => {
            arguments.finish()?;
            let report = context::measure(rounds.unwrap_or(context::ROUNDS).max(1))?;
            print!("{}", if json { report.json() } else { report.table() });
            return Ok(ExitCode::SUCCESS);
        }
        Some("gate") if !instructions && !accept => {
            arguments.finish()?;
            let report = gate::measure(rounds.unwrap_or(gate::ROUNDS).max(1))?;
            print!("{}", if json { report.json() } else { report.table() });
            return Ok(ExitCode::SUCCESS);
        }
        Some("gate") => {}
        Some("engine") => {
            let iterations = arguments.number("--iterations")?.unwrap_or(engine::ITERATIONS);
            let check = arguments.flag("--check");
            arguments.finish()?;
            let report = engine::measure(iterations)?;
            print!("{}", if json { report.json() } else { report.table() });
            return Ok(if check && !report.holds() { ExitCode::FAILURE } else { ExitCode::SUCCESS });
        }
        Some(other) => bail!("there is no benchmark `{other}`; there are `hook`, `gate`, `context` and `engine`"),
        None => bail!("which benchmark? there are `hook`, `gate`, `context` and `engine`"),
    }
    arguments.finish()?;
    let rounds = rounds.unwrap_or(ROUNDS).max(1);
    if accept {
        accept_instructions()?;
    } else if instructions {
        check_instructions()?;
    } else {
        let report = measure(rounds)?;
        print!("{}", if json { report.json() } else { report.table() });
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    // The first call compiles the policy, from which the rivals get their rules.
    contestant::hook_call(&ground).prove().context("the hook does not work")?;
    let contestants = contestant::all(&ground)?;
    for contestant in &contestants {
        contestant.prove().with_context(|| format!("`{}` does not do what it is measured for", contestant.name))?;
    }
    let costs = spawn_in_turn(&contestants, rounds)?;
    let mut instructions = BTreeMap::new();
    for contestant in contestants.iter().filter(|contestant| contestant.counted) {
        instructions.insert(contestant.name, callgrind::count(contestant, &ground.folder)?);
    }
    Ok(Report::new(&contestants, &costs, &instructions))
}

/// Spawns every contestant once a round, each round in another order.
fn spawn_in_turn(contestants: &[Contestant], rounds: usize) -> Result<Vec<Vec<Cost>>> {
    let mut costs = vec![Vec::with_capacity(rounds); contestants.len()];
    let mut order: Vec<_> = (0..contestants.len()).collect();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..rounds {
        dice.shuffle(&mut order);
        for &index in &order {
            costs[index].push(spawn::measure(&contestants[index])?);
        }
        if (round + 1) % 50 == 0 {
            eprintln!("round {} of {rounds}", round + 1);
        }
    }
    Ok(costs)
}

/// xorshift64: enough to shuffle seven programs.
struct Dice(u64);

impl Dice {
    fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            let other = usize::try_from(self.0 % (last as u64 + 1)).unwrap_or(0);
            order.swap(last, other);
        }
    }
}

/// Compares the instructions of calls with the baseline in the repository.
pub(crate) fn check_instructions() -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("NOT CHECKED: the baseline is one of x86-64 Linux, and this machine is something else");
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
        println!("`{name}` is now {count} instructions");
    }
    Ok(())
}

fn count_instructions() -> Result<baseline::Counts> {
    prerequisite::ensure(prerequisite::FOR_INSTRUCTIONS)?;
    let ground = Ground::prepare()?;
    let mut counts = baseline::Counts::new();
    for call in [contestant::hook_call(&ground)].into_iter().chain(gate::contestants(&ground)?) {
        call.prove()?;
        counts.insert(call.name.to_owned(), callgrind::count(&call, &ground.folder)?);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_keeps_everyone_and_changes_the_order() {
        let mut dice = Dice(1);
        let mut order: Vec<_> = (0..7).collect();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..50 {
            dice.shuffle(&mut order);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
            seen.insert(order[0]);
        }
        assert_eq!(seen.len(), 7);
    }
}
