//! Which features depend on which, as text and as pictures.

mod layout;
mod svg;

use std::collections::HashMap;

use serde::Serialize;

use crate::{FeatureList, Status};

/// The features and their dependencies. Cycles are not expected; the strict reader refuses them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Graph {
    pub nodes: Vec<Node>,
}

/// One feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Node {
    pub id: String,
    pub title: String,
    pub status: Status,
    /// How many features come one after another before this one.
    pub level: usize,
    /// The indexes of its dependencies.
    #[serde(skip)]
    needs: Vec<usize>,
    pub depends_on: Vec<String>,
}

impl Graph {
    pub fn of(list: &FeatureList) -> Self {
        let places: HashMap<&str, usize> =
            list.features.iter().enumerate().map(|(at, feature)| (feature.id.as_str(), at)).collect();
        let nodes = list.features.iter().map(|feature| Node {
            id: feature.id.clone(),
            title: feature.title.clone(),
            status: feature.state(),
            level: 0,
            needs: feature.depends_on.iter().filter_map(|id| places.get(id.as_str()).copied()).collect(),
            depends_on: feature.depends_on.clone(),
        });
        let mut graph = Self { nodes: nodes.collect() };
        graph.set_levels();
        graph
    }

    /// The level of a feature is one more than the highest of its dependencies.
    fn set_levels(&mut self) {
        let mut open: Vec<usize> = self.nodes.iter().map(|node| node.needs.len()).collect();
        let mut dependents = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            node.needs.iter().for_each(|need| dependents[*need].push(at));
        }
        let mut free: Vec<usize> = (0..open.len()).filter(|at| open[*at] == 0).collect();
        while let Some(at) = free.pop() {
            for dependent in &dependents[at] {
                self.nodes[*dependent].level = self.nodes[*dependent].level.max(self.nodes[at].level + 1);
                open[*dependent] -= 1;
                if open[*dependent] == 0 {
                    free.push(*dependent);
                }
            }
        }
    }

    /// One line per feature, by level.
    pub fn text(&self) -> String {
        let mut order: Vec<&Node> = self.nodes.iter().collect();
        order.sort_by_key(|node| node.level);
        let width = order.iter().map(|node| node.id.chars().count()).max().unwrap_or(0).min(24);
        let mut text = String::new();
        for node in order {
            let needs =
                if node.depends_on.is_empty() { String::new() } else { format!("  <- {}", node.depends_on.join(", ")) };
            let line = format!(
                "{:>2}  {:<11}  {:<width$}  {}{needs}",
                node.level,
                node.status,
                node.id,
                one_line(&node.title)
            );
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    /// The graph in the language of Graphviz.
    pub fn dot(&self) -> String {
        let mut text =
            String::from("digraph features {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\"];\n");
        for node in &self.nodes {
            let label = format!("{}\n{}", node.id, one_line(&node.title));
            text += &format!(
                "  {} [label={}, fillcolor=\"{}\"];\n",
                quoted(&node.id),
                quoted(label.trim_end()),
                fill(node.status)
            );
        }
        for node in &self.nodes {
            node.needs.iter().for_each(|need| {
                text += &format!("  {} -> {};\n", quoted(&self.nodes[*need].id), quoted(&node.id));
            });
        }
        text + "}\n"
    }

    /// The graph as a picture.
    pub fn svg(&self) -> String {
        svg::render(self, &layout::Layout::of(self))
    }
}

/// The colour of a status.
fn fill(status: Status) -> &'static str {
    match status {
        Status::Pending => "#f1f3f5",
        Status::Claimed => "#fff3bf",
        Status::Implemented => "#d0ebff",
        Status::Tested => "#d3f9d8",
        Status::Blocked => "#ffe3e3",
        Status::Skipped => "#e9ecef",
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A string of Graphviz.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests;
