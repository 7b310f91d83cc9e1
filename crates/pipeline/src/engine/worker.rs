//! A worker of a run that works on the feature list: takes what is next, lets the right agent do it, and reports what
//! became of it. The list is changed before the run's own state: after a kill the iteration repeats with whatever is
//! next then, and nothing counts twice.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use stead_feature::{Change, Event, FeatureError, Outline, Status as FeatureStatus, transact};
use stead_store::Durability;

use super::EngineError;
use super::agent::Worked;
use super::assignment::{Assignment, Desk, Next};
use super::attempt_result::AttemptResult;
use super::iteration::{Described, IterationFiles};
use super::journal::{safe, write_json};
use super::node_end::NodeEnd;
use super::node_run::{NodeRun, Tally};
use crate::custody::Cancel;
use crate::event::RunEvent;
use crate::orchestrate;
use crate::state::ErrorKind;
use crate::status::Status;

/// The file of the command object in an iteration's folder.
const COMMAND: &str = "command.json";

/// How often an idle worker looks at the list.
const LOOK: Duration = Duration::from_millis(200);

/// What an event did to a feature.
pub(super) struct Changed {
    pub(super) what: &'static str,
    pub(super) status: Option<FeatureStatus>,
    pub(super) why: String,
    pub(super) evidence: Vec<String>,
}

