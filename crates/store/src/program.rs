use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::os;

/// Says whether the system would run a file.
pub fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| os::is_executable(&data))
}

/// Looks a program up in the folders of a PATH.
pub fn find_program(path: &OsStr, name: &str) -> Option<PathBuf> {
    let names = if cfg!(windows) { vec![format!("{name}.exe"), format!("{name}.cmd")] } else { vec![name.to_owned()] };
    std::env::split_paths(path)
        .filter(|folder| !folder.as_os_str().is_empty())
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)).collect::<Vec<_>>())
        .find(|file| file.is_file())
}
