//! How a run stands, in words for people and as JSON for machines.

use std::path::Path;

use serde_json::{Value, json};
use stead_pipeline::{NodeState, RunEnd, RunFolder, RunStatus, RunView, ViewStatus};

use crate::cli::Exit;
use crate::command::run::Asked;
use crate::error::CliError;
use crate::log::last_lines;
use crate::progress::{one_line, spent};
use crate::project::Project;
use crate::ui::Ui;

/// How much of a failed agent's log is shown.
const LAST_LINES: usize = 12;

/// How wide a line may get.
const WIDTH: usize = 80;

/// A run as it stands, with what a person can do about it.
pub(crate) struct RunReport {
    pub(crate) status: ViewStatus,
    pub(crate) end: RunEnd,
    /// The engine's process, while there is one.
    pid: Option<u32>,
    folder: RunFolder,
    /// The command that goes on with it.
    resume: Option<String>,
}

impl RunReport {
    /// Looks at a run that was begun.
    pub(crate) fn read(folder: &RunFolder) -> Result<Self, CliError> {
        Ok(Self::new(folder, RunView::read(folder, 0)?))
    }

    pub(crate) fn new(folder: &RunFolder, view: RunView) -> Self {
        let plan = view.status.can_resume().then(|| folder.plan().ok()).flatten();
        let resume = plan.map(|plan| Asked::of(&plan).resume(&plan.run));
        let end = RunEnd::of(folder, view.state);
        Self { status: view.status, end, pid: view.pid, folder: folder.clone(), resume }
    }

    /// The same of a run that nobody will go on with.
    #[must_use]
    pub(crate) fn for_good(self) -> Self {
        Self { resume: None, ..self }
    }

    /// The exit code of whoever ran it.
    pub(crate) fn exit(&self) -> Exit {
        Exit::of_run(self.end.status)
    }

    pub(crate) fn json(&self) -> Value {
        let mut value = serde_json::to_value(&self.end.state).unwrap_or_default();
        value["status"] = json!(self.status.name());
        value["pid"] = json!(self.pid);
        value["folder"] = json!(self.folder.path());
        value["log"] = json!(self.end.log);
        value["resume"] = json!(self.resume);
        value
    }

    /// One line: the name, how it stands, and what it took.
    pub(crate) fn headline(&self) -> String {
        let state = &self.end.state;
        let iterations: u32 = state.nodes.iter().map(|node| node.iteration_completed).sum();
        let what = match &state.pipeline {
            Some(pipeline) => format!("pipeline {pipeline}"),
            None => state.nodes.first().map(|node| format!("stage {}", node.stage)).unwrap_or_default(),
        };
        let counted = if iterations == 1 { "1 iteration".to_owned() } else { format!("{iterations} iterations") };
        let spent = spent(state.elapsed_seconds, state.cost_usd);
        format!("{}: {} ({what}, {counted}, {spent})", state.run, self.status.name())
    }

    /// The stages, one a line.
    pub(crate) fn stages(&self) -> Vec<String> {
        let nodes = &self.end.state.nodes;
        let width = nodes.iter().map(|node| node.id.chars().count()).max().unwrap_or(0);
        nodes.iter().map(|node| stage_line(node, width)).collect()
    }

    /// What stands in the way, and what to do about it.
    pub(crate) fn trouble(&self, project: &Project) -> Vec<String> {
        let mut lines = Vec::new();
        let state = &self.end.state;
        if let Some(error) = &state.error {
            lines.push(format!(
                "error: stage `{}` failed ({}): {}",
                error.stage,
                error.kind.name(),
                one_line(&error.message, 400)
            ));
        } else if let Some(reason) = self.end.reason.as_deref() {
            lines.push(format!("{}: {}", self.status.name(), one_line(reason, 400)));
        }
        if let Some(log) = self.end.log.as_deref() {
            lines.push(format!("log: {}", project.short(log).display()));
            if state.status == RunStatus::Failed {
                lines.extend(quoted(log));
            }
        }
        if let Some(resume) = &self.resume {
            lines.push(format!("resume: {resume}"));
        }
        lines
    }

    /// Prints how the run ended: the answer on standard output, what went wrong beside it.
    pub(crate) fn tell_end(&self, project: &Project, ui: &mut Ui) {
        for line in self.trouble(project) {
            ui.note(line);
        }
        ui.line(self.headline());
        if self.end.state.nodes.len() > 1 {
            for line in self.stages() {
                ui.line(line);
            }
        }
    }
}

fn stage_line(node: &NodeState, width: usize) -> String {
    let words = match (&node.error, &node.waiting_until) {
        (Some(error), _) => format!("{}: {}", error.kind.name(), error.message),
        (None, Some(until)) => format!("until {until}"),
        (None, None) if node.iteration > 0 => spent(node.elapsed_seconds, node.cost_usd),
        (None, None) => String::new(),
    };
    let count = format!("{}/{}", node.iteration_completed, node.max_iterations);
    let head = format!("  {:width$}  {:<9}  {count:>7}  ", node.id, node.status.name());
    let room = WIDTH.saturating_sub(head.chars().count()).max(20);
    format!("{head}{}", one_line(&words, room)).trim_end().to_owned()
}

/// The last lines of a log, set off.
fn quoted(log: &Path) -> Vec<String> {
    last_lines(log, LAST_LINES).iter().map(|line| format!("  | {}", one_line(line, WIDTH - 4))).collect()
}
