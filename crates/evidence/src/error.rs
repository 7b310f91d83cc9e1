use std::path::PathBuf;

use stead_store::StoreError;

/// What can go wrong with features and their evidence.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("there is no feature list `{}`", path.display())]
    ListMissing { path: PathBuf },
    #[error("`{}`:{line}:{column}: {message}", path.display())]
    ListSyntax { path: PathBuf, line: usize, column: usize, message: String },
    #[error("`{}` is not a feature list: {why}", path.display())]
    ListShape { path: PathBuf, why: String },
    #[error("there is no feature `{id}`")]
    UnknownFeature { id: String, nearest: Option<String>, path: PathBuf },
    #[error("invalid feature id `{id}`: {why}")]
    BadFeatureId { id: String, why: String },
    #[error("there is no evidence `{id}`")]
    UnknownItem { id: String, nearest: Option<String> },
    #[error("`{id}` could be {first} or {second}")]
    AmbiguousItem { id: String, first: String, second: String },
    #[error("{what} is not evidence: {why}")]
    Worthless { what: String, why: String },
    #[error("`{pattern}` is not a valid regular expression: {why}")]
    Pattern { pattern: String, why: String },
    #[error("`{}` is not a coverage report: {why}", path.display())]
    Coverage { path: PathBuf, why: String },
    #[error("could not read `{}`", path.display())]
    Unread { path: PathBuf, source: std::io::Error },
}

impl EvidenceError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(error) => error.hint(),
            Self::ListMissing { path } => Some(format!(
                "write `{}`: {{\"features\": [{{\"id\": \"login\", \"title\": \"…\", \"files\": [\"src/login/**\"], \
                 \"verifiers\": [\"…\"], \"status\": \"pending\", \"tested\": false}}]}}",
                path.display()
            )),
            Self::ListSyntax { line, path, .. } => Some(format!("correct line {line} of `{}`", path.display())),
            Self::ListShape { .. } => Some("`stead schema feature-list` prints its schema".into()),
            Self::UnknownFeature { nearest: Some(nearest), .. } | Self::UnknownItem { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `{nearest}`?"))
            }
            Self::UnknownFeature { nearest: None, path, .. } => {
                Some(format!("`{}` lists the features", path.display()))
            }
            Self::UnknownItem { nearest: None, .. } => Some("`stead evidence list` shows all of it".into()),
            Self::AmbiguousItem { .. } => Some("type more of the id".into()),
            Self::BadFeatureId { .. } => Some("use letters, digits, `-`, `_` and `.`".into()),
            Self::Worthless { .. } => Some("add something that shows what happened".into()),
            Self::Coverage { .. } => Some("run the tests again with coverage".into()),
            Self::Pattern { .. } | Self::Unread { .. } => None,
        }
    }
}
