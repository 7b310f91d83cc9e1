//! Which outputs of others an iteration is given. Paths follow from the counters, so nothing is listed or searched.

use std::collections::BTreeMap;

use super::folder::RunFolder;
use crate::context_file::{ContextInputs, PREVIOUS_LISTED};
use crate::state::{NodeState, State};
use crate::{Node, Outcome, Plan, Select};

/// The outputs of other stages that a node asked for. They do not change while it runs.
pub(crate) fn from_stages(
    folder: &RunFolder,
    plan: &Plan,
    state: &State,
    node: &Node,
) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for input in &node.inputs {
        let paths = found.entry(input.from.clone()).or_default();
        for (source, at) in plan.nodes.iter().zip(&state.nodes) {
            let has_output = matches!(at.outcome, Some(Outcome::Done | Outcome::Limit));
            if source.stage != input.from || !has_output || at.iteration_completed == 0 {
                continue;
            }
            let first = match input.select {
                Select::All => 1,
                Select::Latest => at.iteration_completed,
            };
            paths.extend((first..=at.iteration_completed).map(|iteration| output(folder, &source.dir, iteration)));
        }
    }
    found
}

/// Stages that a node wanted something from and that were skipped.
pub(crate) fn skipped(plan: &Plan, state: &State, node: &Node) -> Vec<String> {
    let is_skipped = |stage: &str| {
        let mut of_stage = plan.nodes.iter().zip(&state.nodes).filter(|(source, _)| source.stage == stage).peekable();
        of_stage.peek().is_some() && of_stage.all(|(_, at)| at.outcome == Some(Outcome::Skipped))
    };
    node.inputs.iter().map(|input| input.from.clone()).filter(|from| is_skipped(from)).collect()
}

/// Everything a node's next iteration is given.
pub(crate) fn of_iteration(
    folder: &RunFolder,
    plan: &Plan,
    at: &NodeState,
    from_stage: &BTreeMap<String, Vec<String>>,
) -> ContextInputs {
    let count = at.iteration_completed;
    let first = count.saturating_sub(PREVIOUS_LISTED) + 1;
    ContextInputs {
        from_stage: from_stage.clone(),
        from_previous_iterations: (first..=count).map(|iteration| output(folder, &at.dir, iteration)).collect(),
        previous_iteration_count: count,
        previous_iterations_dir: text(&folder.path().join(&at.dir).join("iterations")),
        initial: plan.initial_inputs.clone(),
    }
}

fn output(folder: &RunFolder, dir: &str, iteration: u32) -> String {
    text(&folder.iteration_dir(dir, iteration).join(super::attempt::OUTPUT))
}

pub(crate) fn text(path: &std::path::Path) -> String {
    path.to_string_lossy().into_owned()
}
