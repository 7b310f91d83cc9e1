use std::fmt;

use stead_model::Severity;

/// What is wrong with a guard file. A configuration error, never a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    pub file: String,
    /// From 1; 0 if the position is unknown.
    pub line: usize,
    pub column: usize,
    /// The guard's id, if it could be read.
    pub guard: Option<String>,
    pub message: String,
    pub hint: Option<String>,
}

impl Problem {
    /// The position, in the form that editors understand.
    pub fn place(&self) -> String {
        match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}:{}", self.file, self.column),
        }
    }

    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.message)
    }
}

impl std::error::Error for Problem {}
