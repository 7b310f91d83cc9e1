//! The state of a run, as text for people and as JSON for machines.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stead_pipeline::custody;
use stead_pipeline::{
    ErrorKind, Extension, NodeState, NodeStatus, Plan, RunEnd, RunFolder, RunStatus, RunView, State, Status,
    ViewStatus, agents,
};

use crate::answer;
use crate::cli::Exit;
use crate::command::run::Target;
use crate::error::CliError;
use crate::log::last_lines;
use crate::progress::{one_line, spent};
use crate::project::{Project, now_millis};
use crate::span::shortest;
use crate::ui::{Ui, counted};

/// How much of a failed agent's log is shown.
const LAST_LINES: usize = 12;

/// How much is shown of what an agent wrote.
const LONGEST: usize = 400;

/// The state of a run, with what a person can do about it.
pub(crate) struct RunReport {
    pub(crate) status: ViewStatus,
    pub(crate) end: RunEnd,
    /// The engine's process, if it runs.
    pid: Option<u32>,
    folder: RunFolder,
    /// The command that continues it.
    pub(crate) resume: Option<String>,
    /// What else can be done.
    advice: Option<String>,
    /// What is wrong with its events.
    lost_events: Option<&'static str>,
    /// Processes that a dead engine left running.
    survivors: usize,
    /// The status of each node's last completed iteration, in the plan's order.
    last: Vec<Option<Status>>,
    /// How this program is invoked for the run's project.
    program: String,
}

impl RunReport {
    /// Reads an existing run.
    pub(crate) fn read(folder: &RunFolder, ui: &Ui) -> Result<Self, CliError> {
        Ok(Self::new(folder, RunView::read(folder, 0)?.as_of(now_millis()), ui))
    }

    fn new(folder: &RunFolder, view: RunView, ui: &Ui) -> Self {
        let is_open = !matches!(view.status, ViewStatus::Running | ViewStatus::Done);
        let plan = is_open.then(|| folder.plan().ok()).flatten();
        let way = plan.as_ref().map_or(Way::None, |plan| Way::of(view.status, plan, &view.state));
        let way = match (way, &plan, &view.state.error) {
            (Way::Provider, Some(plan), Some(error)) if has_own_provider(plan, &error.stage) => Way::Plain,
            (way, ..) => way,
        };
        let resume = plan.map(|plan| Target::of(&plan).resume(&plan.run, ui));
        let survivors = match view.status {
            ViewStatus::Interrupted => custody::count_survivors(&view.state.run_id, &agents(folder, &view.state)),
            _ => 0,
        };
        let last = view.state.nodes.iter().map(|node| folder.last_status(node)).collect();
        let lost_events = folder.lost_events(&view.state);
        let end = RunEnd::of(folder, view.state);
        let (resume, advice) = way.words(resume);
        let (status, pid, folder, program) = (view.status, view.pid, folder.clone(), ui.program());
        Self { status, end, pid, folder, resume, advice, lost_events, survivors, last, program }
    }

    /// The same for a run that will not be continued.
    #[must_use]
    pub(crate) fn for_good(self) -> Self {
        Self { resume: None, advice: None, ..self }
    }

    /// The same for a run whose files will be deleted.
    #[must_use]
    pub(crate) fn without_log(mut self) -> Self {
        self.end.log = None;
        self
    }

    /// The exit code of the command that ran it.
    pub(crate) fn exit(&self) -> Exit {
        match &self.end.error {
            Some(error) if error.kind == ErrorKind::Unheard => Exit::Unheard,
            _ => Exit::Run(self.end.status),
        }
    }

    pub(crate) fn json(&self) -> Value {
        let mut value = answer::record(&self.end.state);
        value["status"] = json!(self.status.name());
        value["pid"] = json!(self.pid);
        value["path"] = json!(self.folder.path());
        value["log"] = json!(self.end.log);
        value["resume"] = json!(self.resume);
        value["survivors"] = json!(self.survivors);
        for (place, last) in self.last.iter().enumerate() {
            if let Some(last) = last {
                value["nodes"][place]["last_decision"] = json!({"decision": last.decision, "reason": last.reason});
            }
        }
        value
    }

    /// One line: the name, the status, and what it took.
    pub(crate) fn headline(&self) -> String {
        let state = &self.end.state;
        let iterations: usize = state.nodes.iter().map(|node| node.iteration_completed as usize).sum();
        let what = match &state.pipeline {
            Some(pipeline) => format!("pipeline {pipeline}"),
            None => state.nodes.first().map(|node| format!("stage {}", node.stage)).unwrap_or_default(),
        };
        let counted = counted(iterations, "iteration");
        let spent = spent(state.elapsed_seconds, state.cost_usd);
        format!("{}: {} ({what}, {counted}, {spent})", state.run, self.status.name())
    }

    /// The stages, one per line.
    pub(crate) fn stages(&self) -> Vec<String> {
        let nodes = &self.end.state.nodes;
        let width = nodes.iter().map(|node| node.id.chars().count()).max().unwrap_or(0);
        let is_live = self.status == ViewStatus::Running;
        nodes.iter().zip(&self.last).map(|(node, last)| stage_line(node, last.as_ref(), is_live, width)).collect()
    }

    /// What a person can do now, one command or hint each.
    pub(crate) fn next(&self) -> Vec<String> {
        self.resume.iter().cloned().chain(self.advice.clone()).collect()
    }

