//! What a person's state folder keeps about one checkout of a project: its seal, and what the person trusts there.
//!
//! It lies outside the project, so that nothing a repository or an agent puts into the project can replace it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::At;
use crate::{Durability, Exact, Marker, ProjectEnd, StoreError, os, replace_creating, sha256};

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
        let mut found = Self::named(state, project_id, root)?;
        if !found.dir.is_dir()
            && let Some(same) = found.dir.parent().and_then(|project| same_folder(project, &found.real_root))
        {
            found.dir = same;
        }
        Some(found)
    }

    /// The folder by the name that the real path of the root gives it.
    fn named(state: &Path, project_id: &str, root: &Path) -> Option<Self> {
        let real_root = os::real_path(root).unwrap_or_else(|_| root.to_owned());
        let inside = |state: &Path| state.starts_with(root) || state.starts_with(&real_root);
        if inside(state) || os::real_path(state).is_ok_and(|state| inside(&state)) {
            return None;
        }
        let hash = sha256(real_root.as_os_str().as_encoded_bytes());
        let dir = state.join(PROJECTS).join(project_id).join(hash.get(..16)?);
        Some(Self { dir, real_root })
    }

    /// The folder that is known to be this checkout's.
    pub fn at(dir: &Path, root: &Path) -> Self {
        let real_root = os::real_path(root).unwrap_or_else(|_| root.to_owned());
        Self { dir: dir.to_owned(), real_root }
    }

    /// The folder of a checkout by its marker; if that cannot be read, the one that is known for this root.
    pub fn find(state: &Path, root: &Path) -> Option<Self> {
        match Marker::read(root) {
            Ok(marker) => Self::of(state, &marker.project_id, root),
            Err(_) => Self::known(state, root),
        }
    }

    /// The folder with the seal of a checkout. If the marker has another id than the one that was sealed, that is a change
    /// of the checkout, and its seal is still the one that is known for this root.
    pub fn sealed(state: &Path, root: &Path) -> Option<Self> {
        // One that ended has none, even if a command was killed before the seal was gone.
        let has_seal =
            |found: &Self| found.join(crate::seal::INDEX).is_file() && !found.join(ProjectEnd::FILE).is_file();
        let marked = Marker::read(root).ok().and_then(|marker| Self::of(state, &marker.project_id, root));
        if marked.as_ref().is_some_and(has_seal) {
            return marked;
        }
        let mut first = None;
        for known in Self::all_known(state, root) {
            if has_seal(&known) {
                return Some(known);
            }
            first.get_or_insert(known);
        }
        marked.or(first)
    }

    /// The folder that is known for this root, whatever the marker says.
    pub fn known(state: &Path, root: &Path) -> Option<Self> {
        Self::all_known(state, root).next()
    }

    pub(crate) fn all_known(state: &Path, root: &Path) -> impl Iterator<Item = Self> {
        let projects = fs::read_dir(state.join(PROJECTS)).into_iter().flatten().flatten();
        let ids = projects.filter_map(|entry| entry.file_name().into_string().ok());
        ids.filter_map(move |id| Self::named(state, &id, root)).filter(|known| known.dir.is_dir())
    }

    /// The roots of all checkouts that a state folder knows, with their folders.
    pub fn all(state: &Path) -> Vec<(PathBuf, PathBuf)> {
        let folders = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
        let checkouts = folders(&state.join(PROJECTS)).flat_map(|project| folders(&project).collect::<Vec<_>>());
        checkouts.filter_map(|dir| Some((root_of(&dir)?, dir))).collect()
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

    /// The newest folder about a checkout that is gone. One whose project a person ended is not continued elsewhere.
    fn former(&self, project: &Path) -> Option<PathBuf> {
        // A link in its place leads to another folder, which may be where the checkout went.
        let is_there = |root: PathBuf| os::real_path(&root).is_ok_and(|real| real == root);
        let has_ended = |dir: &PathBuf| dir.join(ProjectEnd::FILE).is_file();
        let is_gone = |dir: &PathBuf| root_of(dir).is_some_and(|root| !is_there(root)) && !has_ended(dir);
        let dirs = fs::read_dir(project).ok()?.flatten().map(|entry| entry.path()).filter(is_gone);
        dirs.max_by_key(|dir| fs::metadata(dir).and_then(|data| data.modified()).ok())
    }
}

