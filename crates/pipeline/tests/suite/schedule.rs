use std::fs;

use stead_pipeline::{ErrorKind, Join, Node, NodeStatus, OnFailure, Outcome, Plan, RunEvent, RunStatus, When};

use super::world::{World, chain, node, plan};

fn needing(needs: &[&str], mut node: Node) -> Node {
    node.needs = needs.iter().map(|need| (*need).to_owned()).collect();
    node
}

fn fan(join: Join, scripts: &[&str]) -> Plan {
    let branch = |(name, script): (usize, &&str)| Node { join: Some(join), ..node(&format!("a.{name}"), 1, script) };
    let mut nodes: Vec<Node> = scripts.iter().enumerate().map(branch).collect();
    nodes.push(needing(&["a"], node("b", 1, "say stop")));
    plan(nodes)
}

fn statuses(end: &stead_pipeline::RunEnd) -> Vec<NodeStatus> {
    end.state.nodes.iter().map(|node| node.status).collect()
}

/// Waits until a file is there, but not for ever.
const MEET: &str = "meet() { i=0; while [ ! -e $1 ]; do i=$((i+1)); [ $i -gt 3000 ] && exit 9; sleep 0.02; done; }";

#[test]
fn a_diamond_runs_side_by_side_and_joins() {
    let world = World::new();
    let side = |id: &str, other: &str| {
        let script = format!("{MEET}; touch at-{id}; meet at-{other}; say stop");
        needing(&["a"], node(id, 1, &script))
    };
    let nodes = vec![
        node("a", 1, "say stop"),
        side("b", "c"),
        side("c", "b"),
        needing(&["b", "c"], node("d", 1, "test -e at-b -a -e at-c && say stop")),
    ];
    let end = world.start(&plan(nodes)).unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(world.calls().last().map(String::as_str), Some("d 1"));
}

#[test]
fn no_more_agents_than_allowed_are_at_work() {
    let script = "mkdir one 2>/dev/null || exit 8; sleep 0.1; rmdir one; say stop";
    let world = World::new();
    let mut all = fan(Join::All, &[script; 4]);
    all.max_parallel = 1;
    assert_eq!(world.start(&all).unwrap().status, RunStatus::Done);
    let world = World::new();
    let mut all = fan(Join::All, &[script; 4]);
    all.nodes.iter_mut().for_each(|node| node.stage_parallel = Some(1));
    assert_eq!(world.start(&all).unwrap().status, RunStatus::Done);
}

#[test]
fn a_failure_ends_what_runs_beside_it() {
    let world = World::new();
    let failing = format!("{MEET}; meet up; exit 3");
    let scripts = ["touch up; exec sleep 600", failing.as_str(), "touch up; exec sleep 600"];
    let end = world.start(&Plan { on_failure: OnFailure::Stop, ..fan(Join::All, &scripts) }).unwrap();
    assert_eq!((end.status, end.error.as_ref().unwrap().stage.as_str()), (RunStatus::Failed, "a.1"));
    assert_eq!(statuses(&end), [NodeStatus::Cancelled, NodeStatus::Failed, NodeStatus::Cancelled, NodeStatus::Pending]);
    assert!(!world.calls().contains(&"b 1".to_owned()));
}

#[test]
fn what_runs_beside_a_failure_finishes_unless_it_must_stop() {
    let world = World::new();
    let other = format!("touch up; {MEET}; test $STEAD_ITERATION = 2 && meet failed; say continue");
    let failing = format!("{MEET}; meet up; touch failed; exit 3");
    let mut all = fan(Join::All, &[&other, &failing]);
    all.nodes[0].guardrails.max_iterations = 3;
    all.nodes.push(node("c", 1, "say stop"));
    all.max_parallel = 2;
    let end = world.start(&all).unwrap();
    assert_eq!((end.status, end.error.as_ref().unwrap().stage.as_str()), (RunStatus::Failed, "a.1"));
    assert_eq!(statuses(&end), [NodeStatus::Done, NodeStatus::Failed, NodeStatus::Pending, NodeStatus::Pending]);
    assert_eq!(end.state.nodes[0].iteration_completed, 3, "its whole work");
    assert!(!world.calls().iter().any(|call| call.starts_with('b') || call.starts_with('c')), "nothing new starts");
}

#[test]
fn the_first_success_ends_the_others() {
    let world = World::new();
    let winning = format!("{MEET}; meet up; say stop");
    let end = world.start(&fan(Join::First, &["exit 1", "touch up; exec sleep 600", &winning])).unwrap();
    assert_eq!((end.status, end.error.clone()), (RunStatus::Done, None), "{end:?}");
    assert_eq!(
        statuses(&end),
        [NodeStatus::Failed, NodeStatus::Cancelled, NodeStatus::Done, NodeStatus::Done],
        "a branch that failed does no harm"
    );
    let lost = RunEvent::StageEnded {
        node: "a.1".into(),
        status: NodeStatus::Cancelled,
        iterations: 0,
        seconds: end.state.nodes[1].elapsed_seconds,
        cost_usd: 0.0,
        why: "enough other branches succeeded".into(),
    };
    assert!(world.events().contains(&lost), "{:?}", world.events());
}

