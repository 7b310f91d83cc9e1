use std::fmt;

/// What is wrong with the result of an edit. Agents see it, so each is one short line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Problem {
    /// The client could not parse the file.
    Unreadable { line: usize, column: usize, message: String },
    /// One of Stead's lines is missing, or no longer runs as it did.
    LineLost { harness: String, event: String },
    /// One of Stead's lines moved to a position that the client does not trust yet.
    LineMoved { harness: String, event: String },
    /// A switch that disables hooks was set.
    TurnsOff { pointer: String, value: String },
    /// A value that decides whether Stead runs was changed.
    Changed { pointer: String },
    /// The client would ignore the file, or part of it.
    Structure { place: String, expected: &'static str },
    /// A key that makes the client ignore the file.
    UnknownKey { place: String, key: String },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { line, column, message } => {
                write!(f, "it no longer parses (line {line}, column {column}: {message})")
            }
            Self::LineLost { harness, event } if event.is_empty() => {
                write!(f, "it changes Stead's own file for {harness}")
            }
            Self::LineLost { harness, event } => {
                write!(f, "it removes or changes Stead's `{event}` line for {harness}")
            }
            Self::LineMoved { harness, event } => {
                write!(f, "it moves Stead's `{event}` line, which {harness} trusts by position; add new lines after it")
            }
            Self::TurnsOff { pointer, value } => write!(f, "it disables hooks: `{pointer}` = {value}"),
            Self::Changed { pointer } => write!(f, "it changes `{pointer}`, which decides whether Stead runs"),
            Self::Structure { place, expected } => {
                write!(f, "`{place}` is not {expected}, so the client would ignore the hooks")
            }
            Self::UnknownKey { place, key } => {
                write!(f, "`{key}` in `{place}` is unknown to the client, which would ignore the file")
            }
        }
    }
}
