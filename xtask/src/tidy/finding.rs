use std::fmt;

/// A violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) weight: Weight,
    pub(super) path: String,
    /// Counted from one; zero for the whole file.
    pub(super) line: usize,
    pub(super) reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// Reported, but not a failure.
    Note,
    Problem,
}

impl Finding {
    pub(super) fn at(path: &str, line: usize, reason: impl Into<String>) -> Self {
        Self { weight: Weight::Problem, path: path.to_owned(), line, reason: reason.into() }
    }

    pub(super) fn whole(path: &str, reason: impl Into<String>) -> Self {
        Self::at(path, 0, reason)
    }

    pub(super) fn note(path: &str, reason: impl Into<String>) -> Self {
        Self { weight: Weight::Note, ..Self::whole(path, reason) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.weight == Weight::Note {
            f.write_str("note: ")?;
        }
        f.write_str(&self.path)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.reason)
    }
}
