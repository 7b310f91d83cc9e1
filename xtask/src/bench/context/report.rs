use super::super::measured::{Measured, find};
use super::super::report::{Report, Row, Target, column};
use super::handoff::HANDOFF;
use super::stop::{BASH_LONG, BASH_SHORT, EMPTY, LONG, SHORT};

/// A transcript of 200 MB costs no more than this many times an empty one.
const MOST_RATIO: f64 = 1.5;
/// What a handoff may cost Stead itself, in milliseconds.
const MOST_HANDOFF: f64 = 150.0;

pub(super) fn report(rounds: usize, all: &[Measured]) -> Report {
    let row = |one: &Measured| {
        let figures =
            [one.own.median, one.own.least, one.children.median, one.wall.median, ratio(all, &one.name, EMPTY)];
        Row { name: one.name.clone(), figures: figures.map(Some).into() }
    };
    Report {
        head: format!(
            "{rounds} rounds (a third of them for the handoff), interleaved and shuffled; times in microseconds"
        ),
        columns: vec![
            column("own CPU p50", "own_cpu_us", 0),
            column("own CPU min", "own_cpu_us_min", 0),
            column("children's CPU p50", "children_cpu_us", 0),
            column("wall p50", "wall_us", 0),
            column("x empty", "ratio_to_empty", 2),
        ],
        rows: all.iter().map(row).collect(),
        targets: targets(all),
        note: Some(format!(
            "the bash hook needs {:.1}x the time for the 200 MB, which is {:.0}x the time of Stead",
            ratio(all, BASH_LONG, BASH_SHORT),
            ratio(all, BASH_LONG, LONG)
        )),
    }
}

/// All processor time of a row, against that of another.
fn ratio(all: &[Measured], one: &str, other: &str) -> f64 {
    let whole = |name| find(all, name).map_or(f64::NAN, |found| found.own.median + found.children.median);
    whole(one) / whole(other)
}

fn targets(all: &[Measured]) -> Vec<Target> {
    let stop = |(other, words): (&str, &str)| {
        let ratio = ratio(all, LONG, other);
        let says =
            format!("a stop with 200 MB of transcript costs {ratio:.2}x one with {words} (at most {MOST_RATIO}x)");
        Target { says, figure: ratio, most: MOST_RATIO }
    };
    let handoff = find(all, HANDOFF).map_or(f64::NAN, |found| found.own.median / 1000.0);
    let says = format!(
        "a handoff among 100,000 files and 1M lines costs Stead itself {handoff:.0} ms (at most {MOST_HANDOFF:.0} ms)"
    );
    let handoff = Target { says, figure: handoff, most: MOST_HANDOFF };
    [(EMPTY, "an empty transcript"), (SHORT, "a transcript of one turn")]
        .map(stop)
        .into_iter()
        .chain([handoff])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::measured::tests::measured;
    use super::*;

    #[track_caller]
    fn check(long: f64, handoff: f64, expected: [bool; 3]) {
        let rows = [(EMPTY, 100.0), (SHORT, 120.0), (LONG, long), (BASH_SHORT, 900.0), (BASH_LONG, 90_000.0)];
        let rows = rows.into_iter().chain([(HANDOFF, handoff)]);
        let all: Vec<_> = rows.map(|(name, micros)| measured(name, micros, 50, 1)).collect();
        let report = report(1, &all);
        assert_eq!(report.targets.iter().map(Target::met).collect::<Vec<_>>(), expected, "{}", report.table());
    }

    #[test]
    fn targets_are_met_or_over() {
        check(150.0, 149_000.0, [true; 3]);
        check(151.0, 151_000.0, [false, true, false]);
        check(181.0, 1.0, [false, false, true]);
    }
}
