use std::sync::Arc;

use stead_yaml::Value;

use super::limits::is_retry;
use super::reading::{PIPELINE, Reading, find, place};
use super::step::Step;
use super::{SourceFile, name_problem};
use crate::OnFailure;
use crate::lint::{Code, Findings};

/// What a pipeline file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PipelineDefinition {
    pub description: Option<String>,
    pub max_parallel: Option<u32>,
    pub max_cost_usd: Option<f64>,
    pub max_runtime_seconds: Option<u64>,
    pub on_failure: Option<OnFailure>,
    pub steps: Vec<Step>,
}

const KEYS: [&str; 7] =
    ["name", "description", "max_parallel", "max_cost_usd", "max_runtime_seconds", "on_failure", "stages"];

/// Reads a pipeline file. `name` is its file name without the extension.
pub fn read_pipeline(file: Arc<SourceFile>, name: &str) -> (PipelineDefinition, Findings) {
    let mut reading = Reading::new(file, PIPELINE);
    let mut pipeline = PipelineDefinition::default();
    let Some(entries) = reading.top() else { return (pipeline, reading.findings) };
    if let Some(why) = name_problem(name) {
        let message = format!("invalid pipeline name `{name}`: {why}");
        reading.findings.error(Code::P002, &(0..0), message).hint("rename the file; use letters, digits, `-` and `_`");
    }
    for entry in &entries {
        match entry.key.as_str() {
            "name" => {
                if let Some(said) = reading.text(entry)
                    && said != name
                {
                    let message = format!("`name` is `{said}`, but the file is `{name}`");
                    let finding = reading.findings.warning(Code::P002, &place(entry), message);
                    finding.hint(format!("write `name: {name}`"));
                }
            }
            "description" => pipeline.description = reading.text(entry),
            "max_parallel" => pipeline.max_parallel = reading.count(entry),
            "max_cost_usd" => pipeline.max_cost_usd = reading.money(entry),
            "max_runtime_seconds" => pipeline.max_runtime_seconds = reading.seconds(entry),
            "on_failure" => {
                let words = [("finish", OnFailure::Finish), ("stop", OnFailure::Stop)];
                pipeline.on_failure = reading.choice(entry, &words);
            }
            "stages" => {
                if let Value::List(items) = &entry.value.value {
                    for item in items {
                        pipeline.steps.extend(Step::read(&mut reading, item, entry));
                    }
                }
            }
            _ if is_retry(&mut reading, entry) => {}
            _ => reading.unknown(entry, &KEYS),
        }
    }
    let stages = find(&entries, "stages");
    if !stages.is_some_and(|entry| matches!(&entry.value.value, Value::List(items) if !items.is_empty())) {
        let at = stages.map_or(0..0, place);
        let finding = reading.findings.error(Code::P003, &at, "the pipeline has no stages");
        finding.hint("add `stages:` with a list of `{id, template}`");
    }
    (pipeline, reading.findings)
}
