use std::ops::Range;

use stead_model::nearest;
use stead_yaml::{Entry, Tree, Value};

use super::fan::{Fan, fan};
use super::limits::{self, Limits, is_retry};
use super::output::{Output, output};
use super::reading::{Reading, find, place};
use super::stage::{inner, max_place, shared_keys};
use super::verify::{self, Verify};
use super::{name_problem, provider, termination};
use crate::lint::Code;
use crate::{Input, Outcome, Provider, Select, Termination};

/// One stage of a pipeline as its file defines it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// What to point at for the stage as a whole.
    pub at: Range<usize>,
    pub id: String,
    pub id_at: Range<usize>,
    pub template: Option<Named>,
    /// The prompt of a stage that is written in the pipeline.
    pub prompt: Option<Named>,
    pub termination: Option<Termination>,
    /// The position of `termination`; `None` for the older `completion`, which sets no numbers.
    pub termination_at: Option<Range<usize>>,
    pub limits: Limits,
    /// The position of the maximum number of iterations, if set.
    pub max_at: Option<Range<usize>>,
    pub output: Option<Output>,
    pub provider: Option<Provider>,
    pub model: Option<String>,
    pub verify: Verify,
    /// The intent that the agents of the stage work for.
    pub intent: Option<String>,
    pub inputs: Vec<(Input, Range<usize>)>,
    /// `None` if unset, which differs from an empty list.
    pub needs: Option<Vec<Named>>,
    pub when: Option<Condition>,
    pub fan: Option<Fan>,
    /// True if `inputs` is set, even to something invalid.
    pub has_inputs: bool,
}

/// A name and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub at: Range<usize>,
}

/// A `when`: the stage it depends on, and the outcomes it accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub stage: Named,
    pub outcome: Vec<Outcome>,
}

const OUTCOMES: [(&str, Outcome); 4] = [
    ("done", Outcome::Done),
    ("limit", Outcome::Limit),
    ("unverified", Outcome::Unverified),
    ("skipped", Outcome::Skipped),
];

impl Step {
    /// Reads one entry of `stages`. An entry without a usable id is reported and skipped.
    pub(crate) fn read(reading: &mut Reading, tree: &Tree, list: &Entry) -> Option<Self> {
        let Value::Map(entries) = &tree.value else {
            let at = if tree.at.is_empty() { &list.key_at } else { &tree.at };
            let finding = reading.wrong(at, format!("a stage must be a mapping, not {}", tree.kind()));
            finding.hint("write `- {id: <name>, template: <stage>}`");
            return None;
        };
        let at = entries.first().map_or(list.key_at.clone(), |entry| entry.key_at.clone());
        let mut step = Self { at, max_at: max_place(entries), ..Self::default() };
        let id = step.read_id(reading, entries);
        for entry in entries {
            step.read_key(reading, entry, entries);
        }
        step.check_template(reading);
        refuse_twice(reading, entries);
        (step.id, step.id_at) = id?;
        Some(step)
    }

    fn read_id(&self, reading: &mut Reading, entries: &[Entry]) -> Option<(String, Range<usize>)> {
        let Some(entry) = find(entries, "id").or_else(|| find(entries, "name")) else {
            reading.findings.error(Code::P004, &self.at, "the stage has no `id`").hint("add `id: <name>`");
            return None;
        };
        let id = reading.text(entry)?;
        if let Some(why) = name_problem(&id) {
            let message = format!("invalid stage id `{id}`: {why}");
            reading.findings.error(Code::P004, &place(entry), message).hint("use letters, digits, `-` and `_`");
            return None;
        }
        Some((id, place(entry)))
    }

    fn read_key(&mut self, reading: &mut Reading, entry: &Entry, entries: &[Entry]) {
        match entry.key.as_str() {
            "id" => {}
            "name" => old_key(reading, entry, "id", entries),
            "template" => self.template = reading.text(entry).map(|name| Named { name, at: place(entry) }),
            "loop" => {
                old_key(reading, entry, "template", entries);
                if find(entries, "template").is_none() {
                    self.template = reading.text(entry).map(|name| Named { name, at: place(entry) });
                }
            }
            "prompt" => self.prompt = reading.text(entry).map(|name| Named { name, at: entry.value.at.clone() }),
            "runs" => {
                match find(entries, "guardrails").and_then(|block| inner(block, "max_iterations")) {
                    Some(_) => no_effect(reading, entry, "guardrails"),
                    None => old_key(reading, entry, "max_iterations", entries),
                }
                let stated = reading.count(entry);
                self.limits.max_iterations = self.limits.max_iterations.or(stated);
            }
            "completion" if find(entries, "termination").is_some() => {
                old_key(reading, entry, "termination", entries);
            }
            "completion" => self.termination = termination::completion(reading, entry),
            "description" => drop(reading.text(entry)),
            "termination" => {
                self.termination = termination::termination(reading, entry);
                self.termination_at = Some(entry.key_at.clone());
            }
            "guardrails" => self.limits.read_block(reading, entry),
            "output" => self.output = output(reading, entry),
            "provider" => self.provider = provider::provider(reading, &entry.value, &place(entry)),
            "model" => self.model = reading.text(entry),
            "verify" => self.verify = verify::verify(reading, entry),
            "intent" => self.intent = reading.text(entry),
            "inputs" => {
                self.has_inputs = true;
                self.inputs = inputs(reading, entry);
            }
            "needs" => {
                let named = reading.placed_texts(entry);
                self.needs = named.map(|named| named.into_iter().map(|(name, at)| Named { name, at }).collect());
            }
            "when" => self.when = condition(reading, entry),
            "parallel" => self.fan = fan(reading, entry),
            _ if self.limits.read_key(reading, entry) || is_retry(reading, entry) => {}
            _ => {
                let mut known = vec!["id", "template", "prompt", "inputs", "needs", "when", "parallel"];
                known.extend(shared_keys());
                reading.unknown(entry, &known);
            }
        }
    }

