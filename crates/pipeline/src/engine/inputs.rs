//! Which outputs of other stages an iteration gets. Paths are derived from the counters, so nothing is listed or
//! searched; files that were removed are omitted and reported.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::folder::RunFolder;
use super::worktree;
use crate::context_file::{ContextInputs, ContextWorktree, PREVIOUS_LISTED};
use crate::state::{NodeState, State};
use crate::{Node, Outcome, Plan, Select};

/// An output of an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    node: String,
    iteration: u32,
    path: PathBuf,
}

/// An output that should exist: the node and the iteration.
pub(crate) type Gone = (String, u32);

/// The outputs of other stages that a node asked for. They do not change while it runs.
pub(crate) fn from_stages(folder: &RunFolder, plan: &Plan, state: &State, node: &Node) -> BTreeMap<String, Vec<Kept>> {
    let mut found: BTreeMap<String, Vec<Kept>> = BTreeMap::new();
    for input in &node.inputs {
        let outputs = found.entry(input.from.clone()).or_default();
        for (source, at) in plan.nodes.iter().zip(&state.nodes) {
            let has_output = matches!(at.outcome, Some(Outcome::Done | Outcome::Limit | Outcome::Unverified));
            if source.stage != input.from || !has_output || at.iteration_completed == 0 {
                continue;
            }
            let first = match input.select {
                Select::All => 1,
                Select::Latest => at.iteration_completed,
            };
            outputs.extend((first..=at.iteration_completed).map(|iteration| kept(folder, at, iteration)));
        }
    }
    found
}

/// The work trees that stages before a node left. Unchanged ones were removed.
pub(crate) fn worktrees(folder: &RunFolder, plan: &Plan, state: &State, node: &Node) -> Vec<ContextWorktree> {
    let is_before = |stage: &String| node.needs.contains(stage) || node.inputs.iter().any(|input| input.from == *stage);
    let sources = plan.nodes.iter().zip(&state.nodes).filter(|(source, _)| source.worktree && is_before(&source.stage));
    let trees = sources.filter_map(|(source, at)| {
        let path = worktree::path(folder, &source.id);
        path.is_dir().then(|| ContextWorktree {
            stage: source.stage.clone(),
            node: source.id.clone(),
            path: text(&path),
            git_branch: worktree::branch_name(folder, &source.id),
            base: at.worktree_base.clone(),
        })
    });
    trees.collect()
}

/// Skipped stages that a node wanted input from.
pub(crate) fn skipped(plan: &Plan, state: &State, node: &Node) -> Vec<String> {
    let is_skipped = |stage: &str| {
        let mut of_stage = plan.nodes.iter().zip(&state.nodes).filter(|(source, _)| source.stage == stage).peekable();
        of_stage.peek().is_some() && of_stage.all(|(_, at)| at.outcome == Some(Outcome::Skipped))
    };
    node.inputs.iter().map(|input| input.from.clone()).filter(|from| is_skipped(from)).collect()
}

/// Everything a node's next iteration gets, and what is missing.
pub(crate) fn of_iteration(
    folder: &RunFolder,
    plan: &Plan,
    at: &NodeState,
    from_stage: &BTreeMap<String, Vec<Kept>>,
) -> (ContextInputs, Vec<Gone>) {
    let count = at.iteration_completed;
    let first = count.saturating_sub(PREVIOUS_LISTED) + 1;
    let previous: Vec<Kept> = (first..=count).map(|iteration| kept(folder, at, iteration)).collect();
    let mut gone = Vec::new();
    let inputs = ContextInputs {
        from_stage: from_stage.iter().map(|(stage, outputs)| (stage.clone(), there(outputs, &mut gone))).collect(),
        from_previous_iterations: there(&previous, &mut gone),
        previous_iteration_count: count,
        previous_iterations_dir: text(&folder.path().join(&at.dir).join("iterations")),
        initial: plan.initial_inputs.clone(),
        worktrees: Vec::new(),
    };
    (inputs, gone)
}

/// Describes what is missing, one line per node, in the order of creation.
pub(crate) fn describe_missing(gone: &[Gone]) -> Vec<String> {
    let told = |one: &[Gone]| -> Option<String> {
        let (node, first) = one.first()?;
        let mut ranges: Vec<(u32, u32)> = vec![(*first, *first)];
        for (_, iteration) in &one[1..] {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == *iteration => *last = *iteration,
                _ => ranges.push((*iteration, *iteration)),
            }
        }
        if one.len() == 1 {
            return Some(format!("the output of iteration {first} of `{node}` is missing"));
        }
        let range =
            |(first, last): &(u32, u32)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
        let ranges: Vec<String> = ranges.iter().map(range).collect();
        Some(format!("the outputs of iterations {} of `{node}` are missing", ranges.join(", ")))
    };
    gone.chunk_by(|one, next| one.0 == next.0).filter_map(told).collect()
}

fn there(outputs: &[Kept], gone: &mut Vec<Gone>) -> Vec<String> {
    let mut paths = Vec::with_capacity(outputs.len());
    for output in outputs {
        if output.path.is_file() {
            paths.push(text(&output.path));
        } else {
            gone.push((output.node.clone(), output.iteration));
        }
    }
    paths
}

fn kept(folder: &RunFolder, at: &NodeState, iteration: u32) -> Kept {
    let path = folder.iteration_dir(&at.dir, iteration).join(super::attempt::OUTPUT);
    Kept { node: at.id.clone(), iteration, path }
}

pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::describe_missing;

    #[test]
    fn missing_outputs_are_listed_by_node() {
        let check = |gone: &[(&str, u32)], expected: &[&str]| {
            let gone: Vec<_> = gone.iter().map(|(node, iteration)| ((*node).to_owned(), *iteration)).collect();
            assert_eq!(describe_missing(&gone), expected);
        };
        check(&[], &[]);
        check(&[("a", 1)], &["the output of iteration 1 of `a` is missing"]);
        check(
            &[("a", 1), ("a", 2), ("a", 3), ("a", 7), ("b", 2)],
            &["the outputs of iterations 1-3, 7 of `a` are missing", "the output of iteration 2 of `b` is missing"],
        );
    }
}
