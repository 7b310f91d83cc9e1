use crate::{BlockedOn, Proven};

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An agent takes a feature: to code it if it is pending, to test it if it is implemented. The same owner renews.
    Claimed {
        feature: String,
        owner: String,
        expires: i64,
        command_id: Option<String>,
        tree: Option<String>,
    },
    /// A coding agent finished.
    Implemented {
        feature: String,
        files_changed: Vec<String>,
    },
    /// A tester finished, and the evidence holds.
    Passed {
        feature: String,
        proof: Proven,
    },
    /// A test failed, or a coding agent gave up.
    Failed {
        feature: String,
        summary: String,
        evidence: Vec<String>,
    },
    /// A judge refused the transition to tested.
    Vetoed {
        feature: String,
        why: String,
    },
    /// The lease of a claim ran out.
    ClaimExpired {
        feature: String,
    },
    /// The engine died while an agent worked; the attempt does not count.
    DiedWithEngine {
        feature: String,
    },
    /// The receiver refused the command object, or never started. Two of these block the feature.
    HandoffFailed {
        feature: String,
        why: String,
    },
    /// The agent took longer than the feature allows. A coding attempt counts; two of these block the feature.
    TimedOut {
        feature: String,
    },
    NeedsPerson {
        feature: String,
        question: String,
    },
    Answered {
        feature: String,
        answer: String,
    },
    Blocked {
        feature: String,
        on: BlockedOn,
        why: String,
    },
    Unblocked {
        feature: String,
    },
    Skipped {
        feature: String,
        why: String,
    },
    /// The branch of a feature cannot be merged.
    Conflict {
        feature: String,
        branches: Vec<String>,
    },
    /// The provider has no quota until then. The feature that was being worked on, if any, is free again.
    Quota {
        feature: Option<String>,
        until: i64,
    },
    BudgetSpent {
        what: String,
    },
    /// A new run begins: an earlier end or pause no longer counts.
    Started,
}

impl Event {
    pub fn feature(&self) -> Option<&str> {
        match self {
            Self::Claimed { feature, .. }
            | Self::Implemented { feature, .. }
            | Self::Passed { feature, .. }
            | Self::Failed { feature, .. }
            | Self::Vetoed { feature, .. }
            | Self::ClaimExpired { feature }
            | Self::DiedWithEngine { feature }
            | Self::HandoffFailed { feature, .. }
            | Self::TimedOut { feature }
            | Self::NeedsPerson { feature, .. }
            | Self::Answered { feature, .. }
            | Self::Blocked { feature, .. }
            | Self::Unblocked { feature }
            | Self::Skipped { feature, .. }
            | Self::Conflict { feature, .. } => Some(feature),
            Self::Quota { feature, .. } => feature.as_deref(),
            Self::BudgetSpent { .. } | Self::Started => None,
        }
    }

    /// One word for the history.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Claimed { .. } => "claimed",
            Self::Implemented { .. } => "implemented",
            Self::Passed { .. } => "passed",
            Self::Failed { .. } => "failed",
            Self::Vetoed { .. } => "vetoed",
            Self::ClaimExpired { .. } => "claim-expired",
            Self::DiedWithEngine { .. } => "died-with-engine",
            Self::HandoffFailed { .. } => "handoff-failed",
            Self::TimedOut { .. } => "timed-out",
            Self::NeedsPerson { .. } => "needs-person",
            Self::Answered { .. } => "answered",
            Self::Blocked { .. } => "blocked",
            Self::Unblocked { .. } => "unblocked",
            Self::Skipped { .. } => "skipped",
            Self::Conflict { .. } => "conflict",
            Self::Quota { .. } => "quota",
            Self::BudgetSpent { .. } => "budget-spent",
            Self::Started => "started",
        }
    }
}
