//! The transition of a feature to tested: its verifiers run in custody, and what they show decides.

use std::cell::Cell;
use std::io;
use std::path::Path;
use std::time::Duration;

use stead_evidence::{Ground, Source, Verify, Who};
use stead_feature::{Event, Feature, Status};
use stead_model::rfc3339;
use stead_store::{CheckEnd, Checked};

use super::EngineError;
use super::assignment::{Assignment, Desk};
use super::feature_tree::landing;
use super::iteration::IterationFiles;
use super::journal::safe;
use super::judge::Judged;
use super::node_end::NodeEnd;
use super::node_run::NodeRun;
use super::worker::Changed;
use crate::custody::How;
use crate::event::RunEvent;
use crate::orchestrate::{self, Reported, Shown};
use crate::state::seconds;

/// What the verifiers of an iteration printed.
const VERIFY_LOG: &str = "verify.log";

impl NodeRun<'_> {
    /// Tests a feature after its tester's word. `Some` if the worker cannot go on.
    pub(super) fn test(
        &mut self,
        desk: Desk<'_>,
        assignment: &Assignment,
        feature: &Feature,
        files: &IterationFiles,
    ) -> Result<Option<NodeEnd>, EngineError> {
        if let Some(why) = refused(desk, feature) {
            return self.fail_test(desk, files, feature, why, Vec::new());
        }
        let ground = self.ground_of(desk, assignment);
        let limit = Duration::from_secs(feature.timeout_seconds.unwrap_or(desk.options.timeout_seconds).max(1));
        let cancelled = Cell::new(false);
        let run = |command: &str| {
            // A command with a name is the person's: agents of this run must not find what it prints.
            let secret = match feature.verifiers.iter().any(|verifier| verifier == command) {
                true => None,
                false => Some(tempfile::tempdir()?),
            };
            let log = secret.as_ref().map_or_else(|| files.file(VERIFY_LOG), |folder| folder.path().join(VERIFY_LOG));
            let checked = self.check(command, &ground, limit, &log);
            cancelled.set(matches!(&checked, Err(error) if error.kind() == io::ErrorKind::Interrupted));
            checked
        };
        let now = || (self.run.around.now)();
        let verify = Verify {
            ground: &ground,
            config: desk.support.config.clone(),
            who: Who {
                role: Some(assignment.command.agent.to_string()),
                run: Some(self.run.plan.run.clone()),
                stage: Some(self.node.id.clone()),
                ..Who::default()
            },
            source: Source::Run,
            supervised: true,
            timeout: limit,
            effects: &|command| (desk.support.effects)(&ground, command),
            wrote: desk.support.wrote,
            now: &|| rfc3339(now()),
            runner: Some(&run),
        };
        // Nobody else merges between the test of what is merged and the merge.
        let _alone = assignment.tree.as_ref().map(|_| landing());
        if let Some(branches) = self.catch_up(desk, assignment, feature)? {
            return self.conflict(desk, files, feature, branches);
        }
        let mut seen = Vec::new();
        let shown = self.with_lease(Some(assignment), || {
            orchestrate::prove(&verify, feature, &mut |command, recorded, checked| {
                seen.push((command.to_owned(), recorded.item.has_passed(), checked.took));
            })
        });
        for (command, green, took) in seen {
            let (node, iteration) = (self.node.id.clone(), files.iteration);
            let (command, seconds) = (safe(&command), seconds(took.as_secs_f64()));
            self.run.journal.tell(RunEvent::Verified { node, iteration, command, green, seconds })?;
        }
        if cancelled.get() {
            self.release(desk, assignment)?;
            return Ok(Some(self.cancelled()));
        }
        match shown? {
            Shown::Failed { summary, evidence } => {
                return self.fail_test(desk, files, feature, summary, evidence);
            }
            Shown::Unproven { why, next } => {
                let why = format!("{why}; `{next}` would prove it");
                return self.fail_test(desk, files, feature, why, Vec::new());
            }
            Shown::Proven(_) => {}
        }
        match self.ask_judge(desk, assignment, feature, files)? {
            Judged::Accepts => {}
            Judged::Vetoes(why) => {
                let event = Event::Vetoed { feature: feature.id.clone(), why: why.clone() };
                return self.change(desk, files, &event, why).map(|()| None);
            }
            Judged::Cancelled => {
                self.release(desk, assignment)?;
                return Ok(Some(self.cancelled()));
            }
        }
        if let Some(branches) = self.run.journal.write(|| self.land(assignment)) {
            return self.conflict(desk, files, feature, branches);
        }
        match self.run.journal.write(|| orchestrate::pass(&verify, feature, &now, &desk.rules()))? {
            Reported::Passed { evidence } => {
                let changed = Changed { what: "passed", status: Some(Status::Tested), why: String::new(), evidence };
                self.tell_changed(desk, files, &feature.id, changed)?;
                self.leave_tree(assignment)?;
                Ok(None)
            }
            Reported::Failed { summary: why } | Reported::Unproven { why, .. } => {
                self.fail_test(desk, files, feature, why, Vec::new())
            }
        }
    }

    fn fail_test(
        &self,
        desk: Desk<'_>,
        files: &IterationFiles,
        feature: &Feature,
        summary: String,
        evidence: Vec<String>,
    ) -> Result<Option<NodeEnd>, EngineError> {
        let event = Event::Failed { feature: feature.id.clone(), summary: summary.clone(), evidence };
        self.change(desk, files, &event, summary).map(|()| None)
    }

    fn conflict(
        &self,
        desk: Desk<'_>,
        files: &IterationFiles,
        feature: &Feature,
        branches: Vec<String>,
    ) -> Result<Option<NodeEnd>, EngineError> {
        let why = format!("`{}` do not merge", branches.join("` and `"));
        let event = Event::Conflict { feature: feature.id.clone(), branches };
        self.change(desk, files, &event, why).map(|()| None)
    }

    /// Runs a verifier like an agent: it ends with the run, and so does all it started.
    fn check(&self, command: &str, ground: &Ground, limit: Duration, log: &Path) -> io::Result<Checked> {
        let within = (Verify::WITHIN.to_owned(), "1".to_owned());
        let end = self.command_in(command, &ground.root, log, limit, Some(within));
        let tail =
            stead_store::read_file(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let took = end.took;
        match end.how {
            How::Exit(code) => Ok(Checked { end: CheckEnd::Exit(code), tail, took }),
            How::Signal(signal) => Ok(Checked { end: CheckEnd::Signal(signal), tail, took }),
            How::Timeout => Ok(Checked { end: CheckEnd::Deadline, tail, took }),
            How::Cancelled => Err(io::Error::new(io::ErrorKind::Interrupted, "the run was cancelled")),
            How::CannotStart(why) => Err(io::Error::other(why)),
        }
    }
}

/// An agent's verifier is judged like a command of that agent.
fn refused(desk: Desk<'_>, feature: &Feature) -> Option<String> {
    let is_any = !feature.verifiers.is_empty();
    if let Some(why) = is_any.then(|| (desk.support.untrusted)(feature)).flatten() {
        return Some(format!("the verifiers are not run: {why}"));
    }
    let mut commands = feature.verifiers.iter().filter(|_| feature.has_agent_verifiers());
    commands.find_map(|command| {
        let why = (desk.support.refusal)(command)?;
        Some(format!("an agent wrote the verifier `{command}`, which is refused: {why}"))
    })
}
