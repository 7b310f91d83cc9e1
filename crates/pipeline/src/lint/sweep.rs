use super::{Code, Finding, Findings, Severity, check_pipeline, check_stage};
use crate::definition::{Catalog, DefinitionError};

/// Everything wrong with one stage.
pub fn lint_stage(catalog: &Catalog, name: &str) -> Result<Vec<Finding>, DefinitionError> {
    Ok(check_stage(catalog.stage_files(name)?).findings)
}

/// Everything wrong with one pipeline, and with the stages it is made of.
pub fn lint_pipeline(catalog: &Catalog, name: &str) -> Result<Vec<Finding>, DefinitionError> {
    Ok(check_pipeline(catalog, name)?.findings)
}

/// Everything wrong with any stage, in the order of names, and the folders among them that are none.
pub fn lint_stages(catalog: &Catalog) -> Result<Vec<Finding>, DefinitionError> {
    let mut all: Vec<Finding> = Vec::new();
    for (name, _) in catalog.stages() {
        all.extend(lint_stage(catalog, &name)?);
    }
    for folder in catalog.strays() {
        let mut findings = Findings::of(folder);
        let message = "the folder holds no stage: there is neither `stage.yaml` nor `prompt.md`";
        findings.warning(Code::L001, &(0..0), message).hint("`stead stage new` makes one; or delete the folder");
        all.append(&mut findings.list);
    }
    Ok(all)
}

/// Everything wrong with any stage or pipeline, each finding once, in the order of names.
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

/// Makes the older form an error.
pub fn strict(findings: &mut [Finding]) {
    for finding in findings {
        if finding.severity == Severity::Deprecation {
            finding.severity = Severity::Error;
        }
    }
}
