use std::fs;
use std::path::PathBuf;

use super::folder::RunFolder;

/// Enough for an event and a state of a run with many branches.
const SIZE: usize = 128 * 1024;

/// Disk space that a running run reserves, so that its end can still be recorded when the disk is full. Dropping it
/// frees the space.
pub(crate) struct Reserve(PathBuf);

impl Reserve {
    /// Reserves the space, if there is any.
    pub(crate) fn take(folder: &RunFolder) -> Self {
        let path = folder.path().join("reserve");
        if fs::write(&path, vec![0; SIZE]).is_err() {
            let _ = fs::remove_file(&path);
        }
        Self(path)
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
