use std::fmt;

use stead_model::Severity;

use super::Origin;

/// Something wrong in a layer of settings, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    pub origin: Origin,
    pub message: String,
    pub hint: Option<String>,
}

impl Problem {
    pub(crate) fn error(origin: &Origin, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, origin: origin.clone(), message: message.into(), hint: None }
    }

    pub(crate) fn warning(origin: &Origin, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(origin, message) }
    }

    pub(crate) fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)
    }
}
