//! Plans for tests.

use crate::state::{NodeStatus, State};
use crate::{Guardrails, Join, Node, OnLimit, OnQuota, Plan, Provider, Termination};

/// A node that does one iteration. A branch is named `stage.branch`.
pub(crate) fn node(id: &str) -> Node {
    let stage = id.split('.').next().unwrap();
    Node {
        index: 0,
        id: id.into(),
        stage: stage.into(),
        template: stage.into(),
        branch: None,
        dir: format!("stage-00-{id}"),
        prompt: String::new(),
        termination: Termination::Fixed,
        guardrails: Guardrails {
            max_iterations: 1,
            max_runtime_seconds: None,
            iteration_timeout_seconds: None,
            max_cost_usd: None,
            on_limit: OnLimit::Continue,
            on_quota: OnQuota::Stop,
        },
        output: None,
        provider: Provider::Mock,
        model: None,
        inputs: vec![],
        needs: vec![],
        when: None,
        join: None,
        stage_parallel: None,
        worktree: false,
        fixtures: None,
        fixture_texts: vec![],
        verify: vec![],
        output_parse: None,
        explain_status: false,
    }
}

pub(crate) fn needing(id: &str, needs: &[&str]) -> Node {
    Node { needs: needs.iter().map(|need| (*need).to_owned()).collect(), ..node(id) }
}

pub(crate) fn plan(nodes: Vec<Node>) -> Plan {
    Plan {
        schema: 1,
        run: "r".into(),
        pipeline: None,
        created_at: "T".into(),
        sources: vec![],
        max_parallel: 4,
        max_cost_usd: None,
        max_runtime_seconds: None,
        initial_inputs: vec![],
        nodes,
        amendments: vec![],
    }
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
