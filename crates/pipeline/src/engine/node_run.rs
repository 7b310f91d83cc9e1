//! One node: iterates until it is done or something stops it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use stead_store::{Durability, Exact, create, create_parents};

use super::agent::Worked;
use super::assignment::Assignment;
use super::budget::Budget;
use super::folder::make_dir;
use super::inputs::{Gone, Kept};
use super::node_end::NodeEnd;
use super::previous::Previous;
use super::run::Run;
use super::termination::{self, Brought};
use super::worktree::{self, Fate, Tree};
use super::{EngineError, inputs, output_path};
use crate::custody::Cancel;
use crate::event::RunEvent;
use crate::state::{ErrorKind, NodeState, NodeStatus, dollars, seconds};
use crate::{Node, Outcome, Provider, Termination, provider_name};

pub(crate) struct NodeRun<'r> {
    pub(super) run: &'r Run<'r>,
    pub(super) index: usize,
    pub(super) node: &'r Node,
    pub(super) cancel: Cancel,
    pub(super) stage_dir: PathBuf,
    /// The folder the agent works in: the project, or the node's own worktree.
    pub(super) root: PathBuf,
    tree: Option<Tree>,
    pub(super) from_stage: BTreeMap<String, Vec<Kept>>,
    pub(super) previous: Previous,
    /// Quota responses in a row.
    pub(super) quotas: u32,
    pub(super) told_prompt: bool,
    pub(super) told_gone: BTreeSet<Gone>,
    /// What the agent of this iteration does on the feature list.
    pub(super) assignment: Option<Assignment>,
    /// Its agent may have finished while no engine was there.
    pub(super) may_adopt: bool,
    /// How many initializers wrote no valid list.
    pub(super) rejected_lists: u32,
}

/// What an attempt adds to the node's counters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) iteration: u32,
    /// The attempt counts: the number of stops in a row.
    pub(super) completed: Option<u32>,
    /// The attempt counts, and only its verification prevents that the node is done: why it would be.
    pub(super) unverified: Option<String>,
    /// As in the state.
    pub(super) has_output: Option<bool>,
    pub(super) seconds: f64,
    pub(super) cost_usd: f64,
    pub(super) cost_unknown: bool,
}

impl<'r> NodeRun<'r> {
    pub(crate) fn new(run: &'r Run<'r>, index: usize, cancel: Cancel) -> Self {
        let node = &run.plan.nodes[index];
        Self {
            run,
            index,
            node,
            cancel,
            stage_dir: run.folder.stage_dir(node),
            root: run.around.root.to_owned(),
            tree: None,
            from_stage: BTreeMap::new(),
            previous: Previous::default(),
            quotas: 0,
            told_prompt: false,
            told_gone: BTreeSet::new(),
            assignment: None,
            may_adopt: run.finished.contains(&index),
            rejected_lists: 0,
        }
    }

    pub(super) fn at(&self) -> NodeState {
        self.run.journal.ask(|state| state.nodes[self.index].clone())
    }

    pub(crate) fn run(&mut self) -> Result<(), EngineError> {
        let ending = match self.begin()? {
            Some(ending) => Some(ending),
            None if self.run.plan.orchestrate.is_some() => self.work_on_features()?,
            None => self.work()?,
        };
        if let Some(ending) = ending {
            self.end(&ending, &Tally::default())?;
        }
        self.close_tree()
    }

    /// Creates the node's folders and reports that it is running.
    fn begin(&mut self) -> Result<Option<NodeEnd>, EngineError> {
        let at = self.at();
        let base = match (self.node.worktree, at.worktree_base.clone()) {
            (false, _) => None,
            (true, Some(base)) => Some(base),
            (true, None) => match worktree::begin(&self.root, self.run.folder, &self.node.id) {
                Ok(base) => Some(base),
                Err(why) => return Ok(Some(NodeEnd::Failed(ErrorKind::Worktree, no_tree(&why)))),
            },
        };
        self.run.journal.tell(RunEvent::StageStarted {
            node: at.id.clone(),
            stage: at.stage.clone(),
            iteration: at.iteration_completed + 1,
            max_iterations: at.max_iterations,
            provider: provider_name(&self.node.provider).to_owned(),
            worktree_base: base.clone(),
        })?;
        self.run.journal.commit(|state| {
            let node = &mut state.nodes[self.index];
            node.status = NodeStatus::Running;
            node.iteration = (node.iteration_completed + 1).min(node.max_iterations.max(1));
            node.worktree_base.clone_from(&base);
        })?;
        if let Some(base) = base {
            match Tree::open(&self.root, self.run.folder, &self.node.id, &base) {
                Ok(tree) => {
                    self.root.clone_from(&tree.root);
                    self.tree = Some(tree);
                }
                Err(why) => return Ok(Some(NodeEnd::Failed(ErrorKind::Worktree, no_tree(&why)))),
            }
        }
        if let Some(ending) = self.misplaced() {
            return Ok(Some(ending));
        }
        make_dir(&self.stage_dir)?;
        self.create_progress()?;
        create_parents(&self.output())?;
        self.from_stage =
            self.run.journal.ask(|state| inputs::from_stages(self.run.folder, self.run.plan, state, self.node));
        if at.iteration_completed == 0 {
            for from in self.run.journal.ask(|state| inputs::skipped(self.run.plan, state, self.node)) {
                let message = format!("its input `{from}` was skipped, so that input is empty");
                self.run.journal.warn(&self.node.id, message)?;
            }
        }
        self.previous = Previous::of(self.run.folder, &at);
        self.sit_out(&at)
    }