impl NodeRun<'_> {
    /// Works on one feature after the other. `None` if the last iteration's own record says how the worker ended.
    pub(super) fn work_on_features(&mut self) -> Result<Option<NodeEnd>, EngineError> {
        let desk = self.desk()?;
        let mut told = String::new();
        loop {
            if let Some(ending) = self.interruption() {
                return Ok(Some(ending));
            }
            if let Some(why) = self.budget(0.0).exhausted() {
                self.spend(desk, &why)?;
                return Ok(Some(self.limit(why)));
            }
            match self.run.journal.write(|| self.assign(desk))? {
                Next::End(ending) => return Ok(Some(ending)),
                Next::Wait(why) => {
                    if why != told {
                        told.clone_from(&why);
                        self.run.journal.warn(&self.node.id, format!("waiting: {why}"))?;
                    }
                    self.cancel.wait(LOOK);
                }
                Next::Work(assignment) => {
                    told.clear();
                    if !self.take_on(desk, *assignment)? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// One agent's work, from its worktree to the report. `false` if the worker has ended and that is recorded.
    fn take_on(&mut self, desk: Desk<'_>, mut assignment: Assignment) -> Result<bool, EngineError> {
        match self.open_tree(desk, &assignment) {
            Ok(tree) => assignment.tree = tree,
            Err(why) => {
                self.release(desk, &assignment)?;
                let ending = NodeEnd::Failed(ErrorKind::Worktree, why);
                return self.end(&ending, &Tally::default()).map(|()| false);
            }
        }
        if let Some(tree) = &assignment.tree {
            self.root.clone_from(&tree.root);
        }
        (desk.support.add_precedents)(&mut assignment.command);
        self.assignment = Some(assignment);
        let going = self.iterate();
        self.assignment = None;
        self.run.around.root.clone_into(&mut self.root);
        going
    }

    /// Writes the command object, and returns the prompt that contains it.
    pub(super) fn hand_over(&mut self, files: &IterationFiles) -> Result<Option<String>, EngineError> {
        let (path, status) = (files.file(COMMAND), files.file(super::attempt::STATUS));
        let Some(assignment) = &mut self.assignment else { return Ok(None) };
        write_json(&path, &assignment.command, Durability::Quick)?;
        assignment.file = path;
        let command = &assignment.command;
        let prompt = orchestrate::prompt(command, &status.to_string_lossy());
        let assigned = RunEvent::Assigned {
            node: self.node.id.clone(),
            iteration: files.iteration,
            agent: command.agent.to_string(),
            task: command.task.to_string(),
            feature: assignment.feature.as_ref().map(|feature| feature.id.clone()),
            command: command.id.clone(),
        };
        self.run.journal.tell(assigned)?;
        Ok(Some(prompt))
    }

    /// Keeps the claim alive while something works.
    pub(super) fn with_lease<T>(&self, assignment: Option<&Assignment>, work: impl FnOnce() -> T) -> T {
        let feature = assignment.and_then(|assignment| assignment.feature.as_ref());
        let (Some(feature), Ok(desk)) = (feature, self.desk()) else { return work() };
        let claimed = |id: &str| Event::Claimed {
            feature: feature.id.clone(),
            owner: self.owner(),
            expires: self.lease_end(desk),
            command_id: Some(id.to_owned()),
            tree: None,
        };
        let id = assignment.map(|assignment| assignment.command.id.clone()).unwrap_or_default();
        let pause = Duration::from_secs((desk.options.lease_seconds / 3).max(1));
        let over = Cancel::new();
        thread::scope(|scope| {
            let _over = Over(over.clone());
            scope.spawn(|| {
                while !over.wait(pause) {
                    // A claim that cannot be renewed expires; the work is judged by what the list says then.
                    let _ = transact(&desk.ground().features, |opened| {
                        let tree = opened.session.claim(&feature.id).and_then(|claim| claim.tree.clone());
                        let mut renewed = claimed(&id);
                        if let Event::Claimed { tree: at, .. } = &mut renewed {
                            *at = tree;
                        }
                        opened.apply(&renewed, (self.run.around.now)(), &desk.rules())?;
                        // Renewals are no history.
                        opened.session.history.pop();
                        Ok::<_, FeatureError>(())
                    });
                }
            });
            work()
        })
    }

    /// Judges an agent's work and records it. `false` if the worker has ended and that is recorded.
    pub(super) fn settle(
        &mut self,
        files: &IterationFiles,
        judged: AttemptResult,
        worked: &Worked,
        since: Instant,
    ) -> Result<bool, EngineError> {
        let desk = self.desk()?;
        let Some(assignment) = self.assignment.take() else { return Ok(true) };
        let settled = self.settle_on(desk, &assignment, files, judged, worked, since);
        self.assignment = Some(assignment);
        settled
    }

    fn settle_on(
        &mut self,
        desk: Desk<'_>,
        assignment: &Assignment,
        files: &IterationFiles,
        judged: AttemptResult,
        worked: &Worked,
        since: Instant,
    ) -> Result<bool, EngineError> {
        match judged {
            AttemptResult::Cancelled => {
                self.release(desk, assignment)?;
                let ending = self.cancelled();
                self.give_up(files, &ending, None, worked, since).map(|()| false)
            }
            AttemptResult::TimeUp => {
                self.release(desk, assignment)?;
                let why = self.budget(since.elapsed().as_secs_f64()).exhausted();
                let why = why.unwrap_or_else(|| "the time limit is exhausted".to_owned());
                self.spend(desk, &why)?;
                self.write_error(files, &why)?;
                let ending = self.limit(why);
                self.give_up(files, &ending, None, worked, since).map(|()| false)
            }
            AttemptResult::Quota { until } => {
                let feature = assignment.feature.as_ref().map(|feature| feature.id.clone());
                let quota = Event::Quota { feature, until: until.unwrap_or_else(|| (self.run.around.now)()) };
                self.feed(desk, &quota)?;
                self.out_of_quota(files, until, worked, since)
            }
            // Every agent would fail in the same way.
            AttemptResult::Failed { kind: ErrorKind::Start, message } => {
                self.release(desk, assignment)?;
                self.fail(files, ErrorKind::Start, &message, worked, since).map(|()| false)
            }
            AttemptResult::Failed { kind, message } => {
                if kind != ErrorKind::AgentError {
                    self.write_error(files, &message)?;
                }
                let ended = self.failed(desk, assignment, files, kind, &message)?;
                let told = Described::Nothing { failure: Some(kind), reason: &message };
                self.count_iteration(files, &told, worked, since, ended)
            }
            AttemptResult::Blocked(status) => {
                let ended = self.ask_person(desk, assignment, files, &status)?;
                self.count_iteration(files, &Described::Status(&status), worked, since, ended)
            }
            AttemptResult::Complete(status) => {
                let ended = self.completed(desk, assignment, files, &status)?;
                self.count_iteration(files, &Described::Status(&status), worked, since, ended)
            }
        }
    }

    /// An agent that ended badly. `Some` if the worker cannot go on.
    fn failed(
        &mut self,
        desk: Desk<'_>,
        assignment: &Assignment,
        files: &IterationFiles,
        kind: ErrorKind,
        message: &str,
    ) -> Result<Option<NodeEnd>, EngineError> {
        let Some(feature) = assignment.feature.as_ref().map(|feature| feature.id.clone()) else {
            return self.reject_list(desk, files, message.to_owned());
        };
        let (why, summary) = (message.to_owned(), message.to_owned());
        let event = match kind {
            ErrorKind::Timeout => Event::TimedOut { feature },
            // What the tester itself reports is a failed test.
            _ if assignment.is_test() && kind != ErrorKind::AgentError => Event::HandoffFailed { feature, why },
            _ => Event::Failed { feature, summary, evidence: Vec::new() },
        };
        self.change(desk, files, &event, message.to_owned())?;
        Ok(None)
    }

    fn ask_person(
        &mut self,
        desk: Desk<'_>,
        assignment: &Assignment,
        files: &IterationFiles,
        status: &Status,
    ) -> Result<Option<NodeEnd>, EngineError> {
        let asked = status.extra.get("needs_human").and_then(|asked| asked.get("question")).and_then(Value::as_str);
        let question = [asked.unwrap_or_default(), &status.reason, "the agent is waiting for a person"];
        let question = question.into_iter().map(str::trim).find(|text| !text.is_empty()).unwrap_or_default().to_owned();
        let Some(feature) = assignment.feature.as_ref().map(|feature| feature.id.clone()) else {
            return Ok(Some(NodeEnd::Blocked(question)));
        };
        self.change(desk, files, &Event::NeedsPerson { feature, question: question.clone() }, question)?;
        Ok(None)
    }

    /// An agent that did what it was asked to, by its own word. `Some` if the worker cannot go on.
    fn completed(
        &mut self,
        desk: Desk<'_>,
        assignment: &Assignment,
        files: &IterationFiles,
        status: &Status,
    ) -> Result<Option<NodeEnd>, EngineError> {
        let Some(feature) = &assignment.feature else {
            return match self.accept_list(desk) {
                Ok(()) => Ok(None),
                Err(why) => self.reject_list(desk, files, why),
            };
        };
        if !assignment.is_test() {
            if let Some(tree) = &assignment.tree {
                tree.commit(&format!("{}: {}", feature.id, feature.title), &self.unversioned(desk))
                    .map_err(|why| EngineError::Mismatch { why })?;
            }
            let event =
                Event::Implemented { feature: feature.id.clone(), files_changed: status.work.files_touched.clone() };
            self.change(desk, files, &event, status.summary.clone())?;
            return Ok(None);
        }
        if status.extra.get("result").and_then(Value::as_str).is_some_and(|word| word.eq_ignore_ascii_case("failed")) {
            let said = [status.reason.trim(), status.summary.trim(), "the tester gave no reason"];
            let summary = said.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned();
            let event = Event::Failed { feature: feature.id.clone(), summary: summary.clone(), evidence: Vec::new() };
            self.change(desk, files, &event, summary)?;
            return Ok(None);
        }
        self.test(desk, assignment, feature, files)
    }

    /// Frees the feature: the attempt does not count.
    pub(super) fn release(&self, desk: Desk<'_>, assignment: &Assignment) -> Result<(), EngineError> {
        match &assignment.feature {
            Some(feature) => self.feed(desk, &Event::DiedWithEngine { feature: feature.id.clone() }).map(drop),
            None => Ok(()),
        }
    }

    fn spend(&self, desk: Desk<'_>, what: &str) -> Result<(), EngineError> {
        let what = what.trim_end_matches(" is exhausted").to_owned();
        self.feed(desk, &Event::BudgetSpent { what }).map(drop)
    }

    /// Applies an event to the list. What a person changed meanwhile wins.
    /// Returns the feature's new status; `None` if it did not change.
    fn feed(&self, desk: Desk<'_>, event: &Event) -> Result<Option<FeatureStatus>, EngineError> {
        let now = (self.run.around.now)();
        let apply = || transact(&desk.ground().features, |opened| opened.apply(event, now, &desk.rules()));
        match self.run.journal.write(apply) {
            Err(error @ (FeatureError::Refused { .. } | FeatureError::Unknown { .. })) => {
                self.run.journal.warn(&self.node.id, format!("`{}` has no effect: {error}", event.name()))?;
                Ok(None)
            }
            changes => Ok(changes?.iter().find_map(Change::status)),
        }
    }

    /// Applies an event about a feature, and tells the run.
    pub(super) fn change(
        &self,
        desk: Desk<'_>,
        files: &IterationFiles,
        event: &Event,
        why: String,
    ) -> Result<(), EngineError> {
        let status = self.feed(desk, event)?;
        let evidence = match event {
            Event::Failed { evidence, .. } => evidence.clone(),
            _ => Vec::new(),
        };
        let Some(feature) = event.feature() else { return Ok(()) };
        self.tell_changed(desk, files, feature, Changed { what: event.name(), status, why, evidence })
    }

    pub(super) fn tell_changed(
        &self,
        desk: Desk<'_>,
        files: &IterationFiles,
        feature: &str,
        changed: Changed,
    ) -> Result<(), EngineError> {
        let status = match changed.status {
            Some(status) => Some(status),
            None => {
                Outline::read(&desk.ground().features)?.and_then(|outline| Some(outline.find(feature).ok()?.status))
            }
        };
        self.run.journal.tell(RunEvent::FeatureChanged {
            node: self.node.id.clone(),
            iteration: files.iteration,
            feature: feature.to_owned(),
            what: changed.what.to_owned(),
            status: status.map(|status| status.to_string()).unwrap_or_default(),
            why: safe(&changed.why),
            evidence: changed.evidence,
        })
    }

    /// Records an iteration whose result is in the list.
    fn count_iteration(
        &mut self,
        files: &IterationFiles,
        told: &Described<'_>,
        worked: &Worked,
        since: Instant,
        ended: Option<NodeEnd>,
    ) -> Result<bool, EngineError> {
        self.keep_output(files, worked)?;
        let has_output = Some(self.output().symlink_metadata().is_ok());
        let tally = Tally { completed: Some(0), has_output, ..self.tally(files.iteration, worked, since) };
        self.tell_ended(files, told, 0, worked, &tally)?;
        match ended.or_else(|| self.interruption()) {
            Some(ending) => self.end(&ending, &tally).map(|()| false),
            None => self.go_on(&tally).map(|()| true),
        }
    }
}

/// Ends the renewal, however the work ended.
struct Over(Cancel);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.ask();
    }
}
