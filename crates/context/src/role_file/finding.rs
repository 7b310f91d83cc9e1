use std::fmt;

use stead_model::Severity;

/// One violated rule in a role file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleFinding {
    /// Counted from 1; for something missing, the last line searched.
    pub line: usize,
    pub severity: Severity,
    /// The rule's name, for machines.
    pub rule: &'static str,
    pub message: String,
}

impl RoleFinding {
    pub(super) fn error(line: usize, rule: &'static str, message: impl Into<String>) -> Self {
        Self { line, severity: Severity::Error, rule, message: message.into() }
    }

    pub(super) fn warning(line: usize, rule: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(line, rule, message) }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for RoleFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}
