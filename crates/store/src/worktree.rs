use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use stead_model::clean;

use crate::os;

/// A linked git worktree: its own folder and, unless the repository is bare, the main checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    pub dir: PathBuf,
    pub main: Option<PathBuf>,
}

impl Worktree {
    /// Reads git's own files in the folder. `None` for a main checkout, a submodule, or no checkout.
    pub fn at(dir: &Path) -> Option<Self> {
        let git_dir = linked_git_dir(dir)?;
        let shared = shared_dir(&git_dir)?;
        let main = (shared.file_name()? == ".git").then(|| shared.parent().map(Path::to_owned)).flatten();
        Some(Self { dir: dir.to_owned(), main })
    }
}

/// The folder with the objects and branches of the checkout at `dir`: all worktrees of a repository have the same one.
pub(crate) fn common_dir(dir: &Path) -> Option<PathBuf> {
    let own = match linked_git_dir(dir) {
        Some(git_dir) => shared_dir(&git_dir).unwrap_or(git_dir),
        None => dir.join(".git"),
    };
    os::real_path(&own).ok()
}

/// Where the `.git` file of a linked worktree or submodule leads.
fn linked_git_dir(dir: &Path) -> Option<PathBuf> {
    let link = read_short(&dir.join(".git"))?;
    Some(clean(&dir.join(link.strip_prefix("gitdir:")?.trim())))
}

/// What a linked worktree's git folder shares. A submodule's is self-contained and lacks this file.
fn shared_dir(git_dir: &Path) -> Option<PathBuf> {
    let shared = read_short(&git_dir.join("commondir"))?;
    Some(clean(&git_dir.join(shared.trim())))
}

/// Reads the beginning of a small regular file.
fn read_short(path: &Path) -> Option<String> {
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(8192).read_to_string(&mut text).ok()?;
    Some(text)
}
