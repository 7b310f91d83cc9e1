use super::fixture::check_fixtures;
use super::prompt::{check_mentions, check_variables};
use super::{Code, Finding, Findings};
use crate::definition::{Loaded, OLD_FILE, StageDefinition, StageFiles, read_stage};
use crate::prompt::uses;

const ITEM: &str = "ITEM";

/// A stage, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct CheckedStage {
    pub files: StageFiles,
    pub definition: StageDefinition,
    pub findings: Vec<Finding>,
}

pub(crate) fn check_stage(files: StageFiles) -> CheckedStage {
    let Loaded { file, fault } = &files.manifest;
    let (definition, mut findings) = match fault {
        Some(fault) => {
            let mut findings = Findings::of(file.clone());
            let hint = fault.hint.unwrap_or("create one with `stead stage new`");
            findings.error(Code::L001, &(0..0), fault.why.clone()).hint(hint);
            (StageDefinition::default(), findings)
        }
        None => read_stage(file.clone(), &files.name),
    };
    findings.list.append(&mut check_prompt(&files.prompt, definition.output_parse.as_deref()).list);
    let folder = file.name.rsplit_once('/').map_or("", |(folder, _)| folder);
    findings.list.append(&mut check_fixtures(&files.fixtures, &format!("{folder}/fixtures")));
    if let Some(leftover) = &files.leftover {
        let mut beside = Findings::of(leftover.clone());
        let message = format!("`{OLD_FILE}` has no effect beside `stage.yaml`");
        beside.warning(Code::L014, &(0..0), message).hint("delete it if `stage.yaml` has all its settings");
        findings.list.append(&mut beside.list);
    }
    CheckedStage { definition, findings: findings.list, files }
}

/// Reports what a stage cannot use when it runs on its own, outside a pipeline that fans it out.
pub(crate) fn check_alone(stage: &CheckedStage) -> Vec<Finding> {
    let mut findings = Findings::of(stage.files.prompt.file.clone());
    let text = &stage.files.prompt.file.text;
    if let Some(found) = uses(text).into_iter().find(|found| !found.escaped && found.name == ITEM) {
        findings.error(Code::P011, &found.at, "the prompt uses `${ITEM}`, but the stage runs on its own");
    }
    let mut list = findings.list;
    let mut findings = Findings::of(stage.files.manifest.file.clone());
    if let Some(output) = stage.definition.output.as_ref().filter(|output| output.names_the_item()) {
        let message = "the output uses `${ITEM}`, but the stage runs on its own";
        findings.error(Code::P011, &output.at, message);
    }
    list.append(&mut findings.list);
    list
}

fn check_prompt(prompt: &Loaded, output_parse: Option<&str>) -> Findings {
    let mut findings = Findings::of(prompt.file.clone());
    let text = &prompt.file.text;
    match &prompt.fault {
        Some(fault) => {
            let hint = fault.hint.unwrap_or("write what the agent should do");
            findings.error(Code::L008, &(0..0), fault.why.clone()).hint(hint);
        }
        None if text.trim().is_empty() => {
            findings.error(Code::L008, &(0..0), "the prompt is empty").hint("write what the agent should do");
        }
        None => {
            check_variables(&mut findings, text, 0);
            check_mentions(&mut findings, text, output_parse);
        }
    }
    findings
}
