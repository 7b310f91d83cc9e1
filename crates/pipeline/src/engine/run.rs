//! One running run: starts what can start, ends what need not continue, and reports how it all ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use stead_feature::Rules;

use super::board::{self, Step};
use super::folder::RunFolder;
use super::frozen::{self, Frozen};
use super::journal::{Journal, safe};
use super::node_end::NodeEnd;
use super::node_run::NodeRun;
use super::reserve::Reserve;
use super::{EngineError, RunEnd, Surroundings, rebuild};
use crate::custody::Cancel;
use crate::event::RunEvent;
use crate::lock::{LockError, RunLock};
use crate::orchestrate::{OrchestrateReport, enter};
use crate::state::{ErrorKind, NodeState, NodeStatus, RunError, RunStatus, State, seconds};
use crate::{Node, OnFailure, Plan};

/// What all parts of a run share.
pub(crate) struct Run<'a> {
    pub(crate) plan: &'a Plan,
    frozen: &'a Frozen,
    /// The plan file's stamp when it was last known to be intact.
    plan_stamp: Mutex<Option<String>>,
    pub(crate) folder: &'a RunFolder,
    lock: &'a RunLock,
    pub(crate) around: &'a Surroundings<'a>,
    pub(crate) journal: Journal<'a>,
    pub(crate) run_id: String,
    /// Set when agents should end at once: from outside, or because something failed.
    pub(crate) cancel: Cancel,
    /// Set when running nodes may finish their iteration, and no more.
    pub(crate) pause: AtomicBool,
    /// Nodes whose agent finished while no engine was there.
    pub(crate) finished: BTreeSet<usize>,
}

/// Tells the scheduler how a node's thread ended, even if it panicked.
struct Farewell {
    index: usize,
    sender: Sender<(usize, Result<(), EngineError>)>,
    result: Option<Result<(), EngineError>>,
}

impl Drop for Farewell {
    fn drop(&mut self) {
        let lost = || Err(EngineError::Mismatch { why: "the thread of a stage ended without a result".to_owned() });
        let _ = self.sender.send((self.index, self.result.take().unwrap_or_else(lost)));
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        frozen: &'a Frozen,
        folder: &'a RunFolder,
        lock: &'a RunLock,
        around: &'a Surroundings<'a>,
        state: State,
    ) -> Self {
        Self {
            plan: &frozen.plan,
            frozen,
            plan_stamp: Mutex::new(None),
            folder,
            lock,
            around,
            run_id: state.run_id.clone(),
            journal: Journal::new(folder, around, state),
            cancel: around.cancel.child(),
            pause: AtomicBool::new(false),
            finished: BTreeSet::new(),
        }
    }

    /// Works until everything has ended or nothing can continue.
    pub(crate) fn execute(&self) -> Result<RunEnd, EngineError> {
        *lock(&self.plan_stamp) = frozen::stamp(self.folder);
        if let (Some(options), Some(support)) = (&self.plan.orchestrate, self.around.features) {
            let rules = Rules { only: options.only.clone(), ..Rules::default() };
            if let Err(error) = enter(&support.ground.features, self.folder, (self.around.now)(), &rules) {
                return self.break_off(None, error);
            }
        }
        let reserve = Reserve::take(self.folder);
        let failure = self.work();
        drop(reserve);
        match failure {
            None => self.finish().or_else(|error| self.break_off(None, error)),
            // Another engine now owns the run and its files.
            Some((_, error @ EngineError::Held { .. })) => Err(error),
            Some((index, error)) => self.break_off(index, error),
        }
    }

