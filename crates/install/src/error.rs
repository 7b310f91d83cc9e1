use std::path::PathBuf;

use stead_client::Harness;
use stead_model::suggestion;
use stead_store::StoreError;
use thiserror::Error;

/// Why an installation, or its undo, cannot start.
#[derive(Debug, Error)]
pub enum InstallError {
    #[error("unknown harness `{name}`")]
    UnknownHarness { name: String },
    #[error("the undo record `{}` cannot be read: {why}", path.display())]
    RecordCorrupt { path: PathBuf, why: String },
    #[error("the undo record `{}` has schema {found}; this version of stead supports schemas up to {known}", path.display())]
    RecordNewer { path: PathBuf, found: u64, known: u32 },
    #[error("the undo record could not be written, so nothing was changed")]
    RecordUnwritten { source: StoreError },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl InstallError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownHarness { name } => Some(suggestion(name, Harness::ALL.map(Harness::name))),
            Self::RecordCorrupt { path, .. } => Some(format!(
                "move `{}` aside; Stead then removes its lines, but cannot restore the old files",
                path.display()
            )),
            Self::RecordNewer { .. } => Some("update `stead`; a newer version wrote this record".to_owned()),
            Self::RecordUnwritten { source } | Self::Store(source) => source.hint(),
        }
    }
}
