use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// How many passed and failed, and how many could not run on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    /// Tests that cannot run here, by reason.
    pub(crate) skipped: BTreeMap<String, u32>,
}

impl Tally {
    /// A step that is one check, and passed.
    pub(crate) const PASSED: Self = Self::new(1, 0);
    /// A step that is one check, and failed.
    pub(crate) const FAILED: Self = Self::new(0, 1);

    pub(crate) const fn new(passed: u32, failed: u32) -> Self {
        Self { passed, failed, skipped: BTreeMap::new() }
    }

    /// A step that cannot run on this machine.
    pub(crate) fn skipped(reason: &str) -> Self {
        Self { skipped: BTreeMap::from([(reason.to_owned(), 1)]), ..Self::default() }
    }

    /// Counts the tests in the output of libtest. An ignored test counts as failed, because no test may be skipped. So
    /// does a program that failed without naming a test.
    pub(crate) fn of_runner(output: &str, success: bool) -> Self {
        let mut tally = Self::default();
        for counts in output.lines().filter_map(|line| line.trim().strip_prefix("test result: ")) {
            tally.add_counts(counts.split(['.', ';']));
        }
        tally.or_failed(success)
    }

    /// Counts by the last line of a suite that prints one of these itself.
    pub(crate) fn of_suite(output: &str, success: bool) -> Self {
        let line = output.lines().rev().find(|line| line.contains(" passed, ")).unwrap_or_default();
        let mut tally = Self::default();
        for part in line.split(", ") {
            if let Some((count, reason)) = part.strip_suffix(')').and_then(|part| part.split_once(" skipped (")) {
                tally.skipped.insert(reason.to_owned(), count.parse().unwrap_or(0));
            } else {
                tally.add_counts([part].into_iter());
            }
        }
        tally.or_failed(success)
    }

    fn or_failed(mut self, success: bool) -> Self {
        if !success && self.failed == 0 {
            self.failed = 1;
        }
        self
    }

    /// Moves the tests that reported that they cannot run on this machine from passed to skipped. Each wrote a line:
    /// the reason, a tab, its name.
    pub(crate) fn without_skipped(mut self, lines: &str) -> Self {
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
                Some("failed" | "ignored") => self.failed += number,
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
    fn a_suite_is_counted_by_its_last_line() {
        let check = |output: &str, success: bool, expected: &str| {
            assert_eq!(Tally::of_suite(output, success).to_string(), expected);
        };
        check("a: failing\n3 passed, 1 failed\n", false, "3 passed, 1 failed");
        check("3 passed, 0 failed, 2 skipped (no mounts)\n", true, "3 passed, 0 failed, 2 skipped (no mounts)");
        check("error: cannot start\n", false, "0 passed, 1 failed");
    }

    #[test]
    fn what_is_left_out_is_a_failure() {
        check("test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out", true, 2, 1);
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
