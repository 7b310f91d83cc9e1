use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use stead_model::clean;

/// A linked git worktree: its own folder and, unless the repository is bare, the main checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worktree {
    pub dir: PathBuf,
    pub main: Option<PathBuf>,
}

impl Worktree {
    /// Reads git's own files in the folder. `None` for a main checkout, a submodule, or no checkout.
    pub fn at(dir: &Path) -> Option<Self> {
        let link = read_short(&dir.join(".git"))?;
        let git_dir = clean(&dir.join(link.strip_prefix("gitdir:")?.trim()));
        // Only a linked worktree has this file; a submodule's git folder is self-contained.
        let shared = read_short(&git_dir.join("commondir"))?;
        let shared = clean(&git_dir.join(shared.trim()));
        let main = (shared.file_name()? == ".git").then(|| shared.parent().map(Path::to_owned)).flatten();
        Some(Self { dir: dir.to_owned(), main })
    }
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
