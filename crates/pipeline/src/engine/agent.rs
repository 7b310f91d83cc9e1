//! Runs an agent: a provider's program in custody, or the mock.

use std::time::Duration;

use stead_store::{Durability, Redacted, redact, replace_creating};

use super::iteration::IterationFiles;
use super::node_run::NodeRun;
use super::surroundings::AgentIntent;
use super::{EngineError, attempt, scrub};
use crate::custody::{self, How};
use crate::provider::{self, Task};
use crate::{Provider, provider_name};

/// The result of an agent's work.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Worked {
    pub(crate) how: How,
    pub(crate) left_behind: u32,
    /// The agent's last message.
    pub(crate) message: Option<String>,
    pub(crate) cost_usd: Option<f64>,
    pub(crate) session: Option<String>,
    /// The quota is exhausted, until this time (in milliseconds since 1970) if the provider stated it.
    pub(crate) quota: Option<Option<i64>>,
    pub(crate) quota_reason: Option<String>,
    /// It really ran, so it should have reported its cost.
    pub(crate) has_ended: bool,
    /// Warnings.
    pub(crate) problem: Option<String>,
}

impl Worked {
    fn new(how: How) -> Self {
        Self {
            how,
            left_behind: 0,
            message: None,
            cost_usd: None,
            session: None,
            quota: None,
            quota_reason: None,
            has_ended: false,
            problem: None,
        }
    }
}

impl NodeRun<'_> {
    /// Lets an agent do the iteration, and waits for it.
    pub(super) fn set_to_work(
        &self,
        files: &IterationFiles,
        prompt: &str,
        timeout: Option<Duration>,
    ) -> Result<Worked, EngineError> {
        if *self.provider() == Provider::Mock {
            return self.play(files);
        }
        let own = self.assignment.as_ref().and_then(|assignment| assignment.command.context.intent.as_ref());
        if let Some(intent) = own.or(self.node.intent.as_ref()) {
            let (run, stage) = (self.run.plan.run.as_str(), self.node.id.as_str());
            (self.run.around.bind_intent)(&AgentIntent { run, stage, intent })?;
        }
        let args = (self.run.around.provider_args)(provider_name(self.provider()));
        let task = Task {
            prompt,
            model: self.node.model.as_deref(),
            root: self.run.around.root,
            dir: &self.root,
            log: &files.file(attempt::LOG),
            timeout,
            run: &self.run.plan.run,
            run_id: &self.run.run_id,
            stage: &self.node.id,
            iteration: files.iteration,
            context: &files.file(attempt::CONTEXT),
            status: &files.file(attempt::STATUS),
            output: &self.output(),
            progress: &self.progress(),
            command: self.assignment.as_ref().map(|assignment| assignment.file.as_path()),
            env: self.run.around.env,
            args: &args,
        };
        let launch = match provider::prepare(self.provider(), &task) {
            Ok(launch) => launch,
            Err(error) => {
                let hint = error.hint().map_or_else(String::new, |hint| format!(" ({hint})"));
                return Ok(Worked::new(How::CannotStart(format!("{error}{hint}"))));
            }
        };
        let end = self.with_lease(self.assignment.as_ref(), || custody::run(&launch, &self.cancel));
        let report = provider::read_end(self.provider(), &end);
        self.scrub(&task);
        let problem = end.log_error.as_ref().map(|why| format!("the agent's log is incomplete: {why}"));
        let has_ended = matches!(end.how, How::Exit(_) | How::Signal(_) | How::Timeout);
        Ok(Worked {
            left_behind: end.left_behind,
            message: report.message,
            // A provider's number may not be finite.
            cost_usd: report.cost_usd.filter(|cost| cost.is_finite() && *cost >= 0.0),
            session: report.session,
            quota: report.quota.as_ref().map(|quota| quota.until.map(|until| until.saturating_mul(1000))),
            quota_reason: report.quota.map(|quota| quota.reason),
            has_ended,
            problem,
            how: end.how,
        })
    }

    /// Covers the secrets in what the agent wrote down, and in the prompt that was written for it.
    fn scrub(&self, task: &Task<'_>) {
        let prompt = provider::prompt_file(task.log);
        for path in [task.status, task.progress, task.output, &prompt] {
            if path.starts_with(self.run.folder.path()) {
                scrub::scrub(path);
            }
        }
    }

    /// Plays a fixture, in this process.
    fn play(&self, files: &IterationFiles) -> Result<Worked, EngineError> {
        if self.cancel.is_set() {
            return Ok(Worked::new(How::Cancelled));
        }
        let mocked = match provider::mock::answer(self.node, files.iteration) {
            Ok(mocked) => mocked,
            Err(error) => return Ok(Worked::new(How::CannotStart(error.to_string()))),
        };
        replace_creating(&files.file(attempt::LOG), redact(&mocked.output), Durability::Quick)?;
        replace_creating(&self.output(), redact(&mocked.output), Durability::Quick)?;
        replace_creating(&files.file(attempt::STATUS), Redacted::json(mocked.status.as_str()), Durability::Quick)?;
        Ok(Worked { message: Some(mocked.output), ..Worked::new(How::Exit(mocked.exit)) })
    }
}
