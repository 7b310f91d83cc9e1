use std::path::PathBuf;

use stead_store::StoreError;

/// Why a trace could not be read, stored or changed.
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
        }
    }
}
