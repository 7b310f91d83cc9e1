use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{StoreError, create_parents, os};

/// Says whether the system would run a file.
pub fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| os::is_executable(&data))
}

/// Lets a link name a program, unless it does. Whoever looks at it meanwhile finds the old one or the new one.
pub fn renew_link(program: &Path, link: &Path) -> Result<(), StoreError> {
    if fs::read_link(link).is_ok_and(|named| named == program) {
        return Ok(());
    }
    create_parents(link)?;
    let new = link.with_extension("new");
    let _ = fs::remove_file(&new);
    let made = os::link_program(program, &new).and_then(|()| fs::rename(&new, link));
    made.map_err(|source| StoreError::Io { doing: "link", path: link.to_owned(), source })
}

/// Looks a program up in the folders of a PATH.
pub fn find_program(path: &OsStr, name: &str) -> Option<PathBuf> {
    let names = if cfg!(windows) { vec![format!("{name}.exe"), format!("{name}.cmd")] } else { vec![name.to_owned()] };
    std::env::split_paths(path)
        .filter(|folder| !folder.as_os_str().is_empty())
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)).collect::<Vec<_>>())
        .find(|file| file.is_file())
}
