use super::{Code, Finding, Findings, Severity, check_pipeline, check_stage};
use crate::definition::{Catalog, DefinitionError};

/// All findings about one stage.
pub fn lint_stage(catalog: &Catalog, name: &str) -> Result<Vec<Finding>, DefinitionError> {
    Ok(check_stage(catalog.stage_files(name)?).findings)
}

/// All findings about one pipeline and its stages.
pub fn lint_pipeline(catalog: &Catalog, name: &str) -> Result<Vec<Finding>, DefinitionError> {
    Ok(check_pipeline(catalog, name)?.findings)
}

/// All findings about any stage, in name order, and folders among them that are not stages.
pub fn lint_stages(catalog: &Catalog) -> Result<Vec<Finding>, DefinitionError> {
    let mut all: Vec<Finding> = Vec::new();
    for (name, _) in catalog.stages() {
        all.extend(lint_stage(catalog, &name)?);
    }
    for folder in catalog.strays() {
        let mut findings = Findings::of(folder);
        let message = "not a stage: the folder has neither `stage.yaml` nor `prompt.md`";
        findings
            .warning(Code::L001, &(0..0), message)
            .hint("create a stage with `stead stage new`, or delete the folder");
        all.append(&mut findings.list);
    }
    Ok(all)
}

/// All findings about any stage or pipeline, each once, in name order.
pub fn lint_all(catalog: &Catalog) -> Result<Vec<Finding>, DefinitionError> {
    let mut all = lint_stages(catalog)?;
    for (name, _) in catalog.pipelines() {
        for finding in lint_pipeline(catalog, &name)? {
            if !all.contains(&finding) {
                all.push(finding);
            }
        }
    }
    Ok(all)
}

/// Turns deprecations into errors.
pub fn strict(findings: &mut [Finding]) {
    for finding in findings {
        if finding.severity == Severity::Deprecation {
            finding.severity = Severity::Error;
        }
    }
}
