//! What the commands of `verify` decide: a stage that would be done is not, while they fail.

use super::EngineError;
use super::iteration::IterationFiles;
use super::node_end::NodeEnd;
use super::node_run::{NodeRun, Tally};
use crate::context_file::Verification;
use crate::event::RunEvent;
use crate::state::{ErrorKind, NodeState};
use crate::{OnLimit, VerifyMust};

/// How the commands went.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// All of them succeeded, or there are none.
    Passed,
    /// This one failed first.
    Failed(String),
    /// The run was cancelled before all of them ran.
    Interrupted,
}

/// The results of the commands after one iteration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verified {
    pub(super) results: Vec<Verification>,
    pub(super) verdict: Verdict,
}

impl Verified {
    pub(super) fn of(results: Vec<Verification>, commands: usize) -> Self {
        let verdict = match results.iter().find(|result| !result.green) {
            Some(red) => Verdict::Failed(red.command.clone()),
            None if results.len() < commands => Verdict::Interrupted,
            None => Verdict::Passed,
        };
        Self { results, verdict }
    }
}

impl NodeRun<'_> {
    /// What ends the node after an iteration, and why it would be done if only its verification prevents that.
    pub(super) fn withhold(
        &self,
        ending: Option<NodeEnd>,
        verdict: &Verdict,
        tally: &Tally,
    ) -> (Option<NodeEnd>, Option<String>) {
        let done = match (&ending, verdict) {
            (Some(NodeEnd::Done(done)), Verdict::Failed(_) | Verdict::Interrupted) => done.clone(),
            _ => return (ending, None),
        };
        let Verdict::Failed(command) = verdict else { return (None, Some(done)) };
        let is_last = tally.iteration >= self.node.guardrails.max_iterations;
        let spent = self.spent(tally).map(|ending| ending.why().to_owned());
        if self.node.verify_must == VerifyMust::Pass && !is_last && spent.is_none() {
            return (None, Some(done));
        }
        (Some(self.unverified(&done, command, spent)), Some(done))
    }

    /// The end of a node whose verification failed.
    fn unverified(&self, done: &str, command: &str, spent: Option<String>) -> NodeEnd {
        let spent = spent.map(|spent| format!(", and {spent}")).unwrap_or_default();
        let why = format!("{done}, but `{command}` failed{spent}");
        match (self.node.verify_must, self.node.guardrails.on_limit) {
            (VerifyMust::Pass, OnLimit::Fail) => NodeEnd::Failed(ErrorKind::Limit, why),
            _ => NodeEnd::Unverified { done: done.to_owned(), why },
        }
    }

    pub(super) fn tell_withheld(&self, files: &IterationFiles, why: &str) -> Result<(), EngineError> {
        let (node, iteration) = (self.node.id.clone(), files.iteration);
        self.run.journal.tell(RunEvent::Withheld { node, iteration, why: super::journal::safe(why) })
    }

    /// Verifies a node again that an earlier engine left unverified: somebody may have repaired what failed. `None` if it
    /// continues.
    pub(super) fn verify_again(&mut self, at: &NodeState, done: &str) -> Result<Option<NodeEnd>, EngineError> {
        let iteration = at.iteration_completed;
        let files = IterationFiles { dir: self.run.folder.iteration_dir(&at.dir, iteration), iteration };
        let Verified { results, verdict } = self.verify(&files)?;
        if verdict != Verdict::Interrupted {
            self.previous.verification = results;
        }
        Ok(match verdict {
            Verdict::Passed => Some(NodeEnd::Done(done.to_owned())),
            Verdict::Interrupted => Some(self.cancelled()),
            Verdict::Failed(command) => {
                let spent = self.budget(0.0).exhausted();
                let has_room = iteration < at.max_iterations && spent.is_none();
                (!has_room).then(|| self.unverified(done, &command, spent))
            }
        })
    }
}
