//! What a person's state folder keeps about one checkout of a project: its seal, and what the person trusts there.
//!
//! It lies outside the project, so that nothing a repository or an agent puts into the project can replace it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::At;
use crate::{Durability, Exact, Marker, StoreError, os, replace_creating, sha256};

/// The folder of all projects below the state folder.
const PROJECTS: &str = "projects";

/// The file that names the checkout which a folder is about.
const ROOT: &str = "root";

/// The folder about one checkout: `projects/<project id>/<hash of the real root>` in the person's state folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectState {
    dir: PathBuf,
    real_root: PathBuf,
}

impl ProjectState {
    /// The folder of a checkout. `None` if the state folder lies inside the project: what it holds could have come with
    /// it. `project_id` is a checked id of a marker.
    pub fn of(state: &Path, project_id: &str, root: &Path) -> Option<Self> {
        let real_root = os::real_path(root).unwrap_or_else(|_| root.to_owned());
        let inside = |state: &Path| state.starts_with(root) || state.starts_with(&real_root);
        if inside(state) || os::real_path(state).is_ok_and(|state| inside(&state)) {
            return None;
        }
        let hash = sha256(real_root.as_os_str().as_encoded_bytes());
        let dir = state.join(PROJECTS).join(project_id).join(hash.get(..16)?);
        Some(Self { dir, real_root })
    }

    /// The folder of a checkout by its marker; if that cannot be read, the one that is known for this root.
    pub fn find(state: &Path, root: &Path) -> Option<Self> {
        match Marker::read(root) {
            Ok(marker) => Self::of(state, &marker.project_id, root),
            Err(_) => Self::known(state, root),
        }
    }

    /// The folder that is known for this root, whatever the marker says.
    pub fn known(state: &Path, root: &Path) -> Option<Self> {
        let projects = fs::read_dir(state.join(PROJECTS)).ok()?.flatten();
        let ids = projects.filter_map(|entry| entry.file_name().into_string().ok());
        let mut known = ids.filter_map(|id| Self::of(state, &id, root)).filter(|known| known.dir.is_dir());
        known.next()
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A file or folder in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Creates the folder, readable by its owner only. If the project was moved, it takes over what was kept about its
    /// former place, the newest if there are several.
    pub fn create(&self) -> Result<(), StoreError> {
        if self.dir.is_dir() {
            return Ok(());
        }
        let Some(project) = self.dir.parent() else { return Ok(()) };
        for dir in project.ancestors().take(3).collect::<Vec<_>>().into_iter().rev() {
            if !dir.is_dir() {
                fs::create_dir_all(dir.parent().unwrap_or(dir)).at("create folder", dir)?;
                make_private(dir)?;
            }
        }
        match self.former(project) {
            // Another process may take it at the same time; then this folder exists already, or is made new.
            Some(former) if fs::rename(&former, &self.dir).is_ok() => {}
            _ => make_private(&self.dir)?,
        }
        let root = self.real_root.as_os_str().as_encoded_bytes();
        replace_creating(&self.join(ROOT), Exact::Own.bytes(root), Durability::Quick)
    }

    /// The newest folder about a checkout that is gone.
    fn former(&self, project: &Path) -> Option<PathBuf> {
        let is_gone = |dir: &PathBuf| {
            let root = fs::read(dir.join(ROOT)).ok().and_then(crate::path_from_bytes);
            root.is_some_and(|root| fs::symlink_metadata(root).is_err())
        };
        let dirs = fs::read_dir(project).ok()?.flatten().map(|entry| entry.path()).filter(is_gone);
        dirs.max_by_key(|dir| fs::metadata(dir).and_then(|data| data.modified()).ok())
    }
}

fn make_private(dir: &Path) -> Result<(), StoreError> {
    match os::create_private_dir(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && dir.is_dir() => Ok(()),
        made => made.at("create folder", dir),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "3f1a2b4c-5d6e-4f70-8a9b-0c1d2e3f4a5b";

    struct Home {
        world: tempfile::TempDir,
    }

    impl Home {
        fn new() -> Self {
            Self { world: tempfile::tempdir().unwrap() }
        }

        fn state(&self) -> PathBuf {
            self.world.path().join("state/stead")
        }

        fn checkout(&self, name: &str) -> PathBuf {
            let root = self.world.path().join(name);
            fs::create_dir_all(&root).unwrap();
            root
        }

        fn of(&self, root: &Path) -> ProjectState {
            ProjectState::of(&self.state(), ID, root).unwrap()
        }
    }

    #[test]
    fn a_moved_project_keeps_what_was_known() {
        let home = Home::new();
        let old = home.checkout("old");
        let state = home.of(&old);
        state.create().unwrap();
        fs::write(state.join("seal"), "sealed").unwrap();
        // A second checkout of the same project has a folder of its own.
        let clone = home.of(&home.checkout("clone"));
        clone.create().unwrap();
        assert!(!clone.join("seal").exists());
        let new = home.world.path().join("new");
        fs::rename(&old, &new).unwrap();
        let moved = home.of(&new);
        moved.create().unwrap();
        assert_eq!(fs::read_to_string(moved.join("seal")).unwrap(), "sealed");
        assert!(!state.dir().exists());
        assert!(clone.dir().exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let home = Home::new();
        let state = home.of(&home.checkout("project"));
        state.create().unwrap();
        for dir in state.dir().ancestors().take(3) {
            assert_eq!(fs::metadata(dir).unwrap().permissions().mode() & 0o777, 0o700, "{}", dir.display());
        }
    }

    #[test]
    fn a_state_folder_inside_the_project_is_not_used() {
        let home = Home::new();
        let root = home.checkout("project");
        assert_eq!(ProjectState::of(&root.join("home/state"), ID, &root), None);
        #[cfg(unix)]
        {
            fs::create_dir_all(root.join("inside")).unwrap();
            let link = home.world.path().join("link");
            std::os::unix::fs::symlink(root.join("inside"), &link).unwrap();
            assert_eq!(ProjectState::of(&link, ID, &root), None);
        }
    }
}
