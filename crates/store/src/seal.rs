//! The seal: how the files looked that agents must not weaken, and copies of them, in the person's state folder.
//!
//! It keeps and compares; what a change means is decided elsewhere. The usual look at an unchanged project is one small
//! file and a `stat` for each sealed file. Writers of this crate announce what they are about to write to a sealed file,
//! so that Stead's own commands need no second step, and one that is killed in between leaves nothing to explain.

mod announce;
mod index;
mod log;
mod machine;
mod quick;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use announce::{Announced, Coming, announce, announce_from, read_in_force};
pub use index::{OpenSession, Pending, Sealed, SealedLog};
pub use log::LogLook;

use crate::file::read_capped;
use crate::{Durability, Exact, StoreError, create_parents, os, replace, sha256, take_turn};
use index::{Head, Index};
use machine::Machine;
use quick::Quick;

/// Files up to this size are copied, and can be put back.
pub const COPIED: usize = 256 * 1024;

/// The largest sealed file that is read at all.
const READ: usize = 16 * 1024 * 1024;

/// The stamp of a link that leads nowhere.
const LINK: &str = "link";

pub(crate) const INDEX: &str = "seal";
const COPIES: &str = "sealed";

/// The log of changes that weakened something, beside the index.
pub const CHANGES: &str = "tampered.jsonl";

/// The calls of the present turns.
pub const CALLS: &str = "calls.jsonl";

/// What the usual look finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Every sealed file is as it was.
    Same,
    /// The same, but the seal does not say that the session is open whose event is looked at.
    UnknownSession,
    Changed,
    /// Nothing is sealed yet, or the seal cannot be read.
    Unsealed,
}

/// The seal of one checkout, or of the person's own files.
#[derive(Clone, Debug)]
pub struct Seal {
    /// Where it is kept.
    dir: PathBuf,
    /// What paths in it are relative to.
    root: PathBuf,
}

/// What a seal holds, while nobody else may change it.
pub struct OpenSeal {
    seal: Seal,
    pub files: Vec<Sealed>,
    pub logs: Vec<SealedLog>,
    /// The sessions that are open; `None` if nobody has counted them.
    pub sessions: Option<Vec<OpenSession>>,
    /// What Stead's own commands were about to write.
    pub announced: Vec<Announced>,
    pub is_new: bool,
    is_steady: bool,
    /// Another machine wrote it.
    pub is_foreign: bool,
    _turn: Option<File>,
}

/// A file as it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// `None` if there is no file.
    pub stamp: Option<String>,
    pub sha256: Option<String>,
    /// `None` as well if the file is too large, not regular or cannot be read.
    pub bytes: Option<Vec<u8>>,
    /// When it changed, or the folder above it if it is gone, in milliseconds since 1970.
    pub changed_millis: i64,
}

impl Seal {
    /// Everything that a seal consists of. The index is first: without it the others count for nothing.
    pub(crate) const FILES: [&str; 5] = [INDEX, COPIES, announce::FILE, CHANGES, CALLS];

