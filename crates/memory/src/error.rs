use std::path::PathBuf;

use stead_store::StoreError;

/// Why something could not be remembered, proposed or changed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{}", unknown_trace(id, *matching))]
    UnknownTrace { id: String, matching: usize },
    #[error("trace `{id}` was forgotten")]
    Forgotten { id: String },
    #[error("trace `{id}` belongs to `{peer}`")]
    Foreign { id: String, peer: String },
    #[error("the trace was refused: {why}")]
    Refused { why: String, hint: &'static str },
    #[error("invalid {what} `{value}`: {why}")]
    Invalid { what: &'static str, value: String, why: String },
    #[error("`{}` contains no trace", path.display())]
    NothingToImport { path: PathBuf },
    #[error("could not read `{}`", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("there is no folder for what outlives a project")]
    NoDataFolder,
    #[error("there is no pattern `{id}`")]
    UnknownPattern { id: String, nearest: Option<String> },
    #[error("no guard can be drafted from `{id}`: {why}")]
    NotDrafted { id: String, why: String, hint: String },
    #[error("there is no proposal `{id}`")]
    UnknownProposal { id: String, known: Vec<String> },
    #[error("there is no version `{version}` of `{guard}`")]
    UnknownVersion { guard: String, version: String, known: Vec<String> },
    #[error("`{guard}` has no earlier version on record")]
    NoVersion { guard: String },
    #[error("`{file}` was changed meanwhile")]
    ChangedMeanwhile { file: String },
}

fn unknown_trace(id: &str, matching: usize) -> String {
    match matching {
        0 => format!("there is no trace `{id}`"),
        more => format!("`{id}` is the beginning of {more} ids"),
    }
}

impl MemoryError {
    /// Returns what the reader can do about it.
    pub fn hint(&self) -> Option<String> {
        let listed = |known: &[String], none: &str| match known.is_empty() {
            true => none.to_owned(),
            false => format!("expected one of {}", known.join(", ")),
        };
        match self {
            Self::Store(error) => error.hint(),
            Self::UnknownTrace { matching: 0, .. } => Some("`stead memory query TEXT` finds traces".to_owned()),
            Self::UnknownTrace { .. } => Some("write more of the id".to_owned()),
            Self::Forgotten { .. } => None,
            Self::Foreign { .. } => {
                Some("only your own traces can be confirmed; store your own with `stead memory store`".to_owned())
            }
            Self::Refused { hint, .. } => Some((*hint).to_owned()),
            Self::Invalid { what: "file", .. } => {
                Some("name a file, a line or a part of it that is there now".to_owned())
            }
            Self::Invalid { .. } => Some("use letters, digits, `-`, `_` and `.`".to_owned()),
            Self::Unreadable { .. } => Some("name a file of JSON lines".to_owned()),
            Self::NothingToImport { .. } => Some("`stead memory export FILE` writes such a file".to_owned()),
            Self::NoDataFolder => Some("set `HOME` to an absolute path".to_owned()),
            Self::UnknownPattern { nearest: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            Self::UnknownPattern { nearest: None, .. } => Some("`stead memory patterns` lists all of them".to_owned()),
            Self::NotDrafted { hint, .. } => Some(hint.clone()),
            Self::UnknownProposal { known, .. } => {
                Some(listed(known, "there are none; `stead memory propose PATTERN` makes one"))
            }
            Self::UnknownVersion { known, .. } => Some(listed(known, "no version is on record")),
            Self::NoVersion { guard } => Some(format!("`stead guard history {guard}` shows what is on record")),
            Self::ChangedMeanwhile { .. } => Some("look at it, then run the command again".to_owned()),
        }
    }
}