    /// What went wrong, and what to do about it.
    pub(crate) fn trouble(&self, project: &Project) -> Vec<String> {
        let mut lines = Vec::new();
        let state = &self.end.state;
        if let Some(error) = &state.error {
            lines.push(format!(
                "error: stage `{}` failed ({}): {}",
                error.stage,
                error.kind.name(),
                one_line(&error.message, LONGEST)
            ));
        } else if let Some(reason) = self.end.reason.as_deref() {
            lines.push(format!("{}: {}", self.status.name(), one_line(reason, LONGEST)));
        }
        if let Some(log) = self.end.log.as_deref() {
            lines.push(format!("log: {}", shown(project, log).display()));
            if state.status == RunStatus::Failed {
                lines.extend(quoted(log));
            }
        }
        lines.extend(self.lost_events.map(|lost| format!("warning: {lost}")));
        if self.survivors > 0 {
            let count =
                if self.survivors == 1 { "1 process".to_owned() } else { format!("{} processes", self.survivors) };
            lines.push(format!("left: {count} still running; `{} stop {}` kills them", self.program, state.run));
        }
        if let Some(resume) = &self.resume {
            lines.push(format!("resume: {resume}"));
        }
        lines.extend(self.advice.clone());
        lines
    }

    /// Prints how the run ended: the answer on standard output, problems on standard error.
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

/// Returns true if a node is a branch over providers, which keeps its own provider.
fn has_own_provider(plan: &Plan, id: &str) -> bool {
    let branch = plan.nodes.iter().find(|node| node.id == id).and_then(|node| node.branch.as_ref());
    branch.is_some_and(|branch| branch.item.is_none())
}

/// How a run can continue.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// It is running, or done.
    None,
    Plain,
    /// With more iterations, time or money.
    More(Extension),
    /// Verified again, or with more iterations, time or money.
    Unverified(Extension),
    /// With another provider, unless the program is installed.
    Provider,
}

impl Way {
    fn of(status: ViewStatus, plan: &Plan, state: &State) -> Self {
        match (status, &state.error) {
            (ViewStatus::Limit, _) => Self::More(Extension::of(plan, state)),
            (ViewStatus::Unverified, _) => Self::Unverified(Extension::of(plan, state)),
            (ViewStatus::Failed, Some(error)) if error.kind == ErrorKind::Limit => {
                Self::More(Extension::of(plan, state))
            }
            (ViewStatus::Failed, Some(error)) if error.kind == ErrorKind::Start => Self::Provider,
            (status, _) if status.can_resume() => Self::Plain,
            _ => Self::None,
        }
    }

    /// The command, and what else to say.
    fn words(self, resume: Option<String>) -> (Option<String>, Option<String>) {
        let with = |options: &str| resume.as_ref().map(|resume| format!("{resume} {options}"));
        match self {
            Self::None => (None, None),
            Self::Plain => (resume, None),
            // Its limit was raised meanwhile.
            Self::More(needed) if needed.is_empty() => (resume, None),
            Self::More(needed) => (with(&options(&needed)), None),
            Self::Unverified(needed) => {
                let more = with(&options(&needed)).filter(|_| !needed.is_empty());
                let again = "the verification runs again first; if it passes, the run is done".to_owned();
                (resume, Some(more.map_or(again, |more| format!("or let the agents continue: {more}"))))
            }
            Self::Provider => {
                let other = with("--provider NAME").map(|command| format!("or with another provider: {command}"));
                (resume, other)
            }
        }
    }
}

/// The options that give a run more of what it used up.
fn options(needed: &Extension) -> String {
    let max = needed.max_iterations.map(|most| format!("--max {most}"));
    let time = needed.max_runtime_seconds.map(|most| format!("--max-runtime {}", shortest(most)));
    let cost = needed.max_cost_usd.map(|most| format!("--max-cost {most}"));
    max.into_iter().chain(time).chain(cost).collect::<Vec<_>>().join(" ")
}

/// A path that can be opened from the current folder.
pub(crate) fn shown(project: &Project, path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let is_at_root = matches!((here, project.root().canonicalize()), (Ok(here), Ok(root)) if here == root);
    if is_at_root { project.short(path) } else { path.to_owned() }
}

/// One stage; `is_live` if its run has an engine.
fn stage_line(node: &NodeState, last: Option<&Status>, is_live: bool, width: usize) -> String {
    let words = match (&node.error, &node.waiting_until) {
        (Some(error), _) => format!("{}: {}", error.kind.name(), error.message),
        (None, Some(until)) if matches!(node.status, NodeStatus::Waiting | NodeStatus::Quota) => {
            format!("until {until}")
        }
        (None, _) if node.iteration > 0 => {
            let under_way = match node.status {
                NodeStatus::Running if is_live => format!("iteration {}, ", node.iteration),
                _ => String::new(),
            };
            let said = last.map(last_words).unwrap_or_default();
            format!("{under_way}{}{said}", spent(node.elapsed_seconds, node.cost_usd))
        }
        (None, _) => String::new(),
    };
    let count = format!("{}/{}", node.iteration_completed, node.max_iterations);
    let head = format!("  {:width$}  {:<10}  {count:>7}  ", node.id, node.status.name());
    format!("{head}{}", one_line(&words, LONGEST)).trim_end().to_owned()
}

fn last_words(last: &Status) -> String {
    let reason = one_line(&last.reason, LONGEST);
    let reason = if reason.is_empty() { reason } else { format!(" ({reason})") };
    format!("; last: {}{reason}", last.decision.name())
}

/// The last lines of a log, indented.
fn quoted(log: &Path) -> Vec<String> {
    last_lines(log, LAST_LINES).iter().map(|line| format!("  | {}", one_line(line, LONGEST))).collect()
}