    fn check_template(&self, reading: &mut Reading) {
        match (&self.template, &self.prompt) {
            (Some(_), Some(prompt)) => {
                let finding =
                    reading.findings.error(Code::P005, &prompt.at, "the stage has both `template` and `prompt`");
                finding.hint("remove one of them");
            }
            (None, None) => {
                let finding =
                    reading.findings.error(Code::P005, &self.at, "the stage has neither `template` nor `prompt`");
                finding.hint("use a stage from `stead stage list`, or add a `prompt`");
            }
            (None, Some(_)) if self.termination.is_none() => {
                let finding = reading.findings.error(Code::L005, &self.at, "the stage has no `termination`");
                finding.hint("add `termination: {type: fixed}` beside `prompt`");
            }
            _ => {}
        }
    }
}

/// A limit may be beside `guardrails` or below it; with both, it is unclear which one is meant.
fn refuse_twice(reading: &mut Reading, entries: &[Entry]) {
    let Some(block) = find(entries, "guardrails") else { return };
    for entry in entries.iter().filter(|entry| limits::KEYS.contains(&entry.key.as_str())) {
        if inner(block, &entry.key).is_some() {
            let message = format!("`{}` is set twice: here and below `guardrails`", entry.key);
            reading.wrong(&entry.key_at, message).hint("remove one of them");
        }
    }
}

fn old_key(reading: &mut Reading, entry: &Entry, now: &str, entries: &[Entry]) {
    if find(entries, now).is_some() {
        return no_effect(reading, entry, now);
    }
    let message = format!("`{}` is deprecated; its new name is `{now}`", entry.key);
    let finding = reading.findings.deprecation(Code::P012, &entry.key_at, message);
    finding.hint(format!("write `{now}`, or run `stead migrate pipelines`"));
}

fn no_effect(reading: &mut Reading, entry: &Entry, beside: &str) {
    let message = format!("`{}` has no effect beside `{beside}`", entry.key);
    let finding = reading.findings.deprecation(Code::P012, &entry.key_at, message);
    finding.hint("remove it, or run `stead migrate pipelines`");
}

/// `{from, select}`, a list of them, or just the stage's id.
fn inputs(reading: &mut Reading, entry: &Entry) -> Vec<(Input, Range<usize>)> {
    match &entry.value.value {
        Value::List(items) => items.iter().filter_map(|item| input(reading, entry, item)).collect(),
        _ => input(reading, entry, &entry.value).into_iter().collect(),
    }
}

fn input(reading: &mut Reading, whole: &Entry, tree: &Tree) -> Option<(Input, Range<usize>)> {
    let (from, at, select) = match &tree.value {
        Value::Text(from) => (from.clone(), tree.at.clone(), None),
        Value::Map(entries) => {
            for entry in entries.iter().filter(|entry| !["from", "select"].contains(&entry.key.as_str())) {
                reading.unknown(entry, &["from", "select"]);
            }
            let Some(from) = find(entries, "from") else {
                reading.wrong(&whole.key_at, "`inputs` has no `from`").hint("add `from: <id>`");
                return None;
            };
            let select = find(entries, "select")
                .and_then(|entry| reading.choice(entry, &[("latest", Select::Latest), ("all", Select::All)]));
            (reading.text(from)?, place(from), select)
        }
        _ => {
            let finding =
                reading.wrong(&whole.key_at, format!("`inputs` must be `{{from, select}}`, not {}", tree.kind()));
            finding.hint("write `inputs: {from: <id>}`");
            return None;
        }
    };
    Some((Input { from, select: select.unwrap_or_default() }, at))
}

fn condition(reading: &mut Reading, entry: &Entry) -> Option<Condition> {
    let entries = reading.map(entry)?;
    for part in entries.iter().filter(|part| !["stage", "outcome"].contains(&part.key.as_str())) {
        reading.unknown(part, &["stage", "outcome"]);
    }
    let is_said = |entry: &&Entry| !matches!(&entry.value.value, Value::List(items) if items.is_empty());
    let (Some(stage), Some(outcome)) = (find(entries, "stage"), find(entries, "outcome").filter(is_said)) else {
        let finding = reading.wrong(&entry.key_at, "`when` needs a `stage` and an `outcome`");
        finding.hint("write `when: {stage: <id>, outcome: done}`");
        return None;
    };
    let mut wanted = Vec::new();
    for (word, at) in reading.placed_texts(outcome)? {
        match OUTCOMES.iter().find(|(known, _)| *known == word) {
            Some((_, outcome)) => wanted.push(*outcome),
            None if word == "failed" => {
                let finding = reading.findings.error(Code::P009, &at, "nothing runs after a failure");
                finding.hint("use done, limit, unverified or skipped");
            }
            None => {
                let finding = reading
                    .wrong(&at, format!("unknown outcome `{word}`; expected done, limit, unverified or skipped"));
                if let Some(near) = nearest(&word, OUTCOMES.map(|(known, _)| known)) {
                    finding.hint(format!("did you mean `{near}`?"));
                }
            }
        }
    }
    let stage = Named { name: reading.text(stage)?, at: place(stage) };
    (!wanted.is_empty()).then_some(Condition { stage, outcome: wanted })
}
