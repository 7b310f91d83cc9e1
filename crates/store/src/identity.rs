use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use stead_model::ProjectTree;

use crate::root::{has_git, has_marker};
use crate::worktree::common_dir;
use crate::{Marker, os};

/// What identifies a project whatever folder it is in: its repository and the id in its marker. Both are read when
/// another folder first has to be compared.
pub struct Identity {
    root: PathBuf,
    known: OnceCell<Known>,
}

struct Known {
    /// The root with links resolved.
    root: PathBuf,
    /// The id in the marker.
    id: Option<String>,
    /// The repository's shared folder, and the project below the root of a checkout.
    repository: Option<(PathBuf, PathBuf)>,
}

impl Identity {
    /// The project with this root.
    pub fn of(root: &Path) -> Self {
        Self { root: root.to_owned(), known: OnceCell::new() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns true if the folder is the project's root, however it is spelled.
    pub fn is_root(&self, folder: &Path) -> bool {
        folder == self.root || os::real_path(folder).is_ok_and(|real| real == self.known().root)
    }

    /// The project whose tree begins at this folder; `None` for a plain folder, a submodule, and a checkout of another
    /// repository without a marker.
    pub fn tree_at(&self, folder: &Path) -> Option<ProjectTree> {
        let mut probe = folder.to_owned();
        let marked = has_marker(&mut probe);
        if !marked && !has_git(&mut probe) {
            return None;
        }
        self.checkout_of(&probe, marked).or_else(|| marked.then(|| self.marked(probe)))
    }

    /// The project in this folder, if the folder is the root of one of its git checkouts or clones.
    pub fn checkout_at(&self, folder: &Path) -> Option<PathBuf> {
        let mut probe = folder.to_owned();
        if !has_git(&mut probe) {
            return None;
        }
        match self.tree_at(folder)? {
            ProjectTree::Same(dir) => Some(dir),
            ProjectTree::Other(_) => None,
        }
    }

    /// The project in a checkout of its own repository.
    fn checkout_of(&self, git_root: &Path, marked: bool) -> Option<ProjectTree> {
        let (common, below) = self.known().repository.as_ref()?;
        // Around a project in a subfolder there may be another one, in the same repository.
        let is_ours = !marked || below.as_os_str().is_empty();
        (is_ours && common_dir(git_root).as_ref() == Some(common)).then(|| ProjectTree::Same(joined(git_root, below)))
    }

    /// The project of a marker. A marker that cannot be read belongs to somebody else.
    fn marked(&self, dir: PathBuf) -> ProjectTree {
        let id = Marker::read(&dir).ok().map(|marker| marker.project_id);
        match id.is_some() && id == self.known().id {
            true => ProjectTree::Same(dir),
            false => ProjectTree::Other(dir),
        }
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| {
            let root = os::real_path(&self.root).unwrap_or_else(|_| self.root.clone());
            let git_root = root.ancestors().find(|folder| has_git(&mut folder.to_path_buf()));
            let repository = git_root.and_then(|git| Some((common_dir(git)?, root.strip_prefix(git).ok()?.to_owned())));
            let id = Marker::read(&root).ok().map(|marker| marker.project_id);
            Known { id, repository, root }
        })
    }
}

/// Joins without a trailing slash.
fn joined(folder: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { folder.to_owned() } else { folder.join(below) }
}
