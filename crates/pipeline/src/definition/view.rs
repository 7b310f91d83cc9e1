use std::sync::Arc;

use super::{Catalog, DefinitionError, Origin, SourceFile};
use crate::Termination;
use crate::lint::{CheckedStep, Finding, check_pipeline, check_stage};

/// A stage as shown to people.
#[derive(Clone, Debug)]
pub struct StageView {
    pub name: String,
    pub origin: Origin,
    pub description: Option<String>,
    /// `None` if the file does not set it, or sets it wrong.
    pub termination: Option<Termination>,
    pub max_iterations: u32,
    pub manifest: Arc<SourceFile>,
    pub prompt: Arc<SourceFile>,
    /// Mock answers by file name.
    pub fixtures: Vec<(String, String)>,
    pub findings: Vec<Finding>,
}

/// A pipeline as shown to people.
#[derive(Clone, Debug)]
pub struct PipelineView {
    pub name: String,
    pub origin: Origin,
    pub description: Option<String>,
    /// Ids and templates, as listed; the template is empty if the prompt is in the pipeline.
    pub stages: Vec<(String, String)>,
    pub file: Arc<SourceFile>,
    pub findings: Vec<Finding>,
}

impl Catalog {
    pub fn stage(&self, name: &str) -> Result<StageView, DefinitionError> {
        let stage = check_stage(self.stage_files(name)?);
        Ok(StageView {
            name: stage.files.name,
            origin: stage.files.origin,
            max_iterations: stage.definition.limits.settle().max_iterations,
            description: stage.definition.description,
            termination: stage.definition.termination,
            manifest: stage.files.manifest.file,
            prompt: stage.files.prompt.file,
            fixtures: stage.files.fixtures.files(),
            findings: stage.findings,
        })
    }

    pub fn pipeline(&self, name: &str) -> Result<PipelineView, DefinitionError> {
        let pipeline = check_pipeline(self, name)?;
        let template = |step: &CheckedStep| match step {
            CheckedStep::Template(stage) => stage.files.name.clone(),
            CheckedStep::Inline | CheckedStep::Missing => String::new(),
        };
        let steps = pipeline.definition.steps.iter().zip(&pipeline.steps);
        Ok(PipelineView {
            stages: steps.map(|(step, checked)| (step.id.clone(), template(checked))).collect(),
            name: pipeline.name,
            origin: pipeline.origin,
            description: pipeline.definition.description,
            file: pipeline.file,
            findings: pipeline.findings,
        })
    }
}
