use std::io;
use std::path::{Path, PathBuf};

/// The path with all links resolved, like `fs::canonicalize` with fewer system calls.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    crate::os::real_path(path)
}
