//! The report of a run that worked on the feature list: what was done per feature, its proof, and what waits for a
//! person. Derived from the run's events and the list; it can be made again at any time.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Serialize;
use stead_feature::{Failure, Feature, FeatureList, Row, SessionState, Status};
use stead_store::{Durability, Lines, Redacted, redact, replace};

use crate::engine::EngineError;
use crate::event::{EventLine, RunEvent};
use crate::state::{RunStatus, dollars, seconds};
use crate::{Plan, RunFolder};

/// What happened to one feature in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FeatureReport {
    pub id: String,
    pub title: String,
    pub status: String,
    /// All attempts, also of earlier runs.
    pub attempts: u64,
    /// Agents that worked on it in this run.
    pub agents: u32,
    pub cost_usd: f64,
    pub seconds: f64,
    /// The evidence that proves it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_on: Option<String>,
    /// What a person has to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<Failure>,
    /// What was done, oldest first.
    pub history: Vec<Entry>,
}

/// One change of a feature.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Entry {
    pub at: String,
    pub what: String,
    pub status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// The whole run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrchestrateReport {
    pub schema: &'static str,
    pub run: String,
    pub status: &'static str,
    pub seconds: f64,
    pub cost_usd: f64,
    /// How many features have each status.
    pub counts: BTreeMap<String, usize>,
    /// Transitions that the judge refused, and features that passed after that, over all runs.
    pub vetoes: u64,
    pub recoveries: u64,
    pub features: Vec<FeatureReport>,
}

impl OrchestrateReport {
    pub const SCHEMA: &'static str = "stead.orchestrate-report/1";
    pub const JSON: &'static str = "report.json";
    pub const MARKDOWN: &'static str = "report.md";

    /// Makes the report from the run's folder and the list.
    pub fn of(
        folder: &RunFolder,
        plan: &Plan,
        features: &Path,
        status: RunStatus,
        (run_seconds, cost_usd): (f64, f64),
    ) -> Result<Self, EngineError> {
        let only = plan.orchestrate.as_ref().map(|options| options.only.clone()).unwrap_or_default();
        let list = FeatureList::read(features)?.unwrap_or_default().features;
        let is_chosen = |feature: &&Feature| only.is_empty() || only.contains(&feature.id);
        let mut reports: Vec<FeatureReport> = list.iter().filter(is_chosen).map(state_of).collect();
        let places: HashMap<String, usize> =
            reports.iter().enumerate().map(|(at, report)| (report.id.clone(), at)).collect();
        let mut at_work: HashMap<(String, u32), usize> = HashMap::new();
        for line in Lines::open(&folder.events_path())? {
            if let Ok(line) = serde_json::from_str::<EventLine>(&line?.text) {
                add(&mut reports, &places, &mut at_work, line);
            }
        }
        let session = SessionState::read(features)?;
        let mut counts = BTreeMap::new();
        reports.iter().for_each(|report| *counts.entry(report.status.clone()).or_insert(0) += 1);
        Ok(Self {
            schema: Self::SCHEMA,
            run: folder.name().to_owned(),
            status: status.name(),
            seconds: seconds(run_seconds),
            cost_usd: dollars(cost_usd),
            counts,
            vetoes: session.vetoes,
            recoveries: session.recoveries,
            features: reports,
        })
    }

    /// Writes both files into the run's folder.
    pub fn write(&self, folder: &RunFolder) -> Result<(), EngineError> {
        replace(&folder.path().join(Self::JSON), Redacted::pretty(self), Durability::Quick)?;
        Ok(replace(&folder.path().join(Self::MARKDOWN), redact(&self.markdown()), Durability::Quick)?)
    }

    /// The report for people.
    pub fn markdown(&self) -> String {
        let counts: Vec<String> = self.counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
        let mut text = format!("# Run {}: {}\n\n", self.run, self.status);
        let counts = if counts.is_empty() { "no features".to_owned() } else { counts.join(", ") };
        text.push_str(&format!("{counts}; {}\n", spent(self.seconds, self.cost_usd)));
        if self.vetoes > 0 {
            text.push_str(&format!("\nVetoes: {}, recovered from: {}\n", self.vetoes, self.recoveries));
        }
        let waiting: Vec<&FeatureReport> = self.features.iter().filter(|feature| feature.question.is_some()).collect();
        if !waiting.is_empty() {
            text.push_str("\n## Waiting for a person\n\n");
            for feature in waiting {
                let question = line(feature.question.as_deref().unwrap_or_default());
                text.push_str(&format!("- `{}`: {question}\n", feature.id));
            }
        }
        text.push_str("\n## Features\n");
        for feature in &self.features {
            text.push_str(&feature.markdown());
        }
        text
    }
}

impl FeatureReport {
    fn markdown(&self) -> String {
        let title = if self.title.is_empty() { String::new() } else { format!(" {}", line(&self.title)) };
        let mut text = format!("\n### {}{title}\n\n- status: {}", self.id, self.status);
        if let Some(on) = &self.blocked_on {
            text.push_str(&format!(" (on {on})"));
        }
        let spent = spent(self.seconds, self.cost_usd);
        text.push_str(&format!("\n- attempts: {}; agents in this run: {}; {spent}\n", self.attempts, self.agents));
        if !self.evidence.is_empty() {
            text.push_str(&format!("- proof: {}\n", self.evidence.join(", ")));
        }
        if let Some(failure) = self.last_failure.as_ref().filter(|_| self.status != Status::Tested.word()) {
            text.push_str(&format!("- last failure: {}\n", line(&failure.summary)));
        }
        for entry in &self.history {
            let why = if entry.why.is_empty() { String::new() } else { format!(": {}", line(&entry.why)) };
            text.push_str(&format!("- {} {}{why}\n", entry.at, entry.what));
        }
        text
    }
}

fn state_of(feature: &Feature) -> FeatureReport {
    let row = Row::from(feature);
    FeatureReport {
        id: feature.id.clone(),
        title: feature.title.clone(),
        status: row.status.to_string(),
        attempts: feature.attempts,
        evidence: feature.evidence.clone(),
        blocked_on: row.blocked_on.map(|on| on.to_string()),
        question: row.question().map(str::to_owned),
        last_failure: feature.last_failure.clone(),
        ..FeatureReport::default()
    }
}

/// What an event adds. `at_work` is which feature an iteration is about.
fn add(
    reports: &mut [FeatureReport],
    places: &HashMap<String, usize>,
    at_work: &mut HashMap<(String, u32), usize>,
    line: EventLine,
) {
    match line.event {
        RunEvent::Assigned { node, iteration, feature: Some(feature), .. } => {
            if let Some(at) = places.get(&feature) {
                at_work.insert((node, iteration), *at);
            }
        }
        RunEvent::IterationEnded { node, iteration, seconds: took, cost_usd, .. } => {
            if let Some(report) = at_work.get(&(node, iteration)).and_then(|at| reports.get_mut(*at)) {
                report.agents += 1;
                report.seconds = seconds(report.seconds + took);
                report.cost_usd = dollars(report.cost_usd + cost_usd.unwrap_or_default());
            }
        }
        RunEvent::FeatureChanged { feature, what, status, why, .. } => {
            if let Some(report) = places.get(&feature).and_then(|at| reports.get_mut(*at)) {
                report.history.push(Entry { at: line.ts, what, status, why });
            }
        }
        _ => {}
    }
}

fn spent(seconds: f64, cost_usd: f64) -> String {
    match cost_usd {
        cost if cost > 0.0 => format!("{seconds:.0} s, ${cost:.2}"),
        _ => format!("{seconds:.0} s"),
    }
}

/// A text on one line of markdown.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