    /// Works until nothing is running. Returns the first error, with the node in which it occurred.
    fn work(&self) -> Option<(Option<usize>, EngineError)> {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let mut live: BTreeMap<usize, Cancel> = BTreeMap::new();
            let mut failure: Option<(Option<usize>, EngineError)> = None;
            loop {
                if failure.is_none()
                    && let Err(error) = self.launch(scope, &sender, &mut live)
                {
                    failure = Some((None, error));
                    self.cancel.ask();
                }
                if live.is_empty() {
                    break;
                }
                let Ok((index, result)) = receiver.recv() else { break };
                live.remove(&index);
                if let Err(error) = result {
                    failure.get_or_insert((Some(index), error));
                    self.cancel.ask();
                }
                self.react(&live);
            }
            failure
        })
    }

    /// Restores the plan if it was changed. Agents can write to the run's folder, and what they write must not decide
    /// what the next engine does.
    fn mind_plan(&self) -> Result<(), EngineError> {
        let mut known = lock(&self.plan_stamp);
        let stamp = frozen::stamp(self.folder);
        if stamp.is_some() && *known == stamp {
            return Ok(());
        }
        if !self.frozen.is_in_place(self.folder) {
            self.frozen.write(self.folder)?;
            let message = "`plan.json` was changed during the run; it was restored".to_owned();
            self.journal.tell(RunEvent::Warning { node: None, message })?;
        }
        *known = frozen::stamp(self.folder);
        Ok(())
    }

    /// Restores files of the run that agents removed.
    pub(crate) fn mind(&self) -> Result<(), EngineError> {
        // The plan first: it recreates the folder if that is missing.
        self.mind_plan()?;
        self.mind_lock()
    }

    /// Without its lock the run would look as if its engine had died.
    fn mind_lock(&self) -> Result<(), EngineError> {
        let minded = match self.lock.mind() {
            Err(LockError::Io { path, .. }) if path.is_dir() => {
                rebuild::put_aside(&path)?;
                self.lock.mind()
            }
            minded => minded,
        };
        let message = match minded {
            Ok(false) => return Ok(()),
            Ok(true) => "`lock` was changed during the run; it was restored".to_owned(),
            Err(LockError::Io { source, .. }) => {
                format!("`lock` was changed during the run and could not be restored: {source}")
            }
            Err(error) => return Err(EngineError::of_lock(self.folder.name(), error)),
        };
        self.journal.tell(RunEvent::Warning { node: None, message })
    }

    /// Starts and settles nodes until nothing more can be done.
    fn launch<'scope, 'env>(
        &'env self,
        scope: &'scope thread::Scope<'scope, 'env>,
        sender: &Sender<(usize, Result<(), EngineError>)>,
        live: &mut BTreeMap<usize, Cancel>,
    ) -> Result<(), EngineError> {
        loop {
            if self.is_stopping() {
                return Ok(());
            }
            let at_work: BTreeSet<usize> = live.keys().copied().collect();
            let steps = self.journal.ask(|state| board::steps(self.plan, state, &at_work));
            if steps.is_empty() {
                return Ok(());
            }
            for step in steps {
                match step {
                    Step::Start(index) => {
                        let cancel = self.cancel.child();
                        live.insert(index, cancel.clone());
                        let farewell = Farewell { index, sender: sender.clone(), result: None };
                        let work = move || {
                            let mut farewell = farewell;
                            farewell.result = Some(NodeRun::new(self, index, cancel).run());
                        };
                        let named = thread::Builder::new().name(self.plan.nodes[index].id.clone());
                        named
                            .spawn_scoped(scope, work)
                            .map_err(|source| EngineError::io("start a thread for", self.folder.path(), source))?;
                    }
                    Step::Skip(index) => {
                        let when = self.plan.nodes[index].when.as_ref();
                        let stage = when.map_or("", |when| when.stage.as_str());
                        self.settle(index, &NodeEnd::Skipped(format!("`{stage}` had another outcome")))?;
                    }
                    Step::GiveUp(index) => {
                        self.settle(index, &NodeEnd::Cancelled("enough other branches succeeded".to_owned()))?;
                    }
                }
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.cancel.is_set()
            || self.pause.load(Ordering::SeqCst)
            || self.journal.ask(|state| board::broken(self.plan, state).is_some())
    }

    /// Ends what need not continue after a node has ended.
    fn react(&self, live: &BTreeMap<usize, Cancel>) {
        let at_work: BTreeSet<usize> = live.keys().copied().collect();
        let (broken, losers) =
            self.journal.ask(|state| (board::broken(self.plan, state), board::losers(self.plan, state, &at_work)));
        match broken {
            Some((_, NodeStatus::Blocked | NodeStatus::Quota)) => self.pause.store(true, Ordering::SeqCst),
            Some(_) if self.plan.on_failure == OnFailure::Stop => self.cancel.ask(),
            // What runs may finish; nothing new starts.
            Some(_) | None => {}
        }
        for index in losers {
            if let Some(cancel) = live.get(&index) {
                cancel.ask();
            }
        }
    }

    /// Records the end of a node that did no iteration.
    fn settle(&self, index: usize, ending: &NodeEnd) -> Result<(), EngineError> {
        let at = self.journal.ask(|state| state.nodes[index].clone());
        self.journal.tell(ending.event(&at))?;
        let now = self.journal.now();
        self.journal.commit(|state| ending.apply(self.plan, state, index, &now))
    }

    /// Returns true if a node lost to others of its stage.
    pub(crate) fn has_lost(&self, node: &Node) -> bool {
        self.journal
            .ask(|state| matches!(board::stage_progress(self.plan, state, &node.stage), board::StageProgress::Ended(_)))
    }

    /// Why a node's agent was told to end.
    pub(crate) fn why_cancelled(&self, node: &Node) -> String {
        if self.has_lost(node) {
            return "enough other branches succeeded".to_owned();
        }
        let broken = self.journal.ask(|state| board::broken(self.plan, state));
        match broken.and_then(|(index, _)| self.plan.nodes.get(index)) {
            Some(culprit) if !self.around.cancel.is_set() => match board::missed(self.plan, &culprit.stage) {
                Some(missed) if culprit.stage == node.stage => missed,
                _ => format!("`{}` failed", culprit.id),
            },
            _ => "the run was cancelled".to_owned(),
        }
    }

    fn finish(&self) -> Result<RunEnd, EngineError> {
        self.mind()?;
        let (status, error) = self.journal.ask(|state| (board::verdict(self.plan, state), state.error.clone()));
        let (elapsed, cost_usd) = (self.journal.elapsed(), self.journal.ask(|state| state.cost_usd));
        self.journal.tell(RunEvent::RunEnded { status, seconds: seconds(elapsed), cost_usd, error })?;
        self.write_report(status)?;
        let now = self.journal.now();
        self.journal.commit(|state| {
            state.status = status;
            state.ended_at = Some(now);
            if status == RunStatus::Cancelled {
                let open = state.nodes.iter().find(|node| !node.is_over());
                state.resume_from = open.map(|node| node.iteration_completed + 1);
                state.reason = Some(interrupted(state));
            }
            if status == RunStatus::Limit {
                state.reason = Some(limits(state));
            }
            if status == RunStatus::Unverified {
                state.reason = Some(unverified(state));
            }
        })?;
        Ok(RunEnd::of(self.folder, self.journal.state()))
    }

    /// Writes what a run on the feature list did, before the run counts as ended.
    fn write_report(&self, status: RunStatus) -> Result<(), EngineError> {
        let (Some(_), Some(support)) = (&self.plan.orchestrate, self.around.features) else { return Ok(()) };
        let spent = (self.journal.elapsed(), self.journal.ask(|state| state.cost_usd));
        OrchestrateReport::of(self.folder, self.plan, &support.ground.features, status, spent)?.write(self.folder)
    }

    /// Ends a run that the engine cannot continue: as a failure, if that can still be recorded.
    fn break_off(&self, index: Option<usize>, error: EngineError) -> Result<RunEnd, EngineError> {
        let ending = NodeEnd::Failed(ErrorKind::Engine, error.in_full());
        let culprit = index.map_or(self.plan.nodes.last(), |index| self.plan.nodes.get(index));
        // A finished node stays finished, whatever failed after it.
        let is_open = |index: &usize| self.journal.ask(|state| !state.nodes[*index].is_over());
        let index = index.filter(is_open).or_else(|| (0..self.plan.nodes.len()).find(is_open));
        // Events and the plan are kept if possible; the state decides.
        let _ = self.mind();
        let _ = self.write_report(RunStatus::Failed);
        if let Some(index) = index {
            let _ = self.journal.tell(ending.event(&self.journal.ask(|state| state.nodes[index].clone())));
        }
        let now = self.journal.now();
        let culprit = index.map_or(culprit, |index| self.plan.nodes.get(index));
        let stage = culprit.map(|node| node.id.clone()).unwrap_or_default();
        let error_told =
            RunError { kind: ErrorKind::Engine, message: safe(ending.why()), timestamp: now.clone(), stage };
        let (status, cost_usd) = (RunStatus::Failed, self.journal.ask(|state| state.cost_usd));
        let seconds = seconds(self.journal.elapsed());
        let _ = self.journal.tell(RunEvent::RunEnded { status, seconds, cost_usd, error: Some(error_told.clone()) });
        let marked = self.journal.commit(|state| {
            if let Some(index) = index {
                ending.apply(self.plan, state, index, &now);
                state.resume_from.get_or_insert(state.nodes[index].iteration_completed + 1);
            }
            state.reason.get_or_insert_with(|| error_told.message.clone());
            state.error.get_or_insert(error_told);
            state.failed_at.get_or_insert_with(|| now.clone());
            (state.status, state.ended_at) = (status, Some(now));
        });
        match marked {
            Ok(()) => Ok(RunEnd::of(self.folder, self.journal.state())),
            Err(_) => Err(error),
        }
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Describes what a cancelled run was doing.
fn interrupted(state: &State) -> String {
    let ended = |node: &&NodeState| node.status == NodeStatus::Cancelled && node.iteration > 0;
    let places = state.nodes.iter().filter(ended).map(|node| {
        let next = node.iteration_completed + 1;
        if node.iteration == next { format!("iteration {next} of `{}`", node.id) } else { format!("`{}`", node.id) }
    });
    match places.collect::<Vec<_>>().as_slice() {
        [] => "nothing was running".to_owned(),
        [only] => format!("{only} was running"),
        [first, others @ ..] => format!("{first} and {} others were running", others.len()),
    }
}

/// Names all stages that would be done if their verification had not failed.
fn unverified(state: &State) -> String {
    let named = state.nodes.iter().filter(|node| node.status == NodeStatus::Unverified);
    let told = named.map(|node| match &node.unverified {
        Some(done) => format!("`{}` would be done ({done}), but its verification failed", node.id),
        None => format!("the verification of `{}` failed", node.id),
    });
    told.collect::<Vec<_>>().join("; ")
}

/// Names all stages that reached a limit.
fn limits(state: &State) -> String {
    let limited = state.nodes.iter().filter(|node| node.status == NodeStatus::Limit);
    let names: Vec<String> = limited.map(|node| format!("`{}`", node.id)).collect();
    match names.as_slice() {
        [only] => format!("{only} reached its limit"),
        _ => format!("{} reached their limits", names.join(", ")),
    }
}
