//! `events.jsonl` while an engine writes it. Agents can delete it, and a history that silently begins anew would be worse
//! than none.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use stead_store::{Durability, Exact, replace_creating};

use crate::os;

/// The log as it was after the last line.
#[derive(Debug, Default)]
pub(crate) struct EventLog {
    known: Option<(File, u64)>,
}

impl EventLog {
    /// Looks whether the log is still what it was, and restores it if it was deleted. Returns what happened to it.
    pub(crate) fn mind(&mut self, path: &Path) -> Option<String> {
        let (file, length) = self.known.as_mut()?;
        let now = match fs::symlink_metadata(path) {
            Ok(data) if data.is_file() => data.len(),
            Ok(_) => return None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let told = "`events.jsonl` was deleted during the run";
                return Some(match restore(file, path) {
                    Ok(()) => format!("{told}; it was restored"),
                    Err(error) => format!("{told}; what happened before is lost: {error}"),
                });
            }
            Err(_) => return None,
        };
        let is_cut = now < *length;
        is_cut.then(|| "`events.jsonl` was shortened during the run; what happened before is incomplete".to_owned())
    }

    /// Remembers the log after a line was written.
    pub(crate) fn remember(&mut self, path: &Path) {
        if !self.known.as_ref().is_some_and(|(file, _)| os::is_at(file, path)) {
            self.known = os::open_to_look(path).ok().map(|file| (file, 0));
        }
        if let Some((file, length)) = &mut self.known {
            *length = file.metadata().map_or(0, |data| data.len());
        }
    }
}

/// A deleted file stays readable for whoever has it open.
fn restore(file: &mut File, path: &Path) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    replace_creating(path, Exact::Copied.bytes(&bytes), Durability::Quick).map_err(io::Error::other)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_deleted_log_comes_back_and_a_cut_one_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let mut log = EventLog::default();
        assert_eq!(log.mind(&path), None);
        fs::write(&path, "one\ntwo\n").unwrap();
        log.remember(&path);
        assert_eq!(log.mind(&path), None);
        fs::remove_file(&path).unwrap();
        assert!(log.mind(&path).is_some_and(|told| told.contains("restored")));
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        log.remember(&path);
        fs::write(&path, "two\n").unwrap();
        assert!(log.mind(&path).is_some_and(|told| told.contains("shortened")));
        log.remember(&path);
        assert_eq!(log.mind(&path), None, "it is told once");
    }
}
