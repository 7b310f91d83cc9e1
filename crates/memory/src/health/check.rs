use serde::Serialize;

stead_model::named! {
    /// One habit that is measured.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum HealthCheck {
        Retrieval = "retrieval",
        Oscillation = "oscillation",
        Reflections = "reflections",
        Claims = "claims",
        Planning = "planning",
    }
}

stead_model::named! {
    /// What the number of a check is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum HealthUnit {
        /// The part of what was looked at.
        Share = "share",
        Count = "count",
    }
}

/// What is known about a check.
struct Facts {
    anti_pattern: &'static str,
    /// What was found, and among what.
    found: &'static str,
    of: &'static str,
    unit: HealthUnit,
    threshold: f64,
    least: usize,
    advice: &'static str,
}

impl HealthCheck {
    const fn facts(self) -> Facts {
        match self {
            Self::Retrieval => Facts {
                anti_pattern: "reflection without action",
                found: "were never retrieved",
                of: "traces",
                unit: HealthUnit::Share,
                threshold: 0.9,
                least: 10,
                advice: "have agents run `stead memory query` before they start, and forget traces that help nobody \
                         (`stead memory forget`)",
            },
            Self::Oscillation => Facts {
                anti_pattern: "over-indexing recent failures",
                found: "went back and forth",
                of: "changed files",
                unit: HealthUnit::Count,
                threshold: 0.0,
                least: 1,
                advice: "stop the attempts, and record with `stead reflect --failed` why each version failed",
            },
            Self::Reflections => Facts {
                anti_pattern: "generic reflections",
                found: "would fit any failure",
                of: "reflections",
                unit: HealthUnit::Share,
                threshold: 0.25,
                least: 4,
                advice: "ask for the file, the function, the value or the command that failed",
            },
            Self::Claims => Facts {
                anti_pattern: "self-scoring without validation",
                found: "were not confirmed by evidence",
                of: "claims",
                unit: HealthUnit::Share,
                threshold: 0.3,
                least: 3,
                advice: "give features `verifiers` and loops a check (`stead loop start --verify`)",
            },
            Self::Planning => Facts {
                anti_pattern: "overthinking",
                found: "changed nothing",
                of: "long sessions",
                unit: HealthUnit::Share,
                threshold: 0.3,
                least: 3,
                advice: "split the task, and limit iterations (`--max-iterations`) and time (`timeout_seconds`)",
            },
        }
    }

    /// The habit, by the name that people use for it.
    pub fn anti_pattern(self) -> &'static str {
        self.facts().anti_pattern
    }

    pub fn found(self) -> &'static str {
        self.facts().found
    }

    pub fn of(self) -> &'static str {
        self.facts().of
    }

    pub fn unit(self) -> HealthUnit {
        self.facts().unit
    }

    /// A larger number is a warning.
    pub fn threshold(self) -> f64 {
        self.facts().threshold
    }

    /// How many must have been looked at before the number means something.
    pub fn least(self) -> usize {
        self.facts().least
    }

    /// What to do about it.
    pub fn advice(self) -> &'static str {
        self.facts().advice
    }
}
