//! One iteration of a node, from its context to its record.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use stead_store::{Durability, replace_creating};

use super::agent::Worked;
use super::attempt_result::{self, AttemptResult};
use super::journal::{safe, write_json};
use super::node_end::NodeEnd;
use super::node_run::{NodeRun, Tally};
use super::termination::{self, Brought};
use super::{EndedAgent, EngineError, attempt, output_parse, scrub, snapshot};
use crate::event::RunEvent;
use crate::state::{ErrorKind, seconds};
use crate::status::{Status, StatusProblem};
use crate::{Outcome, Provider};

/// Where one iteration's files are.
pub(super) struct IterationFiles {
    pub(super) dir: PathBuf,
    pub(super) iteration: u32,
}

impl IterationFiles {
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

impl NodeRun<'_> {
    /// Runs the next iteration. `false` if the node has ended and that is recorded.
    pub(super) fn iterate(&mut self) -> Result<bool, EngineError> {
        let since = Instant::now();
        let at = self.at();
        let iteration = at.iteration_completed + 1;
        let files = IterationFiles { dir: self.run.folder.iteration_dir(&self.node.dir, iteration), iteration };
        if let Some(goes_on) = self.adopt(&files)? {
            return Ok(goes_on);
        }
        let begun = fs::symlink_metadata(files.file(attempt::CONTEXT)).and_then(|data| data.modified()).ok();
        let mut previous = None;
        if let Some(attempt) = attempt::prepare(&files.dir)? {
            self.run.journal.tell(RunEvent::Repeated { node: at.id.clone(), iteration, attempt })?;
            let aside = attempt::aside(&files.dir, attempt);
            self.restore(&at, &aside)?;
            scrub::scrub_folder(&aside);
            previous = Some((attempt, self.describe_attempt(&aside, begun)));
        }
        self.forget_progress(&at);
        let max_iterations = at.max_iterations;
        self.run.journal.tell(RunEvent::IterationStarted { node: at.id.clone(), iteration, max_iterations })?;
        let (mut context, gone) = self.context(&files);
        if let Some((attempt, described)) = previous {
            (context.attempt, context.previous_attempt) = (attempt.saturating_add(1), Some(described));
        }
        self.warn_about_gone(gone)?;
        write_json(&files.file(attempt::CONTEXT), &context, Durability::Quick)?;
        let prompt = match self.hand_over(&files)? {
            Some(prompt) => prompt,
            None => self.prompt(&files, &context)?,
        };

        let timeout = self.budget(0.0).timeout(self.iteration_timeout());
        let list = self.list_text();
        let worked = self.set_to_work(&files, &prompt, timeout.map(|(most, _)| most))?;
        // What an initializer writes is judged as a whole.
        if self.assignment.as_ref().is_none_or(|assignment| assignment.feature.is_some()) {
            self.review_list(list, &files)?;
        }
        let status = self.read_status(&files, &worked)?;
        if let Ok(status) = &status {
            self.warn_about_form(status)?;
        }
        let judged = self.heard(&files, attempt_result::judge(&worked.how, timeout, worked.quota, status));
        if let Some(problem) = &worked.problem {
            self.run.journal.warn(&at.id, safe(problem))?;
        }
        self.warn_about_cost(&worked)?;
        self.run.mind()?;
        if !matches!(judged, AttemptResult::Quota { .. }) {
            self.forget_quotas();
        }
        if self.assignment.is_some() {
            return self.settle(&files, judged, &worked, since);
        }
        match judged {
            AttemptResult::Complete(status) => self.complete(&files, status, &worked, since),
            AttemptResult::Blocked(status) => self.block(&files, status, &worked, since).map(|()| false),
            AttemptResult::Failed { kind, message } => {
                self.fail(&files, kind, &message, &worked, since).map(|()| false)
            }
            AttemptResult::Quota { until } => self.out_of_quota(&files, until, &worked, since),
            AttemptResult::TimeUp => {
                let why = self.budget(since.elapsed().as_secs_f64()).exhausted();
                let why = why.unwrap_or_else(|| "the time limit is exhausted".to_owned());
                self.write_error(&files, &why)?;
                let ending = self.limit(why);
                self.give_up(&files, &ending, None, &worked, since).map(|()| false)
            }
            AttemptResult::Cancelled => {
                let ending = self.cancelled();
                self.give_up(&files, &ending, None, &worked, since).map(|()| false)
            }
        }
    }

