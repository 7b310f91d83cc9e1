//! Ending a run from outside: Ctrl-C, `stead stop`, and what they must reach.

use std::io::{BufRead, Read};
use std::process::Child;

use stead_testkit::World;

use super::{CONTINUE, PATIENCE, fixed, is_alive, signal, start, state, until, with_stage, written};

/// An agent that works for ever, with a grandchild in a session of its own.
const ENDLESS: &str = "setsid sh -c 'echo $$ > grandchild; exec sleep 600' &\necho $$ > agent\nwait; sleep 600\n";

fn endless() -> (World, Child, [String; 2]) {
    let world = with_stage(&fixed(3), &format!("[ ! -e mended ] || {{ {CONTINUE}; exit 0; }}\n{ENDLESS}"));
    let child = start(&world, &["run", "stage", "chore", "it"]);
    let pids = ["agent", "grandchild"].map(|name| written(&world, &format!("project/{name}")));
    (world, child, pids)
}

#[track_caller]
fn ended(mut child: Child, code: i32) -> String {
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(code), "{said}");
    said
}

#[track_caller]
fn cancelled(world: &World, pids: &[String]) {
    for pid in pids {
        until("the agents are gone", || !is_alive(pid));
    }
    assert_eq!(state(world, "it")["status"], "cancelled");
    world.write("project/mended", "");
    world.stead(&["run", "stage", "chore", "it", "--resume"]).ok();
    assert_eq!(state(world, "it")["status"], "done");
}

#[test]
fn ctrl_c_reaches_grandchildren() {
    for name in ["INT", "TERM", "HUP"] {
        let (world, child, pids) = endless();
        signal(&child, name);
        let said = ended(child, 130);
        assert!(said.contains("stead run stage chore it --resume"), "{said}");
        assert!(said.contains("stopping the agents") && said.contains("press Ctrl-C again to kill them now"), "{said}");
        cancelled(&world, &pids);
    }
}

#[test]
fn stop_ends_the_engine_and_waits_for_it() {
    for now in [&["stop", "it"][..], &["stop", "it", "--now"]] {
        let (world, child, pids) = endless();
        assert_eq!(world.stead(&["status", "it", "--json"]).json()["status"], "running");
        let run = world.stead(now);
        assert_eq!(run.code, 0, "{run}");
        assert!(run.stdout.contains("it"), "{run}");
        for pid in &pids {
            assert!(!is_alive(pid), "{now:?} came back before {pid} was gone");
        }
        ended(child, 130);
        cancelled(&world, &pids);
    }
}

#[test]
fn a_stubborn_agent_is_ended_at_the_second_ctrl_c() {
    let script = "trap '' TERM INT HUP\necho $$ > agent\nwhile :; do sleep 1; done\n";
    let world = with_stage(&fixed(1), script);
    let child = start(&world, &["run", "stage", "chore", "it"]);
    let agent = written(&world, "project/agent");
    signal(&child, "INT");
    signal(&child, "INT");
    ended(child, 130);
    until("the agent is gone", || !is_alive(&agent));
}

/// Nobody waits for the agents' time before a person hears that Ctrl-C did something.
#[test]
fn ctrl_c_is_answered_at_once() {
    let script = "trap '' TERM INT HUP\necho $$ > agent\nwhile :; do sleep 1; done\n";
    let world = with_stage(&fixed(1), script);
    let mut child = start(&world, &["run", "stage", "chore", "it"]);
    let agent = written(&world, "project/agent");
    signal(&child, "INT");
    let mut lines = std::io::BufReader::new(child.stderr.take().unwrap()).lines();
    lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("stopping the agents"))).unwrap().unwrap();
    assert!(is_alive(&agent), "it has its time");
    signal(&child, "INT");
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    until("the agent is gone", || !is_alive(&agent));
}

#[test]
fn what_a_killed_engine_left_can_be_stopped() {
    let (world, mut child, pids) = endless();
    signal(&child, "KILL");
    child.wait().unwrap();
    assert!(pids.iter().all(|pid| is_alive(pid)));
    let status = world.stead(&["status", "it"]);
    assert!(status.stdout.contains("interrupted") && status.stdout.contains("`stead stop it` kills them"), "{status}");
    let run = world.stead(&["stop", "it"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("killed 2 processes") || run.stdout.contains("killed 3 processes"), "{run}");
    assert!(run.stdout.contains("stead run stage chore it --resume"), "{run}");
    assert_eq!(state(&world, "it")["nodes"][0]["status"], "cancelled");
    cancelled(&world, &pids);
    assert_eq!(world.stead(&["stop", "it"]).code, 1);
}

#[test]
fn only_a_running_run_can_be_stopped() {
    let world = with_stage(&fixed(1), CONTINUE);
    world.stead(&["run", "stage", "chore", "it"]).ok();
    let run = world.stead(&["stop", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("run `it` is not running"), "{run}");
    let run = world.stead(&["stop", "itt"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("`itt`") && run.stderr.contains("`it`"), "{run}");
}

/// A lock that names a living process which is not the engine must not get that process killed.
#[test]
fn a_stranger_is_never_stopped() {
    let world = with_stage(&fixed(1), "exit 1");
    world.stead(&["run", "stage", "chore", "it"]);
    let mut stranger = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let lock = world.folder().join("project/.agent/runs/it/lock");
    if let Ok(text) = std::fs::read_to_string(&lock)
        && let Ok(mut held) = serde_json::from_str::<serde_json::Value>(&text)
    {
        held["pid"] = stranger.id().into();
        std::fs::write(&lock, held.to_string()).unwrap();
    }
    let run = world.stead(&["stop", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(is_alive(&stranger.id().to_string()));
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert!(PATIENCE.as_secs() > 0);
}
