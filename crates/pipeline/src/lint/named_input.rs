//! Inputs that a prompt names itself: `${INPUTS}` and `${INPUTS.<stage>}` of the older format.

use std::sync::Arc;

use super::{CheckedStep, Code, Finding, Findings};
use crate::definition::{Step, is_chain, stage_meant};
use crate::prompt::uses;
use crate::{Input, Select, SourceFile};

/// Reports every `${INPUTS.<stage>}` in a stage's prompt that has no value. `pipeline` is the pipeline's file.
pub(crate) fn check_named_inputs(
    steps: &[Step],
    index: usize,
    checked: &CheckedStep,
    pipeline: &Arc<SourceFile>,
) -> Vec<Finding> {
    let step = &steps[index];
    // A prompt in the pipeline is checked as written there, so that positions are right.
    let (file, text, from) = match (checked, &step.prompt) {
        (CheckedStep::Template(stage), _) => (&stage.files.prompt.file, stage.files.prompt.file.text.as_str(), 0),
        (CheckedStep::Inline, Some(prompt)) => (pipeline, &pipeline.text[prompt.at.clone()], prompt.at.start),
        _ => return Vec::new(),
    };
    let mut findings = Findings::of(file.clone());
    let implied = implied_inputs(steps, index, text);
    let is_given =
        |stage: &str| step.inputs.iter().map(|(input, _)| input).chain(&implied).any(|input| input.from == stage);
    for found in uses(text).into_iter().filter(|found| !found.escaped) {
        let Some(stage) = found.name.strip_prefix("INPUTS.").filter(|stage| !is_given(stage)) else { continue };
        let at = from + found.at.start..from + found.at.end;
        if !steps.iter().any(|step| step.id == stage) {
            let message = format!("`${{{}}}` names no stage of `{}`", found.name, pipeline.name);
            findings.error(Code::P008, &at, message).hint(stage_meant(steps, stage));
            continue;
        }
        let message = format!("`${{{}}}` is empty: `{}` has no input from `{stage}`", found.name, step.id);
        if step.has_inputs || !is_chain(steps) {
            let hint = format!("add `inputs: {{from: {stage}, select: all}}`, or remove it from the prompt");
            findings.error(Code::P008, &at, message).hint(hint);
        } else {
            // The older format accepted any stage's name and used what there was.
            findings.warning(Code::P008, &at, message).hint(format!("move `{stage}` up"));
        }
    }
    findings.list
}

/// What a stage of the older format reads implicitly: its prompt names `${INPUTS}` or `${INPUTS.<stage>}`.
pub fn implied_inputs(steps: &[Step], index: usize, prompt: &str) -> Vec<Input> {
    if steps[index].has_inputs || !is_chain(steps) {
        return Vec::new();
    }
    let mut inputs: Vec<Input> = Vec::new();
    for found in uses(prompt).into_iter().filter(|found| !found.escaped) {
        let from = match found.name {
            "INPUTS" => index.checked_sub(1).map(|before| steps[before].id.as_str()),
            name => name.strip_prefix("INPUTS.").filter(|stage| steps[..index].iter().any(|step| step.id == *stage)),
        };
        if let Some(from) = from.filter(|from| !inputs.iter().any(|input| input.from == *from)) {
            inputs.push(Input { from: from.to_owned(), select: Select::All });
        }
    }
    inputs
}
