use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::Relation;
use crate::packet::FileList;
use crate::relevant_file::is_project_path;
use crate::{Folders, content_hash};

/// How many untracked files are compared with a missing one.
const LOOKED_INTO: usize = 2_000;

/// The hash of an empty file.
const EMPTY: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/// What happened to a file since it was listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    Same,
    Changed,
    Moved {
        to: String,
    },
    Gone,
    /// It exists, but was listed without a hash.
    Unchecked,
    /// Not in the packet; a re-scan found it.
    New,
}

impl FileState {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Moved { .. } => "moved",
            Self::Gone => "gone",
            Self::Unchecked => "unchecked",
            Self::New => "new",
        }
    }
}

/// A listed file and what happened to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReport {
    pub path: String,
    pub list: FileList,
    pub state: FileState,
}

impl FileReport {
    pub(super) fn new(root: &Path, list: FileList, path: String, hashes: &BTreeMap<String, String>) -> Self {
        let file = root.join(&path);
        let state = match hashes.get(&path) {
            _ if !file.is_file() => FileState::Gone,
            None => FileState::Unchecked,
            Some(hash) if content_hash(&file).as_ref() == Some(hash) => FileState::Same,
            Some(_) => FileState::Changed,
        };
        Self { path, list, state }
    }
}

/// What a pickup asks of version control. Each answer costs one call; without a repository an implementation may return
/// nothing.
pub trait Repository {
    /// The branch that is checked out.
    fn branch(&self) -> Option<String>;
    /// How a commit relates to the checked-out one. `None` without a repository.
    fn relation(&self, commit: &str) -> Option<Relation>;
    /// Content hash and path of every file in the index.
    fn tracked(&self) -> Vec<(String, String)>;
    /// The paths of files that are neither tracked nor ignored.
    fn untracked(&self) -> Vec<String>;
    /// Which of the paths are ignored.
    fn ignored(&self, paths: &[String]) -> Vec<String>;
}

/// Finds where missing files moved to, by content: first in the index, then among untracked files. Asks only if a file
/// is missing.
pub(super) fn find_moved(
    place: &Folders<'_>,
    repository: &dyn Repository,
    files: &mut [FileReport],
    hashes: &BTreeMap<String, String>,
) {
    let mut lost: HashMap<&str, usize> = HashMap::new();
    // A copy that the packet lists beside the missing file was there before, and empty files are all alike.
    let listed: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    for (index, file) in files.iter().enumerate() {
        if file.state == FileState::Gone
            && let Some(hash) = hashes.get(&file.path).filter(|hash| *hash != EMPTY)
        {
            lost.entry(hash).or_insert(index);
        }
    }
    if lost.is_empty() {
        return;
    }
    let found = |path: &str, hash: &str, lost: &mut HashMap<&str, usize>, files: &mut [FileReport]| {
        if let Some(index) = lost.get(hash).copied()
            && is_project_path(path)
            && !listed.iter().any(|known| known == path)
            && place.root.join(path).is_file()
        {
            lost.remove(hash);
            files[index].state = FileState::Moved { to: path.to_owned() };
        }
    };
    for (hash, path) in repository.tracked() {
        found(&path, &hash, &mut lost, files);
    }
    if lost.is_empty() {
        return;
    }
    for path in repository.untracked().into_iter().take(LOOKED_INTO) {
        if let Some(hash) = content_hash(&place.root.join(&path)) {
            found(&path, &hash, &mut lost, files);
        }
        if lost.is_empty() {
            return;
        }
    }
}
