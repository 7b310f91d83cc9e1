use std::path::PathBuf;

use stead_store::StoreError;

/// Why intents or the ledger could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no intents file at `{path}`")]
    NoIntents { path: PathBuf },
    #[error("`{path}`{}: {message}", at(*line))]
    Malformed { path: PathBuf, line: usize, message: String, hint: Option<String> },
    #[error("there is no intent `{id}`")]
    UnknownIntent { id: String, known: Vec<String>, nearest: Option<String> },
    #[error("there is already an intent `{id}`")]
    KnownIntent { id: String },
    #[error("intent `{id}` is {status}")]
    Finished { id: String, status: &'static str },
    #[error("`{path}` cannot be edited automatically: {why}")]
    Uneditable { path: PathBuf, why: String },
    #[error("invalid {what} `{value}`: {why}")]
    Invalid { what: &'static str, value: String, why: String, hint: Option<String> },
    #[error("there is no request `{id}`")]
    UnknownRequest { id: String, open: Vec<String> },
    #[error("request `{id}` was already {state}")]
    DecidedRequest { id: String, state: String },
    #[error("{}", unknown_lesson(id, *matching))]
    UnknownLesson { id: String, matching: usize, nearest: Option<String> },
}

fn at(line: usize) -> String {
    if line == 0 { String::new() } else { format!(" line {line}") }
}

fn unknown_lesson(id: &str, matching: usize) -> String {
    match matching {
        0 => format!("there is no lesson `{id}`"),
        more => format!("`{id}` is the beginning of {more} ids"),
    }
}

impl LedgerError {
    /// What the reader can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint().map(|hint| hint.to_string()),
            Self::NoIntents { .. } => Some("a person creates it with `stead intent add ID --name … --scope …`".into()),
            Self::Malformed { hint, .. } | Self::Invalid { hint, .. } => hint.clone(),
            Self::UnknownIntent { known, nearest, .. } => Some(match (nearest, known.is_empty()) {
                (Some(near), _) => format!("did you mean `{near}`? available: {}", known.join(", ")),
                (None, false) => format!("available: {}", known.join(", ")),
                (None, true) => "the intents file lists none yet".to_owned(),
            }),
            Self::KnownIntent { id } => Some(format!("`stead intent show {id}` shows it; choose another id")),
            Self::Finished { id, .. } => Some(format!("a person can run `stead intent reopen {id}`")),
            Self::Uneditable { .. } => Some("edit the file by hand, then run `stead intent check`".to_owned()),
            Self::UnknownRequest { open, .. } => Some(match open.is_empty() {
                true => "no request is open".to_owned(),
                false => format!("open requests: {}", open.join(", ")),
            }),
            Self::DecidedRequest { .. } => None,
            Self::UnknownLesson { nearest: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            Self::UnknownLesson { .. } => Some("`stead lesson list` shows all of them".to_owned()),
        }
    }
}
