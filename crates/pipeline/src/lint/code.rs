use std::fmt;

/// What a finding is about. The names are stable; `docs/lint.md` has a failing and a passing example of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    L001,
    L002,
    L003,
    L004,
    L005,
    L006,
    L007,
    L008,
    L009,
    L010,
    L011,
    L012,
    L013,
    L014,
    L015,
    L016,
    L017,
    P001,
    P002,
    P003,
    P004,
    P005,
    P006,
    P007,
    P008,
    P009,
    P010,
    P011,
    P012,
}

impl Code {
    pub const ALL: [Self; 29] = [
        Self::L001,
        Self::L002,
        Self::L003,
        Self::L004,
        Self::L005,
        Self::L006,
        Self::L007,
        Self::L008,
        Self::L009,
        Self::L010,
        Self::L011,
        Self::L012,
        Self::L013,
        Self::L014,
        Self::L015,
        Self::L016,
        Self::L017,
        Self::P001,
        Self::P002,
        Self::P003,
        Self::P004,
        Self::P005,
        Self::P006,
        Self::P007,
        Self::P008,
        Self::P009,
        Self::P010,
        Self::P011,
        Self::P012,
    ];

    /// Describes the problem in a line.
    pub fn title(self) -> &'static str {
        match self {
            Self::L001 => "unreadable stage file",
            Self::L002 => "missing or invalid stage name, or it does not match the folder",
            Self::L003 => "unknown key in a stage",
            Self::L004 => "invalid value in a stage",
            Self::L005 => "missing or unknown termination",
            Self::L006 => "setting does not fit the termination",
            Self::L007 => "retries are not supported",
            Self::L008 => "missing, empty or unreadable prompt",
            Self::L009 => "unknown variable",
            Self::L010 => "deprecated variable",
            Self::L011 => "invalid output path",
            Self::L012 => "unknown provider",
            Self::L013 => "unusable fixture",
            Self::L014 => "deprecated stage key",
            Self::L015 => "status parsed from the agent's answer",
            Self::L016 => "prompt without `${STATUS}`",
            Self::L017 => "prompt without `${CTX}`",
            Self::P001 => "unreadable pipeline file",
            Self::P002 => "invalid pipeline name, or it does not match the file",
            Self::P003 => "pipeline without stages",
            Self::P004 => "missing, invalid or duplicate stage id",
            Self::P005 => "missing or unknown template",
            Self::P006 => "unknown key in a pipeline",
            Self::P007 => "invalid value in a pipeline",
            Self::P008 => "inputs from a stage that does not run before",
            Self::P009 => "`needs` or `when` that cannot be met",
            Self::P010 => "cyclic dependency between stages",
            Self::P011 => "invalid fan-out",
            Self::P012 => "deprecated pipeline key",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
