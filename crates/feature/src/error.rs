use std::path::PathBuf;

use stead_store::StoreError;

/// What can go wrong with the feature list and its state.
#[derive(Debug, thiserror::Error)]
pub enum FeatureError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no feature list `{}`", path.display())]
    ListMissing { path: PathBuf },
    #[error("`{}`:{line}:{column}: {message}", path.display())]
    Syntax { path: PathBuf, line: usize, column: usize, message: String },
    #[error("`{}` is not a feature list: {why}", path.display())]
    Shape { path: PathBuf, why: String },
    #[error("`{}`:{line}: {message}", path.display())]
    Entry { path: PathBuf, line: usize, message: String },
    #[error("`{}` is not UTF-8", path.display())]
    Encoding { path: PathBuf },
    #[error("`{}` has schema `{found}`; this version of stead supports `{known}`", path.display())]
    Newer { path: PathBuf, found: String, known: &'static str },
    #[error("there is no feature `{id}`")]
    Unknown { id: String, nearest: Option<String>, path: PathBuf },
    #[error("feature `{id}` exists already")]
    Exists { id: String },
    #[error("invalid feature id `{id}`: {why}")]
    BadId { id: String, why: String },
    #[error("`{feature}` {why}")]
    Refused { feature: String, why: String, hint: Option<String> },
    #[error("cannot import the list: {why}")]
    Import { why: String },
    #[error("invalid command object: {why}")]
    BadCommand { why: String },
}

impl FeatureError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::ListMissing { .. } => Some("`stead feature add \"…\"` creates it".into()),
            Self::Syntax { line, path, .. } | Self::Entry { line, path, .. } => {
                Some(format!("correct line {line} of `{}`", path.display()))
            }
            Self::Shape { .. } => Some("`stead schema feature-list` prints its schema".into()),
            Self::Encoding { path } => Some(format!("save `{}` as UTF-8", path.display())),
            Self::Newer { .. } => Some("update `stead`; a newer version wrote this file".into()),
            Self::Unknown { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::Unknown { nearest: None, path, .. } => Some(format!("`{}` lists the features", path.display())),
            Self::Exists { id } => Some(format!("`stead feature edit {id}` changes it")),
            Self::BadId { .. } => Some("use letters, digits, `-`, `_` and `.`".into()),
            Self::Refused { hint, .. } => hint.clone(),
            Self::Import { .. } => Some("name its form with `--from`".into()),
            Self::BadCommand { .. } => Some("`stead schema command` prints its schema".into()),
        }
    }
}
