//! `events.jsonl` while an engine writes it. Agents can delete it, and a history that silently begins anew would be worse
//! than none.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use stead_store::{Durability, Exact, replace_creating};

use super::rebuild;
use crate::os;

/// The log as it was after the last line.
#[derive(Debug, Default)]
pub(crate) struct EventLog {
    known: Option<(File, u64)>,
}

impl EventLog {
    /// Looks whether the log is still what it was, and restores it if it was deleted or replaced. Returns what happened to it.
    pub(crate) fn mind(&mut self, path: &Path) -> Option<String> {
        let (file, length) = self.known.as_mut()?;
        if os::is_at(file, path) {
            let is_cut = file.metadata().is_ok_and(|data| data.len() < *length);
            return is_cut
                .then(|| "`events.jsonl` was shortened during the run; what happened before is incomplete".to_owned());
        }
        let told = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => "`events.jsonl` was deleted during the run",
            Err(_) => return None,
            Ok(_) => "`events.jsonl` was replaced during the run",
        };
        // Whatever is in its place is kept beside it.
        let restored = rebuild::put_aside(path).map_err(|error| error.to_string());
        Some(match restored.and_then(|()| restore(file, path).map_err(|error| error.to_string())) {
            Ok(()) => format!("{told}; it was restored"),
            Err(error) => format!("{told}; what happened before is lost: {error}"),
        })
    }

    /// How long the log was after the last line; 0 if none was written yet.
    pub(crate) fn length(&self) -> u64 {
        self.known.as_ref().map_or(0, |(_, length)| *length)
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
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(log.mind(&path).is_some_and(|told| told.contains("replaced") && told.contains("restored")));
        assert_eq!(fs::read_to_string(&path).unwrap(), "two\n");
        log.remember(&path);
        let other = folder.path().join("other");
        fs::write(&other, "a much longer history that never happened\n").unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(log.mind(&path).is_some_and(|told| told.contains("replaced")));
        assert_eq!(fs::read_to_string(&path).unwrap(), "two\n");
        assert!(folder.path().join("events.damaged").is_dir() && folder.path().join("events.damaged-2").is_file());
    }
}
