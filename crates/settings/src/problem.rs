use std::fmt;

use crate::watch::names;

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
    /// The client's record that a person trusts this project's hooks is gone.
    TrustLost { pointer: String },
    /// It is another, as after a person was asked again.
    TrustChanged { pointer: String },
    /// The client would ignore the file, or part of it.
    Structure { place: String, expected: &'static str },
    /// A key that makes the client ignore the file.
    UnknownKey { place: String, key: String },
}

impl Problem {
    /// Returns false for what a client changes by itself after it asked the person.
    pub fn is_damage(&self) -> bool {
        !matches!(self, Self::TrustChanged { .. })
    }
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
            Self::TurnsOff { pointer, value } => write!(f, "it disables hooks: `{}` = {value}", shown(pointer)),
            Self::Changed { pointer } => {
                write!(f, "it changes `{}`, which decides whether Stead runs", shown(pointer))
            }
            Self::TrustLost { pointer } => {
                write!(f, "it removes `{}`, with which the client trusts this project's hooks", shown(pointer))
            }
            Self::TrustChanged { pointer } => {
                write!(f, "it changes `{}`, with which the client trusts this project's hooks", shown(pointer))
            }
            Self::Structure { place, expected } => {
                write!(f, "`{place}` is not {expected}, so the client would ignore the hooks")
            }
            Self::UnknownKey { place, key } => {
                write!(f, "`{key}` in `{place}` is unknown to the client, which would ignore the file")
            }
        }
    }
}

/// A JSON pointer with its names as they are.
fn shown(pointer: &str) -> String {
    names(pointer).map(|name| format!("/{name}")).collect()
}
