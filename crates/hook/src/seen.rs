//! What each agent last saw of a file: `indexes/seen/<session>/<hash of path>`, one line each. A sub-agent has entries
//! of its own and uses its session's where it has none.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_context::content_hash;
use stead_model::FileId;
use stead_store::{Durability, StoreError, file_stamp, redact, replace_creating};

use crate::policy::hash;

/// The folder of all sessions, below the indexes.
const SEEN: &str = "seen";

const VERSION: &str = "1";

/// A file that changed this shortly before it was seen may have changed again with the same time stamp.
const RACY: Duration = Duration::from_millis(50);

/// How long a session's entries are kept if its end was not seen, and how many sessions are looked at.
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);
const SESSIONS: usize = 200;

/// A file as an agent last saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The agent wrote it; otherwise it was read.
    pub(crate) wrote: bool,
    /// When, in milliseconds since 1970.
    pub(crate) at: i64,
    stamp: String,
    /// Of the content; empty for a file that is too large.
    hash: String,
}

/// A file that is not as it was seen.
pub(crate) struct Changed {
    /// The new content's hash; empty for a file that is too large.
    pub(crate) hash: String,
    /// When the file last changed, in milliseconds since 1970.
    pub(crate) at: i64,
}

impl Seen {
    fn now(path: &Path, wrote: bool, at: i64) -> Option<Self> {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let hash = content_hash(path).unwrap_or_default();
        Some(Self { wrote, at, stamp: file_stamp(&data).text, hash })
    }

    /// Says how the file differs from what was seen. Size and times decide if they are the same; the content is read
    /// only if they are not. A file that is gone cannot be stale.
    pub(crate) fn changed(&self, path: &Path) -> Option<Changed> {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let stamp = file_stamp(&data);
        let seen_at = Duration::from_millis(u64::try_from(self.at).unwrap_or_default());
        if stamp.text == self.stamp && stamp.changed + RACY <= seen_at {
            return None;
        }
        let hash = content_hash(path).unwrap_or_default();
        let is_same = match self.hash.is_empty() || hash.is_empty() {
            true => size(&stamp.text) == size(&self.stamp),
            false => hash == self.hash,
        };
        (!is_same).then(|| Changed { hash, at: i64::try_from(stamp.changed.as_millis()).unwrap_or(i64::MAX) })
    }

    fn render(&self, path: &Path) -> String {
        let kind = if self.wrote { "wrote" } else { "read" };
        let path = path.to_string_lossy();
        format!("{VERSION}\t{kind}\t{}\t{}\t{}\t{path}\n", self.at, self.stamp, self.hash)
    }

    /// Parses the entry of a path; `None` for another path with the same hash, a torn line and a later version.
    fn parse(text: &str, path: &Path) -> Option<Self> {
        let mut fields = text.strip_suffix('\n')?.splitn(6, '\t');
        let mut next = || fields.next();
        if next()? != VERSION {
            return None;
        }
        let (kind, at, stamp, hash) = (next()?, next()?.parse().ok()?, next()?.to_owned(), next()?.to_owned());
        let (written, path) = (next()?, path.to_string_lossy());
        (written == path || written == &*redact(&path)).then(|| Self { wrote: kind == "wrote", at, stamp, hash })
    }
}

/// The size in a stamp.
fn size(stamp: &str) -> Option<&str> {
    stamp.split('.').next()
}

/// The entries of one agent of a session.
pub(crate) struct SeenFiles<'s> {
    indexes: &'s Path,
    session: &'s FileId,
    agent: Option<&'s str>,
}

/// Who wrote what is in a file now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    Session(String),
    /// Another agent of the same session.
    Agent,
}

impl<'s> SeenFiles<'s> {
    pub(crate) fn new(indexes: &'s Path, session: &'s FileId, agent: Option<&'s str>) -> Self {
        Self { indexes, session, agent }
    }

    fn folder(&self) -> PathBuf {
        self.indexes.join(SEEN).join(self.session.as_str())
    }

    /// Returns true if this session may have entries.
    pub(crate) fn is_any(&self) -> bool {
        self.folder().is_dir()
    }

    fn entry(&self, path: &Path, agent: Option<&str>) -> PathBuf {
        let name = name(path);
        let name = agent.map_or_else(|| name.clone(), |agent| format!("{name}-{:08x}", hash(agent.as_bytes()) as u32));
        self.folder().join(name)
    }

    fn read(&self, path: &Path, agent: Option<&str>) -> Option<Seen> {
        Seen::parse(&stead_store::read_text(&self.entry(path, agent)).ok()?, path)
    }

    /// What this agent last saw of a file, else what its session did.
    pub(crate) fn last(&self, path: &Path) -> Option<Seen> {
        self.read(path, self.agent).or_else(|| self.read(path, None))
    }

