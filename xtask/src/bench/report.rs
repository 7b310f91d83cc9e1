use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use super::contestant::{Contestant, HOOK, MILLION, NO_OP};
use super::spawn::Cost;

pub(super) const MOST_RATIO: f64 = 1.3;
const MOST_INSTRUCTIONS: u64 = 300_000;
const MOST_FAULTS: u64 = 70;
/// What "flat" means: a million lines cost no more than this many times an empty project.
const MOST_GROWTH: f64 = 1.05;

/// The figures of a run.
pub(super) struct Report {
    rounds: usize,
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    cpu: Spread,
    wall: Spread,
    faults: u64,
    instructions: Option<u64>,
}

/// Microseconds, or ratios of them.
#[derive(Clone, Copy)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
}

impl Spread {
    pub(super) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let micros = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e6);
        Self { median: micros(times.get(times.len() / 2)), least: micros(times.first()) }
    }
}

/// One target, and whether it was met.
pub(super) struct Target {
    pub(super) says: String,
    pub(super) met: bool,
}

impl Report {
    pub(super) fn new(
        contestants: &[Contestant],
        costs: &[Vec<Cost>],
        instructions: &BTreeMap<&'static str, u64>,
    ) -> Self {
        let rows = contestants.iter().zip(costs).map(|(contestant, costs)| Row {
            name: contestant.name,
            cpu: Spread::of(costs.iter().map(|cost| cost.cpu).collect()),
            wall: Spread::of(costs.iter().map(|cost| cost.wall).collect()),
            faults: median(costs.iter().map(|cost| cost.faults).collect()),
            instructions: instructions.get(contestant.name).copied(),
        });
        Self { rounds: costs.first().map_or(0, Vec::len), rows: rows.collect() }
    }

    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// CPU time in no-ops: of the medians, and of the least times, which a busy machine disturbs less.
    fn ratio(&self, row: &Row) -> Spread {
        let yardstick = self.row(NO_OP).map_or(Spread { median: f64::NAN, least: f64::NAN }, |row| row.cpu);
        Spread { median: row.cpu.median / yardstick.median, least: row.cpu.least / yardstick.least }
    }

    fn targets(&self) -> Vec<Target> {
        let (Some(hook), Some(million)) = (self.row(HOOK), self.row(MILLION)) else {
            return Vec::new();
        };
        let ratio = self.ratio(hook);
        let instructions = hook.instructions.unwrap_or(u64::MAX);
        let growth = million.cpu.median / hook.cpu.median;
        let more = million.instructions.unwrap_or(u64::MAX) as f64 / instructions as f64;
        vec![
            Target {
                says: format!(
                    "{:.2}x the static no-op, {:.2}x by the least times (at most {MOST_RATIO}x)",
                    ratio.median, ratio.least
                ),
                met: ratio.median <= MOST_RATIO,
            },
            Target {
                says: format!("{instructions} instructions (at most {MOST_INSTRUCTIONS})"),
                met: instructions <= MOST_INSTRUCTIONS,
            },
            Target {
                says: format!("{} page faults (at most {MOST_FAULTS})", hook.faults),
                met: hook.faults <= MOST_FAULTS,
            },
            Target {
                says: format!(
                    "with a million lines {growth:.2}x the time, {more:.2}x the instructions (at most {MOST_GROWTH}x)"
                ),
                met: growth <= MOST_GROWTH && more <= MOST_GROWTH,
            },
        ]
    }

    pub(super) fn table(&self) -> String {
        let mut text = format!(
            "{} rounds, interleaved and shuffled; times in microseconds\n\n\
             | program | CPU p50 | CPU min | wall p50 | wall min | x no-op | x by min | faults | instructions |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            self.rounds
        );
        for row in &self.rows {
            let instructions = row.instructions.map_or_else(|| "-".to_owned(), |count| count.to_string());
            let _ = writeln!(
                text,
                "| {} | {:.0} | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} | {} | {instructions} |",
                row.name,
                row.cpu.median,
                row.cpu.least,
                row.wall.median,
                row.wall.least,
                self.ratio(row).median,
                self.ratio(row).least,
                row.faults
            );
        }
        text.push('\n');
        for target in self.targets() {
            let _ = writeln!(text, "{} {}", if target.met { "PASS" } else { "OVER" }, target.says);
        }
        text
    }

    pub(super) fn json(&self) -> String {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                json!({
                    "program": row.name,
                    "cpu_us": {"p50": row.cpu.median, "min": row.cpu.least},
                    "wall_us": {"p50": row.wall.median, "min": row.wall.least},
                    "ratio": {"p50": self.ratio(row).median, "min": self.ratio(row).least},
                    "faults": row.faults,
                    "instructions": row.instructions,
                })
            })
            .collect();
        let targets: Vec<Value> =
            self.targets().iter().map(|target| json!({"target": target.says, "met": target.met})).collect();
        format!("{:#}\n", json!({"rounds": self.rounds, "programs": rows, "targets": targets}))
    }
}

fn median(mut numbers: Vec<u64>) -> u64 {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &'static str, micros: f64, faults: u64, instructions: u64) -> Row {
        let spread = Spread { median: micros, least: micros };
        Row { name, cpu: spread, wall: spread, faults, instructions: Some(instructions) }
    }

    #[track_caller]
    fn check(hook: (f64, u64, u64), million: (f64, u64), expected: [bool; 4]) {
        let report = Report {
            rounds: 1,
            rows: vec![
                row(NO_OP, 100.0, 30, 79_000),
                row(HOOK, hook.0, hook.1, hook.2),
                row(MILLION, million.0, hook.1, million.1),
            ],
        };
        let met: Vec<_> = report.targets().iter().map(|target| target.met).collect();
        assert_eq!(met, expected);
        assert_eq!(report.table().matches("PASS").count(), expected.iter().filter(|met| **met).count());
    }

    #[test]
    fn targets_are_met_or_over() {
        check((129.0, 70, 300_000), (130.0, 300_000), [true; 4]);
        check((131.0, 71, 300_001), (131.0, 300_001), [false, false, false, true]);
        check((120.0, 60, 200_000), (150.0, 200_000), [true, true, true, false]);
        check((120.0, 60, 200_000), (120.0, 250_000), [true, true, true, false]);
    }

    #[test]
    fn medians_and_minima_are_of_the_run() {
        let spread = Spread::of([5, 1, 3].map(Duration::from_micros).into());
        assert_eq!((spread.median.round(), spread.least.round()), (3.0, 1.0));
        assert_eq!(median(vec![9, 1, 5]), 5);
    }
}