    /// Whatever an agent says of its work, nobody checked it if none of its hooks arrived.
    fn heard(&self, files: &IterationFiles, judged: AttemptResult) -> AttemptResult {
        let (AttemptResult::Complete(_) | AttemptResult::Blocked(_), Provider::Known(provider)) =
            (&judged, self.provider())
        else {
            return judged;
        };
        let agent = EndedAgent {
            run: &self.run.plan.run,
            stage: &self.node.id,
            iteration: files.iteration,
            provider,
            dir: &self.root,
        };
        match (self.run.around.unheard)(&agent) {
            Some(message) => AttemptResult::Failed { kind: ErrorKind::Unheard, message },
            None => judged,
        }
    }

    /// Reads the status; for a v2 stage it is derived from the agent's answer, unless the agent wrote one.
    fn read_status(
        &self,
        files: &IterationFiles,
        worked: &Worked,
    ) -> Result<Result<Status, StatusProblem>, EngineError> {
        let path = files.file(attempt::STATUS);
        let read = Status::read(&path);
        let (Err(StatusProblem::Missing), Some(pairs)) = (&read, &self.node.output_parse) else { return Ok(read) };
        let said = worked.message.as_deref().unwrap_or_default();
        match output_parse::derive(pairs, said, self.run.journal.now()) {
            Ok(status) => {
                replace_creating(&path, status.content(), Durability::Quick)?;
                Ok(Ok(status))
            }
            Err(word) => Ok(Err(StatusProblem::Unsaid(word))),
        }
    }

    /// What is read leniently is told.
    pub(super) fn warn_about_form(&self, status: &Status) -> Result<(), EngineError> {
        let Some(without) = &status.read_without else { return Ok(()) };
        let message = format!("`status.json` was read without {without}; it should be plain JSON");
        self.run.journal.warn(&self.node.id, message)
    }

    /// A stage or run with a budget must not treat agents without a reported cost as free.
    fn warn_about_cost(&self, worked: &Worked) -> Result<(), EngineError> {
        let has_limit = self.node.guardrails.max_cost_usd.is_some() || self.run.plan.max_cost_usd.is_some();
        let is_new = self.hides_cost(worked) && !self.at().cost_unknown;
        if has_limit && is_new {
            let message = "its provider does not report costs, so `max_cost_usd` has no effect";
            self.run.journal.warn(&self.node.id, message)?;
        }
        Ok(())
    }

    /// Records an iteration that counts.
    pub(super) fn complete(
        &mut self,
        files: &IterationFiles,
        status: Status,
        worked: &Worked,
        since: Instant,
    ) -> Result<bool, EngineError> {
        self.keep_output(files, worked)?;
        self.keep_progress(files)?;
        let stops = termination::stops(self.at().consecutive_stops, status.decision);
        let verified = self.verify(files)?;
        let ending = self.judge(files, stops, worked)?;
        let has_output = self.node.output.is_none().then(|| self.output().symlink_metadata().is_ok());
        let tally = Tally { completed: Some(stops), has_output, ..self.tally(files.iteration, worked, since) };
        let (ending, unverified) = self.withhold(ending, &verified.verdict, &tally);
        self.tell_ended(files, &Described::Status(&status), stops, worked, &tally)?;
        if let Some(why) = &unverified {
            self.tell_withheld(files, why)?;
        }
        let tally = Tally { unverified, ..tally };
        self.previous.summary = Some(status.summary).filter(|summary| !summary.is_empty());
        self.previous.verification = verified.results;
        let ending = match ending {
            Some(ending) => Some(ending),
            None => self.spent(&tally).or_else(|| self.interruption()),
        };
        match ending {
            Some(ending) => self.end(&ending, &tally).map(|()| false),
            None => self.go_on(&tally).map(|()| true),
        }
    }

    fn judge(&self, files: &IterationFiles, stops: u32, worked: &Worked) -> Result<Option<NodeEnd>, EngineError> {
        let queue_left = match self.count_queue(files.iteration)? {
            Ok(left) => left,
            Err(ending) => return Ok(Some(ending)),
        };
        let brought = Brought {
            completed: files.iteration,
            max_iterations: self.node.guardrails.max_iterations,
            consecutive_stops: stops,
            message: worked.message.as_deref(),
            queue_left,
        };
        let verdict = termination::judge(&self.node.termination, &brought);
        Ok(verdict.map(|(outcome, why)| self.ending(outcome, why)))
    }

    /// Returns whether this attempt used up the rest of the money or time.
    pub(super) fn spent(&self, tally: &Tally) -> Option<NodeEnd> {
        let mut budget = self.budget(tally.seconds);
        budget.cost = budget.cost.map(|left| left - tally.cost_usd);
        budget.exhausted().map(|why| self.ending(Outcome::Limit, why))
    }

