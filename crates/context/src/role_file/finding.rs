use std::fmt;

/// The severity of a finding, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoleSeverity {
    /// The file should be improved.
    Warning,
    /// The file is not valid.
    Error,
}

impl RoleSeverity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One violated rule in a role file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleFinding {
    /// Counted from 1; for something missing, the last line searched.
    pub line: usize,
    pub severity: RoleSeverity,
    /// The rule's name, for machines.
    pub rule: &'static str,
    pub message: String,
}

impl RoleFinding {
    pub(super) fn error(line: usize, rule: &'static str, message: impl Into<String>) -> Self {
        Self { line, severity: RoleSeverity::Error, rule, message: message.into() }
    }

    pub(super) fn warning(line: usize, rule: &'static str, message: impl Into<String>) -> Self {
        Self { severity: RoleSeverity::Warning, ..Self::error(line, rule, message) }
    }

    pub fn is_error(&self) -> bool {
        self.severity == RoleSeverity::Error
    }
}

impl fmt::Display for RoleFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}
