//! Stages that may run in parallel and would overwrite each other's output.

use std::collections::BTreeMap;

use super::{CheckedStep, Code, Findings};
use crate::definition::{Graph, Output, Step};

/// Reports every stage that writes the file of another one that runs neither before nor after it.
pub(crate) fn check_shared_outputs(steps: &[Step], checked: &[CheckedStep], graph: &Graph, findings: &mut Findings) {
    let mut writers: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, (step, checked)) in steps.iter().zip(checked).enumerate() {
        for path in outputs(step, checked) {
            writers.entry(path).or_default().push(index);
        }
    }
    writers.retain(|_, indices| indices.len() > 1);
    if writers.is_empty() {
        return;
    }
    let before = graph.before();
    let at_once =
        |one: usize, other: usize| !before[one][other] && !before[other][one] && !excludes(&steps[one], &steps[other]);
    let mut told: Vec<usize> = Vec::new();
    for (path, indices) in &writers {
        for (place, later) in indices.iter().enumerate() {
            let Some(earlier) = indices[..place].iter().find(|earlier| at_once(**earlier, *later)) else { continue };
            if told.contains(later) {
                continue;
            }
            told.push(*later);
            let (step, other) = (&steps[*later], &steps[*earlier].id);
            let at = step.output.as_ref().map_or(&step.id_at, |output| &output.at);
            let message = format!("`{other}` and `{}` may run in parallel and both write `{path}`", step.id);
            let hint = format!("give one another `output`, or add `needs: [{other}]` to `{}`", step.id);
            findings.error(Code::P011, at, message).hint(hint);
        }
    }
}

/// The files that a stage writes in the project's own tree, with the run's name as a variable.
fn outputs(step: &Step, checked: &CheckedStep) -> Vec<String> {
    let base = checked.definition();
    let Some(output) = step.output.as_ref().or(base.output.as_ref()) else { return Vec::new() };
    match &step.fan {
        None => vec![path(output, None)],
        Some(fan) if fan.worktree => Vec::new(),
        Some(fan) => {
            let mut paths: Vec<String> =
                fan.branches.iter().map(|(branch, _)| path(output, Some(&branch.name))).collect();
            paths.dedup();
            paths
        }
    }
}

fn path(output: &Output, branch: Option<&str>) -> String {
    let resolved = output.resolve("${SESSION}", branch);
    resolved.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}

/// Of two stages that wait for different outcomes of the same one, only one ever runs.
fn excludes(one: &Step, other: &Step) -> bool {
    let (Some(one), Some(other)) = (&one.when, &other.when) else { return false };
    one.stage.name == other.stage.name && !one.outcome.iter().any(|outcome| other.outcome.contains(outcome))
}
