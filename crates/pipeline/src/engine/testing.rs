//! Plans for tests.

use crate::state::{NodeStatus, State};
use crate::{Guardrails, Join, Node, Plan};

/// A node that does one iteration. A branch is named `stage.branch`.
pub(crate) fn node(id: &str) -> Node {
    let stage = id.split('.').next().unwrap();
    Node {
        id: id.into(),
        stage: stage.into(),
        template: stage.into(),
        dir: format!("stage-00-{id}"),
        guardrails: Guardrails { max_iterations: 1, ..Guardrails::default() },
        ..Node::default()
    }
}

pub(crate) fn needing(id: &str, needs: &[&str]) -> Node {
    Node { needs: needs.iter().map(|need| (*need).to_owned()).collect(), ..node(id) }
}

pub(crate) fn plan(nodes: Vec<Node>) -> Plan {
    Plan { schema: 1, run: "r".into(), created_at: "T".into(), max_parallel: 4, nodes, ..Plan::default() }
}

/// Branches of `a`, and `b`, which needs them.
pub(crate) fn fan(join: Join, count: usize) -> Plan {
    let branch = |name: usize| Node { join: Some(join), ..node(&format!("a.{name}")) };
    plan((0..count).map(branch).chain([needing("b", &["a"])]).collect())
}

pub(crate) fn state(plan: &Plan, statuses: &[NodeStatus]) -> State {
    let mut state = State::new(plan, "id".into(), "T".into());
    for (node, status) in state.nodes.iter_mut().zip(statuses) {
        node.status = *status;
    }
    state
}
