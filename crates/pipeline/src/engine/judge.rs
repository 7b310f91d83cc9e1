//! A second opinion before a proven feature becomes tested: an agent that reads the task and the change, and may veto.

use serde_json::Value;
use stead_feature::Feature;

use super::EngineError;
use super::assignment::{Assignment, Desk};
use super::attempt;
use super::git::git;
use super::iteration::IterationFiles;
use super::node_run::NodeRun;
use crate::custody::{self, How};
use crate::orchestrate::judge_prompt;
use crate::provider::{self, Task};
use crate::status::Status;

/// The longest change that a judge gets.
const LONGEST: usize = 60_000;

/// What a judge says.
pub(super) enum Judged {
    Accepts,
    Vetoes(String),
    Cancelled,
}

impl NodeRun<'_> {
    /// Asks the judge, if there is one. A judge that fails decides nothing, and the run says so.
    pub(super) fn ask_judge(
        &self,
        desk: Desk<'_>,
        assignment: &Assignment,
        feature: &Feature,
        files: &IterationFiles,
    ) -> Result<Judged, EngineError> {
        let Some(judge) = &desk.options.judge else { return Ok(Judged::Accepts) };
        let dir = files.dir.join("judge");
        super::folder::make_dir(&dir)?;
        let status = dir.join(attempt::STATUS);
        let _ = std::fs::remove_file(&status);
        let change = self.change_of(assignment, feature);
        let prompt = judge_prompt(&judge.prompt, &assignment.command, &change, &status.to_string_lossy());
        let args = (self.run.around.provider_args)(crate::provider_name(&judge.provider));
        let task = Task {
            prompt: &prompt,
            model: None,
            root: self.run.around.root,
            dir: &self.root,
            log: &dir.join(attempt::LOG),
            timeout: Some(std::time::Duration::from_secs(desk.options.timeout_seconds.max(1))),
            run: &self.run.plan.run,
            run_id: &self.run.run_id,
            stage: &self.node.id,
            iteration: files.iteration,
            context: &files.file(attempt::CONTEXT),
            status: &status,
            output: &dir.join(attempt::OUTPUT),
            progress: &self.progress(),
            command: Some(&assignment.file),
            env: self.run.around.env,
            args: &args,
        };
        let launch = match provider::prepare(&judge.provider, &task) {
            Ok(launch) => launch,
            Err(error) => return self.no_judgment(&error.to_string()),
        };
        let end = self.with_lease(Some(assignment), || custody::run(&launch, &self.cancel));
        match end.how {
            How::Cancelled => return Ok(Judged::Cancelled),
            How::Exit(0) => {}
            how => return self.no_judgment(&format!("it ended with {how:?}")),
        }
        let Ok(status) = Status::read(&status) else { return self.no_judgment("it wrote no valid `status.json`") };
        let word = status.extra.get("result").and_then(Value::as_str).unwrap_or_default();
        match word.to_ascii_lowercase().as_str() {
            "veto" | "vetoed" | "failed" => {
                let why = [status.reason.trim(), status.summary.trim(), "the judge gave no reason"];
                Ok(Judged::Vetoes(why.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned()))
            }
            "accept" | "accepted" | "passed" => Ok(Judged::Accepts),
            _ => self.no_judgment("its status has no `result`"),
        }
    }

    fn no_judgment(&self, why: &str) -> Result<Judged, EngineError> {
        self.run.journal.warn(&self.node.id, format!("the judge decided nothing: {why}"))?;
        Ok(Judged::Accepts)
    }

    /// The change as a diff, or the names of the changed files where git knows nothing.
    fn change_of(&self, assignment: &Assignment, feature: &Feature) -> String {
        let base = match &assignment.tree {
            Some(_) => git(self.run.around.root, &["rev-parse", "HEAD"]).unwrap_or_default(),
            None => "HEAD".to_owned(),
        };
        let diff = git(&self.root, &["diff", "--no-color", "--no-ext-diff", &base, "--"]).unwrap_or_default();
        let files = assignment.command.context.files_changed.join("\n");
        let text = match diff.trim() {
            "" => {
                format!("Changed files, as the coding agent names them:\n{files}\nFiles: {}", feature.files.join(", "))
            }
            _ => diff,
        };
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}\n… (cut)", &text[..end]),
            None => text,
        }
    }
}
