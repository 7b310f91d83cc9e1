use std::ops::Range;
use std::sync::Arc;

use stead_yaml::{Entry, Value};

use super::limits::{self, Limits, is_retry};
use super::output::{Output, output};
use super::reading::{Reading, STAGE, find, place};
use super::verify::{self, Verify};
use super::{SourceFile, name_problem, provider, termination};
use crate::lint::{Code, Findings};
use crate::{Provider, Termination};

/// What a stage file sets. Missing values are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageDefinition {
    pub description: Option<String>,
    pub termination: Option<Termination>,
    pub limits: Limits,
    pub output: Option<Output>,
    pub provider: Option<Provider>,
    pub model: Option<String>,
    pub verify: Verify,
    pub intent: Option<String>,
    pub output_parse: Option<String>,
}

const KEYS: [&str; 9] =
    ["name", "description", "termination", "guardrails", "output", "provider", "model", "verify", "intent"];
/// Keys of the older format that need no replacement.
pub const DROPPED: [&str; 4] = ["delay", "delay_seconds", "check_before", "prompt"];
/// The file's name in the older format.
pub const OLD_FILE: &str = "loop.yaml";

/// Reads a stage file. `folder` is the name of the stage.
pub fn read_stage(file: Arc<SourceFile>, folder: &str) -> (StageDefinition, Findings) {
    let mut reading = Reading::new(file, STAGE);
    let mut stage = StageDefinition::default();
    if let Some(entries) = reading.top() {
        check_name(&mut reading, &entries, folder);
        for entry in &entries {
            stage.read_key(&mut reading, entry, &entries);
        }
        stage.read_older_counts(&mut reading, &entries);
        stage.check_ending(&mut reading, &entries);
    }
    if reading.findings.file.name.ends_with(OLD_FILE) {
        let finding =
            reading.findings.deprecation(Code::L014, &(0..0), format!("`{OLD_FILE}` is a deprecated file name"));
        finding.hint("rename it to `stage.yaml`, or run `stead migrate pipelines`");
    }
    (stage, reading.findings)
}

impl StageDefinition {
    fn read_key(&mut self, reading: &mut Reading, entry: &Entry, entries: &[Entry]) {
        match entry.key.as_str() {
            "name" => {}
            "description" => self.description = reading.text(entry),
            "termination" => self.termination = termination::termination(reading, entry),
            "guardrails" => self.limits.read_block(reading, entry),
            "output" => self.output = output(reading, entry),
            "provider" => self.provider = provider::provider(reading, &entry.value, &place(entry)),
            "model" => self.model = reading.text(entry),
            "verify" => self.verify = verify::verify(reading, entry),
            "intent" => self.intent = reading.text(entry),
            "completion" if find(entries, "termination").is_some() => {
                let message = "`completion` has no effect beside `termination`";
                let finding = reading.findings.deprecation(Code::L014, &entry.key_at, message);
                finding.hint("remove it, or run `stead migrate pipelines`");
            }
            "completion" => self.termination = termination::completion(reading, entry),
            "min_iterations" | "max_iterations" => {}
            "output_parse" => {
                self.output_parse = reading.text(entry);
                let message = "`output_parse` parses the decision from the agent's answer";
                let finding = reading.findings.deprecation(Code::L015, &entry.key_at, message);
                finding.hint("remove it and let the prompt ask for `${STATUS}`, or run `stead migrate pipelines`");
            }
            key if DROPPED.contains(&key) => old_key(reading, entry, "it has no effect"),
            _ if is_retry(reading, entry) => {}
            _ => reading.unknown(entry, &KEYS),
        }
    }

    /// Reads the counts that were top-level keys in the older format, once the blocks are known.
    fn read_older_counts(&mut self, reading: &mut Reading, entries: &[Entry]) {
        if let Some(entry) = find(entries, "min_iterations") {
            let stated = reading.count(entry);
            let block = find(entries, "termination").and_then(|block| inner(block, "min_iterations"));
            let why = match &mut self.termination {
                Some(Termination::Judgment { min_iterations, .. }) if block.is_none() => {
                    *min_iterations = stated.unwrap_or(*min_iterations);
                    "it belongs below `termination`"
                }
                Some(Termination::Judgment { .. }) => "it has no effect because `termination` sets its own",
                Some(_) => "it has no effect on this type of termination",
                None => "it belongs below `termination`",
            };
            old_key(reading, entry, why);
        }
        if let Some(entry) = find(entries, "max_iterations") {
            let stated = reading.count(entry);
            let block = find(entries, "guardrails").and_then(|block| inner(block, "max_iterations"));
            if block.is_none() {
                self.limits.max_iterations = stated;
                old_key(reading, entry, "it belongs below `guardrails`");
            } else {
                old_key(reading, entry, "it has no effect because `guardrails` sets its own");
            }
        }
    }

