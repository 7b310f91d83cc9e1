use std::fmt::Write;

use serde_json::{Value, json};

use super::super::contestant::Contestant;
use super::super::report::{Spread, Target};
use super::super::spawn::Cost;
use super::handoff::HANDOFF;
use super::stop::{BASH_LONG, BASH_SHORT, EMPTY, LONG, SHORT};

/// A transcript of 200 MB costs no more than this many times an empty one.
const MOST_RATIO: f64 = 1.5;
/// What a handoff may cost Stead itself, in microseconds.
const MOST_HANDOFF: f64 = 150_000.0;

/// The figures of a run.
pub(in crate::bench) struct ContextReport {
    rounds: usize,
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    /// Without the programs that it started.
    own: Spread,
    children: Spread,
    wall: Spread,
}

impl ContextReport {
    pub(super) fn new(
        rounds: usize,
        stops: &[Contestant],
        stop_costs: &[Vec<Cost>],
        handoffs: &[Contestant],
        handoff_costs: &[Vec<Cost>],
    ) -> Self {
        let all = stops.iter().zip(stop_costs).chain(handoffs.iter().zip(handoff_costs));
        let rows = all.map(|(contestant, costs)| Row {
            name: contestant.name,
            own: Spread::of(costs.iter().map(|cost| cost.cpu.saturating_sub(cost.children)).collect()),
            children: Spread::of(costs.iter().map(|cost| cost.children).collect()),
            wall: Spread::of(costs.iter().map(|cost| cost.wall).collect()),
        });
        Self { rounds, rows: rows.collect() }
    }

    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// All processor time of a row, against that of another.
    fn ratio(&self, one: &str, other: &str) -> Option<f64> {
        let whole = |name| self.row(name).map(|row| row.own.median + row.children.median);
        Some(whole(one)? / whole(other)?)
    }

    fn targets(&self) -> Vec<Target> {
        let mut targets = Vec::new();
        for (other, words) in [(EMPTY, "an empty transcript"), (SHORT, "a transcript of one turn")] {
            let ratio = self.ratio(LONG, other).unwrap_or(f64::INFINITY);
            let says =
                format!("a stop with 200 MB of transcript costs {ratio:.2}x one with {words} (at most {MOST_RATIO}x)");
            targets.push(Target { says, met: ratio <= MOST_RATIO });
        }
        let handoff = self.row(HANDOFF).map_or(f64::INFINITY, |row| row.own.median);
        let says = format!(
            "a handoff among 100,000 files and 1M lines costs Stead itself {:.0} ms (less than {:.0} ms)",
            handoff / 1000.0,
            MOST_HANDOFF / 1000.0
        );
        targets.push(Target { says, met: handoff < MOST_HANDOFF });
        targets
    }

    /// What the same transcript does to the bash hook, for comparison.
    fn rival(&self) -> String {
        let ratio = |one, other| self.ratio(one, other).unwrap_or(f64::NAN);
        format!(
            "the bash hook pays {:.1}x for the 200 MB, and is then {:.0}x as dear as Stead",
            ratio(BASH_LONG, BASH_SHORT),
            ratio(BASH_LONG, LONG)
        )
    }

    pub(in crate::bench) fn table(&self) -> String {
        let mut text = format!(
            "{} rounds (a third of them for the handoff), interleaved and shuffled; times in microseconds\n\n\
             | program | own CPU p50 | own CPU min | children's CPU p50 | wall p50 | x empty |\n\
             |---|---:|---:|---:|---:|---:|\n",
            self.rounds
        );
        for row in &self.rows {
            let _ = writeln!(
                text,
                "| {} | {:.0} | {:.0} | {:.0} | {:.0} | {:.2} |",
                row.name,
                row.own.median,
                row.own.least,
                row.children.median,
                row.wall.median,
                self.ratio(row.name, EMPTY).unwrap_or(f64::NAN)
            );
        }
        text.push('\n');
        for target in self.targets() {
            let _ = writeln!(text, "{} {}", if target.met { "PASS" } else { "OVER" }, target.says);
        }
        let _ = writeln!(text, "     {}", self.rival());
        text
    }

    pub(in crate::bench) fn json(&self) -> String {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                json!({
                    "program": row.name,
                    "own_cpu_us": {"p50": row.own.median, "min": row.own.least},
                    "children_cpu_us": {"p50": row.children.median, "min": row.children.least},
                    "wall_us": {"p50": row.wall.median, "min": row.wall.least},
                    "ratio_to_empty": self.ratio(row.name, EMPTY),
                })
            })
            .collect();
        let targets: Vec<Value> =
            self.targets().iter().map(|target| json!({"target": target.says, "met": target.met})).collect();
        format!("{:#}\n", json!({"rounds": self.rounds, "programs": rows, "targets": targets}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &'static str, own: f64, children: f64) -> Row {
        let spread = |micros| Spread { median: micros, least: micros };
        Row { name, own: spread(own), children: spread(children), wall: spread(own + children) }
    }

    #[track_caller]
    fn check(long: f64, handoff: f64, expected: [bool; 3]) {
        let report = ContextReport {
            rounds: 1,
            rows: vec![
                row(EMPTY, 100.0, 0.0),
                row(SHORT, 120.0, 0.0),
                row(LONG, long, 0.0),
                row(BASH_SHORT, 10.0, 900.0),
                row(BASH_LONG, 20.0, 90_000.0),
                row(HANDOFF, handoff, 400_000.0),
            ],
        };
        let met: Vec<_> = report.targets().iter().map(|target| target.met).collect();
        assert_eq!(met, expected);
        assert_eq!(report.table().matches("PASS").count(), expected.iter().filter(|met| **met).count());
    }

    #[test]
    fn targets_are_met_or_over() {
        check(150.0, 149_000.0, [true; 3]);
        check(151.0, 150_000.0, [false, true, false]);
        check(181.0, 1.0, [false, false, true]);
    }
}