    pub fn new(dir: &Path, root: &Path) -> Self {
        Self { dir: dir.to_owned(), root: root.to_owned() }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn path_of(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The path as the seal names it.
    pub fn name_of(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// Compares stamps only.
    pub fn look(&self) -> Look {
        self.look_and_tell(None, &mut |_, _| {})
    }

    /// The same for an event of a session, and calls `seen` for each folder whose files are the same:
    /// [`crate::FolderLook::sum`] would be this, if it looked at the same files. `goes_on` is the session, if it should be
    /// known to be open since a time.
    pub fn look_and_tell(&self, goes_on: Option<(&str, i64)>, seen: &mut dyn FnMut(&Path, u64)) -> Look {
        let Ok(text) = fs::read_to_string(self.dir.join(INDEX)) else { return Look::Unsealed };
        let is_known = |(session, since): (&str, i64)| {
            let is_it = |one: &OpenSession| one.session == session && one.seen >= since;
            Index::open_sessions(&text).is_some_and(|known| known.iter().any(is_it))
        };
        match Quick::look(&text, &self.root, seen) {
            Look::Same if !goes_on.is_none_or(is_known) => Look::UnknownSession,
            look => look,
        }
    }

    /// The sessions that were open when the seal was written; `None` if nobody has counted them.
    pub fn open_sessions(&self) -> Option<Vec<OpenSession>> {
        self.read().index.head.open
    }

    /// Returns true if no change waits for a person. Reads a few bytes.
    pub fn is_clear(&self) -> bool {
        let mut start = Vec::with_capacity(64);
        let read = File::open(self.dir.join(INDEX)).and_then(|file| file.take(64).read_to_end(&mut start));
        read.is_ok() && Quick::is_clear(&String::from_utf8_lossy(&start))
    }

    /// Reads the seal and keeps others from changing it.
    pub fn open(&self, patience: Duration) -> Result<OpenSeal, StoreError> {
        let path = self.dir.join(INDEX);
        create_parents(&path)?;
        let turn = take_turn(&path, patience)?;
        let Contents { index, is_new, is_steady } = self.read();
        let announced = announce::read(&self.dir);
        let is_foreign = index.head.machine.as_ref().is_some_and(|machine| machine.is_other(&self.dir));
        let Index { files, logs, head } = index;
        let sessions = head.open.filter(|_| !is_foreign);
        Ok(OpenSeal {
            seal: self.clone(),
            files,
            logs,
            sessions,
            announced,
            is_new,
            is_steady,
            is_foreign,
            _turn: turn,
        })
    }

    /// What is sealed, without a lock.
    pub fn files(&self) -> Vec<Sealed> {
        self.read().index.files
    }

    /// The sealed logs, without a lock.
    pub fn logs(&self) -> Vec<SealedLog> {
        self.read().index.logs
    }

    /// Returns true if a process of Stead was about to write what is in this file now. No look has seen it yet.
    pub fn is_announced(&self, relative: &str, present: &Present) -> bool {
        let is_it = |one: &Announced| one.is_about(relative, present);
        announce::read(&self.dir).iter().any(is_it)
    }

    fn read(&self) -> Contents {
        let text =
            read_capped(&self.dir.join(INDEX), READ).ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok());
        let is_steady = text.as_deref().is_some_and(Quick::is_steady);
        match text.and_then(|text| Index::parse(&text)) {
            Some(index) => Contents { index, is_new: false, is_steady },
            None => Contents { index: Index::default(), is_new: true, is_steady: false },
        }
    }

    /// A copy of a sealed file, unless it was changed.
    pub fn copy(&self, hash: &str) -> Option<Vec<u8>> {
        let bytes = read_capped(&self.dir.join(COPIES).join(hash), COPIED).ok()??;
        (sha256(&bytes) == hash).then_some(bytes)
    }

    /// The stamp of a file; `None` if there is none.
    pub fn stamp(&self, relative: &str) -> Option<String> {
        let path = self.path_of(relative);
        match fs::metadata(&path) {
            Ok(data) => Some(crate::file_stamp(&data).text),
            // A link to nothing is something, and nobody can read it.
            Err(_) => fs::symlink_metadata(&path).is_ok().then(|| LINK.to_owned()),
        }
    }

    /// Looks at a file.
    pub fn present(&self, relative: &str) -> Present {
        let path = self.path_of(relative);
        let changed = |data: &fs::Metadata| (os::stamp(data).changed / 1_000_000) as i64;
        match fs::metadata(&path) {
            Ok(data) => {
                let bytes = read_capped(&path, READ).ok().flatten();
                Present {
                    stamp: Some(crate::file_stamp(&data).text),
                    sha256: bytes.as_deref().map(sha256),
                    bytes,
                    changed_millis: changed(&data),
                }
            }
            Err(_) if fs::symlink_metadata(&path).is_ok() => {
                let data = fs::symlink_metadata(&path).ok();
                Present {
                    stamp: Some(LINK.to_owned()),
                    changed_millis: data.as_ref().map_or(0, changed),
                    ..Present::default()
                }
            }
            Err(error) => {
                // The nearest folder that is left has the time of the removal, or was closed then.
                let above = path.ancestors().skip(1).find_map(|folder| fs::metadata(folder).ok());
                let is_closed = error.kind() == std::io::ErrorKind::PermissionDenied;
                let stamp = is_closed.then(|| "closed".to_owned());
                Present { stamp, changed_millis: above.as_ref().map_or(0, changed), ..Present::default() }
            }
        }
    }
}

struct Contents {
    index: Index,
    is_new: bool,
    is_steady: bool,
}

impl OpenSeal {
    /// Returns true if a file looks as it did when the seal was written, so that it need not be read.
    pub fn is_same(&self, file: &Sealed) -> bool {
        self.is_steady && self.seal.stamp(&file.path) == file.stamp
    }

    /// Keeps a copy of a file that is being sealed.
    pub fn keep(&self, bytes: &[u8], hash: &str) -> Result<(), StoreError> {
        let path = self.seal.dir.join(COPIES).join(hash);
        if bytes.len() > COPIED || path.exists() {
            return Ok(());
        }
        if create_parents(&path)?.iter().any(|dir| dir.ends_with(COPIES)) {
            os::make_private(path.parent().unwrap_or(&path));
        }
        crate::reserve_private(&path)?;
        replace(&path, Exact::Copied.bytes(bytes), Durability::Quick)
    }

    /// Writes the seal, and forgets copies and announcements that nobody needs.
    pub fn write(self, folders: &[PathBuf]) -> Result<(), StoreError> {
        let head = Head { machine: Machine::this(&self.seal.dir), open: self.sessions };
        let index = Index { head, files: self.files, logs: self.logs };
        let path = self.seal.dir.join(INDEX);
        let text = index.render(&self.seal.root, folders);
        if !path.exists() {
            crate::reserve_private(&path)?;
        }
        replace(&path, Exact::Own.bytes(&text), Durability::Quick)?;
        announce::forget(&self.seal.dir, &self.announced, &index.files);
        let is_used = |name: &str| index.files.iter().any(|file| file.hashes().any(|hash| hash == name));
        for copy in fs::read_dir(self.seal.dir.join(COPIES)).into_iter().flatten().flatten() {
            if copy.file_name().to_str().is_some_and(|name| !name.starts_with('.') && !is_used(name)) {
                let _ = fs::remove_file(copy.path());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
