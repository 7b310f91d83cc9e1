use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// How many passed and failed, and how many could not run on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) passed: u32,
    pub(super) failed: u32,
    /// Tests that cannot run here, by reason.
    pub(super) skipped: BTreeMap<String, u32>,
}

impl Tally {
    /// A step that is one check, and passed.
    pub(super) const PASSED: Self = Self::new(1, 0);
    /// A step that is one check, and failed.
    pub(super) const FAILED: Self = Self::new(0, 1);

    pub(super) const fn new(passed: u32, failed: u32) -> Self {
        Self { passed, failed, skipped: BTreeMap::new() }
    }

    /// Counts the tests in the output of `cargo test` or `cargo nextest run`. An ignored test counts as failed, because
    /// no test may be skipped. So does a runner that failed without naming a test.
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

    /// Moves the tests that reported that they cannot run on this machine from passed to skipped. Each wrote a line:
    /// the reason, a tab, its name.
    pub(super) fn without_skipped(mut self, lines: &str) -> Self {
        for line in lines.lines() {
            let reason = line.split('\t').next().unwrap_or_default();
            *self.skipped.entry(reason.to_owned()).or_default() += 1;
            self.passed = self.passed.saturating_sub(1);
        }
        self
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

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        for (reason, count) in other.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        for (reason, count) in &self.skipped {
            write!(f, ", {count} skipped ({reason})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, success: bool, passed: u32, failed: u32) {
        assert_eq!(Tally::of_runner(output, success), Tally::new(passed, failed), "{output}");
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
  FAIL [   0.067s] (2/3) stead-shell shell::tests::denied
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
    fn what_the_machine_does_not_allow_is_counted_apart() {
        let mut total = Tally::new(9, 0).without_skipped("no namespaces\tfirst\nno namespaces\tmain\n");
        assert_eq!(total.to_string(), "7 passed, 0 failed, 2 skipped (no namespaces)");
        total += Tally::new(3, 1).without_skipped("no network\tthird\nno namespaces\tfourth\n");
        assert_eq!(total.to_string(), "8 passed, 1 failed, 3 skipped (no namespaces), 1 skipped (no network)");
        assert_eq!(Tally::PASSED.without_skipped(""), Tally::PASSED);
    }

    #[test]
    fn a_runner_that_dies_early_is_a_failure() {
        check("error: could not compile `stead-shell`", false, 0, 1);
    }
}
