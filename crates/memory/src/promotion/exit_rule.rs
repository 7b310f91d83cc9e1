use stead_guard::Mode;

/// What must be true before a guard goes to its next mode. People decide; the rule says what they would decide without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitRule {
    /// Calls that it judged in its mode.
    pub evaluations: u64,
    /// Days in its mode.
    pub days: u64,
    /// Verdicts that a person called wrong.
    pub false_positives: u64,
}

/// What is known about a guard since it has its mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GuardRecord {
    pub evaluations: u64,
    pub days: u64,
    pub hits: u64,
    /// Hits that no person has looked at.
    pub unreviewed: u64,
    pub false_positives: u64,
    /// Examples in its file.
    pub tests: usize,
}

impl ExitRule {
    /// The rule for leaving a mode upwards; `None` for a mode that has none.
    pub fn of(mode: Mode) -> Option<Self> {
        match mode {
            Mode::Shadow => Some(Self { evaluations: 50, days: 1, false_positives: 0 }),
            Mode::Warn => Some(Self { evaluations: 200, days: 3, false_positives: 0 }),
            Mode::Off | Mode::Enforce => None,
        }
    }

    /// What is still missing, a few words each.
    pub fn missing(&self, guard: &str, record: &GuardRecord) -> Vec<String> {
        let mut missing = Vec::new();
        if record.evaluations < self.evaluations {
            missing.push(format!("{} of {} calls judged in this mode", record.evaluations, self.evaluations));
        }
        if record.days < self.days {
            missing.push(format!("{} of {} days in this mode", record.days, self.days));
        }
        if record.false_positives > self.false_positives {
            missing.push(format!("{} verdicts that a person overrode or called wrong", record.false_positives));
        }
        if record.unreviewed > 0 {
            missing.push(format!("{} hits not reviewed (`stead guard review {guard}`)", record.unreviewed));
        }
        if record.tests == 0 {
            missing.push("it has no tests".to_owned());
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_says_what_is_missing() {
        let check = |mode: Mode, record: GuardRecord, expected: usize| {
            let rule = ExitRule::of(mode).unwrap();
            assert_eq!(rule.missing("g", &record).len(), expected, "{mode:?} {record:?}");
        };
        let good = GuardRecord { evaluations: 50, days: 1, tests: 2, ..GuardRecord::default() };
        check(Mode::Shadow, good, 0);
        check(Mode::Warn, good, 2);
        check(Mode::Shadow, GuardRecord { hits: 3, unreviewed: 1, ..good }, 1);
        check(Mode::Shadow, GuardRecord { false_positives: 1, tests: 0, ..good }, 2);
        check(Mode::Shadow, GuardRecord::default(), 3);
        assert_eq!(ExitRule::of(Mode::Enforce), None);
    }
}
