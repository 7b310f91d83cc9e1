use std::path::PathBuf;

use stead_client::Harness;
use stead_store::StoreError;
use thiserror::Error;

/// Why an installation, or its undoing, cannot begin.
#[derive(Debug, Error)]
pub enum InstallError {
    #[error("unknown harness `{name}`")]
    UnknownHarness { name: String },
    #[error("the undo record `{}` cannot be read: {why}", path.display())]
    RecordCorrupt { path: PathBuf, why: String },
    #[error("the undo record `{}` has schema {found}, this program knows up to {known}", path.display())]
    RecordNewer { path: PathBuf, found: u64, known: u32 },
    #[error("the undo record could not be written, so nothing was changed")]
    RecordUnwritten { source: StoreError },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl InstallError {
    /// Says what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownHarness { .. } => Some(format!("known are {}", Harness::ALL.map(Harness::name).join(", "))),
            Self::RecordCorrupt { path, .. } => {
                Some(format!("move `{}` away; Stead then takes out its lines without the old bytes", path.display()))
            }
            Self::RecordNewer { .. } => Some("update `stead`; a newer version wrote this record".to_owned()),
            Self::RecordUnwritten { source } | Self::Store(source) => source.hint(),
        }
    }
}
