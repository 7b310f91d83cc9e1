//! Other trees that a call concerns: work trees and copies of this project, and other projects. What is protected in the
//! project's root is protected in each of them.

use std::path::{Path, PathBuf};

use stead_model::{Change, Effects, FileChange, How, Op, ProjectTree, Target};
use stead_shell::{Facts, Place, absolute, clean};

use super::entry::Entry;

/// The other trees that a file tool's changes concern.
pub(crate) fn of_changes(changes: &[FileChange<'_>], place: &Place<'_>, facts: &dyn Facts) -> Vec<PathBuf> {
    let targets = changes.iter().filter_map(|file| match &file.change {
        Change::Rename { to } => Some(to.as_ref()),
        _ => None,
    });
    of_written(changes.iter().map(|file| file.path.as_ref()).chain(targets), place, facts)
}

/// The other trees in which paths lie, as a tool's caller wrote them.
pub(crate) fn of_written<'p>(
    paths: impl IntoIterator<Item = &'p str>,
    place: &Place<'_>,
    facts: &dyn Facts,
) -> Vec<PathBuf> {
    let home = place.home();
    let mut trees = Trees::new(place, facts);
    for path in paths {
        let path = absolute(path, place.cwd, home.as_deref());
        trees.add_around(&facts.real(&path));
        trees.add_around(&path);
    }
    trees.found
}

/// The other trees that effects change, or that a part names which could not be followed.
pub(crate) fn of_effects(effects: &Effects, place: &Place<'_>, facts: &dyn Facts) -> Vec<PathBuf> {
    let mut trees = Trees::new(place, facts);
    trees.add_around(place.cwd);
    // A clone may be one of this project.
    let clones = effects.list.iter().any(|effect| matches!(&effect.op, Op::Git(git) if git.verb == "clone"));
    for effect in &effects.list {
        match &effect.op {
            Op::Write { target, how, .. } => {
                trees.add(target);
                if clones && *how == How::Into && target.tree {
                    trees.push(PathBuf::from(&target.path));
                }
            }
            Op::Delete(target) => trees.add(target),
            Op::Rename { from, to } => {
                trees.add(from);
                trees.add(to);
            }
            Op::Git(git) => git.untracked.iter().for_each(|untracked| trees.add(&untracked.target)),
            _ => {}
        }
    }
    for target in effects.gaps.iter().flat_map(|gap| &gap.paths) {
        trees.add(target);
        trees.add_around(&facts.real(Path::new(&target.path)));
    }
    trees.found
}

/// The project around a path: the nearest of the trees of a place.
pub(crate) fn around<'p>(path: &Path, place: &'p Place<'_>) -> Option<&'p Path> {
    let trees = place.root.into_iter().chain(place.tree).chain(place.others.iter().map(PathBuf::as_path));
    let around = trees.filter(|tree| path.starts_with(tree) || tree.starts_with(path));
    around.max_by_key(|tree| tree.components().count())
}

/// Returns true if removing a folder that is or contains another tree would lose something protected. A work tree is
/// made to be removed, and what git tracks is in the repository.
pub(crate) fn is_lost(entry: &Entry<'_>, removed: &Path, place: &Place<'_>, facts: &dyn Facts) -> bool {
    place.others.iter().filter(|tree| tree.starts_with(removed)).any(|tree| {
        let is_linked = facts.is_folder(&tree.join(".git")) == Some(false);
        let mut files = entry.files(|_| vec![tree.clone()]).into_iter();
        !is_linked && files.any(|file| !facts.is_missing(&file) && facts.is_tracked(&file) != Some(true))
    })
}

struct Trees<'t> {
    place: &'t Place<'t>,
    facts: &'t dyn Facts,
    found: Vec<PathBuf>,
}

impl<'t> Trees<'t> {
    fn new(place: &'t Place<'t>, facts: &'t dyn Facts) -> Self {
        Self { place, facts, found: Vec::new() }
    }

    /// Adds the tree that a target was found in, and the one that the disk tells.
    fn add(&mut self, target: &Target) {
        let root = target.inside.as_deref().and_then(|inside| target.path.strip_suffix(inside));
        if let Some(root) = root {
            self.push(clean(Path::new(root)));
        }
        self.add_around(Path::new(&target.path));
    }

    fn add_around(&mut self, path: &Path) {
        if let Some(ProjectTree::Same(dir) | ProjectTree::Other(dir)) = self.facts.tree_of(path) {
            self.push(dir);
        }
    }

    fn push(&mut self, dir: PathBuf) {
        let known = self.place.root.into_iter().chain(self.place.tree).any(|known| known == dir);
        if !known && !self.found.contains(&dir) {
            self.found.push(dir);
        }
    }
}
