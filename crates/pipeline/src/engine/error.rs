use std::io;
use std::path::{Path, PathBuf};

use stead_store::StoreError;

/// Why the engine itself could not go on. How an agent failed is no error but a [`super::RunEnd`].
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("`{name}` cannot be the name of a run: {why}")]
    BadName { name: String, why: String },
    #[error("there is a run `{run}` already")]
    Exists { run: String },
    #[error("there is no run `{run}`")]
    UnknownRun { run: String, nearest: Option<String> },
    #[error("run `{run}` is in the hands of another engine: {holder}")]
    Held { run: String, holder: String },
    #[error("run `{run}` has no engine that could be stopped")]
    NotRunning { run: String },
    #[error("`{}` is damaged: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("`{}` has schema {found}, this program knows up to {known}", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("the run's files do not fit together: {why}")]
    Mismatch { why: String },
}

impl EngineError {
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Store(StoreError::Io { doing, path: path.to_owned(), source })
    }

    /// Says what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(source) => source.hint(),
            Self::BadName { .. } => Some("use letters, digits, `-` and `_`, as in `night-1`".into()),
            Self::Exists { .. } => Some("add `--resume` to go on with it, or choose another name".into()),
            Self::UnknownRun { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::UnknownRun { nearest: None, .. } => Some("`stead runs` lists them".into()),
            Self::Held { run, .. } => {
                Some(format!("watch it with `stead status {run}`, or end it with `stead stop {run}`"))
            }
            Self::NotRunning { run } => Some(format!("`stead status {run}` says how it stands")),
            Self::Damaged { path, .. } => {
                Some(format!("restore `{}`, or start a run with another name", path.display()))
            }
            Self::Newer { .. } => Some("update `stead`; a newer version wrote this run".into()),
            Self::Mismatch { .. } => Some("start a run with another name".into()),
        }
    }
}
