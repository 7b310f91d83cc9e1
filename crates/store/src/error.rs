use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong in the project folder. Each case names the file; [`StoreError::hint`] says what to do, where
/// something can be done.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("could not {doing} `{}`", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("`{}` is not a regular file", path.display())]
    NotAFile { path: PathBuf },
    #[error("`{}` goes through too many symbolic links", path.display())]
    LinkLoop { path: PathBuf },
    #[error("`{}` is not used: the link `{}` leads out of the project, to `{}`", path.display(), link.display(), target.display())]
    LeavesProject { path: PathBuf, link: PathBuf, target: PathBuf },
    #[error("`{}` stayed locked by another process for {waited_ms} ms", path.display())]
    Locked { path: PathBuf, waited_ms: u128 },
    #[error("a line for `{}` contains a line break", path.display())]
    LineBreak { path: PathBuf },
    #[error("a line for `{}` has {length} bytes, more than the {limit} a reader accepts", path.display())]
    LineTooLong { path: PathBuf, length: usize, limit: usize },
    #[error("there is no project marker `{}`", path.display())]
    MarkerMissing { path: PathBuf },
    #[error("the project marker `{}` is corrupt: {why}", path.display())]
    MarkerCorrupt { path: PathBuf, why: String },
    #[error("the project marker `{}` has schema {found}; this version of stead supports schemas up to {known}", path.display())]
    MarkerNewer { path: PathBuf, found: u64, known: u32 },
    #[error("`{}`:{line}: {message}", path.display())]
    ConfigSyntax { path: PathBuf, line: usize, message: String },
    #[error("unknown setting `{key}`")]
    UnknownKey { key: String, nearest: Option<&'static str> },
    #[error("`{key}` cannot be `{value}`: {why}")]
    WrongValue { key: String, value: String, why: String },
    #[error("`{key}` needs a table, but `{}` has another value there", path.display())]
    NotATable { path: PathBuf, key: String },
    #[error("there is no state folder to keep what is trusted in `{}`", root.display())]
    NoStateFolder { root: PathBuf },
    #[error("unknown schema `{name}`; {expected}")]
    UnknownSchema { name: String, expected: String, nearest: Option<&'static str> },
}

impl StoreError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::MarkerMissing { .. } => Some("run `stead init` in the project's root folder".into()),
            Self::MarkerCorrupt { path, .. } => Some(format!(
                "restore `{0}` from version control, or move it aside and run `stead init`",
                path.display()
            )),
            Self::MarkerNewer { .. } => Some("update `stead`; a newer version wrote this project".into()),
            Self::ConfigSyntax { path, line, .. } => Some(format!("correct line {line} of `{}`", path.display())),
            Self::UnknownKey { nearest: Some(nearest), .. } | Self::UnknownSchema { nearest: Some(nearest), .. } => {
                Some(format!("did you mean `{nearest}`?"))
            }
            Self::UnknownKey { nearest: None, .. } => Some("`stead config list` shows all settings".into()),
            Self::Locked { .. } => Some("try again when the other process has finished".into()),
            Self::LeavesProject { link, .. } => {
                Some(format!("replace the link `{}` by a file or folder of the project", link.display()))
            }
            Self::NoStateFolder { .. } => Some(
                "set `HOME` or `XDG_STATE_HOME` to a folder outside the project, and check the marker with `stead doctor`"
                    .into(),
            ),
            Self::NotAFile { path } => Some(format!("move `{}` aside", path.display())),
            Self::Io { source, .. } => io_hint(source),
            _ => None,
        }
    }
}

fn io_hint(source: &io::Error) -> Option<String> {
    let hint = match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space on that file system",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is mounted read-only; work in a writable copy",
        io::ErrorKind::PermissionDenied => "make sure you have write access to that folder",
        _ => return None,
    };
    Some(hint.into())
}

/// Adds the path and the operation to a plain I/O error.
pub(crate) trait At<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, doing: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Io { doing, path: path.to_owned(), source })
    }
}
