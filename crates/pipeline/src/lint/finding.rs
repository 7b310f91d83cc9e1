use std::ops::Range;
use std::sync::Arc;

use crate::SourceFile;
use crate::lint::Code;

/// A problem in a stage or a pipeline, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    pub severity: Severity,
    pub file: Arc<SourceFile>,
    /// Bytes of the file.
    pub at: Range<usize>,
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub hint: Option<String>,
}

stead_model::named! {
    /// The severity of a finding, weakest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Severity {
        Warning = "warning",
        /// The older format: it works, but is an error with `--strict`.
        Deprecation = "deprecation",
        /// Prevents a run.
        Error = "error",
    }
}

impl Finding {
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The finding in one line, with its position.
    pub fn brief(&self) -> String {
        let Self { file, line, message, code, .. } = self;
        format!("{}:{line}: {message} [{code}]", file.name)
    }
}

/// The findings in one file.
#[derive(Clone, Debug)]
pub struct Findings {
    pub file: Arc<SourceFile>,
    pub list: Vec<Finding>,
}

impl Findings {
    pub(crate) fn of(file: Arc<SourceFile>) -> Self {
        Self { file, list: Vec::new() }
    }

    pub(crate) fn error(&mut self, code: Code, at: &Range<usize>, message: impl Into<String>) -> Hinting<'_> {
        self.add(code, Severity::Error, at, message.into())
    }

    pub(crate) fn warning(&mut self, code: Code, at: &Range<usize>, message: impl Into<String>) -> Hinting<'_> {
        self.add(code, Severity::Warning, at, message.into())
    }

    pub(crate) fn deprecation(&mut self, code: Code, at: &Range<usize>, message: impl Into<String>) -> Hinting<'_> {
        self.add(code, Severity::Deprecation, at, message.into())
    }

    fn add(&mut self, code: Code, severity: Severity, at: &Range<usize>, message: String) -> Hinting<'_> {
        let (line, column) = self.file.position(at.start);
        let file = self.file.clone();
        self.list.push(Finding { code, severity, file, at: at.clone(), line, column, message, hint: None });
        Hinting(self.list.last_mut())
    }
}

/// The finding just added, to which a hint may be added.
pub(crate) struct Hinting<'a>(Option<&'a mut Finding>);

impl Hinting<'_> {
    pub(crate) fn hint(self, hint: impl Into<String>) {
        if let Some(finding) = self.0 {
            finding.hint = Some(hint.into());
        }
    }
}
