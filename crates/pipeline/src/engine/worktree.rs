//! A git worktree for one branch of a run, so that parallel branches do not interfere.
//!
//! The work of a stage's branch is never merged and never discarded: a worktree is removed only if it is unchanged. A
//! feature's branch is merged when the feature is tested.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::folder::RunFolder;
use super::git::git;

/// The worktree of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    path: PathBuf,
    /// Its git branch.
    pub(crate) branch: String,
    /// The project root in it.
    pub(crate) root: PathBuf,
    base: String,
}

/// What happened to a worktree at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Gone,
    /// It contains work, or could not be checked.
    Kept {
        path: PathBuf,
        branch: String,
    },
}

/// Git fails if two worktrees are created at once.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn branch_name(folder: &RunFolder, name: &str) -> String {
    format!("stead/{}/{name}", folder.name())
}

/// Where the worktree of a node, or of a feature, is.
pub(crate) fn path(folder: &RunFolder, name: &str) -> PathBuf {
    folder.path().join("worktrees").join(name)
}

fn tip(root: &Path, branch: &str) -> Option<String> {
    git(root, &["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")]).ok()
}

/// The commit that worktrees start from.
pub(crate) fn base(root: &Path) -> Result<String, String> {
    git(root, &["rev-parse", "--verify", "HEAD^{commit}"]).map_err(|said| {
        // Git's own message is about revisions.
        match git(root, &["rev-parse", "--git-dir"]) {
            Ok(_) => "the repository has no commit yet; commit something first".to_owned(),
            Err(_) => said,
        }
    })
}

/// The commit that a new worktree starts from. An existing git branch belongs to somebody else.
pub(crate) fn begin(root: &Path, folder: &RunFolder, name: &str) -> Result<String, String> {
    let base = base(root)?;
    let branch = branch_name(folder, name);
    match tip(root, &branch) {
        // A worktree whose folder was deleted still holds its branch, so git must prune it first.
        Some(_) => Err(format!(
            "git branch `{branch}` already exists, perhaps from an earlier run; delete it with `git worktree prune` and \
             then `git branch -D {branch}`, or keep it by `git branch -m {branch} <other name>`"
        )),
        None => Ok(base),
    }
}

/// Who commits where git knows nobody.
fn identity(root: &Path) -> Vec<&'static str> {
    match git(root, &["config", "user.email"]) {
        Ok(email) if !email.is_empty() => Vec::new(),
        _ => vec!["-c", "user.name=stead", "-c", "user.email=stead@localhost"],
    }
}

impl Tree {
    /// Creates the worktree of a node or a feature from `base`, or finds the one that an earlier engine created.
    pub(crate) fn open(root: &Path, folder: &RunFolder, name: &str, base: &str) -> Result<Self, String> {
        let _alone = alone();
        let path = path(folder, name);
        let branch = branch_name(folder, name);
        let prefix = git(root, &["rev-parse", "--show-prefix"])?;
        let root_there = if prefix.is_empty() { path.clone() } else { path.join(prefix) };
        let tree = Self { root: root_there, path, branch, base: base.to_owned() };
        if tree.is_there() {
            return Ok(tree);
        }
        tree.add(root).or_else(|_| {
            // A worktree that was deleted by hand is still on git's list. Another program may also have changed it.
            git(root, &["worktree", "prune"])?;
            tree.add(root)
        })?;
        Ok(tree)
    }

    fn add(&self, root: &Path) -> Result<String, String> {
        let target = self.path.to_string_lossy();
        match tip(root, &self.branch) {
            Some(_) => git(root, &["worktree", "add", "--quiet", &target, &self.branch]),
            None => git(root, &["worktree", "add", "--quiet", "-b", &self.branch, &target, &self.base]),
        }
    }

    fn is_there(&self) -> bool {
        git(&self.path, &["symbolic-ref", "--short", "HEAD"]).is_ok_and(|branch| branch == self.branch)
            || (self.path.join(".git").is_file() && git(&self.path, &["rev-parse", "HEAD"]).is_ok())
    }

    /// Leaves the worktree as it is.
    pub(crate) fn keep(&self) -> Fate {
        Fate::Kept { path: self.path.clone(), branch: self.branch.clone() }
    }

    /// Commits everything but these paths, if there is anything.
    pub(crate) fn commit(&self, message: &str, without: &[String]) -> Result<(), String> {
        let excluded: Vec<String> = without.iter().map(|path| format!(":(exclude){path}")).collect();
        let mut add = vec!["add", "--all", "--", "."];
        add.extend(excluded.iter().map(String::as_str));
        git(&self.root, &add)?;
        if git(&self.root, &["diff", "--cached", "--quiet"]).is_ok() {
            return Ok(());
        }
        let mut commit = identity(&self.root);
        commit.extend(["commit", "--quiet", "--no-verify", "-m", message]);
        git(&self.root, &commit).map(drop)
    }

    /// Merges a commit into the branch. A merge that does not work leaves no trace.
    pub(crate) fn merge(&self, commit: &str) -> Result<(), String> {
        let mut merge = identity(&self.root);
        merge.extend(["merge", "--no-edit", "--quiet", commit]);
        git(&self.root, &merge).map(drop).inspect_err(|_| {
            let _ = git(&self.root, &["merge", "--abort"]);
        })
    }

    /// Removes the worktree and the branch of merged work. Git itself refuses if there is more.
    pub(crate) fn remove_merged(&self, root: &Path) -> Fate {
        let _alone = alone();
        if git(root, &["worktree", "remove", &self.path.to_string_lossy()]).is_err() {
            return self.keep();
        }
        let _ = git(root, &["branch", "-d", "--quiet", &self.branch]);
        Fate::Gone
    }

    /// Removes the worktree if it is unchanged.
    pub(crate) fn close(&self, root: &Path) -> Fate {
        let _alone = alone();
        let kept = self.keep();
        let is_clean = git(&self.path, &["status", "--porcelain", "--ignored=no"]).is_ok_and(|said| said.is_empty());
        let is_at_base = git(&self.path, &["rev-parse", "HEAD"]).is_ok_and(|head| head == self.base);
        if !is_clean || !is_at_base || tip(root, &self.branch).is_some_and(|tip| tip != self.base) {
            return kept;
        }
        // Without force: git itself refuses if there are changes after all.
        if git(root, &["worktree", "remove", &self.path.to_string_lossy()]).is_err() {
            return kept;
        }
        let _ = git(root, &["branch", "-D", "--quiet", &self.branch]);
        Fate::Gone
    }
}

#[cfg(test)]
mod tests;
