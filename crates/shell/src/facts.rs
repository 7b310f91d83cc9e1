use std::path::{Path, PathBuf};

use stead_model::ProjectTree;

/// What the reader needs to know about the file system and the session.
///
/// Implementers answer lazily, never fail and never panic: each question has an answer for "unknown". Paths are
/// absolute and lexically clean. Answers may be cached within one judgement.
pub trait Facts {
    /// Returns the text of a small file; `None` if it is missing, unreadable, not text or too large.
    fn read(&self, path: &Path) -> Option<String>;

    /// Resolves the symlinks of the existing part of the path and keeps the rest; returns the path itself if nothing
    /// can be resolved.
    fn real(&self, path: &Path) -> PathBuf;

    /// Returns true if Stead added lines to this settings file, whatever it contains now.
    fn had_lines(&self, path: &Path) -> bool;

    /// Returns true if the calling session started the loop with this id; false for an unknown session.
    fn started_loop(&self, id: &str) -> bool;

    /// Returns true if the calling session stored the trace with this id; false for an unknown session.
    fn stored_trace(&self, _id: &str) -> bool {
        false
    }

    /// Returns true if the path does not exist or is an empty folder; false if that is unknown.
    fn is_missing(&self, _path: &Path) -> bool {
        false
    }

    /// Returns true if git tracks the file, or one in the folder; `None` if that is unknown.
    fn is_tracked(&self, _path: &Path) -> Option<bool> {
        None
    }

    /// Lists the files in a folder and below; `None` if that is unknown or there are too many.
    fn files_below(&self, _path: &Path) -> Option<Vec<PathBuf>> {
        None
    }

    /// Returns the project whose tree a path lies in, if that is another tree than those of the call's place: the
    /// nearest one, or none.
    fn tree_of(&self, _path: &Path) -> Option<ProjectTree> {
        None
    }

    /// Returns the nearest checkout of this project around a path, below `root`. It costs less than
    /// [`Self::tree_of`], because only git checkouts count.
    fn checkout_below(&self, _root: &Path, _path: &Path) -> Option<PathBuf> {
        None
    }

    /// Returns true if the path is a folder; `None` if that is unknown.
    fn is_folder(&self, _path: &Path) -> Option<bool> {
        None
    }
}

/// Nothing is known: for a text that is read by itself.
pub struct NoFacts;

impl Facts for NoFacts {
    fn read(&self, _: &Path) -> Option<String> {
        None
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    fn had_lines(&self, _: &Path) -> bool {
        false
    }

    fn started_loop(&self, _: &str) -> bool {
        false
    }
}
