use serde::Serialize;
use stead_model::{rfc3339, unix_millis};

const DAY: i64 = 24 * 3600 * 1000;

/// Until so many days, each is a period; until so many, each week is one.
const DAYS: i64 = 14;
const WEEKS: i64 = 26 * 7;

stead_model::named! {
    /// How long a period is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Step {
        Day = "day",
        Week = "week",
        Month = "month",
    }
}

impl Step {
    fn of(days: i64) -> Self {
        match () {
            () if days <= DAYS => Self::Day,
            () if days <= WEEKS => Self::Week,
            () => Self::Month,
        }
    }

    /// The date at which the period of a day starts, in UTC. Weeks start on Monday.
    fn start(self, day: i64) -> String {
        let date = |day: i64| rfc3339(day * DAY)[..10].to_owned();
        match self {
            Self::Day => date(day),
            // 1970-01-01 was a Thursday.
            Self::Week => date(day - (day + 3).rem_euclid(7)),
            Self::Month => format!("{}-01", &date(day)[..7]),
        }
    }
}

/// The periods from one moment to another.
pub(super) struct Periods {
    pub(super) step: Step,
    /// The date on which each starts.
    pub(super) starts: Vec<String>,
    since: i64,
    now: i64,
    /// The period of each day.
    of_day: Vec<usize>,
}

impl Periods {
    pub(super) fn new(since: i64, now: i64) -> Self {
        let since = since.min(now);
        let step = Step::of((now - since) / DAY);
        let (mut starts, mut of_day): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
        for day in since.div_euclid(DAY)..=now.div_euclid(DAY) {
            let start = step.start(day);
            if starts.last() != Some(&start) {
                starts.push(start);
            }
            of_day.push(starts.len() - 1);
        }
        Self { step, starts, since, now, of_day }
    }

    /// The period of a moment; `None` if it is outside of all, or no moment.
    pub(super) fn index(&self, ts: &str) -> Option<usize> {
        let at = unix_millis(ts).filter(|at| (self.since..=self.now).contains(at))?;
        let day = usize::try_from(at.div_euclid(DAY) - self.since.div_euclid(DAY)).ok()?;
        self.of_day.get(day).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-15, a Sunday, 19:45:30.
    const NOW: i64 = 1_794_771_930_000;

    #[test]
    fn periods_cover_the_time_without_gaps() {
        let check = |days: i64, step: Step, first: &str, last: &str, count: usize| {
            let periods = Periods::new(NOW - days * DAY, NOW);
            assert_eq!((periods.step, periods.starts.len()), (step, count), "{days}");
            assert_eq!((periods.starts[0].as_str(), periods.starts[count - 1].as_str()), (first, last), "{days}");
            let mut before = 0;
            for hour in 0..=days * 24 {
                let at = periods.index(&rfc3339(NOW - days * DAY + hour * 3_600_000)).unwrap();
                assert!(at == before || at == before + 1);
                before = at;
            }
            assert_eq!(before, count - 1, "{days}");
            assert_eq!(periods.index(&rfc3339(NOW - days * DAY - 1)), None);
            assert_eq!(periods.index(&rfc3339(NOW + 1)), None);
        };
        check(0, Step::Day, "2026-11-15", "2026-11-15", 1);
        check(7, Step::Day, "2026-11-08", "2026-11-15", 8);
        check(30, Step::Week, "2026-10-12", "2026-11-09", 5);
        check(365, Step::Month, "2025-11-01", "2026-11-01", 13);
        assert_eq!(Periods::new(NOW, NOW).index("yesterday"), None);
    }
}
