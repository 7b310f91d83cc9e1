use serde::Serialize;

use crate::Failure;

/// What to do now.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// There is no list: an initializer writes one.
    Initialize,
    /// A coding agent implements a feature; again, with what failed before.
    Code {
        feature: String,
        again: Option<Failure>,
    },
    /// A tester tests a feature.
    Test {
        feature: String,
    },
    /// Nothing else is left to do, and a person has to answer.
    AskPerson {
        feature: String,
        question: String,
    },
    /// Nothing can start before that moment, in milliseconds.
    Wait {
        until: i64,
        why: String,
    },
    End {
        summary: Summary,
    },
}

impl Action {
    /// One word for `state` in `session-state.json`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Code { .. } => "code",
            Self::Test { .. } => "test",
            Self::AskPerson { .. } => "ask_person",
            Self::Wait { .. } => "wait",
            Self::End { .. } => "end",
        }
    }

    pub fn feature(&self) -> Option<&str> {
        match self {
            Self::Code { feature, .. } | Self::Test { feature } | Self::AskPerson { feature, .. } => Some(feature),
            Self::Initialize | Self::Wait { .. } | Self::End { .. } => None,
        }
    }
}

/// How the list stands at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub tested: usize,
    pub skipped: usize,
    pub blocked: Vec<String>,
    /// Those that wait for a dependency which is blocked.
    pub waiting: Vec<String>,
    /// Those that were left open because the work was ended.
    pub open: Vec<String>,
    /// Why the work was ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Summary {
    /// Returns true if every feature is tested or skipped.
    pub fn is_complete(&self) -> bool {
        self.blocked.is_empty() && self.waiting.is_empty() && self.open.is_empty()
    }
}
