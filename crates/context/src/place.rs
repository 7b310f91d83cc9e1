use std::path::{Path, PathBuf};

/// The project and its context room.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub root: &'a Path,
    /// The context room's folder.
    pub context: &'a Path,
}

impl Place<'_> {
    /// One of the logs and state files.
    pub fn index(&self, name: &str) -> PathBuf {
        self.context.join("indexes").join(name)
    }

    /// Says whether a path below the root is Stead's own.
    pub fn is_own(&self, path: &str) -> bool {
        path == ".agent" || path.starts_with(".agent/") || self.root.join(path).starts_with(self.context)
    }
}
