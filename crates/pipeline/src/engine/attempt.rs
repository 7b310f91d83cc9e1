//! Prepares an iteration's folder before its agent starts: files of an earlier attempt are moved aside, so that none of
//! them can be mistaken for the new one's.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use stead_store::create_folder;

use super::EngineError;
use super::folder::make_dir;

pub(crate) const CONTEXT: &str = "context.json";
pub(crate) const STATUS: &str = "status.json";
pub(crate) const REJECTED: &str = "status.rejected";
pub(crate) const LOG: &str = "agent.log";
pub(crate) const OUTPUT: &str = "output.md";
pub(crate) const VERIFY: &str = "verify.json";

/// What is moved aside; `context.json` is written again.
const LEFTOVERS: [&str; 5] = [STATUS, REJECTED, LOG, OUTPUT, VERIFY];

/// Creates the folder of an iteration. Files of an earlier attempt are moved to `attempt-<n>`, and that is reported.
pub(crate) fn prepare(dir: &Path) -> Result<Option<u32>, EngineError> {
    let parent = dir.parent().unwrap_or(dir);
    match create_folder(dir) {
        Ok(()) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make_dir(parent)?;
            make_dir(dir)?;
            return Ok(None);
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
        Err(source) => return Err(EngineError::io("create folder", dir, source)),
    }
    let left: Vec<&str> = LEFTOVERS.into_iter().filter(|name| exists(&dir.join(name))).collect();
    if left.is_empty() && !exists(&dir.join(CONTEXT)) {
        return Ok(None);
    }
    let (number, aside) = free_folder(dir)?;
    for name in left {
        let from = dir.join(name);
        fs::rename(&from, aside.join(name)).map_err(|source| EngineError::io("move aside", &from, source))?;
    }
    Ok(Some(number))
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// The folder for the files of an earlier attempt.
pub(crate) fn aside(dir: &Path, attempt: u32) -> PathBuf {
    dir.join(format!("attempt-{attempt}"))
}

fn free_folder(dir: &Path) -> Result<(u32, PathBuf), EngineError> {
    let mut number = 1;
    loop {
        let aside = aside(dir, number);
        match create_folder(&aside) {
            Ok(()) => return Ok((number, aside)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(source) => return Err(EngineError::io("create folder", &aside, source)),
        }
    }
}

/// Moves the status that the agent wrote aside, whatever it is.
pub(crate) fn reject_status(dir: &Path) -> Result<(), EngineError> {
    let status = dir.join(STATUS);
    if !exists(&status) {
        return Ok(());
    }
    let rejected = dir.join(REJECTED);
    if exists(&rejected) {
        // The agent created it; it blocks the record.
        let (_, aside) = free_folder(dir)?;
        fs::rename(&rejected, aside.join(REJECTED))
            .map_err(|source| EngineError::io("move aside", &rejected, source))?;
    }
    fs::rename(&status, &rejected).map_err(|source| EngineError::io("move aside", &status, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leavings_move_aside_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("stage-00-a/iterations/001");
        assert_eq!(prepare(&dir).unwrap(), None);
        assert_eq!(prepare(&dir).unwrap(), None);
        fs::write(dir.join(CONTEXT), "{}").unwrap();
        assert_eq!(prepare(&dir).unwrap(), Some(1));
        fs::create_dir(dir.join(STATUS)).unwrap();
        fs::write(dir.join(LOG), "said").unwrap();
        assert_eq!(prepare(&dir).unwrap(), Some(2));
        assert!(!dir.join(STATUS).exists() && !dir.join(LOG).exists());
        assert!(dir.join("attempt-2/status.json").is_dir());
        assert_eq!(fs::read_to_string(dir.join("attempt-2/agent.log")).unwrap(), "said");
    }

    #[test]
    fn a_rejected_status_is_kept_whatever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        reject_status(dir).unwrap();
        fs::write(dir.join(REJECTED), "old").unwrap();
        fs::create_dir(dir.join(STATUS)).unwrap();
        reject_status(dir).unwrap();
        assert!(dir.join(REJECTED).is_dir() && !dir.join(STATUS).exists());
        assert_eq!(fs::read_to_string(dir.join("attempt-1/status.rejected")).unwrap(), "old");
    }
}
