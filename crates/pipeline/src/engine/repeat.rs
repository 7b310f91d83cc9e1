//! An iteration that is repeated: what an attempt that does not count left makes way, and the next one is told of it.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use super::inputs::text;
use super::iteration::IterationFiles;
use super::node_run::NodeRun;
use super::restore::{self, Before};
use super::{EngineError, attempt, leftover, snapshot};
use crate::context_file::ContextAttempt;
use crate::state::NodeState;

impl NodeRun<'_> {
    /// A repeated iteration starts from what the last completed one left. A tracked output belongs to the project:
    /// people and git take care of it.
    pub(super) fn restore(&self, at: &NodeState, aside: &Path) -> Result<(), EngineError> {
        let last = self.run.folder.iteration_dir(&at.dir, at.iteration_completed);
        let kept = last.join(attempt::OUTPUT);
        let before = match at.has_output {
            _ if at.iteration_completed == 0 => Before::Nothing,
            Some(false) => Before::Nothing,
            Some(true) => Before::Kept(&kept),
            None => Before::Perhaps(&kept),
        };
        if self.node.output.is_none()
            && let Some(problem) = restore::restore(&self.output(), before, aside)?
        {
            self.run.journal.warn(&self.node.id, problem)?;
        }
        // Runs of earlier versions kept no copy of the notes.
        let kept = last.join(attempt::PROGRESS);
        let notes = match at.iteration_completed {
            0 => Some(Before::Nothing),
            _ => kept.is_file().then_some(Before::Kept(&kept)),
        };
        if let Some(notes) = notes
            && let Some(problem) = restore::restore(&self.progress(), notes, aside)?
        {
            self.run.journal.warn(&self.node.id, problem)?;
        }
        self.create_progress()
    }

    /// What the agent is told about an attempt that does not count.
    pub(super) fn describe_attempt(&self, aside: &Path, begun: Option<SystemTime>) -> ContextAttempt {
        ContextAttempt {
            dir: text(aside),
            changed_files: begun.and_then(|begun| leftover::changed_files(&self.root, begun, self.run.folder.path())),
            commits: begun.map(|begun| leftover::commits(&self.root, begun)).unwrap_or_default(),
        }
    }

    /// Keeps the stage's notes as this iteration left them, for the case that the next one is repeated.
    pub(super) fn keep_progress(&self, files: &IterationFiles) -> Result<(), EngineError> {
        let homes = [self.run.folder.path()];
        match snapshot::keep(&self.progress(), &homes, None, &files.file(attempt::PROGRESS))? {
            Some(problem) => self.run.journal.warn(&self.node.id, problem),
            None => Ok(()),
        }
    }

    /// Only the notes of the last completed iteration are needed.
    pub(super) fn forget_progress(&self, at: &NodeState) {
        if let Some(older) = at.iteration_completed.checked_sub(1).filter(|older| *older > 0) {
            let _ = fs::remove_file(self.run.folder.iteration_dir(&at.dir, older).join(attempt::PROGRESS));
        }
    }
}
