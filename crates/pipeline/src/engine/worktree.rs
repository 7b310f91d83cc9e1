//! A git work tree for one branch of a run, so that branches at work side by side do not meet.
//!
//! What a branch made there is never merged and never thrown away: the tree goes only if nothing was done in it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::folder::RunFolder;
use super::git::git;
use crate::Node;

/// Where a branch works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    path: PathBuf,
    /// Its git branch.
    pub(crate) branch: String,
    /// The project's root in it.
    pub(crate) root: PathBuf,
    base: String,
}

/// What became of a tree at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Gone,
    /// It holds work, or could not be looked at.
    Kept {
        path: PathBuf,
        branch: String,
    },
}

/// Git itself stumbles when two trees are made at once.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn branch_name(folder: &RunFolder, node: &Node) -> String {
    format!("stead/{}/{}", folder.name(), node.id)
}

fn tip(root: &Path, branch: &str) -> Option<String> {
    git(root, &["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")]).ok()
}

/// The commit that work trees begin with.
pub(crate) fn base(root: &Path) -> Result<String, String> {
    git(root, &["rev-parse", "--verify", "HEAD^{commit}"]).map_err(|said| {
        // Git's own words for it are about revisions.
        match git(root, &["rev-parse", "--git-dir"]) {
            Ok(_) => "there is no commit yet that a work tree could begin with; commit something first".to_owned(),
            Err(_) => said,
        }
    })
}

/// The commit that a new tree begins with. A git branch that is there already is somebody else's.
pub(crate) fn begin(root: &Path, folder: &RunFolder, node: &Node) -> Result<String, String> {
    let base = base(root)?;
    let branch = branch_name(folder, node);
    match tip(root, &branch) {
        // A tree whose folder was deleted still holds its branch, so git has to forget it first.
        Some(_) => Err(format!(
            "there is a git branch `{branch}` already, perhaps of an earlier run; delete it by `git worktree prune` and \
             then `git branch -D {branch}`, or keep it by `git branch -m {branch} <other name>`"
        )),
        None => Ok(base),
    }
}

impl Tree {
    /// Makes the node's tree from `base`, or finds the one that an earlier engine made.
    pub(crate) fn open(root: &Path, folder: &RunFolder, node: &Node, base: &str) -> Result<Self, String> {
        let _alone = alone();
        let path = folder.path().join("worktrees").join(&node.id);
        let branch = branch_name(folder, node);
        let prefix = git(root, &["rev-parse", "--show-prefix"])?;
        let root_there = if prefix.is_empty() { path.clone() } else { path.join(prefix) };
        let tree = Self { root: root_there, path, branch, base: base.to_owned() };
        if tree.is_there() {
            return Ok(tree);
        }
        tree.add(root).or_else(|_| {
            // A tree that somebody deleted by hand is still on git's list. And another program may have been at it.
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

    /// Leaves the tree as it is.
    pub(crate) fn keep(&self) -> Fate {
        Fate::Kept { path: self.path.clone(), branch: self.branch.clone() }
    }

    /// Takes the tree away if nothing was done in it.
    pub(crate) fn close(&self, root: &Path) -> Fate {
        let _alone = alone();
        let kept = self.keep();
        let is_clean = git(&self.path, &["status", "--porcelain", "--ignored=no"]).is_ok_and(|said| said.is_empty());
        let is_at_base = git(&self.path, &["rev-parse", "HEAD"]).is_ok_and(|head| head == self.base);
        if !is_clean || !is_at_base || tip(root, &self.branch).is_some_and(|tip| tip != self.base) {
            return kept;
        }
        // Without force: git itself refuses if something is there after all.
        if git(root, &["worktree", "remove", &self.path.to_string_lossy()]).is_err() {
            return kept;
        }
        let _ = git(root, &["branch", "-D", "--quiet", &self.branch]);
        Fate::Gone
    }
}

#[cfg(test)]
mod tests;
