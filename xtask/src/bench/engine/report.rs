use std::time::Duration;

use super::super::measured::Spread;
use super::super::report::{self, Report, Target, column};
use super::features::{FeatureRun, MANY};
use super::race::Race;

/// What one iteration may cost the engine itself, in milliseconds.
const MOST_CPU: f64 = 5.0;
/// What "flat" means: the last thousand iterations cost no more than this many times the first.
const MOST_GROWTH: f64 = 1.25;
const MOST_STATUS: f64 = 20.0;
const MOST_RESUME: f64 = 100.0;
/// What one change of a feature's status may take in a run on the feature list, in milliseconds.
const MOST_TRANSITION: f64 = 10.0;

/// How far `--check` lets a target be missed: it is about mistakes, not about a busy machine.
const LENIENCE: f64 = 4.0;

/// The figures of a benchmark.
pub(in crate::bench) struct EngineFigures {
    pub(super) engine: Vec<Race>,
    pub(super) bash: Vec<Race>,
    pub(super) many: Race,
    pub(super) launches: Launches,
    pub(super) growth: Growth,
    pub(super) status: Vec<Duration>,
    /// From the start of the command to the start of its first agent.
    pub(super) resume: Duration,
    pub(super) features: FeatureRun,
}

/// Processes that were started in a run of so many iterations.
#[derive(Clone, Copy)]
pub(super) struct Launches {
    pub(super) engine: u64,
    pub(super) bash: u64,
    pub(super) iterations: u64,
}

/// What one iteration cost the engine, early and late in a long run.
#[derive(Clone, Copy)]
pub(super) struct Growth {
    pub(super) first: Duration,
    pub(super) last: Duration,
}

/// One line of the table: milliseconds of one iteration.
struct Row {
    name: String,
    own: f64,
    agents: f64,
    wall: f64,
    launches: Option<f64>,
}

impl Row {
    fn new(name: String, races: &[Race], launches: Option<f64>) -> Self {
        let median = |time: fn(&Race) -> Duration| Spread::of(races.iter().map(time)).median / 1e3;
        Self {
            name,
            own: median(Race::own_each),
            agents: median(Race::agents_each),
            wall: median(Race::wall_each),
            launches,
        }
    }

    /// All that is spent beside the agent that does the work; the loop's own helpers count as the loop.
    fn beside(&self, agent: f64) -> f64 {
        (self.own + self.agents - agent).max(0.0)
    }
}

impl EngineFigures {
    fn rows(&self) -> [Row; 3] {
        let Launches { engine, bash, iterations } = self.launches;
        let each = |count: u64| Some(count as f64 / iterations as f64);
        [
            Row::new(format!("stead run, {iterations} iterations"), &self.engine, each(engine)),
            Row::new(format!("stead run, {} iterations", self.many.iterations), &[self.many], None),
            Row::new(format!("bash and jq, {iterations} iterations"), &self.bash, each(bash)),
        ]
    }

    fn targets(&self) -> Vec<Target> {
        let [short, long, _] = self.rows();
        let launches = short.launches.unwrap_or(f64::INFINITY);
        let growth = self.growth.last.as_secs_f64() / self.growth.first.as_secs_f64().max(1e-6);
        let status = Spread::of(self.status.iter().copied()).median / 1e3;
        let resume = self.resume.as_secs_f64() * 1e3;
        let many = self.many.iterations;
        let transition = self.features.each.as_secs_f64() * 1e3;
        let slower = self.features.last.as_secs_f64() / self.features.first.as_secs_f64().max(1e-6);
        let target = |(says, figure, most): (String, f64, f64)| Target { says, figure, most };
        [
            (format!("{launches:.2} processes are started per iteration (1)"), launches, 1.0),
            (
                format!("an iteration costs {:.2} ms of CPU beside the agent (at most {MOST_CPU} ms)", short.own),
                short.own,
                MOST_CPU,
            ),
            (format!("so it does among {many} ({:.2} ms)", long.own), long.own, MOST_CPU),
            (format!("the last thousand cost {growth:.2}x the first (at most {MOST_GROWTH}x)"), growth, MOST_GROWTH),
            (
                format!("`stead status` after {many} iterations takes {status:.1} ms (at most {MOST_STATUS} ms)"),
                status,
                MOST_STATUS,
            ),
            (
                format!("a resumed run starts its agent after {resume:.1} ms (at most {MOST_RESUME} ms)"),
                resume,
                MOST_RESUME,
            ),
            (
                format!(
                    "among {MANY} features a transition takes {transition:.1} ms (at most {MOST_TRANSITION} ms), with its \
                     verifier"
                ),
                transition,
                MOST_TRANSITION,
            ),
            (
                format!("the last quarter of them take {slower:.2}x the first (at most {MOST_GROWTH}x)"),
                slower,
                MOST_GROWTH,
            ),
        ]
        .map(target)
        .into()
    }

