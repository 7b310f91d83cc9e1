use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use stead_model::clean;

use crate::worktree::Worktree;

/// The folder of Stead's own files, below the project root.
pub const OWN: &str = ".agent";

/// The file that marks a folder as a project root. It never moves, whatever `[layout]` says.
pub const MARKER: &str = ".agent/context/root.json";

/// The project's settings, below its root. This file never moves either.
pub const CONFIG: &str = ".agent/config.toml";

/// The settings of one checkout, below its root.
pub const CONFIG_LOCAL: &str = ".agent/config.local.toml";

/// The folder of worktrees inside a checkout.
const WORKTREES: &str = "worktrees";

/// Longer paths cannot be opened anyway, and copying them at every step would take quadratic time.
const PATH_LIMIT: usize = 4096;

/// Which folder a path belongs to, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The folder contains the marker.
    Marked {
        dir: PathBuf,
        /// The same folder in the checkout that was asked about, if it is another one: a git worktree without a marker
        /// of its own, or one inside the main checkout.
        tree: Option<PathBuf>,
    },
    /// There is no marker, but the folder is the root of a git checkout.
    Git { dir: PathBuf },
    /// Neither: the folder where the search started.
    Bare { dir: PathBuf },
}

impl Found {
    pub fn dir(&self) -> &Path {
        match self {
            Self::Marked { dir, .. } | Self::Git { dir } | Self::Bare { dir } => dir,
        }
    }

    /// The project's folder in the checkout being worked in. Records and guards are those of [`Self::dir`].
    pub fn work(&self) -> &Path {
        match self {
            Self::Marked { tree: Some(tree), .. } => tree,
            other => other.dir(),
        }
    }

    /// The checkout's own folder, if it is not the project's.
    pub fn tree(&self) -> Option<&Path> {
        match self {
            Self::Marked { tree, .. } => tree.as_deref(),
            Self::Git { .. } | Self::Bare { .. } => None,
        }
    }

    pub fn is_marked(&self) -> bool {
        matches!(self, Self::Marked { .. })
    }
}

/// Finds the project root of a folder: the nearest ancestor with the marker (in a git worktree without its own, or
/// inside the main checkout, the main checkout's), else the git root, else the folder itself.
///
/// It is on the hook path: one or two `stat` calls per level, no allocation per level. Symbolic links are resolved for
/// a second search only if the path as given has no marker, because a link must not hide the gates.
pub fn find_root(start: &Path) -> Found {
    let start = absolute(start);
    let found = climb(&start);
    if found.is_marked() {
        return found;
    }
    match fs::canonicalize(&start) {
        Ok(real) if real != start => match climb(&real) {
            // Without a marker, the result keeps the path as it was given.
            Found::Bare { .. } => found,
            better => better,
        },
        _ => found,
    }
}

fn climb(start: &Path) -> Found {
    let mut git: Option<PathBuf> = None;
    let mut probe = start.to_owned();
    loop {
        if probe.as_os_str().len() <= PATH_LIMIT {
            if has_marker(&mut probe) {
                return outer(&probe).unwrap_or(Found::Marked { dir: probe, tree: None });
            }
            if git.is_none() && has_git(&mut probe) {
                if let Some(found) = marked_in_main_checkout(start, &probe) {
                    return found;
                }
                git = Some(probe.clone());
            }
        }
        if !probe.pop() {
            break;
        }
    }
    match git {
        Some(dir) => Found::Git { dir },
        None => Found::Bare { dir: start.to_owned() },
    }
}

/// Looks for the marker below `dir`, reusing the buffer. One that cannot be read is still a marker: whoever damages it or
/// closes its folder must not switch the project's gates off.
pub(crate) fn has_marker(dir: &mut PathBuf) -> bool {
    dir.push(MARKER);
    let looked = fs::symlink_metadata(&dir);
    let found = match &looked {
        Ok(data) if data.is_symlink() => !dir.is_dir(),
        Ok(data) => !data.is_dir(),
        Err(_) => false,
    };
    for _ in MARKER.split('/') {
        dir.pop();
    }
    found || looked.is_err_and(|error| is_closed(&error) && fs::symlink_metadata(dir.join(OWN)).is_ok())
}

/// Returns true for an error that says nothing about whether there is a file.
fn is_closed(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(crate) fn has_git(dir: &mut PathBuf) -> bool {
    dir.push(".git");
    let found = fs::metadata(&dir).is_ok_and(|data| data.is_dir() || data.is_file());
    dir.pop();
    found
}

/// The project around a marked folder that is a git worktree inside it. Worktrees created there are in a folder of this
/// name, so all other paths skip the lookup.
fn outer(dir: &Path) -> Option<Found> {
    if !dir.components().any(|part| part.as_os_str() == WORKTREES) {
        return None;
    }
    let git_root = dir.ancestors().find(|folder| has_git(&mut folder.to_path_buf()))?;
    let main = Worktree::at(git_root)?.main?;
    let mut outer = main.join(dir.strip_prefix(git_root).ok()?);
    let is_within = git_root.starts_with(&main) && has_marker(&mut outer);
    is_within.then(|| Found::Marked { dir: outer, tree: Some(dir.to_owned()) })
}

/// Repeats the walk from `start` up to the worktree's root, in the main checkout.
fn marked_in_main_checkout(start: &Path, git_root: &Path) -> Option<Found> {
    let main = Worktree::at(git_root)?.main?;
    let mut probe = main.join(start.strip_prefix(git_root).ok()?);
    loop {
        if has_marker(&mut probe) {
            let tree = probe.strip_prefix(&main).ok().map(|below| git_root.join(below));
            return Some(Found::Marked { dir: probe, tree });
        }
        if probe == main || !probe.pop() {
            return None;
        }
    }
}

/// Makes the path absolute and removes `..`; both are rare, so the usual path is only copied.
fn absolute(start: &Path) -> PathBuf {
    let path = if start.is_absolute() {
        start.to_owned()
    } else {
        // An empty path means the current folder, and `absolute` refuses it.
        let start = if start.as_os_str().is_empty() { Path::new(".") } else { start };
        std::path::absolute(start).unwrap_or_else(|_| start.to_owned())
    };
    if path.components().any(|part| part == Component::ParentDir) {
        fs::canonicalize(&path).unwrap_or_else(|_| clean(&path))
    } else {
        path
    }
}
