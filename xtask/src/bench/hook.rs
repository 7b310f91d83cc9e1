//! Compares one hook call with a program that does nothing, and with the same check in other languages.

use anyhow::{Context, Result};

use super::contestant::{self, HOOK, MILLION, NO_OP};
use super::ground::Ground;
use super::measured::{self, Measured, find};
use super::report::{Report, Target};
use crate::prerequisite;

pub(super) const ROUNDS: usize = 300;

pub(super) const MOST_RATIO: f64 = 1.3;
const MOST_INSTRUCTIONS: f64 = 190_000.0;
const MOST_FAULTS: f64 = 55.0;
/// The maximum cost with a million lines, as a multiple of the cost in an empty project.
const MOST_GROWTH: f64 = 1.05;

pub(super) fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    // The first call compiles the policy, from which the compared programs get their rules.
    contestant::hook_call(&ground).prove().context("the hook does not work")?;
    Ok(report(rounds, &measured::race(&ground, &contestant::all(&ground)?, rounds)?))
}

fn report(rounds: usize, all: &[Measured]) -> Report {
    Report {
        head: format!("{rounds} rounds, interleaved and shuffled; times in microseconds"),
        columns: Measured::COLUMNS.to_vec(),
        rows: all.iter().map(|one| one.row(all)).collect(),
        targets: targets(all),
        note: None,
    }
}

fn targets(all: &[Measured]) -> Vec<Target> {
    let ratio = measured::ratio(all, HOOK, NO_OP);
    let instructions = |name| find(all, name).and_then(|one| one.instructions).map_or(f64::NAN, |count| count as f64);
    let faults = find(all, HOOK).map_or(f64::NAN, |one| one.faults as f64);
    let growth = measured::ratio(all, MILLION, HOOK).median;
    let more = instructions(MILLION) / instructions(HOOK);
    vec![
        Target::times_no_op(ratio, MOST_RATIO),
        Target {
            says: format!("{} instructions (at most {MOST_INSTRUCTIONS})", instructions(HOOK)),
            figure: instructions(HOOK),
            most: MOST_INSTRUCTIONS,
        },
        Target { says: format!("{faults} page faults (at most {MOST_FAULTS})"), figure: faults, most: MOST_FAULTS },
        Target {
            says: format!("with a million lines {growth:.2}x the time (at most {MOST_GROWTH}x)"),
            figure: growth,
            most: MOST_GROWTH,
        },
        Target {
            says: format!("with a million lines {more:.2}x the instructions (at most {MOST_GROWTH}x)"),
            figure: more,
            most: MOST_GROWTH,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::measured;
    use super::*;

    #[track_caller]
    fn check(hook: (f64, u64, u64), million: (f64, u64), expected: [bool; 5]) {
        let all = [
            measured(NO_OP, 100.0, 30, 79_000),
            measured(HOOK, hook.0, hook.1, hook.2),
            measured(MILLION, million.0, hook.1, million.1),
        ];
        let met: Vec<_> = targets(&all).iter().map(Target::met).collect();
        assert_eq!(met, expected);
    }

    #[test]
    fn targets_are_met_or_over() {
        check((129.0, 55, 190_000), (130.0, 190_000), [true; 5]);
        check((131.0, 56, 190_001), (131.0, 190_001), [false, false, false, true, true]);
        check((120.0, 50, 180_000), (150.0, 180_000), [true, true, true, false, true]);
        check((120.0, 50, 180_000), (120.0, 250_000), [true, true, true, true, false]);
        assert!(!targets(&[])[0].met());
    }
}