    /// Says whether no target is missed by far.
    pub(in crate::bench) fn holds(&self) -> bool {
        self.targets().iter().enumerate().all(|(index, target)| {
            // Processes do not depend on the load.
            let lenience = if index == 0 { 1.0 } else { LENIENCE };
            target.figure <= target.most * lenience
        })
    }

    pub(in crate::bench) fn report(&self) -> Report {
        let rows = self.rows();
        // What the engine starts is the agent and nothing else, so this is the agent alone.
        let agent = rows[0].agents;
        let yardstick = rows[0].beside(agent).max(1e-6);
        let row = |row: Row| {
            let beside = row.beside(agent);
            let figures = [row.own, row.agents, row.wall, row.launches.unwrap_or(f64::NAN), beside, beside / yardstick];
            let figures = figures.map(|figure| Some(figure).filter(|figure| !figure.is_nan())).into();
            report::Row { name: row.name, figures }
        };
        Report {
            head: "milliseconds of one iteration".to_owned(),
            columns: vec![
                column("own CPU", "own_ms", 2),
                column("CPU of what it starts", "started_ms", 2),
                column("wall", "wall_ms", 2),
                column("processes", "processes", 1),
                column("CPU beside the agent", "beside_ms", 2),
                column("x stead", "ratio", 1),
            ],
            rows: rows.map(row).into(),
            targets: self.targets(),
            note: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn race(iterations: u64, own: u64) -> Race {
        let each = |millis: u64| Duration::from_millis(millis * iterations);
        Race { iterations, own: each(own), agents: each(1), wall: each(own + 2), begun: Duration::ZERO }
    }

    fn report(own: u64, launches: u64, last: u64, resume: u64) -> EngineFigures {
        EngineFigures {
            engine: vec![race(20, own)],
            bash: vec![race(20, 60)],
            many: race(10_000, own),
            launches: Launches { engine: launches, bash: 240, iterations: 20 },
            growth: Growth { first: Duration::from_millis(2), last: Duration::from_millis(last) },
            status: vec![Duration::from_millis(5)],
            resume: Duration::from_millis(resume),
            features: FeatureRun {
                each: Duration::from_millis(5),
                first: Duration::from_millis(5),
                last: Duration::from_millis(6),
            },
        }
    }

    #[track_caller]
    fn check(report: &EngineFigures, met: [bool; 8], holds: bool) {
        assert_eq!(report.targets().iter().map(Target::met).collect::<Vec<_>>(), met);
        assert_eq!(report.holds(), holds);
    }

    #[test]
    fn targets_are_met_or_over() {
        check(&report(2, 20, 2, 50), [true; 8], true);
        check(&report(6, 20, 2, 50), [true, false, false, true, true, true, true, true], true);
        check(&report(21, 20, 2, 50), [true, false, false, true, true, true, true, true], false);
        check(&report(2, 21, 2, 50), [false, true, true, true, true, true, true, true], false);
        check(&report(2, 20, 12, 500), [true, true, true, false, true, false, true, true], false);
    }

    #[test]
    fn the_loop_is_compared_with_all_that_it_starts() {
        let table = report(2, 20, 2, 50).report().table();
        assert!(
            table.contains("| bash and jq, 20 iterations | 60.00 | 1.00 | 62.00 | 12.0 | 60.00 | 30.0 |"),
            "{table}"
        );
    }
}