    /// Iterates. `None` if the last iteration's own record says how the node ended.
    fn work(&mut self) -> Result<Option<NodeEnd>, EngineError> {
        if let Some(ending) = self.first_look()? {
            return Ok(Some(ending));
        }
        loop {
            if let Some(ending) = self.interruption() {
                return Ok(Some(ending));
            }
            if let Some(why) = self.budget(0.0).exhausted() {
                return Ok(Some(self.limit(why)));
            }
            if let Some(ending) = self.misplaced() {
                return Ok(Some(ending));
            }
            if !self.iterate()? {
                return Ok(None);
            }
        }
    }

    /// Checks whether there is anything to do: the queue may be empty, or an earlier engine may have used everything
    /// up.
    fn first_look(&mut self) -> Result<Option<NodeEnd>, EngineError> {
        let at = self.at();
        if let Some(done) = &at.unverified {
            match self.verify_again(&at, done)? {
                // Somebody may have filled the queue meanwhile.
                Some(NodeEnd::Done(_))
                    if matches!(self.node.termination, Termination::Queue { .. } | Termination::Features { .. }) => {}
                ending => return Ok(ending),
            }
        }
        let queue_left = match self.count_queue(at.iteration_completed)? {
            Ok(left) => left,
            Err(ending) => return Ok(Some(ending)),
        };
        if queue_left == Some(0) && at.iteration_completed == 0 {
            self.run.journal.warn(&self.node.id, "its queue is empty at the start, so no agent is started")?;
        }
        let brought = Brought {
            completed: at.iteration_completed,
            max_iterations: at.max_iterations,
            // The statuses of earlier iterations were judged when they ended.
            consecutive_stops: 0,
            message: None,
            queue_left,
        };
        let verdict = termination::judge(&self.node.termination, &brought);
        Ok(verdict.map(|(outcome, why)| self.ending(outcome, why)))
    }

    /// Checks for an output outside the project: agents can create links at any time.
    fn misplaced(&self) -> Option<NodeEnd> {
        let output = self.node.output.as_ref()?;
        let why = output_path::check(&self.root, output).err()?;
        let error = EngineError::Output { stage: self.node.stage.clone(), output: output.clone(), why };
        Some(NodeEnd::Failed(ErrorKind::Engine, error.in_full()))
    }

    /// A reason from outside to stop between two iterations.
    pub(super) fn interruption(&self) -> Option<NodeEnd> {
        if self.cancel.is_set() {
            return Some(self.cancelled());
        }
        let pauses = self.run.pause.load(Ordering::SeqCst);
        pauses.then(|| NodeEnd::Cancelled("another branch stopped the run".to_owned()))
    }

    pub(super) fn cancelled(&self) -> NodeEnd {
        NodeEnd::Cancelled(self.run.why_cancelled(self.node))
    }

    pub(super) fn ending(&self, outcome: Outcome, why: String) -> NodeEnd {
        if outcome == Outcome::Done { NodeEnd::Done(why) } else { self.limit(why) }
    }

    pub(super) fn limit(&self, why: String) -> NodeEnd {
        NodeEnd::limit(self.node.guardrails.on_limit, why)
    }

    /// What is left for this node, `running` seconds into an iteration.
    pub(super) fn budget(&self, running: f64) -> Budget {
        let elapsed = self.run.journal.elapsed();
        self.run.journal.ask(|state| {
            let at = &state.nodes[self.index];
            Budget::of(self.run.plan, state, self.node, at, elapsed, at.elapsed_seconds + running)
        })
    }

