use std::sync::Arc;

use super::named_input::check_named_inputs;
use super::prompt::check_variables;
use super::shared_output::check_shared_outputs;
use super::{CheckedStage, Code, Finding, Findings, check_stage};
use crate::SourceFile;
use crate::definition::{
    Catalog, DefinitionError, Graph, Loaded, Origin, Output, PipelineDefinition, StageDefinition, Step, Unreachable,
    graph, read_pipeline, unreachable_within,
};
use crate::prompt::mentions;

/// A pipeline with its stages, and all findings about them.
#[derive(Clone, Debug)]
pub struct CheckedPipeline {
    pub name: String,
    pub origin: Origin,
    pub file: Arc<SourceFile>,
    pub definition: PipelineDefinition,
    /// `None` if there is no order.
    pub graph: Option<Graph>,
    /// One for each of the definition's stages.
    pub steps: Vec<CheckedStep>,
    pub findings: Vec<Finding>,
}

/// Where a stage of a pipeline comes from.
#[derive(Clone, Debug)]
pub enum CheckedStep {
    Template(Box<CheckedStage>),
    /// Its prompt is written in the pipeline.
    Inline,
    Missing,
}

impl CheckedStep {
    pub(crate) fn definition(&self) -> StageDefinition {
        match self {
            Self::Template(stage) => stage.definition.clone(),
            Self::Inline | Self::Missing => StageDefinition::default(),
        }
    }

    /// The prompt as written.
    pub fn prompt<'a>(&'a self, step: &'a Step) -> &'a str {
        match self {
            Self::Template(stage) => &stage.files.prompt.file.text,
            Self::Inline | Self::Missing => step.prompt.as_ref().map_or("", |prompt| &prompt.name),
        }
    }
}

pub fn check_pipeline(catalog: &Catalog, typed: &str) -> Result<CheckedPipeline, DefinitionError> {
    let (name, origin, Loaded { file, fault }) = catalog.pipeline_file(typed)?;
    let (definition, mut findings) = match fault {
        Some(fault) => {
            let mut findings = Findings::of(file.clone());
            let hint = fault.hint.unwrap_or("create one with `stead pipeline new`");
            findings.error(Code::P001, &(0..0), fault.why).hint(hint);
            (PipelineDefinition::default(), findings)
        }
        None => read_pipeline(file.clone(), &name),
    };
    let graph = graph(&definition.steps, &mut findings);
    let mut steps = Vec::new();
    let mut of_stages: Vec<Finding> = Vec::new();
    for step in &definition.steps {
        let checked = template(catalog, step, &mut findings);
        if let CheckedStep::Template(stage) = &checked {
            for finding in &stage.findings {
                if !of_stages.contains(finding) {
                    of_stages.push(finding.clone());
                }
            }
        }
        check_step(step, &checked, &mut findings);
        steps.push(checked);
    }
    if let Some(graph) = &graph {
        check_shared_outputs(&definition.steps, &steps, graph, &mut findings);
    }
    for (index, checked) in steps.iter().enumerate() {
        let mut named = check_named_inputs(&definition.steps, index, checked, &file);
        named.retain(|finding| !of_stages.contains(finding));
        of_stages.append(&mut named);
    }
    if let Some(leftover) = catalog.pipeline_leftover(&file) {
        let mut beside = Findings::of(leftover.clone());
        let message = format!("`{}` has no effect beside `{}`", last(&leftover.name), last(&file.name));
        beside.warning(Code::P002, &(0..0), message).hint("rename or delete it");
        findings.list.append(&mut beside.list);
    }
    findings.list.append(&mut of_stages);
    Ok(CheckedPipeline { name, origin, file, definition, graph, steps, findings: findings.list })
}

fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn template(catalog: &Catalog, step: &Step, findings: &mut Findings) -> CheckedStep {
    let Some(named) = &step.template else {
        return if step.prompt.is_some() { CheckedStep::Inline } else { CheckedStep::Missing };
    };
    match catalog.stage_files(&named.name) {
        Ok(files) => CheckedStep::Template(Box::new(check_stage(files))),
        Err(error) => {
            let finding = findings.error(Code::P005, &named.at, error.to_string());
            if let DefinitionError::UnknownStage { other_kind: true, .. } = &error {
                finding.hint("it is a pipeline; a template must be a stage");
            } else if let Some(hint) = error.hint() {
                finding.hint(hint);
            }
            CheckedStep::Missing
        }
    }
}

fn check_step(step: &Step, checked: &CheckedStep, findings: &mut Findings) {
    let base = checked.definition();
    if let (CheckedStep::Inline, Some(prompt)) = (checked, &step.prompt) {
        check_inline(prompt.at.clone(), findings);
    }
    let most = base.limits.overridden_by(&step.limits).settle().max_iterations;
    let ending = step.termination.as_ref().or(base.termination.as_ref());
    // Problems of the stage's own file are reported there.
    let own = step.max_at.as_ref().or(step.termination_at.as_ref());
    if let (Some(at), Some(Unreachable { why, .. })) = (own, ending.and_then(|ending| unreachable_within(ending, most)))
    {
        if step.termination_at.is_some() {
            findings.error(Code::L006, at, why).hint("raise `max_iterations`, or lower the other value");
        } else {
            // The limit is not in the stage's file: fewer iterations than it needs are set on purpose, as with `--max`.
            findings.warning(Code::L006, at, why).hint("it runs and ends with `limit`");
        }
    }
    let output = step.output.as_ref().or(base.output.as_ref());
    match &step.fan {
        None => {
            let in_prompt = mentions(checked.prompt(step), "ITEM");
            let in_output = output.is_some_and(Output::names_the_item);
            if let Some(what) = in_prompt.then_some("prompt").or(in_output.then_some("output")) {
                let message = format!("the {what} uses `${{ITEM}}`, but the stage has no `parallel.over`");
                findings.error(Code::P011, &step.id_at, message).hint("add `parallel: {over: [..]}`");
            }
        }
        Some(fan) => {
            let has_items = fan.branches.iter().all(|(branch, _)| branch.item.is_some());
            if !has_items && mentions(checked.prompt(step), "ITEM") {
                let finding = findings.error(
                    Code::P011,
                    &fan.at,
                    "the prompt uses `${ITEM}`, but the stage has no `parallel.over`",
                );
                finding.hint("add `over: [..]`");
            }
            if has_items && !matches!(checked, CheckedStep::Missing) && !mentions(checked.prompt(step), "ITEM") {
                let message = "the prompt does not use `${ITEM}`, so no branch sees its item";
                findings.warning(Code::P011, &fan.at, message).hint("use `${ITEM}` in the prompt");
            }
            if let Some(output) = output.filter(|output| !output.names_the_item() && !fan.worktree) {
                let message = format!("all branches would write `{}`", output.pattern);
                findings
                    .error(Code::P011, &fan.at, message)
                    .hint("use `${ITEM}` in the output, or set `worktree: true`");
            }
        }
    }
}

/// Checks the variables in the pipeline's own text, so that positions are right.
fn check_inline(at: std::ops::Range<usize>, findings: &mut Findings) {
    let file = findings.file.clone();
    check_variables(findings, &file.text[at.clone()], at.start);
}