    /// Notes a file as it is now. If it is as it was seen before, only a write is news.
    pub(crate) fn note(&self, path: &Path, wrote: bool, at: i64) -> Result<(), StoreError> {
        let known = self.read(path, self.agent);
        if known.as_ref().is_some_and(|known| known.changed(path).is_none() && (known.wrote || !wrote)) {
            return Ok(());
        }
        match Seen::now(path, wrote, at) {
            Some(seen) => {
                replace_creating(&self.entry(path, self.agent), redact(&seen.render(path)), Durability::Quick)
            }
            None => {
                self.forget(path);
                Ok(())
            }
        }
    }

    /// Forgets a file that is gone.
    pub(crate) fn forget(&self, path: &Path) {
        let _ = fs::remove_file(self.entry(path, self.agent));
    }

    /// Who wrote this content, as the entries of other agents and sessions show.
    pub(crate) fn writer(&self, path: &Path, hash: &str) -> Option<Writer> {
        let (name, own) = (name(path), self.entry(path, self.agent));
        let sessions = fs::read_dir(self.indexes.join(SEEN)).ok()?.flatten().take(SESSIONS);
        for session in sessions {
            let is_own = session.file_name() == self.session.as_str();
            let files = fs::read_dir(session.path()).into_iter().flatten().flatten();
            for file in files.filter(|file| file.file_name().to_string_lossy().starts_with(&name)) {
                let text = stead_store::read_text(&file.path()).unwrap_or_default();
                let wrote = Seen::parse(&text, path).is_some_and(|seen| seen.wrote && seen.hash == hash);
                if wrote && file.path() != own && !hash.is_empty() {
                    return Some(match is_own {
                        true => Writer::Agent,
                        false => Writer::Session(session.file_name().to_string_lossy().into_owned()),
                    });
                }
            }
        }
        None
    }

    /// Removes all entries of the session.
    pub(crate) fn end(&self) {
        let _ = fs::remove_dir_all(self.folder());
    }

    /// Removes the entries of sessions whose end was not seen.
    pub(crate) fn forget_old(&self) {
        for session in fs::read_dir(self.indexes.join(SEEN)).into_iter().flatten().flatten().take(SESSIONS) {
            let age = session.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok());
            if age.is_some_and(|age| age > KEPT) {
                let _ = fs::remove_dir_all(session.path());
            }
        }
    }
}

/// The file name of a path's entry. Sixteen bits bound the number of files; the entry contains the path.
fn name(path: &Path) -> String {
    format!("{:04x}", hash(path.as_os_str().as_encoded_bytes()) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_reads_back_for_its_own_path_only() {
        let path = Path::new("/p/a b\tc.rs");
        let seen = Seen { wrote: true, at: 7, stamp: "3.1.2.2".into(), hash: "ab".into() };
        assert_eq!(Seen::parse(&seen.render(path), path), Some(seen.clone()));
        assert_eq!(Seen::parse(&seen.render(path), Path::new("/p/b")), None);
        let line = seen.render(path);
        for cut in 0..line.len() {
            assert_eq!(Seen::parse(&line[..cut], path), None, "{cut}");
        }
        assert_eq!(Seen::parse(&line.replace("1\twrote", "2\twrote"), path), None);
    }

    #[test]
    fn content_decides_whatever_the_times_say() {
        let folder = tempfile::tempdir().unwrap();
        let (file, session) = (folder.path().join("f"), FileId::check("s").unwrap());
        let write = |text: &str| fs::write(&file, text).unwrap();
        write("one");
        let main = SeenFiles::new(folder.path(), &session, None);
        let sub = SeenFiles::new(folder.path(), &session, Some("agent"));
        assert!(!main.is_any() && main.last(&file).is_none());
        main.note(&file, false, 1).unwrap();
        assert!(main.is_any() && main.last(&file).unwrap().changed(&file).is_none());
        // The same text, written again.
        write("one");
        assert!(main.last(&file).unwrap().changed(&file).is_none());
        assert_eq!(sub.last(&file), main.last(&file));
        write("two");
        let changed = main.last(&file).unwrap().changed(&file).unwrap();
        assert_eq!(main.writer(&file, &changed.hash), None);
        sub.note(&file, true, 2).unwrap();
        assert!(sub.last(&file).unwrap().changed(&file).is_none());
        assert!(main.last(&file).unwrap().changed(&file).is_some(), "a sub-agent's entries are its own");
        assert_eq!(main.writer(&file, &changed.hash), Some(Writer::Agent));
        let other = FileId::check("other").unwrap();
        SeenFiles::new(folder.path(), &other, None).note(&file, true, 3).unwrap();
        sub.forget(&file);
        assert_eq!(main.writer(&file, &changed.hash), Some(Writer::Session("other".into())));
        fs::remove_file(&file).unwrap();
        assert!(main.last(&file).unwrap().changed(&file).is_none());
        main.end();
        assert!(!main.is_any());
    }
}
