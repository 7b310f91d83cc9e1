/// How much a line of a log matters, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It matches `--grep`.
    Asked,
    Warning,
    Error,
    /// A crash.
    Fatal,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Asked => "match",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }
}
