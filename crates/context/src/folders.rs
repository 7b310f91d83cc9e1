use std::path::{Path, PathBuf};

/// The project and its context folder.
#[derive(Clone, Copy, Debug)]
pub struct Folders<'a> {
    pub root: &'a Path,
    /// The context folder.
    pub context: &'a Path,
}

impl Folders<'_> {
    /// The folder of logs and state files.
    pub fn indexes(&self) -> PathBuf {
        self.context.join("indexes")
    }

    /// The path of a log or state file.
    pub fn index(&self, name: &str) -> PathBuf {
        self.indexes().join(name)
    }

    /// Returns true if a path below the root is Stead's own.
    pub fn is_own(&self, path: &str) -> bool {
        path == ".agent" || path.starts_with(".agent/") || self.root.join(path).starts_with(self.context)
    }
}