    fn check_ending(&self, reading: &mut Reading, entries: &[Entry]) {
        let entry = find(entries, "termination").or_else(|| find(entries, "completion"));
        let Some(entry) = entry else {
            let finding = reading.findings.error(Code::L005, &(0..0), "the stage has no `termination`");
            finding.hint("add `termination: {type: judgment}`, or queue, fixed, promise");
            return;
        };
        let most = self.limits.settle().max_iterations;
        if let Some(Unreachable { what, why }) =
            self.termination.as_ref().and_then(|termination| unreachable_within(termination, most))
        {
            let stated = max_place(entries).or_else(|| inner(entry, what).or_else(|| find(entries, what)).map(place));
            let at = stated.unwrap_or_else(|| entry.key_at.clone());
            reading.findings.error(Code::L006, &at, why).hint("raise `max_iterations`, or lower the other value");
        }
    }
}

/// Why a termination cannot be reached within the maximum number of iterations.
pub(crate) struct Unreachable {
    /// The key that asks for more.
    pub(crate) what: &'static str,
    pub(crate) why: String,
}

pub(crate) fn unreachable_within(termination: &Termination, most: u32) -> Option<Unreachable> {
    let Termination::Judgment { min_iterations, consensus } = termination else { return None };
    let (what, needed) =
        if min_iterations > consensus { ("min_iterations", min_iterations) } else { ("consensus", consensus) };
    let bound = match most {
        1 => "the maximum is 1 iteration".to_owned(),
        most => format!("the maximum is {most} iterations"),
    };
    (*needed > most).then(|| Unreachable { what, why: format!("`{what}` is {needed}, but {bound}") })
}

/// Where a stage, or a stage of a pipeline, sets its maximum number of iterations.
pub(crate) fn max_place(entries: &[Entry]) -> Option<Range<usize>> {
    let block = find(entries, "guardrails").and_then(|block| inner(block, "max_iterations"));
    block.or_else(|| find(entries, "max_iterations")).or_else(|| find(entries, "runs")).map(place)
}

pub(crate) fn inner<'t>(block: &'t Entry, key: &str) -> Option<&'t Entry> {
    match &block.value.value {
        Value::Map(parts) => find(parts, key),
        _ => None,
    }
}

fn old_key(reading: &mut Reading, entry: &Entry, why: &str) {
    let message = format!("`{}` is deprecated: {why}", entry.key);
    let finding = reading.findings.deprecation(Code::L014, &entry.key_at, message);
    finding.hint("`stead migrate pipelines` rewrites it");
}

fn check_name(reading: &mut Reading, entries: &[Entry], folder: &str) {
    if let Some(why) = name_problem(folder) {
        let message = format!("invalid stage name `{folder}`: {why}");
        reading
            .findings
            .error(Code::L002, &(0..0), message)
            .hint("rename the folder; use letters, digits, `-` and `_`");
        return;
    }
    let Some(entry) = find(entries, "name") else {
        let finding = reading.findings.warning(Code::L002, &(0..0), "the stage has no `name`");
        finding.hint(format!("add `name: {folder}`"));
        return;
    };
    if let Some(name) = reading.text(entry)
        && name != folder
    {
        let message = format!("`name` is `{name}`, but the folder is `{folder}`");
        reading.findings.warning(Code::L002, &place(entry), message).hint(format!("write `name: {folder}`"));
    }
}

/// The keys of a stage that a pipeline may also set for one of its stages.
pub(crate) fn shared_keys() -> Vec<&'static str> {
    let mut keys = vec!["description", "termination", "guardrails", "output", "provider", "model", "verify", "intent"];
    keys.extend(limits::KEYS);
    keys
}
