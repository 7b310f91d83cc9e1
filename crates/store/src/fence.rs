//! Keeps what is written below a project's own folders inside the project. A repository may contain symbolic links, and
//! whoever clones it must not find its records in their `.bashrc`. Links inside the project are followed.
//!
//! The folders are known to the process, not passed along with each path: a writer cannot forget what it is never asked.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::RwLock;

use crate::{Layout, StoreError, os};

/// The folders that must not be left, each with the project it belongs to.
static FENCES: RwLock<Vec<Fence>> = RwLock::new(Vec::new());

struct Fence {
    root: PathBuf,
    folder: PathBuf,
}

/// Confines writes below `folder`, which is relative to `root`, to that project, for as long as the process lives.
pub fn confine(root: &Path, folder: &str) {
    let folder = root.join(folder);
    let Ok(mut fences) = FENCES.write() else { return };
    if !fences.iter().any(|fence| fence.root == root && folder.starts_with(&fence.folder)) {
        fences.push(Fence { root: root.to_owned(), folder });
    }
}

/// Folders that only their owner may enter.
static PRIVATE: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Keeps a folder, which is relative to `root`, for its owner alone when it is created.
pub fn keep_private(root: &Path, folder: &str) {
    let folder = root.join(folder);
    let Ok(mut folders) = PRIVATE.write() else { return };
    if !folders.contains(&folder) {
        folders.push(folder);
    }
}

/// Returns true if a folder is to be private: a registered one, or one of a project whose rooms are in their places.
pub(crate) fn is_private(folder: &Path) -> bool {
    if PRIVATE.read().is_ok_and(|folders| folders.iter().any(|private| folder == private)) {
        return true;
    }
    let Some(inside) = root_of(folder).and_then(|root| folder.strip_prefix(root).ok().map(Path::to_owned)) else {
        return false;
    };
    Layout::default().private().iter().any(|private| inside == Path::new(private))
}

/// The project that a path belongs to, if it lies in a confined folder.
fn root_of(path: &Path) -> Option<PathBuf> {
    let fences = FENCES.read().ok()?;
    fences.iter().find(|fence| path.starts_with(&fence.folder)).map(|fence| fence.root.clone())
}

/// Refuses a path whose file would be created outside of its project. `target` is `path` with a last link followed.
pub(crate) fn stays_inside(path: &Path, target: &Path) -> Result<(), StoreError> {
    let Some(root) = root_of(path) else { return Ok(()) };
    // Folders that do not exist yet are no links.
    let existing = target.ancestors().skip(1).find_map(|dir| os::real_path(dir).ok());
    match existing {
        Some(real) if !is_below(&real, &root) => Err(leaves(path, root, real)),
        _ => Ok(()),
    }
}

/// Refuses an open file that lies outside of the project its path belongs to.
pub(crate) fn open_stays_inside(path: &Path, file: &File) -> Result<(), StoreError> {
    let Some(root) = root_of(path) else { return Ok(()) };
    match os::place_of(file).or_else(|| os::real_path(path).ok()) {
        Some(real) if !is_below(&real, &root) => Err(leaves(path, root, real)),
        _ => Ok(()),
    }
}

/// The root may itself be spelt through a link; only then is it looked up.
fn is_below(real: &Path, root: &Path) -> bool {
    real.starts_with(root) || os::real_path(root).is_ok_and(|root| real.starts_with(root))
}

fn leaves(path: &Path, root: PathBuf, target: PathBuf) -> StoreError {
    let is_link = |part: &&Path| fs::symlink_metadata(part).is_ok_and(|data| data.is_symlink());
    let within = path.ancestors().take_while(|part| **part != *root);
    let link = within.filter(is_link).last().unwrap_or(path).to_owned();
    StoreError::LeavesProject { path: path.to_owned(), link, target }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;
    use crate::{
        Creation, Durability, append_line, create, create_parents, replace, replace_creating, reserve_private,
    };

    const PATIENCE: Duration = Duration::from_secs(1);

    /// A project and a folder outside of it.
    fn world() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let world = tempfile::tempdir().unwrap();
        let (root, outside) = (world.path().join("project"), world.path().join("outside"));
        for dir in [root.join(".agent/own"), outside.clone()] {
            fs::create_dir_all(dir).unwrap();
        }
        confine(&root, ".agent");
        (world, root, outside)
    }

    fn writes(path: &Path) -> Vec<Result<(), StoreError>> {
        vec![
            append_line(path, "{}", Durability::Quick, PATIENCE),
            replace(path, b"{}", Durability::Quick),
            replace_creating(path, b"{}", Durability::Quick),
            create(&path.with_extension("new"), b"", Durability::Quick).map(|_| ()),
            reserve_private(&path.with_extension("private")),
            create_parents(&path.with_extension("dir").join("file")).map(|_| ()),
        ]
    }

    #[track_caller]
    fn check_refused(outcome: &Result<(), StoreError>, expected: &Path) {
        assert!(matches!(outcome, Err(StoreError::LeavesProject { link, .. }) if link == expected), "{outcome:?}");
    }

    #[test]
    fn a_linked_folder_is_not_left() {
        let (_world, root, outside) = world();
        let link = root.join(".agent/linked");
        symlink(&outside, &link).unwrap();
        for outcome in writes(&link.join("log")) {
            check_refused(&outcome, &link);
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }

    #[test]
    fn a_linked_file_is_not_written() {
        let (_world, root, outside) = world();
        for (name, there) in [("full", true), ("dangling", false)] {
            let target = outside.join(name);
            if there {
                fs::write(&target, "mine").unwrap();
            }
            let link = root.join(".agent").join(name);
            symlink(&target, &link).unwrap();
            check_refused(&append_line(&link, "{}", Durability::Quick, PATIENCE), &link);
            check_refused(&replace(&link, b"{}", Durability::Quick), &link);
            assert_eq!(create(&link, b"", Durability::Quick).unwrap(), Creation::Existed);
            assert_eq!(fs::read_to_string(&target).ok(), there.then(|| "mine".to_owned()));
        }
    }

    #[test]
    fn links_inside_and_links_above_the_project_are_followed() {
        let (world, root, _) = world();
        symlink("own", root.join(".agent/linked")).unwrap();
        symlink("own/log", root.join(".agent/dangling")).unwrap();
        for path in [root.join(".agent/linked/log"), root.join(".agent/dangling")] {
            writes(&path).into_iter().for_each(|outcome| outcome.unwrap());
        }
        let alias = world.path().join("alias");
        symlink(&root, &alias).unwrap();
        confine(&alias, ".agent");
        writes(&alias.join(".agent/own/other")).into_iter().for_each(|outcome| outcome.unwrap());
    }

    #[test]
    fn other_folders_are_free() {
        let (_world, root, outside) = world();
        let link = root.join("settings");
        symlink(outside.join("settings"), &link).unwrap();
        replace(&link, b"{}", Durability::Quick).unwrap();
        assert!(outside.join("settings").exists());
    }
}
