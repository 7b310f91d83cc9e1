use std::path::{Path, PathBuf};

/// The tree of a project that a path lies in, as a call's own project sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectTree {
    /// This project in another folder: a git worktree of the repository, or a copy whose marker has the same id. Paths
    /// below it count as if they were in the main tree.
    Same(PathBuf),
    /// A folder with another project's marker.
    Other(PathBuf),
}

impl ProjectTree {
    pub fn dir(&self) -> &Path {
        match self {
            Self::Same(dir) | Self::Other(dir) => dir,
        }
    }
}
