//! A run on one page, for whoever looks at it the morning after: what it did, what failed, and when. It is derived from the
//! run's files and can be written again at any time.

mod history;
mod markdown;
mod timeline;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use stead_model::rfc3339;
use stead_store::{Durability, redact, replace_creating};

use crate::engine::{EngineError, RunFolder, commits_between};
use crate::event::RunEvent;
use crate::state::State;
use crate::{Plan, RunView, ViewStatus};

use history::History;
pub use history::{Attempt, Engagement, Pause, Verdict};

/// The version of the page as JSON.
pub const PAGE_SCHEMA: &str = "stead.run-page/1";

/// How many changed files are named.
const FILES: usize = 200;

/// Everything the page shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunPage {
    pub schema: &'static str,
    pub run: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<String>,
    pub status: ViewStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// How long engines worked on it.
    pub elapsed_seconds: f64,
    pub cost_usd: f64,
    /// Some provider does not report its cost, so `cost_usd` is too low.
    pub cost_unknown: bool,
    pub stages: Vec<PageStage>,
    /// Every attempt at an iteration, in the order in which they started.
    pub attempts: Vec<Attempt>,
    /// Waits for a quota.
    pub pauses: Vec<Pause>,
    /// When engines worked on it.
    pub engagements: Vec<Engagement>,
    /// What people changed when they resumed it: when, and in words.
    pub amendments: Vec<(String, String)>,
    /// When, and what.
    pub warnings: Vec<(String, String)>,
    /// Files that the agents say they changed, and how many iterations name each.
    pub files: BTreeMap<String, u32>,
    /// Commits on the current branch while it ran, newest first.
    pub commits: Vec<String>,
    /// Worktrees that contain work: node, path, branch.
    pub worktrees: Vec<(String, String, String)>,
    /// The events are missing or incomplete, so most of this is unknown.
    pub history_lost: bool,
}

/// A stage, or a branch of it, in the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageStage {
    pub id: String,
    pub status: String,
    pub iterations: u32,
    pub max_iterations: u32,
    pub seconds: f64,
    pub cost_usd: f64,
    /// Why it ended.
    pub why: String,
}

impl RunPage {
    /// Derives it from the files of a run. `root` is the project.
    pub fn of(folder: &RunFolder, root: &Path, now: i64) -> Result<Self, EngineError> {
        let view = RunView::read(folder, 0)?.as_of(now);
        let plan = folder.plan()?;
        let mut history = History::read(folder)?;
        let state = &view.state;
        if let Some(engine) = history.engagements.last_mut().filter(|_| view.status == ViewStatus::Running) {
            engine.ended_at = rfc3339(now);
        }
        let history_lost = folder.lost_events(state).is_some();
        Ok(Self {
            schema: PAGE_SCHEMA,
            run: view.run.clone(),
            pipeline: state.pipeline.clone(),
            status: view.status,
            reason: state.reason.clone(),
            started_at: state.started_at.clone(),
            ended_at: state.ended_at.clone(),
            elapsed_seconds: state.elapsed_seconds,
            cost_usd: state.cost_usd,
            cost_unknown: state.nodes.iter().any(|node| node.cost_unknown),
            stages: stages(state, &history),
            files: files(folder, state),
            commits: while_it_ran(&plan, state, root),
            attempts: history.attempts,
            pauses: history.pauses,
            engagements: history.engagements,
            amendments: history.amendments,
            warnings: history.warnings,
            worktrees: history.worktrees,
            history_lost,
        })
    }

    /// Returns true if the run's engine is working on this attempt.
    fn is_running(&self, attempt: &Attempt) -> bool {
        let engine = self.engagements.last().filter(|_| self.status == ViewStatus::Running);
        attempt.ended_at.is_none() && engine.is_some_and(|engine| engine.started_at <= attempt.started_at)
    }

    /// The page as Markdown; `next` is what a person can do now, one line each.
    pub fn markdown(&self, next: &[String]) -> String {
        markdown::render(self, next)
    }

    /// Its timeline as an image.
    pub fn timeline(&self) -> String {
        timeline::render(self)
    }

    /// Writes the page and its image into a folder, and returns the path of the page.
    pub fn write(&self, folder: &Path, next: &[String]) -> Result<PathBuf, EngineError> {
        let page = folder.join("index.md");
        replace_creating(&folder.join("timeline.svg"), redact(&self.timeline()), Durability::Quick)?;
        replace_creating(&page, redact(&self.markdown(next)), Durability::Quick)?;
        Ok(page)
    }
}

fn stages(state: &State, history: &History) -> Vec<PageStage> {
    let stage = |at: &crate::NodeState| PageStage {
        id: at.id.clone(),
        status: at.status.name().to_owned(),
        iterations: at.iteration_completed,
        max_iterations: at.max_iterations,
        seconds: at.elapsed_seconds,
        cost_usd: at.cost_usd,
        why: match &at.error {
            Some(error) => format!("{}: {}", error.kind.name(), error.message),
            None => history.ends.get(&at.id).cloned().unwrap_or_default(),
        },
    };
    state.nodes.iter().map(stage).collect()
}

/// What the agents of completed iterations say they changed.
fn files(folder: &RunFolder, state: &State) -> BTreeMap<String, u32> {
    let mut files: BTreeMap<String, u32> = BTreeMap::new();
    for at in &state.nodes {
        for iteration in 1..=at.iteration_completed {
            let touched = folder.iteration_status(at, iteration).map(|status| status.work.files_touched);
            for file in touched.unwrap_or_default() {
                let file = redact(&file).into_owned();
                if files.contains_key(&file) || files.len() < FILES {
                    *files.entry(file).or_default() += 1;
                }
            }
        }
    }
    files
}

/// The commits of the project while the run worked; other work may be among them.
fn while_it_ran(plan: &Plan, state: &State, root: &Path) -> Vec<String> {
    let from = if state.started_at.is_empty() { &plan.created_at } else { &state.started_at };
    let until = state.ended_at.as_ref().unwrap_or(&state.updated_at);
    commits_between(root, from, until)
}

/// What an amendment changed, in words.
fn amendment_words(event: &RunEvent) -> Option<String> {
    let RunEvent::PlanAmended { change, nodes, .. } = event else { return None };
    let mut words = Vec::new();
    words.extend(change.max_iterations.map(|most| format!("at most {most} iterations")));
    words.extend(change.max_runtime_seconds.map(|most| format!("at most {}", markdown::time(most as f64))));
    words.extend(change.max_cost_usd.map(|most| format!("at most ${most:.2}")));
    words.extend(change.reload.as_ref().map(|_| "limits read again from its files".to_owned()));
    words.extend(change.provider.as_ref().map(|provider| crate::provider_name(provider).to_owned()));
    words.extend(change.model.as_ref().map(|model| format!("model {model}")));
    words.extend(change.inputs.iter().map(|input| format!("with {input}")));
    Some(format!("{} for {}", words.join(", "), nodes.join(", ")))
}
