/// How much a line of a log matters, from little to much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It was asked for.
    Asked,
    Warning,
    Error,
    /// The program broke.
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
