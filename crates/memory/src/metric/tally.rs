use serde::Serialize;
use serde_json::{Value, json};

/// What was counted in a period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Attempts to mark a feature as tested that a guard denied.
    pub denied: u64,
    /// Features that were reported, and whose test failed.
    pub failed_reports: u64,
    /// What people wrote to agents.
    pub prompts: u64,
    /// Features that became tested.
    pub finished: u64,
    /// Mistakes that agents had been told of before.
    pub repeated: u64,
    /// Violations that an agent was told of, and what it did next is known.
    pub violations: u64,
    pub complied: u64,
}

stead_model::named! {
    /// A metric over time.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Metric {
        Blocked = "blocked",
        PromptsPerFeature = "prompts_per_feature",
        Repeated = "repeated",
        Compliance = "compliance",
    }
}

impl Metric {
    pub fn title(self) -> &'static str {
        match self {
            Self::Blocked => "premature completions blocked",
            Self::PromptsPerFeature => "prompts per finished feature",
            Self::Repeated => "repeated mistakes",
            Self::Compliance => "compliance with rules",
        }
    }

    /// A value for people.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::Blocked | Self::Repeated => format!("{value:.0}"),
            Self::PromptsPerFeature => format!("{value:.1}"),
            Self::Compliance => format!("{:.0} %", value * 100.0),
        }
    }

    /// The largest value there can be, if there is one.
    pub(super) fn most(self) -> Option<f64> {
        (self == Self::Compliance).then_some(1.0)
    }
}

impl Tally {
    pub fn blocked(&self) -> u64 {
        self.denied + self.failed_reports
    }

    /// The value of a metric; `None` if there is nothing to divide by.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        match metric {
            Metric::Blocked => Some(self.blocked() as f64),
            Metric::PromptsPerFeature => share(self.prompts, self.finished),
            Metric::Repeated => Some(self.repeated as f64),
            Metric::Compliance => share(self.complied, self.violations),
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.denied += other.denied;
        self.failed_reports += other.failed_reports;
        self.prompts += other.prompts;
        self.finished += other.finished;
        self.repeated += other.repeated;
        self.violations += other.violations;
        self.complied += other.complied;
    }

    pub fn json(&self) -> Value {
        json!({
            "blocked": self.blocked(), "denied": self.denied, "failed_reports": self.failed_reports,
            "prompts": self.prompts, "finished": self.finished,
            "prompts_per_feature": self.value(Metric::PromptsPerFeature),
            "repeated": self.repeated, "violations": self.violations, "complied": self.complied,
            "compliance": self.value(Metric::Compliance),
        })
    }
}
