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

    /// Says in a line what is wrong.
    pub fn title(self) -> &'static str {
        match self {
            Self::L001 => "the stage file cannot be read",
            Self::L002 => "the stage's name is missing, unfit or not its folder's",
            Self::L003 => "unknown key in a stage",
            Self::L004 => "a value of the wrong kind in a stage",
            Self::L005 => "it is not said how the stage ends",
            Self::L006 => "a setting does not fit how the stage ends",
            Self::L007 => "retries are not made",
            Self::L008 => "the prompt is missing, empty or unreadable",
            Self::L009 => "unknown variable",
            Self::L010 => "variable of the older form",
            Self::L011 => "the output cannot lie there",
            Self::L012 => "unknown provider",
            Self::L013 => "a fixture cannot be used",
            Self::L014 => "key of the older form of stages",
            Self::L015 => "the status is parsed from the agent's words",
            Self::L016 => "the prompt does not say where the status goes",
            Self::L017 => "the prompt does not name its context",
            Self::P001 => "the pipeline file cannot be read",
            Self::P002 => "the pipeline's name is unfit or not its file's",
            Self::P003 => "the pipeline has no stages",
            Self::P004 => "a stage's id is missing, unfit or taken",
            Self::P005 => "a stage has no known template",
            Self::P006 => "unknown key in a pipeline",
            Self::P007 => "a value of the wrong kind in a pipeline",
            Self::P008 => "inputs from a stage that never runs before",
            Self::P009 => "a need or condition that cannot be met",
            Self::P010 => "stages need each other in a circle",
            Self::P011 => "a fan-out that cannot work",
            Self::P012 => "key of the older form of pipelines",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