#[test]
fn a_quorum_counts_successes() {
    let world = World::new();
    let end = world.start(&fan(Join::Quorum { count: 2 }, &["say stop", "exit 1", "say stop"])).unwrap();
    assert_eq!(end.status, RunStatus::Done);
    let world = World::new();
    // They fail only when the other is recorded: a quorum that cannot be had any more ends those at work.
    let recorded = "until grep -q '\"iteration_completed\": 1' runs/night/state.json; do sleep 0.05; done";
    let failing = format!("test -e mended || {{ {recorded}; exit 1; }}; say stop");
    let end = world.start(&fan(Join::Quorum { count: 2 }, &["say stop", &failing, &failing])).unwrap();
    assert_eq!(end.status, RunStatus::Failed);
    // What succeeded is not done again.
    fs::write(world.root.join("mended"), "").unwrap();
    let end = world.resume().unwrap();
    assert_eq!((end.status, world.calls().iter().filter(|call| *call == "a.0 1").count()), (RunStatus::Done, 1));
}

#[test]
fn a_quorum_that_can_no_longer_be_had_is_named() {
    let world = World::new();
    let failing = format!("{MEET}; meet up; exit 3");
    let fanned = fan(Join::Quorum { count: 2 }, &["touch up; exec sleep 600", &failing, &failing]);
    let end = world.start(&Plan { on_failure: OnFailure::Stop, ..fanned }).unwrap();
    let error = end.error.clone().unwrap();
    let expected = "the quorum of 2 can no longer be reached: `a.1`, `a.2` failed: the agent exited with code 3";
    assert_eq!((end.status, error.kind, error.message.as_str()), (RunStatus::Failed, ErrorKind::Exit, expected));
    let why = world.events().into_iter().find_map(|event| match event {
        RunEvent::StageEnded { node, status: NodeStatus::Cancelled, why, .. } if node == "a.0" => Some(why),
        _ => None,
    });
    assert_eq!(why.as_deref(), Some("the quorum of 2 can no longer be reached"));
}

#[test]
fn a_blocked_branch_lets_the_others_finish_their_iteration() {
    let world = World::new();
    let blocked =
        r#"echo '{"decision": "stop", "reason": "who?", "blocked_on": "person"}' > "$STEAD_STATUS"; touch told"#;
    let other = format!("{MEET}; meet told; sleep 0.1; say continue");
    let mut all = fan(Join::All, &[blocked, &other]);
    all.nodes[1].guardrails.max_iterations = 1000;
    let end = world.start(&all).unwrap();
    assert_eq!((end.status, end.reason.as_deref()), (RunStatus::Blocked, Some("who?")));
    assert_eq!((end.state.nodes[1].status, end.state.nodes[1].error.clone()), (NodeStatus::Cancelled, None));
    assert!((1..1000).contains(&end.state.nodes[1].iteration_completed), "{:?}", end.state.nodes[1]);
}

#[test]
fn conditions_choose_the_way() {
    let when = |stage: &str, outcome| Some(When { stage: stage.into(), outcome: vec![outcome] });
    let world = World::new();
    let mut nodes =
        vec![node("a", 1, "say stop"), node("b", 1, "say stop"), node("c", 1, "say stop"), node("d", 1, "say stop")];
    nodes[1].when = when("a", Outcome::Limit);
    nodes[2].when = when("a", Outcome::Done);
    let end = world.start(&chain(nodes)).unwrap();
    assert_eq!(end.status, RunStatus::Done);
    assert_eq!(statuses(&end), [NodeStatus::Done, NodeStatus::Skipped, NodeStatus::Done, NodeStatus::Done]);
    assert_eq!(world.calls(), ["a 1", "c 1", "d 1"], "a skipped need does not hold anybody up");
}

#[test]
fn cancelling_ends_every_branch() {
    let world = World::new();
    let end = world.start_and_cancel(&fan(Join::All, &["exec sleep 600"; 3]), || world.calls().len() == 3, || ());
    assert_eq!((end.status, world.calls().len()), (RunStatus::Cancelled, 3));
    assert!(statuses(&end)[..3].iter().all(|status| *status == NodeStatus::Cancelled));
}

#[test]
fn many_branches_are_no_trouble() {
    let world = World::new();
    let mut all = fan(Join::All, &["say stop"; 40]);
    all.max_parallel = 8;
    let end = world.start(&all).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Done, 41));
}