    /// Runs the queue's command, if the stage has one.
    pub(super) fn count_queue(&self, iteration: u32) -> Result<Result<Option<u64>, NodeEnd>, EngineError> {
        if let Some(items) = self.node.mock_queue {
            let (node, left) = (self.node.id.clone(), u64::from(items.saturating_sub(iteration)));
            self.run.journal.tell(RunEvent::QueueCounted { node, iteration, left, queue: None })?;
            return Ok(Ok(Some(left)));
        }
        match &self.node.termination {
            Termination::Queue { command } if self.lacks_default_queue(command) => {
                self.count_features(None, &[], iteration).map(|counted| counted.map(Some))
            }
            Termination::Queue { command } => self.ask_queue(command, iteration).map(|counted| counted.map(Some)),
            Termination::Features { category, labels } => {
                self.count_features(category.as_deref(), labels, iteration).map(|counted| counted.map(Some))
            }
            _ => Ok(Ok(None)),
        }
    }

    /// Records an attempt that did not end the node: the one commit of an iteration.
    pub(super) fn go_on(&self, tally: &Tally) -> Result<(), EngineError> {
        self.run.journal.commit(|state| {
            let node = &mut state.nodes[self.index];
            count(node, tally);
            if tally.completed.is_some() {
                node.iteration = tally.iteration + 1;
            }
        })
    }

    /// Records the node's end together with the attempt that led to it: the one commit of the last iteration.
    pub(super) fn end(&self, ending: &NodeEnd, tally: &Tally) -> Result<(), EngineError> {
        let mut at = self.at();
        count(&mut at, tally);
        self.run.journal.tell(ending.event(&at))?;
        let now = self.run.journal.now();
        self.run.journal.commit(|state| {
            count(&mut state.nodes[self.index], tally);
            ending.apply(self.run.plan, state, self.index, &now);
        })
    }

    /// Removes the node's own worktree if it is finished and unchanged; otherwise reports where it is.
    fn close_tree(&self) -> Result<(), EngineError> {
        let at = self.at();
        let Some(tree) = &self.tree else { return Ok(()) };
        let fate = match at.status {
            NodeStatus::Done | NodeStatus::Limit | NodeStatus::Unverified => tree.close(self.run.around.root),
            NodeStatus::Cancelled if self.run.has_lost(self.node) => tree.close(self.run.around.root),
            // Its work is kept, whether the run continues without it or is resumed.
            NodeStatus::Failed => tree.keep(),
            _ => return Ok(()),
        };
        match fate {
            Fate::Gone => Ok(()),
            Fate::Kept { path, branch } => {
                let path = path.to_string_lossy().into_owned();
                self.run.journal.tell(RunEvent::WorktreeKept { node: self.node.id.clone(), path, branch })
            }
        }
    }

    /// Who does this iteration.
    pub(super) fn provider(&self) -> &Provider {
        self.assignment.as_ref().map_or(&self.node.provider, |assignment| &assignment.provider)
    }

    /// Creates the stage's notes, if there are none.
    pub(super) fn create_progress(&self) -> Result<(), EngineError> {
        create(&self.progress(), Exact::Own.owned(format!("# Progress of {}\n", self.node.id)), Durability::Quick)?;
        Ok(())
    }

    pub(super) fn progress(&self) -> PathBuf {
        self.stage_dir.join("progress.md")
    }

    pub(super) fn output(&self) -> PathBuf {
        match &self.node.output {
            Some(tracked) => self.root.join(tracked),
            None => self.stage_dir.join(super::attempt::OUTPUT),
        }
    }

    pub(super) fn tree_branch(&self) -> Option<String> {
        self.tree.as_ref().map(|tree| tree.branch.clone())
    }

    pub(super) fn tally(&self, iteration: u32, worked: &Worked, since: Instant) -> Tally {
        Tally {
            iteration,
            completed: None,
            unverified: None,
            has_output: None,
            seconds: since.elapsed().as_secs_f64(),
            cost_usd: worked.cost_usd.unwrap_or_default(),
            cost_unknown: self.hides_cost(worked),
        }
    }

    /// Returns true if an agent worked and did not report its cost. A rejected one had nothing to report.
    pub(super) fn hides_cost(&self, worked: &Worked) -> bool {
        let has_worked = worked.has_ended && worked.quota.is_none();
        has_worked && worked.cost_usd.is_none() && *self.provider() != Provider::Mock
    }
}

fn count(node: &mut NodeState, tally: &Tally) {
    node.elapsed_seconds = seconds(node.elapsed_seconds + tally.seconds);
    node.cost_usd = dollars(node.cost_usd + tally.cost_usd);
    node.cost_unknown |= tally.cost_unknown;
    if tally.iteration > 0 {
        node.iteration = tally.iteration;
    }
    if let Some(stops) = tally.completed {
        node.iteration_completed = tally.iteration;
        node.consecutive_stops = stops;
        node.has_output = tally.has_output;
        node.unverified.clone_from(&tally.unverified);
        node.waiting_until = None;
    }
}

fn no_tree(why: &str) -> String {
    format!("could not create a worktree for this branch: {why}")
}
