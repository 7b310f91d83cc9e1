//! What a process of Stead is about to write to a sealed file, so that the look afterwards knows whose change it was.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::RwLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::index::Sealed;
use crate::{Durability, Lines, Redacted, StoreError, append_line, os, read_capped, sha256};

pub(super) const FILE: &str = "announced.jsonl";
const PATIENCE: Duration = Duration::from_millis(300);

/// How long a writer may take from its announcement to its write, in milliseconds.
const LASTS: i64 = 60_000;

/// Times of files have the grain of a clock tick, in milliseconds.
const TICK: i64 = 25;

/// The seals that this process announces its writes to. Known to the process, not passed along with each path: a writer
/// cannot forget what it is never asked.
static SEALS: RwLock<Vec<Watched>> = RwLock::new(Vec::new());

struct Watched {
    dir: PathBuf,
    root: PathBuf,
    /// Sealed files, and folders in which every file is.
    paths: Vec<PathBuf>,
}

/// One announcement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announced {
    pub path: String,
    /// The hash of the new text; `None` for a removal.
    pub sha256: Option<String>,
    /// A log is written anew, with whatever is left of it: the inode of the new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<u64>,
    /// In milliseconds since 1970.
    at: i64,
}

impl Announced {
    /// Returns true if it announced what is in this file now, and the file changed then. Else whoever knows a text that
    /// was announced once, and perhaps never written, could write it later.
    pub fn is_about(&self, relative: &str, present: &super::Present) -> bool {
        let is_then = (self.at - TICK..=self.at + LASTS).contains(&present.changed_millis);
        self.path == relative && self.rewritten.is_none() && self.sha256 == present.sha256 && is_then
    }

    /// Returns true if it announced the log that is there now.
    pub fn is_log(&self, seal: &super::Seal) -> bool {
        let present = || fs::metadata(seal.path_of(&self.path)).map(|data| os::stamp(&data).number);
        self.rewritten.is_some_and(|new| present().is_ok_and(|inode| inode == new))
    }
}

/// Announces writes to these files and below these folders from now on, for as long as the process lives.
pub fn announce_from(seal: &super::Seal, paths: Vec<PathBuf>) {
    let Ok(mut seals) = SEALS.write() else { return };
    match seals.iter_mut().find(|known| known.dir == seal.dir) {
        Some(known) => {
            let new: Vec<PathBuf> = paths.into_iter().filter(|path| !known.paths.contains(path)).collect();
            known.paths.extend(new);
        }
        None => seals.push(Watched { dir: seal.dir.clone(), root: seal.root.clone(), paths }),
    }
}

/// Reads a file as it is in force: while a change of it waits for a person, the sealed text counts. `None` if there is
/// none.
pub fn read_in_force(path: &Path, limit: usize) -> Result<Option<Vec<u8>>, StoreError> {
    let sealed = SEALS.read().ok().and_then(|seals| {
        let watched = seals.iter().find(|seal| seal.paths.iter().any(|sealed| path.starts_with(sealed)))?;
        let seal = super::Seal::new(&watched.dir, &watched.root);
        if seal.is_clear() {
            return None;
        }
        let name = seal.name_of(path);
        let file = seal.files().into_iter().find(|file| file.path == name && file.pending.is_some())?;
        seal.copy(&file.sha256?)
    });
    match sealed {
        Some(bytes) => Ok(Some(bytes)),
        None => read_capped(path, limit),
    }
}

/// What is about to happen to a file.
#[derive(Clone, Copy)]
pub enum Coming<'a> {
    Text(&'a [u8]),
    Removal,
    /// A log is replaced by this file.
    Rewrite(&'a File),
}

/// Announces a write, if the file is sealed. A failure is no reason not to write: the look will ask a person.
pub fn announce(path: &Path, coming: Coming<'_>) {
    let Ok(seals) = SEALS.read() else { return };
    for seal in seals.iter() {
        if !seal.paths.iter().any(|sealed| path.starts_with(sealed)) || !seal.dir.is_dir() {
            continue;
        }
        let name = path.strip_prefix(&seal.root).unwrap_or(path).to_string_lossy().into_owned();
        let (hash, rewritten) = match coming {
            Coming::Text(bytes) => (Some(sha256(bytes)), None),
            Coming::Removal => (None, None),
            Coming::Rewrite(new) => (None, Some(new.metadata().map_or(0, |data| os::stamp(&data).number))),
        };
        let line = Announced { path: name, sha256: hash, rewritten, at: now() };
        let _ = append_line(&seal.dir.join(FILE), Redacted::line(&line), Durability::Quick, PATIENCE);
    }
}

fn now() -> i64 {
    std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as i64)
}

pub(super) fn read(dir: &Path) -> Vec<Announced> {
    let Ok(lines) = Lines::open(&dir.join(FILE)) else { return Vec::new() };
    lines.flatten().filter_map(|line| serde_json::from_str(&line.text).ok()).collect()
}

/// Removes the log if everything in it has happened, or never will. What was announced since it was read stays.
pub(super) fn forget(dir: &Path, known: &[Announced], files: &[Sealed]) {
    let has_happened = |one: &Announced| {
        let is_sealed = |file: &Sealed| file.path == one.path && file.sha256 == one.sha256;
        one.at + LASTS < now() || files.iter().any(is_sealed)
    };
    if !known.is_empty() && known.iter().all(has_happened) && read(dir).len() == known.len() {
        let _ = fs::remove_file(dir.join(FILE));
    }
}
