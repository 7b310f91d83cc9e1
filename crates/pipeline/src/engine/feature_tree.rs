//! The worktree of a feature: created for its coding agent, merged when the feature is tested, kept otherwise.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use stead_evidence::Ground;
use stead_feature::Feature;

use super::EngineError;
use super::assignment::{Assignment, Desk};
use super::git::git;
use super::node_run::NodeRun;
use super::worktree::{self, Fate, Tree};
use crate::event::RunEvent;

/// One merge at a time.
pub(super) fn landing() -> MutexGuard<'static, ()> {
    static LANDING: Mutex<()> = Mutex::new(());
    LANDING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl NodeRun<'_> {
    /// Where the worktree of a feature is, if it gets one.
    pub(super) fn tree_path(&self, desk: Desk<'_>, feature: Option<&Feature>) -> Option<PathBuf> {
        let feature = feature.filter(|_| desk.options.worktrees)?;
        Some(worktree::path(self.run.folder, &feature.id))
    }

    pub(super) fn open_tree(&self, desk: Desk<'_>, assignment: &Assignment) -> Result<Option<Tree>, String> {
        let Some(feature) = assignment.feature.as_ref().filter(|_| desk.options.worktrees) else { return Ok(None) };
        let root = self.run.around.root;
        let base = worktree::base(root)?;
        Tree::open(root, self.run.folder, &feature.id, &base)
            .map(Some)
            .map_err(|why| format!("could not create a worktree for feature `{}`: {why}", feature.id))
    }

    /// The project as the agent sees it: evidence is about the files of its worktree.
    pub(super) fn ground_of(&self, desk: Desk<'_>, assignment: &Assignment) -> Ground {
        let ground = desk.ground().clone();
        match &assignment.tree {
            // Hashes are cached by path, and paths repeat in every worktree.
            Some(tree) => Ground { root: tree.root.clone(), cache: tree.root.join(".no-cache"), ..ground },
            None => ground,
        }
    }

    /// What is not part of a feature's commit, below the root: records, and the list itself.
    pub(super) fn unversioned(&self, desk: Desk<'_>) -> Vec<String> {
        let below = desk.ground().features.strip_prefix(self.run.around.root).ok();
        let features = below.map(|path| path.to_string_lossy().into_owned());
        [".agent".to_owned()].into_iter().chain(features).collect()
    }

    /// Commits what the agents left and merges the project's branch into the feature's, so that what is tested is what
    /// will be there. Returns both branches if they do not merge.
    pub(super) fn catch_up(
        &self,
        desk: Desk<'_>,
        assignment: &Assignment,
        feature: &Feature,
    ) -> Result<Option<Vec<String>>, EngineError> {
        let Some(tree) = &assignment.tree else { return Ok(None) };
        let mismatch = |why| EngineError::Mismatch { why };
        tree.commit(&format!("{}: {}", feature.id, feature.title), &self.unversioned(desk)).map_err(mismatch)?;
        let head = worktree::base(self.run.around.root).map_err(mismatch)?;
        Ok(tree.merge(&head).err().map(|_| self.both(tree)))
    }

    /// Brings a tested feature into the project's branch. Returns both branches if that is not possible.
    pub(super) fn land(&self, assignment: &Assignment) -> Option<Vec<String>> {
        let tree = assignment.tree.as_ref()?;
        let landed = git(self.run.around.root, &["merge", "--ff-only", "--quiet", &tree.branch]);
        landed.err().map(|_| self.both(tree))
    }

    fn both(&self, tree: &Tree) -> Vec<String> {
        let own = git(self.run.around.root, &["symbolic-ref", "--short", "HEAD"]);
        vec![own.unwrap_or_else(|_| "HEAD".to_owned()), tree.branch.clone()]
    }

    /// Removes the worktree of a merged feature, unless it contains more.
    pub(super) fn leave_tree(&self, assignment: &Assignment) -> Result<(), EngineError> {
        let Some(tree) = &assignment.tree else { return Ok(()) };
        match tree.remove_merged(self.run.around.root) {
            Fate::Gone => Ok(()),
            Fate::Kept { path, branch } => {
                let path = path.to_string_lossy().into_owned();
                self.run.journal.tell(RunEvent::WorktreeKept { node: self.node.id.clone(), path, branch })
            }
        }
    }
}
