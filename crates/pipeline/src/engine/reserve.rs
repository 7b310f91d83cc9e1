use std::fs;
use std::path::PathBuf;

use super::folder::RunFolder;

/// As much as an event and a state take, with room for a run of many branches.
const SIZE: usize = 128 * 1024;

/// Room on the disk that a run at work sets aside, so that how it ended can still be written down when the disk is full.
/// Dropping it gives the room back.
pub(crate) struct Reserve(PathBuf);

impl Reserve {
    /// Takes the room, if there is any.
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
