use stead_store::StoreError;

/// Why something could not be remembered, proposed or changed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    #[error(transparent)]
    Store(#[from] StoreError),
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

impl MemoryError {
    /// What the reader can do about it.
    pub fn hint(&self) -> Option<String> {
        let listed = |known: &[String], none: &str| match known.is_empty() {
            true => none.to_owned(),
            false => format!("expected one of {}", known.join(", ")),
        };
        match self {
            Self::Store(error) => error.hint().map(|hint| hint.to_string()),
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
