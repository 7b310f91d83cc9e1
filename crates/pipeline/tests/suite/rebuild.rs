//! What the engine does when it cannot write, and when its own record is gone.

use std::fs;

use stead_pipeline::{
    ErrorKind, Input, NodeStatus, Plan, RunEvent, RunStatus, RunView, Select, Termination, ViewStatus,
};

use super::world::{World, chain, node};

const RUN: &str = "D=runs/night";

#[test]
fn what_the_engine_cannot_write_fails_the_run() {
    let world = World::new();
    let script = "test -e mended || { test $STEAD_ITERATION = 2 && mkdir \"$(dirname \"$STEAD_STATUS\")/output.md\"; }; say continue";
    let end = world.start(&chain(vec![node("a", 3, script), node("b", 1, "say stop")])).unwrap();
    let error = end.error.clone().unwrap();
    assert_eq!((end.status, error.kind, error.stage.as_str()), (RunStatus::Failed, ErrorKind::Engine, "a"));
    assert_eq!((end.resume_from, end.exit_code()), (Some(2), 1));
    assert!(error.message.contains("output.md") && error.message.contains("move"), "{}", error.message);
    let state = world.json("state.json");
    assert_eq!((&state["status"], &state["error"]["type"]), (&"failed".into(), &"engine".into()));
    assert!(state["failed_at"].is_string() && state["ended_at"].is_string(), "{state}");
    let Some(RunEvent::RunEnded { status: RunStatus::Failed, error: Some(_), .. }) = world.events().pop() else {
        panic!("the last event is not the end")
    };
    assert_eq!(world.calls(), ["a 1", "a 2"]);

    fs::write(world.root.join("mended"), "").unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
    assert_eq!(world.calls(), ["a 1", "a 2", "a 2", "a 3", "b 1"]);
    assert!(world.path("stage-00-a/iterations/002/attempt-1/output.md").is_dir(), "what was in the way is kept");
}

/// Three stages, of which the second ends by judgment and reads the first.
fn three(script: &str) -> Plan {
    let first = node("a", 2, "echo $STEAD_ITERATION > \"$STEAD_OUTPUT\"; say continue");
    let mut second = node("b", 9, &format!("{RUN}; {script}; test $STEAD_ITERATION -gt 2 && say stop || say continue"));
    second.termination = Termination::Judgment { min_iterations: 1, consensus: 2 };
    second.inputs = vec![Input { from: "a".into(), select: Select::All }];
    chain(vec![first, second, node("c", 1, "say stop")])
}

#[test]
fn a_state_that_is_gone_is_made_again() {
    let calm = World::new();
    calm.start(&three("true")).unwrap();
    assert_eq!(calm.calls(), ["a 1", "a 2", "b 1", "b 2", "b 3", "b 4", "c 1"]);
    for harm in ["rm $D/state.json", "echo junk > $D/state.json", "rm $D/state.json; mkdir $D/state.json"] {
        let world = World::new();
        // The agent fails with the state it leaves, and the engine's last word is taken away as well.
        let once = format!("test $STEAD_ITERATION != 3 -o -e harmed || {{ touch harmed; {harm}; exit 1; }}");
        let first = world.start(&three(&once));
        if let Ok(end) = &first {
            assert_eq!(end.status, RunStatus::Failed, "{harm}");
            fs::write(world.path("state.json"), "{\"schema\":").unwrap();
        }
        let view = RunView::read(&world.folder(), 1).unwrap();
        let completed: Vec<u32> = view.state.nodes.iter().map(|node| node.iteration_completed).collect();
        assert_eq!(completed, [2, 2, 0], "{harm}");
        let is_told = if first.is_ok() { ViewStatus::Failed } else { ViewStatus::Interrupted };
        assert!([is_told, ViewStatus::Failed].contains(&view.status), "{harm}: {:?}", view.status);

        let end = world.again().resume().unwrap();
        assert_eq!((end.status, end.state.resumes), (RunStatus::Done, 1), "{harm}");
        assert_eq!(world.calls(), ["a 1", "a 2", "b 1", "b 2", "b 3", "b 3", "b 4", "c 1"], "{harm}");
        let run_id = |world: &World| {
            let started = world.read("events.jsonl").lines().next().unwrap().to_owned();
            serde_json::from_str::<serde_json::Value>(&started).unwrap()["run_id"].as_str().unwrap().to_owned()
        };
        assert_eq!(end.state.run_id, run_id(&world), "{harm}");
        assert!(world.path("state.damaged").exists(), "{harm}");
    }
}

#[test]
fn a_run_that_was_over_stays_over_without_its_state() {
    let world = World::new();
    world.start(&three("true")).unwrap();
    let before = world.json("state.json");
    fs::remove_file(world.path("state.json")).unwrap();
    let end = world.resume().unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Done, 7));
    for (node, was) in end.state.nodes.iter().zip(before["nodes"].as_array().unwrap()) {
        assert_eq!(serde_json::to_value(node.status).unwrap(), was["status"]);
        assert_eq!(serde_json::to_value(node.elapsed_seconds).unwrap(), was["elapsed_seconds"]);
        assert_eq!(serde_json::to_value(node.consecutive_stops).unwrap(), was["consecutive_stops"]);
    }
}

#[test]
fn the_folders_have_to_do_where_the_events_are_gone_too() {
    let world = World::new();
    world.start(&three("test $STEAD_ITERATION != 3 -o -e mended || exit 1")).unwrap();
    for name in ["state.json", "events.jsonl"] {
        fs::remove_file(world.path(name)).unwrap();
    }
    let view = RunView::read(&world.folder(), 1).unwrap();
    let stands: Vec<_> = view.state.nodes.iter().map(|node| (node.status, node.iteration_completed)).collect();
    assert_eq!(stands, [(NodeStatus::Done, 2), (NodeStatus::Pending, 2), (NodeStatus::Pending, 0)]);
    fs::write(world.root.join("mended"), "").unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
    assert_eq!(world.calls(), ["a 1", "a 2", "b 1", "b 2", "b 3", "b 3", "b 4", "c 1"]);
}