    fn block(
        &mut self,
        files: &IterationFiles,
        status: Status,
        worked: &Worked,
        since: Instant,
    ) -> Result<(), EngineError> {
        self.keep_output(files, worked)?;
        let why = match status.reason.trim() {
            "" => "the agent is waiting for a person".to_owned(),
            reason => reason.to_owned(),
        };
        let tally = self.tally(files.iteration, worked, since);
        self.tell_ended(files, &Described::Status(&status), self.at().consecutive_stops, worked, &tally)?;
        self.end(&NodeEnd::Blocked(why), &tally)
    }

    pub(super) fn fail(
        &self,
        files: &IterationFiles,
        kind: ErrorKind,
        message: &str,
        worked: &Worked,
        since: Instant,
    ) -> Result<(), EngineError> {
        if kind != ErrorKind::AgentError {
            self.write_error(files, message)?;
        }
        let ending = NodeEnd::Failed(kind, message.to_owned());
        self.give_up(files, &ending, Some(kind), worked, since)
    }

    pub(super) fn out_of_quota(
        &mut self,
        files: &IterationFiles,
        until: Option<i64>,
        worked: &Worked,
        since: Instant,
    ) -> Result<bool, EngineError> {
        let why = worked.quota_reason.as_deref().unwrap_or("the provider's quota is exhausted").to_owned();
        self.write_error(files, &why)?;
        let tally = self.tally(files.iteration, worked, since);
        let told = Described::Nothing { failure: None, reason: &why };
        self.tell_ended(files, &told, self.at().consecutive_stops, worked, &tally)?;
        self.go_on(&tally)?;
        match self.wait_for_quota(until, &why)? {
            Some(ending) => self.end(&ending, &Tally::default()).map(|()| false),
            None => Ok(true),
        }
    }

    /// Records an attempt that does not count and ends the node.
    pub(super) fn give_up(
        &self,
        files: &IterationFiles,
        ending: &NodeEnd,
        failure: Option<ErrorKind>,
        worked: &Worked,
        since: Instant,
    ) -> Result<(), EngineError> {
        self.keep_output(files, worked)?;
        let tally = self.tally(files.iteration, worked, since);
        let told = Described::Nothing { failure, reason: ending.why() };
        self.tell_ended(files, &told, self.at().consecutive_stops, worked, &tally)?;
        self.end(ending, &tally)
    }

    /// Replaces the status that the agent wrote with an error status; the original is kept beside it.
    pub(super) fn write_error(&self, files: &IterationFiles, message: &str) -> Result<(), EngineError> {
        attempt::reject_status(&files.dir)?;
        let status = Status::error(&safe(message), self.run.journal.now());
        Ok(replace_creating(&files.file(attempt::STATUS), status.content(), Durability::Quick)?)
    }

    pub(super) fn keep_output(&self, files: &IterationFiles, worked: &Worked) -> Result<(), EngineError> {
        let target: &Path = &files.file(attempt::OUTPUT);
        let homes = [self.run.around.root, self.run.folder.path()];
        match snapshot::keep(&self.output(), &homes, worked.message.as_deref(), target)? {
            Some(problem) => self.run.journal.warn(&self.node.id, problem),
            None => Ok(()),
        }
    }

    pub(super) fn tell_ended(
        &self,
        files: &IterationFiles,
        told: &Described<'_>,
        stops: u32,
        worked: &Worked,
        tally: &Tally,
    ) -> Result<(), EngineError> {
        let (status, failure, reason) = match told {
            Described::Status(status) => (Some(*status), None, status.reason.as_str()),
            Described::Nothing { failure, reason } => (None, *failure, *reason),
        };
        self.run.journal.tell(RunEvent::IterationEnded {
            node: self.node.id.clone(),
            iteration: files.iteration,
            decision: status.map(|status| status.decision),
            blocked_on: status.and_then(|status| status.blocked_on),
            failure,
            reason: safe(reason),
            summary: safe(status.map_or("", |status| &status.summary)),
            consecutive_stops: stops,
            seconds: seconds(tally.seconds),
            cost_usd: worked.cost_usd,
            session: worked.session.clone(),
            left_behind: worked.left_behind,
        })
    }
}

/// How an attempt is described.
pub(super) enum Described<'a> {
    Status(&'a Status),
    Nothing { failure: Option<ErrorKind>, reason: &'a str },
}
