use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use stead_model::{ProjectTree, Target};

use crate::facts::Facts;
use crate::path::{absolute, clean};
use crate::place::Place;

/// The maximum number of disk accesses of one call.
const LOOKS: usize = 200;

/// Where paths are resolved: the project, home, and the disk behind them.
pub(crate) struct Ground<'g> {
    facts: &'g dyn Facts,
    cwd: PathBuf,
    home: Option<PathBuf>,
    root: Option<PathBuf>,
    /// The root with links resolved, if it differs.
    real_root: Option<PathBuf>,
    /// The checkout that the agent works in, as written and with links resolved. Its files belong to the project.
    trees: Vec<PathBuf>,
    /// Folders that the call makes another tree of the project.
    made: RefCell<Vec<PathBuf>>,
    looks: Cell<usize>,
}

/// Whether a link at the end of the path is followed: a write changes its target, a removal does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Followed,
    Kept,
}

impl<'g> Ground<'g> {
    pub(crate) fn new(place: &Place<'_>, facts: &'g dyn Facts) -> Self {
        let root = place.root.map(clean);
        let real_root = root.as_ref().map(|root| facts.real(root)).filter(|real| Some(real) != root.as_ref());
        let tree = place.tree.map(clean);
        let trees = tree.map(|tree| vec![facts.real(&tree), tree]).unwrap_or_default();
        let (cwd, home, made) = (clean(place.cwd), place.home(), RefCell::default());
        Self { facts, cwd, home, root, real_root, trees, made, looks: Cell::new(0) }
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns true if the path is a folder; `None` if that is unknown.
    pub(crate) fn is_folder(&self, path: &Path) -> Option<bool> {
        if self.looked() { self.facts.is_folder(path) } else { None }
    }

    /// Resolves a path as a tool's caller wrote it.
    pub(crate) fn written(&self, text: &str, last: Last) -> Vec<Target> {
        self.targets(&absolute(text, &self.cwd, self.home()), last)
    }

    /// A path as a tool's caller wrote it, in full.
    pub(crate) fn in_full(&self, text: &str) -> String {
        absolute(text, &self.cwd, self.home()).to_string_lossy().into_owned()
    }

    /// Creates the targets of an absolute path: with links resolved and, if there is a link inside the project, also as
    /// written.
    pub(crate) fn targets(&self, path: &Path, last: Last) -> Vec<Target> {
        let real = match (self.looked(), last, path.parent(), path.file_name()) {
            (false, ..) => path.to_path_buf(),
            (true, Last::Kept, Some(parent), Some(name)) => self.facts.real(parent).join(name),
            _ => self.facts.real(path),
        };
        // Another tree as a whole is not in the project: removing it removes nothing from the main tree.
        let inside = |path: &Path| match self.inside(path) {
            Some(below) if below.is_empty() && last == Last::Kept && !self.is_own_root(path) => None,
            below => below,
        };
        let written = if real == path { None } else { inside(path) };
        let inside = inside(&real);
        let mut targets = vec![target(&real, inside.clone())];
        match (inside, written) {
            (Some(inside), Some(written)) if inside != written => targets.push(target(path, Some(written))),
            (None, Some(written)) => targets = vec![target(&real, None), target(path, Some(written))],
            _ => {}
        }
        targets
    }

    /// Creates the target of a pattern without reading the disk.
    pub(crate) fn open(&self, path: &Path) -> Target {
        Target { glob: true, ..self.lexical(path) }
    }

    /// Creates the target of a path as written, without reading the disk.
    pub(crate) fn lexical(&self, path: &Path) -> Target {
        target(path, self.inside(path))
    }

    fn is_own_root(&self, path: &Path) -> bool {
        self.trees.iter().chain(&self.root).chain(&self.real_root).any(|root| root == path)
    }

    /// Returns the path below the project's root, in the tree that it lies in.
    pub(crate) fn inside(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(self.root_of(path)?).ok()?.to_string_lossy().replace('\\', "/");
        Some(below)
    }

    /// Returns the project's folder in the tree that a path lies in.
    pub(crate) fn root_of(&self, path: &Path) -> Option<PathBuf> {
        if let Some(made) = self.made.borrow().iter().rev().find(|made| path.starts_with(made)) {
            return Some(made.clone());
        }
        // A tree within the root comes first.
        let mut roots = self.trees.iter().chain(&self.root).chain(&self.real_root);
        if let Some(root) = roots.find(|root| path.starts_with(root)) {
            let nested = self.facts.checkout_below(root, path);
            return nested.filter(|nested| path.starts_with(nested)).or_else(|| Some(root.clone()));
        }
        match self.facts.tree_of(path)? {
            ProjectTree::Same(dir) => path.starts_with(&dir).then_some(dir),
            ProjectTree::Other(_) => None,
        }
    }

    /// Notes that the call makes this folder another tree of the project.
    pub(crate) fn makes_tree(&self, folder: PathBuf) {
        self.made.borrow_mut().extend([self.facts.real(&folder), folder]);
    }

    fn looked(&self) -> bool {
        self.looks.set(self.looks.get() + 1);
        self.looks.get() <= LOOKS
    }
}

fn target(path: &Path, inside: Option<String>) -> Target {
    let path = path.to_string_lossy().into_owned();
    Target { path, inside, tree: false, glob: false, guessed: false, except: Vec::new() }
}
