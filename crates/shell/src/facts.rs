use std::path::{Path, PathBuf};

/// What may be asked about the world.
///
/// Implementers answer lazily, never fail and never panic: a question that cannot be answered has an answer that says
/// so. Paths are absolute and lexically clean. The same question asked twice in one judgement may be answered from
/// memory.
pub trait Facts {
    /// Gives the text of a small file; `None` when it is missing, unreadable, not text or too large.
    fn read(&self, path: &Path) -> Option<String>;

    /// Resolves the symlinks of the deepest part of the path that exists and keeps the rest; the path itself when
    /// nothing can be resolved.
    fn real(&self, path: &Path) -> PathBuf;

    /// Says whether Stead put lines into this settings file, whatever the file holds now.
    fn had_lines(&self, path: &Path) -> bool;

    /// Says whether the session that asks started the loop with this id. An unknown session started none.
    fn started_loop(&self, id: &str) -> bool;

    /// Says that nothing is at the path, or a folder with nothing in it; `false` when that is not known.
    fn is_missing(&self, _path: &Path) -> bool {
        false
    }

    /// Returns true if git tracks the file, or one in the folder; `None` when that is not known.
    fn is_tracked(&self, _path: &Path) -> Option<bool> {
        None
    }

    /// Lists the files in a folder and below; `None` when that is not known or there are too many.
    fn files_below(&self, _path: &Path) -> Option<Vec<PathBuf>> {
        None
    }

    /// Says whether the path is a folder; `None` when that is not known.
    fn is_folder(&self, _path: &Path) -> Option<bool> {
        None
    }
}
