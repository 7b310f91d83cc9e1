use std::fmt;

/// By what a precedent is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrecedentKey<'a> {
    /// A rule, and a kind of action or exactly this one: what is done to which folder, file or program.
    Rule { rule: &'a str, kind: &'a str },
    /// A file, by its path below the project.
    Path(&'a str),
    /// A feature, by its id.
    Feature(&'a str),
    /// A name that the output of a failed command contains.
    Word(&'a str),
    /// The project as a whole.
    Project,
}

impl PrecedentKey<'_> {
    /// How the keys of [`PrecedentKey::Word`] start.
    pub const WORD: &'static str = "word:";
}

impl fmt::Display for PrecedentKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule { rule, kind } => write!(f, "rule:{rule} {kind}"),
            Self::Path(path) => write!(f, "path:{path}"),
            Self::Feature(id) => write!(f, "feature:{id}"),
            Self::Word(word) => write!(f, "{}{word}", Self::WORD),
            Self::Project => f.write_str("project:"),
        }
    }
}
