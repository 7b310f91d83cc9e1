use std::path::PathBuf;

use stead_feature::FeatureError;
use stead_store::StoreError;

/// What can go wrong with features and their evidence.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Feature(#[from] FeatureError),
    #[error("there is no evidence `{id}`")]
    UnknownItem { id: String, nearest: Option<String> },
    #[error("`{id}` could be {first} or {second}")]
    AmbiguousItem { id: String, first: String, second: String },
    #[error("{what} is not evidence: {why}")]
    Worthless { what: String, why: String },
    #[error("`{name}` contains a secret and is no text, so it cannot be redacted")]
    SecretInBinary { name: String },
    #[error("there is no verifier named `{name}`")]
    UnknownVerifier { name: String },
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
            Self::Feature(error) => error.hint(),
            Self::UnknownItem { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::UnknownItem { nearest: None, .. } => Some("`stead evidence list` shows all of it".into()),
            Self::AmbiguousItem { .. } => Some("type more of the id".into()),
            Self::Worthless { .. } => Some("add something that shows what happened".into()),
            Self::SecretInBinary { .. } => Some("remove the secret, or add a text or a screenshot without it".into()),
            Self::UnknownVerifier { name } => {
                Some(format!("a person writes `{name} = \"COMMAND\"` into `verifiers.toml` in their config folder"))
            }
            Self::Coverage { .. } => Some("run the tests again with coverage".into()),
            Self::Pattern { .. } | Self::Unread { .. } => None,
        }
    }
}
