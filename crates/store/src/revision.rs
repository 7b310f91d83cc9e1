use std::fs;
use std::path::{Path, PathBuf};

use stead_model::clean;

use crate::read_capped;

/// Longer files of git are not read here.
const LIMIT: usize = 8 * 1024 * 1024;

/// How many symbolic refs are followed.
const HOPS: usize = 5;

/// The commit that is checked out in a folder or above it, read from git's own files; no process is started. `None`
/// without a repository or a commit, and if the repository stores its refs in another format.
pub fn checked_out_revision(dir: &Path) -> Option<String> {
    let git = dir.ancestors().find_map(git_dir)?;
    let shared = match fs::read_to_string(git.join("commondir")) {
        Ok(shared) => clean(&git.join(shared.trim())),
        Err(_) => git.clone(),
    };
    let mut text = read(&git.join("HEAD"))?;
    for _ in 0..HOPS {
        let Some(name) = text.strip_prefix("ref:").map(str::trim) else { return revision(&text) };
        // A ref is a path below the git folder; what is none is not read.
        if !name.starts_with("refs/") || name.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return None;
        }
        let loose = read(&git.join(name)).or_else(|| read(&shared.join(name)));
        match loose {
            Some(next) => text = next,
            None => return packed(&shared, name),
        }
    }
    None
}

fn git_dir(dir: &Path) -> Option<PathBuf> {
    let git = dir.join(".git");
    let data = fs::metadata(&git).ok()?;
    if data.is_dir() {
        return Some(git);
    }
    let link = read(&git)?;
    Some(clean(&dir.join(link.strip_prefix("gitdir:")?.trim())))
}

fn read(path: &Path) -> Option<String> {
    String::from_utf8(read_capped(path, LIMIT).ok()??).ok()
}

fn packed(git: &Path, name: &str) -> Option<String> {
    let text = read(&git.join("packed-refs"))?;
    let line = text.lines().find(|line| line.split_once(' ').is_some_and(|(_, own)| own == name))?;
    revision(line.split(' ').next()?)
}

fn revision(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then(|| text.to_ascii_lowercase())
}
