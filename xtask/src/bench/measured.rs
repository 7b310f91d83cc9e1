use std::time::Duration;

use anyhow::{Context, Result};

use super::callgrind;
use super::contestant::Contestant;
use super::ground::Ground;
use super::report::{Column, Row, column};
use super::spawn::{self, Cost};

/// What many spawns of one contestant cost.
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) cpu: Spread,
    pub(super) wall: Spread,
    /// Without child processes.
    pub(super) own: Spread,
    pub(super) children: Spread,
    pub(super) faults: u64,
    pub(super) instructions: Option<u64>,
}

/// Microseconds, or ratios of them. A busy machine disturbs the least time less than the median.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
}

impl Spread {
    pub(super) fn of(times: impl Iterator<Item = Duration>) -> Self {
        let mut micros: Vec<f64> = times.map(|time| time.as_secs_f64() * 1e6).collect();
        micros.sort_unstable_by(f64::total_cmp);
        Self { median: median(&micros).unwrap_or_default(), least: micros.first().copied().unwrap_or_default() }
    }
}

/// The middle one of sorted figures.
pub(super) fn median<T: Copy>(sorted: &[T]) -> Option<T> {
    sorted.get(sorted.len() / 2).copied()
}

impl Measured {
    pub(super) fn of(contestant: &Contestant, costs: &[Cost]) -> Self {
        let mut faults: Vec<u64> = costs.iter().map(|cost| cost.faults).collect();
        faults.sort_unstable();
        Self {
            name: contestant.name.clone(),
            cpu: Spread::of(costs.iter().map(|cost| cost.cpu)),
            wall: Spread::of(costs.iter().map(|cost| cost.wall)),
            own: Spread::of(costs.iter().map(|cost| cost.cpu.saturating_sub(cost.children))),
            children: Spread::of(costs.iter().map(|cost| cost.children)),
            faults: median(&faults).unwrap_or_default(),
            instructions: None,
        }
    }

    /// The columns of [`Measured::row`].
    pub(super) const COLUMNS: [Column; 8] = [
        column("CPU p50", "cpu_us", 0),
        column("CPU min", "cpu_us_min", 0),
        column("wall p50", "wall_us", 0),
        column("wall min", "wall_us_min", 0),
        column("x no-op", "ratio", 2),
        column("x by min", "ratio_min", 2),
        column("faults", "faults", 0),
        column("instructions", "instructions", 0),
    ];

    pub(super) fn row(&self, all: &[Self]) -> Row {
        let ratio = ratio(all, &self.name, super::contestant::NO_OP);
        let figures = [self.cpu.median, self.cpu.least, self.wall.median, self.wall.least, ratio.median, ratio.least];
        let figures = figures.into_iter().map(Some);
        let counts = [Some(self.faults as f64), self.instructions.map(|count| count as f64)];
        Row { name: self.name.clone(), figures: figures.chain(counts).collect() }
    }
}

pub(super) fn find<'a>(all: &'a [Measured], name: &str) -> Option<&'a Measured> {
    all.iter().find(|one| one.name == name)
}

/// The CPU time of one in that of another.
pub(super) fn ratio(all: &[Measured], one: &str, other: &str) -> Spread {
    let cpu = |name| find(all, name).map_or(Spread { median: f64::NAN, least: f64::NAN }, |found| found.cpu);
    let (one, other) = (cpu(one), cpu(other));
    Spread { median: one.median / other.median, least: one.least / other.least }
}

/// Checks that every program does what it is measured for, spawns each once per round, and counts instructions.
pub(super) fn race(ground: &Ground, contestants: &[Contestant], rounds: usize) -> Result<Vec<Measured>> {
    for contestant in contestants {
        contestant.prove().with_context(|| format!("`{}` does not do what it is measured for", contestant.name))?;
    }
    let costs = spawn::in_turn(contestants, rounds)?;
    let mut all = Vec::new();
    for (contestant, costs) in contestants.iter().zip(&costs) {
        let mut measured = Measured::of(contestant, costs);
        if contestant.counted {
            measured.instructions = Some(callgrind::count(contestant, &ground.folder)?);
        }
        all.push(measured);
    }
    Ok(all)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::bench) fn measured(name: &str, micros: f64, faults: u64, instructions: u64) -> Measured {
        let spread = Spread { median: micros, least: micros };
        let none = Spread { median: 0.0, least: 0.0 };
        Measured {
            name: name.to_owned(),
            cpu: spread,
            wall: spread,
            own: spread,
            children: none,
            faults,
            instructions: Some(instructions),
        }
    }

    #[test]
    fn medians_and_minima_are_of_the_run() {
        let spread = Spread::of([5, 1, 3].map(Duration::from_micros).into_iter());
        assert_eq!((spread.median.round(), spread.least.round()), (3.0, 1.0));
        assert_eq!(median(&[1, 5, 9]), Some(5));
    }

    #[test]
    fn a_row_is_compared_with_the_no_op() {
        let all = [measured(super::super::contestant::NO_OP, 100.0, 30, 79_000), measured("call", 150.0, 50, 180_000)];
        let row = all[1].row(&all);
        assert_eq!(row.figures.len(), Measured::COLUMNS.len());
        assert_eq!(row.figures[4..], [Some(1.5), Some(1.5), Some(50.0), Some(180_000.0)]);
    }
}
