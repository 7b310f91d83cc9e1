//! Waits for a time on the wall clock, by a clock that may be wrong.

use std::time::{Duration, Instant};

use crate::custody::Cancel;

/// A time further away than this is treated as a mistake.
const LONGEST: Duration = Duration::from_secs(8 * 24 * 3600);

/// How often the wall clock is checked: it may jump, and a sleeping machine's time does not count.
const LOOK: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    Over,
    Cancelled,
}

/// How long to wait from now, at least `least`; `None` if the time is too far away to be plausible.
pub(crate) fn span(now: i64, until: i64, least: Duration) -> Option<Duration> {
    let left = Duration::from_millis(u64::try_from(until.saturating_sub(now)).unwrap_or_default());
    (left <= LONGEST).then_some(left.max(least))
}

/// The shortest wait after this many quota responses in a row: a provider whose stated time has always passed is not
/// polled continuously.
pub(crate) fn least(in_a_row: u32) -> Duration {
    Duration::from_secs(1 << in_a_row.min(9)).min(Duration::from_secs(300))
}

/// The pauses if a provider states no time: a minute, doubling up to half an hour, each a quarter longer or shorter, so that
/// parallel branches do not all ask at once.
const FIRST_PAUSE: Duration = Duration::from_secs(60);
const LONGEST_PAUSE: Duration = Duration::from_secs(30 * 60);
const JITTER: f64 = 0.25;

/// How many of them: about 18 hours in total.
const PAUSES: u32 = 40;

/// In words, for whoever decides before the run starts.
pub const BACK_OFF: &str =
    "after 1, 2, 4 … at most 30 minutes (25 % more or less), 40 times, which takes about 18 hours";

/// How long to pause after this many quota responses in a row without a stated time; `None` if it was often enough. `random`
/// is between 0 and 1.
pub(crate) fn back_off(in_a_row: u32, random: f64) -> Option<Duration> {
    let pause = FIRST_PAUSE.saturating_mul(1 << in_a_row.min(9)).min(LONGEST_PAUSE);
    (in_a_row < PAUSES).then(|| pause.mul_f64(1.0 - JITTER + 2.0 * JITTER * random.clamp(0.0, 1.0)))
}

/// A random number between 0 and 1.
pub(crate) fn jitter() -> f64 {
    f64::from(uuid::Uuid::new_v4().as_fields().0) / f64::from(u32::MAX)
}

/// Waits for the time. Setting the clock forward ends the wait, setting it back does not lengthen it.
pub(crate) fn wait(now: &dyn Fn() -> i64, until: i64, span: Duration, least: Duration, cancel: &Cancel) -> Waited {
    let since = Instant::now();
    loop {
        let passed = since.elapsed();
        if passed >= span || (passed >= least && now() >= until) {
            return Waited::Over;
        }
        let next = if passed < least { least - passed } else { span - passed };
        if cancel.wait(next.min(LOOK)) {
            return Waited::Cancelled;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn spans_are_bounded() {
        let second = Duration::from_secs(1);
        assert_eq!(span(1_000, 6_000, second), Some(Duration::from_secs(5)));
        assert_eq!(span(6_000, 1_000, second), Some(second));
        assert_eq!(span(0, i64::MAX, second), None);
        assert_eq!(span(i64::MIN, 0, second), None);
        assert_eq!([0, 1, 8, 9, 40].map(|n| least(n).as_secs()), [1, 2, 256, 300, 300]);
    }

    #[test]
    fn pauses_grow_to_a_bound_and_differ() {
        let seconds = |in_a_row, random| back_off(in_a_row, random).map(|pause| pause.as_secs());
        assert_eq!([0, 1, 4, 5, 39].map(|n| seconds(n, 0.5)), [60, 120, 960, 1800, 1800].map(Some));
        assert_eq!((seconds(0, 0.0), seconds(0, 1.0)), (Some(45), Some(75)));
        assert_eq!(back_off(PAUSES, 0.5), None);
        let total: u64 = (0..PAUSES).filter_map(|n| seconds(n, 0.5)).sum();
        assert!((17..19).contains(&(total / 3600)), "{total}");
        assert!((0..100).map(|_| jitter()).all(|random| (0.0..=1.0).contains(&random)));
    }

    #[test]
    fn a_clock_that_jumps_does_not_trap_the_wait() {
        let little = Duration::from_millis(20);
        // Set back to 1970: the time that really passed ends the wait.
        assert_eq!(wait(&|| 0, 1_000_000, little, Duration::ZERO, &Cancel::new()), Waited::Over);
        // Set forward: the wait is over at the next look.
        let looks = Cell::new(0);
        let jumping = || {
            looks.set(looks.get() + 1);
            2_000_000
        };
        assert_eq!(wait(&jumping, 1_000_000, LONGEST, little, &Cancel::new()), Waited::Over);
        assert_eq!(looks.get(), 1, "no busy loop");
    }

    #[test]
    fn a_cancel_ends_the_wait() {
        let cancel = Cancel::new();
        cancel.ask();
        assert_eq!(wait(&|| 0, 1_000_000, LONGEST, Duration::ZERO, &cancel), Waited::Cancelled);
    }
}
