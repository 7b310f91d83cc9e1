use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use serde_json::{Value, json};
use stead_context::Prompt;
use stead_feature::FeatureList;
use stead_model::{EventKind, rfc3339};
use stead_store::Lines;

use super::finish::finished;
use super::mistake::repeated;
use super::period::Periods;
use super::{Step, Tally};
use crate::{MemoryError, Outcome, Reading, Records, TraceKind};

/// The metrics of a project over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    pub since: String,
    pub step: Step,
    pub periods: Vec<Period>,
    pub total: Tally,
    /// As it is now; nothing records how it was.
    pub prompt_size: PromptSize,
    /// There is something on record, in these periods or before.
    pub is_recorded: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Period {
    /// The date of its first day.
    pub start: String,
    pub tally: Tally,
}

/// How long the definitions of agents are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PromptSize {
    pub definitions: usize,
    pub tokens: usize,
}

impl Statistics {
    pub fn json(&self) -> Value {
        let period = |period: &Period| {
            let mut json = period.tally.json();
            json["start"] = json!(period.start);
            json
        };
        let size = &self.prompt_size;
        json!({
            "since": self.since, "step": self.step, "periods": self.periods.iter().map(period).collect::<Vec<_>>(),
            "total": self.total.json(), "agent_prompts": {"definitions": size.definitions, "tokens": size.tokens},
        })
    }
}

/// Counts what happened since a moment. Each log is read once, in bounded memory.
pub fn statistics(
    records: &Records<'_>,
    since: i64,
    prompt_size: PromptSize,
    progress: &mut dyn FnMut(Reading),
) -> Result<Statistics, MemoryError> {
    let periods = Periods::new(since, records.now);
    let mut tallies = vec![Tally::default(); periods.starts.len()];
    let mut is_recorded = false;
    let machine = Machine::read(records, &periods)?;
    records.history.each(progress, &mut |call| {
        is_recorded = true;
        let is_prompt = call.is(EventKind::Prompt) && call.agent.is_none() && call.run.is_none();
        let is_premature = call.hits.iter().any(Records::is_premature);
        if !is_prompt && !is_premature {
            return;
        }
        let Some(tally) = periods.index(&call.ts).map(|at| &mut tallies[at]) else { return };
        let is_persons = is_prompt && !machine.wrote(call.session.as_deref(), &call.ts);
        tally.prompts += u64::from(is_persons);
        tally.denied += u64::from(is_premature);
    })?;
    let mut count = |ts: &str, add: &dyn Fn(&mut Tally)| {
        if let Some(at) = periods.index(ts) {
            add(&mut tallies[at]);
        }
    };
    for trace in records.own() {
        is_recorded = true;
        if trace.is_failed_attempt() {
            count(&trace.timestamp, &|tally| tally.failed_reports += 1);
        }
        if let Some(outcome) = trace.outcome.filter(|_| trace.kind == TraceKind::Violation) {
            count(&trace.timestamp, &|tally| {
                tally.violations += 1;
                tally.complied += u64::from(outcome == Outcome::Complied);
            });
        }
    }
    for trace in repeated(records.own_of(TraceKind::Violation), records.history) {
        count(&trace.timestamp, &|tally| tally.repeated += 1);
    }
    for feature in FeatureList::read(&records.ground.features).ok().flatten().unwrap_or_default().features {
        if let Some(ts) = finished(&feature) {
            is_recorded = true;
            count(&ts, &|tally| tally.finished += 1);
        }
    }
    let mut total = Tally::default();
    tallies.iter().for_each(|tally| total.add(tally));
    let of_start = periods.starts.into_iter().zip(tallies);
    let list = of_start.map(|(start, tally)| Period { start, tally }).collect();
    let since = rfc3339(since);
    Ok(Statistics { since, step: periods.step, periods: list, total, prompt_size, is_recorded })
}

/// The prompts that no person wrote, as hashes of session and time.
struct Machine {
    prompts: HashSet<u64>,
    state: RandomState,
}

impl Machine {
    fn read(records: &Records<'_>, periods: &Periods) -> Result<Self, MemoryError> {
        let mut machine = Self { prompts: HashSet::new(), state: RandomState::new() };
        for line in Lines::open(&records.history.indexes.join(Prompt::FILE))?.unchecked() {
            let Ok(prompt) = serde_json::from_str::<Prompt>(&line?.text) else { continue };
            if prompt.author == "machine" && periods.index(&prompt.ts).is_some() {
                let key = machine.key(prompt.session.as_deref(), &prompt.ts);
                machine.prompts.insert(key);
            }
        }
        Ok(machine)
    }

    fn key(&self, session: Option<&str>, ts: &str) -> u64 {
        self.state.hash_one((session, ts))
    }

    fn wrote(&self, session: Option<&str>, ts: &str) -> bool {
        self.prompts.contains(&self.key(session, ts))
    }
}
