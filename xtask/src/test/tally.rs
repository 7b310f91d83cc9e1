use std::ops::Add;

/// How many passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) passed: u32,
    pub(super) failed: u32,
}

impl Tally {
    /// A step that is one check, and held.
    pub(super) const PASSED: Self = Self { passed: 1, failed: 0 };
    /// A step that is one check, and did not.
    pub(super) const FAILED: Self = Self { passed: 0, failed: 1 };

    /// Counts the tests in the output of `cargo test` or `cargo nextest run`. A test that was left out counts as
    /// failed: nothing here may be skipped. So does a runner that ended badly without naming a failure.
    pub(super) fn of_runner(output: &str, success: bool) -> Self {
        let mut tally = Self::default();
        let summaries = output.lines().filter_map(|line| line.trim().strip_prefix("Summary")?.split_once(" run: "));
        for (_, counts) in summaries.clone() {
            tally.add_counts(counts.split(','));
        }
        // nextest repeats the harness's own result below each failing test, which must not be counted again.
        if summaries.clone().next().is_none() {
            for counts in output.lines().filter_map(|line| line.trim().strip_prefix("test result: ")) {
                tally.add_counts(counts.split(['.', ';']));
            }
        }
        if !success && tally.failed == 0 {
            tally.failed = 1;
        }
        tally
    }

    fn add_counts<'a>(&mut self, counts: impl Iterator<Item = &'a str>) {
        for count in counts {
            let Some((number, word)) = count.trim().split_once(' ') else {
                continue;
            };
            let number = number.parse().unwrap_or(0);
            match word.split_whitespace().next() {
                Some("passed") => self.passed += number,
                Some("failed" | "timed" | "exec" | "ignored" | "skipped") => self.failed += number,
                _ => {}
            }
        }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, success: bool, passed: u32, failed: u32) {
        assert_eq!(Tally::of_runner(output, success), Tally { passed, failed }, "{output}");
    }

    #[test]
    fn cargo_test_is_counted_over_all_binaries() {
        let output = "\
running 2 tests
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        check(output, false, 5, 1);
    }

    #[test]
    fn nextest_is_counted_by_its_summary() {
        check("     Summary [   0.005s] 5 tests run: 5 passed, 0 skipped", true, 5, 0);
        check("     Summary [   1.2s] 9 tests run: 6 passed (1 slow), 2 failed, 1 timed out, 0 skipped", false, 6, 3);
        check("     Summary [   0.1s] 1 test run: 1 passed, 0 skipped", true, 1, 0);
    }

    #[test]
    fn a_failing_test_that_nextest_shows_is_counted_once() {
        let output = "\
  FAIL [   0.067s] (2/3) stead-gate shell::tests::denied
    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 12 filtered out; finished in 0.06s
     Summary [  26.304s] 3 tests run: 2 passed, 1 failed, 0 skipped";
        check(output, false, 2, 1);
    }

    #[test]
    fn what_is_left_out_is_a_failure() {
        check("test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out", true, 2, 1);
        check("     Summary [   0.1s] 1 test run: 1 passed, 2 skipped", true, 1, 2);
    }

    #[test]
    fn a_runner_that_dies_early_is_a_failure() {
        check("error: could not compile `stead-gate`", false, 0, 1);
    }
}
