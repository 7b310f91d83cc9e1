use std::fs;

use serde_json::json;
use stead_pipeline::{ErrorKind, NodeStatus, Provider, RunStatus};

use super::world::{World, chain, node};

/// A fake client that does its work for money.
fn paid(world: &mut World, script: &str) {
    let result = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"ok","total_cost_usd":0.25,"session_id":"s1"}'"#;
    world.program(
        "claude",
        &format!("echo '{{\"decision\": \"continue\"}}' > \"$STEAD_STATUS\"; echo x >> calls; {result}; {script}"),
    );
}

#[test]
fn money_is_counted_and_runs_out() {
    let mut world = World::new();
    paid(&mut world, "");
    let mut stage = node("a", 9, "");
    stage.provider = Provider::Known("claude".into());
    stage.guardrails.max_cost_usd = Some(0.6);
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, end.state.cost_usd, world.calls().len()), (RunStatus::Limit, 0.75, 3));
    let budget = world.json("stage-00-a/iterations/003/context.json")["budget"].clone();
    assert_eq!((&budget["cost_usd_used"], &budget["cost_usd_remaining"]), (&json!(0.5), &json!(0.1)));
    assert_eq!(world.warnings(), [""; 0]);
}

#[test]
fn failed_attempts_cost_too_and_the_runs_budget_ends_all() {
    let mut world = World::new();
    paid(&mut world, "test -e ready || exit 1");
    let stage = |id| {
        let mut stage = node(id, 2, "");
        stage.provider = Provider::Known("claude".into());
        stage
    };
    let mut plan = chain(vec![stage("a"), stage("b")]);
    plan.max_cost_usd = Some(0.5);
    let end = world.start(&plan).unwrap();
    assert_eq!((end.status, end.state.cost_usd), (RunStatus::Failed, 0.25));
    fs::write(world.root.join("ready"), "").unwrap();
    let end = world.resume().unwrap();
    assert_eq!((end.status, end.state.cost_usd, world.calls().len()), (RunStatus::Limit, 0.5, 2));
    let statuses: Vec<NodeStatus> = end.state.nodes.iter().map(|node| node.status).collect();
    assert_eq!(statuses, [NodeStatus::Limit, NodeStatus::Limit]);
    assert_eq!(end.reason.as_deref(), Some("`a`, `b` reached their limits"));
}

/// A provider that turns an agent away says nothing about a cost, and that means nothing.
#[test]
fn a_quota_without_a_cost_is_no_hidden_cost() {
    let mut world = World::new();
    let until = super::world::now() / 1000 + 5000;
    world.program(
        "claude",
        &format!(
            r#"if [ -e open ]; then
  echo '{{"decision": "stop"}}' > "$STEAD_STATUS"
  echo '{{"type":"result","is_error":false,"result":"ok","session_id":"s","total_cost_usd":0.25}}'
else
  echo '{{"type":"rate_limit_event","rate_limit_info":{{"status":"rejected","resetsAt":{until}}}}}'
  exit 1
fi"#
        ),
    );
    let mut stage = node("a", 1, "");
    stage.provider = Provider::Known("claude".into());
    stage.guardrails.max_cost_usd = Some(1.0);
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, end.state.nodes[0].cost_unknown), (RunStatus::Quota, false));
    assert_eq!(world.warnings(), [""; 0]);
    fs::remove_file(world.path("state.json")).unwrap();
    fs::write(world.root.join("open"), "").unwrap();
    let end = world.resume().unwrap();
    assert_eq!((end.status, end.state.cost_usd), (RunStatus::Done, 0.25));
    assert!(!end.state.nodes[0].cost_unknown, "also where the state was made again");
}

#[test]
fn a_budget_that_cannot_be_kept_is_said_once() {
    let world = World::new();
    let mut stage = node("a", 3, "say continue");
    stage.guardrails.max_cost_usd = Some(1.0);
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, world.warnings().len()), (RunStatus::Done, 1));
    assert!(world.warnings()[0].contains("max_cost_usd") && end.state.nodes[0].cost_unknown);
}

#[test]
fn the_stages_time_cuts_an_iteration_short() {
    let world = World::new();
    let mut stage = node("a", 3, "test $STEAD_ITERATION = 1 && { say continue; exit; }; exec sleep 600");
    stage.guardrails.max_runtime_seconds = Some(5);
    stage.guardrails.iteration_timeout_seconds = Some(500);
    let end = world.start(&chain(vec![stage, node("b", 1, "say stop")])).unwrap();
    assert_eq!((end.status, end.error), (RunStatus::Limit, None));
    let node = &end.state.nodes[0];
    assert_eq!((node.status, node.iteration_completed, node.iteration), (NodeStatus::Limit, 1, 2));
    assert!(node.elapsed_seconds >= 5.0, "{node:?}");
    assert_eq!(world.calls(), ["a 1", "a 2", "b 1"]);
    assert_eq!(world.json("stage-00-a/iterations/002/status.json")["decision"], "error");
}

#[test]
fn the_runs_time_ends_all() {
    let world = World::new();
    let mut plan = chain(vec![node("a", 1, "exec sleep 600"), node("b", 1, "say stop")]);
    plan.max_runtime_seconds = Some(3);
    let end = world.start(&plan).unwrap();
    assert_eq!((end.status, world.calls()), (RunStatus::Limit, vec!["a 1".to_owned()]));
    assert!(end.state.nodes.iter().all(|node| node.status == NodeStatus::Limit));
}

#[test]
fn time_that_was_used_before_a_resume_counts_and_never_runs_backwards() {
    let world = World::new();
    let plan = chain(vec![node("a", 1, "test -e ready || exit 1; say stop")]);
    assert_eq!(world.start(&plan).unwrap().error.unwrap().kind, ErrorKind::Exit);
    let mut state = world.json("state.json");
    state["elapsed_seconds"] = json!(-5000.0);
    state["started_at"] = json!("2099-01-01T00:00:00.000Z");
    state["nodes"][0]["elapsed_seconds"] = json!(100.0);
    state["kept"] = json!("by later versions");
    fs::write(world.path("state.json"), state.to_string()).unwrap();
    fs::write(world.root.join("ready"), "").unwrap();
    let end = world.resume().unwrap();
    assert_eq!(end.status, RunStatus::Done);
    assert!(end.state.elapsed_seconds >= 0.0 && end.state.nodes[0].elapsed_seconds >= 100.0, "{:?}", end.state);
    assert_eq!(world.json("state.json")["kept"], "by later versions");
}
