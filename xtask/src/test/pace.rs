use std::time::Duration;

/// How long the steps take on two cores, and how that compares with the steps so far on this machine.
pub(super) struct Pace {
    /// Seconds that the finished steps should have taken, and took.
    expected: f64,
    taken: f64,
}

/// How much the number of cores counts beside the steps so far, in seconds: a download says little about a compiler.
const BELIEF: f64 = 120.0;

impl Pace {
    pub(super) const fn new() -> Self {
        Self { expected: 0.0, taken: 0.0 }
    }

    pub(super) fn finished(&mut self, expected: u32, taken: Duration) {
        self.expected += f64::from(expected);
        self.taken += taken.as_secs_f64();
    }

    /// How many seconds steps take that should take `expected`, on a machine with this many cores.
    pub(super) fn estimate(&self, expected: u32, cores: usize) -> f64 {
        let by_cores = 2.0 / f64::from(u32::try_from(cores.clamp(1, 8)).unwrap_or(2));
        let factor = (self.taken + BELIEF * by_cores) / (self.expected + BELIEF);
        f64::from(expected) * factor
    }
}

/// A number of seconds as a person says it.
pub(super) fn about(seconds: f64) -> String {
    match seconds {
        ..50.0 => format!("about {:.0} s", (seconds / 10.0).ceil().max(1.0) * 10.0),
        _ => format!("about {:.0} min", (seconds / 60.0).round().max(1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_judged_by_what_was_done() {
        let mut pace = Pace::new();
        assert_eq!(about(pace.estimate(600, 2)), "about 10 min");
        assert_eq!(about(pace.estimate(600, 4)), "about 5 min");
        pace.finished(20, Duration::from_secs(1));
        assert_eq!(about(pace.estimate(600, 2)), "about 9 min");
        pace.finished(1000, Duration::from_secs(2000));
        assert_eq!(about(pace.estimate(600, 2)), "about 19 min");
        assert_eq!(about(0.0), "about 10 s");
        assert_eq!(about(31.0), "about 40 s");
        assert_eq!(about(89.0), "about 1 min");
    }
}
