use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::super::contestant::{Contestant, NO_OP};
use super::super::report::{MOST_RATIO as MOST_PLAIN, Spread, Target};
use super::super::spawn::Cost;
use super::{FEW_ALLOW, FEW_DENY, MANY_ALLOW, MANY_DENY, PLAIN};

const MOST_ALLOW: f64 = 2.5;
const MOST_DENY: f64 = 3.0;
/// 200 guards cost no more than this many times what 24 cost.
const MOST_GROWTH: f64 = 1.3;

/// The figures of a run.
pub(in crate::bench) struct GateReport {
    rounds: usize,
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    cpu: Spread,
    wall: Spread,
    instructions: Option<u64>,
}

impl GateReport {
    pub(super) fn new(
        contestants: &[Contestant],
        costs: &[Vec<Cost>],
        instructions: &BTreeMap<&'static str, u64>,
    ) -> Self {
        let rows = contestants.iter().zip(costs).map(|(contestant, costs)| Row {
            name: contestant.name,
            cpu: Spread::of(costs.iter().map(|cost| cost.cpu).collect()),
            wall: Spread::of(costs.iter().map(|cost| cost.wall).collect()),
            instructions: instructions.get(contestant.name).copied(),
        });
        Self { rounds: costs.first().map_or(0, Vec::len), rows: rows.collect() }
    }

    /// Processor time of one row in that of another: by the medians, and by the least times, which a busy machine
    /// disturbs less.
    fn ratio(&self, one: &str, other: &str) -> Spread {
        let find = |name: &str| self.rows.iter().find(|row| row.name == name).map(|row| row.cpu);
        let nothing = Spread { median: f64::NAN, least: f64::NAN };
        let (one, other) = (find(one).unwrap_or(nothing), find(other).unwrap_or(nothing));
        Spread { median: one.median / other.median, least: one.least / other.least }
    }

    fn targets(&self) -> Vec<Target> {
        let target = |one: &str, other: &str, most: f64| {
            let ratio = self.ratio(one, other);
            let says = format!(
                "{one}: {:.2}x {other}, {:.2}x by the least times (at most {most}x)",
                ratio.median, ratio.least
            );
            Target { says, met: ratio.median <= most }
        };
        vec![
            target(PLAIN, NO_OP, MOST_PLAIN),
            target(FEW_ALLOW, NO_OP, MOST_ALLOW),
            target(FEW_DENY, NO_OP, MOST_DENY),
            target(MANY_ALLOW, FEW_ALLOW, MOST_GROWTH),
            target(MANY_DENY, FEW_DENY, MOST_GROWTH),
        ]
    }

    pub(in crate::bench) fn table(&self) -> String {
        let mut text = format!(
            "{} rounds, interleaved and shuffled; times in microseconds\n\n\
             | call | CPU p50 | CPU min | wall p50 | wall min | x no-op | x by min | instructions |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|\n",
            self.rounds
        );
        for row in &self.rows {
            let ratio = self.ratio(row.name, NO_OP);
            let instructions = row.instructions.map_or_else(|| "-".to_owned(), |count| count.to_string());
            let _ = writeln!(
                text,
                "| {} | {:.0} | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} | {instructions} |",
                row.name, row.cpu.median, row.cpu.least, row.wall.median, row.wall.least, ratio.median, ratio.least
            );
        }
        text.push('\n');
        for target in self.targets() {
            let _ = writeln!(text, "{} {}", if target.met { "PASS" } else { "OVER" }, target.says);
        }
        text
    }

    pub(in crate::bench) fn json(&self) -> String {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let ratio = self.ratio(row.name, NO_OP);
                json!({
                    "call": row.name,
                    "cpu_us": {"p50": row.cpu.median, "min": row.cpu.least},
                    "wall_us": {"p50": row.wall.median, "min": row.wall.least},
                    "ratio": {"p50": ratio.median, "min": ratio.least},
                    "instructions": row.instructions,
                })
            })
            .collect();
        let targets: Vec<Value> =
            self.targets().iter().map(|target| json!({"target": target.says, "met": target.met})).collect();
        format!("{:#}\n", json!({"rounds": self.rounds, "calls": rows, "targets": targets}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_met_or_over() {
        let check = |micros: [f64; 5], expected: [bool; 5]| {
            let names = [PLAIN, FEW_ALLOW, FEW_DENY, MANY_ALLOW, MANY_DENY];
            let row = |name: &'static str, micros: f64| {
                let spread = Spread { median: micros, least: micros };
                Row { name, cpu: spread, wall: spread, instructions: None }
            };
            let rows = [row(NO_OP, 100.0)].into_iter().chain(names.into_iter().zip(micros).map(|(n, m)| row(n, m)));
            let report = GateReport { rounds: 1, rows: rows.collect() };
            let met: Vec<bool> = report.targets().iter().map(|target| target.met).collect();
            assert_eq!(met, expected, "{}", report.table());
        };
        check([130.0, 250.0, 300.0, 325.0, 390.0], [true; 5]);
        check([131.0, 251.0, 301.0, 327.0, 392.0], [false; 5]);
    }
}