/// The checkout that a folder is about.
fn root_of(dir: &Path) -> Option<PathBuf> {
    fs::read(dir.join(ROOT)).ok().and_then(crate::path_from_bytes)
}

/// The folder about the same checkout under another spelling of its path: where case does not count, not every system
/// tells how a name is really written.
fn same_folder(project: &Path, real_root: &Path) -> Option<PathBuf> {
    let place = |path: &Path| fs::metadata(path).ok().and_then(|data| os::place(&data));
    let wanted = place(real_root)?;
    let mut dirs = fs::read_dir(project).ok()?.flatten().map(|entry| entry.path());
    dirs.find(|dir| root_of(dir).is_some_and(|root| place(&root) == Some(wanted)))
}

fn make_private(dir: &Path) -> Result<(), StoreError> {
    match os::create_private_dir(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && dir.is_dir() => Ok(()),
        made => made.at("create folder", dir),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const ID: &str = "3f1a2b4c-5d6e-4f70-8a9b-0c1d2e3f4a5b";

    pub(crate) struct Home {
        world: tempfile::TempDir,
    }

    impl Home {
        pub(crate) fn new() -> Self {
            Self { world: tempfile::tempdir().unwrap() }
        }

        pub(crate) fn state(&self) -> PathBuf {
            self.world.path().join("state/stead")
        }

        pub(crate) fn checkout(&self, name: &str) -> PathBuf {
            let root = self.world.path().join(name);
            fs::create_dir_all(&root).unwrap();
            root
        }

        pub(crate) fn of(&self, root: &Path) -> ProjectState {
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
    fn a_link_in_the_place_of_a_project_leads_to_what_was_known() {
        let home = Home::new();
        let old = home.checkout("old");
        let state = home.of(&old);
        state.create().unwrap();
        let new = home.world.path().join("new");
        fs::rename(&old, &new).unwrap();
        std::os::unix::fs::symlink(&new, &old).unwrap();
        for root in [&old, &new] {
            assert_eq!(home.of(root).dir(), state.dir(), "{}", root.display());
        }
        // A link to somewhere else leaves nothing behind: the project is where it was found last.
        fs::remove_file(&old).unwrap();
        std::os::unix::fs::symlink(home.checkout("elsewhere"), &old).unwrap();
        let moved = home.of(&new);
        moved.create().unwrap();
        assert!(moved.dir().exists() && !state.dir().exists());
    }

    #[test]
    fn a_checkout_with_another_id_has_the_seal_that_is_known() {
        let home = Home::new();
        let root = home.checkout("project");
        let mark = |id: &str| {
            fs::create_dir_all(root.join(".agent/context")).unwrap();
            let marker = Marker { project_id: id.to_owned(), ..Marker::create("2026-01-01T00:00:00Z") };
            fs::write(root.join(crate::MARKER), marker.render()).unwrap();
        };
        mark(ID);
        let sealed = || ProjectState::sealed(&home.state(), &root).unwrap().dir().to_owned();
        let state = home.of(&root);
        assert_eq!(sealed(), state.dir());
        state.create().unwrap();
        fs::write(state.join(crate::seal::INDEX), "").unwrap();
        let other = ID.replace("3f1a", "0000");
        mark(&other);
        assert_eq!(sealed(), state.dir());
        // What is kept for trust under the new id is no seal.
        ProjectState::of(&home.state(), &other, &root).unwrap().create().unwrap();
        assert_eq!(sealed(), state.dir());
        fs::remove_file(root.join(crate::MARKER)).unwrap();
        assert_eq!(sealed(), state.dir());
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
