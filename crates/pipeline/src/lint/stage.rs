use super::fixture::check_fixtures;
use super::prompt::{check_mentions, check_variables};
use super::{Code, Finding, Findings};
use crate::definition::{Loaded, StageDefinition, StageFiles, read_stage};

/// A stage as it was read, and what is wrong with it.
#[derive(Clone, Debug)]
pub(crate) struct CheckedStage {
    pub(crate) files: StageFiles,
    pub(crate) definition: StageDefinition,
    pub(crate) findings: Vec<Finding>,
}

pub(crate) fn check_stage(files: StageFiles) -> CheckedStage {
    let Loaded { file, fault } = &files.manifest;
    let (definition, mut findings) = match fault {
        Some(why) => {
            let mut findings = Findings::of(file.clone());
            findings.error(Code::L001, &(0..0), why.clone()).hint("`stead stage new` makes a stage that is whole");
            (StageDefinition::default(), findings)
        }
        None => read_stage(file.clone(), &files.name),
    };
    findings.list.append(&mut check_prompt(&files.prompt).list);
    let folder = file.name.rsplit_once('/').map_or("", |(folder, _)| folder);
    findings.list.append(&mut check_fixtures(&files.fixtures, &format!("{folder}/fixtures")));
    CheckedStage { definition, findings: findings.list, files }
}

fn check_prompt(prompt: &Loaded) -> Findings {
    let mut findings = Findings::of(prompt.file.clone());
    let text = &prompt.file.text;
    match &prompt.fault {
        Some(why) => findings.error(Code::L008, &(0..0), why.clone()).hint("write what the agent is to do"),
        None if text.trim().is_empty() => {
            findings.error(Code::L008, &(0..0), "the prompt is empty").hint("write what the agent is to do");
        }
        None => {
            check_variables(&mut findings, text, 0);
            check_mentions(&mut findings, text);
        }
    }
    findings
}
