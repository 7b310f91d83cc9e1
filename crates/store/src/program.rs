use std::ffi::OsStr;
use std::path::PathBuf;

/// Looks a program up in the folders of a PATH.
pub fn find_program(path: &OsStr, name: &str) -> Option<PathBuf> {
    let names = if cfg!(windows) { vec![format!("{name}.exe"), format!("{name}.cmd")] } else { vec![name.to_owned()] };
    std::env::split_paths(path)
        .filter(|folder| !folder.as_os_str().is_empty())
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)).collect::<Vec<_>>())
        .find(|file| file.is_file())
}
