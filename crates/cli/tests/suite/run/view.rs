//! Looking at runs: `status`, `runs`, `tail`.

use serde_json::Value;

use super::{CONTINUE, fixed, pipeline, run_file, signal, stage, start, until, with_stage, written};
use crate::world::marked;

#[test]
fn the_project_at_a_glance() {
    let world = marked();
    let run = world.stead(&["status"]);
    assert_eq!(run.code, 0, "{run}");
    for words in ["agents", "guards", "loops", "runs", "packets"] {
        assert!(run.stdout.contains(words), "{words}: {run}");
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{run}");
    stage(&world, "chore", &fixed(1), CONTINUE);
    world.stead(&["run", "stage", "chore", "it"]).ok();
    world.stead(&["handoff", "Go on"]).ok();
    world.stead(&["loop", "start", "Do it"]).ok();
    let said = world.stead(&["status", "--json"]).json();
    assert_eq!(said["runs"][0]["run"], "it", "{said}");
    assert_eq!(said["loops"].as_array().map(Vec::len), Some(1), "{said}");
    assert!(said["packet"]["id"].is_string(), "{said}");
    assert_eq!(said["harnesses"], Value::Array(Vec::new()), "{said}");
    world.stead(&["init", "--harness", "claude", "--yes"]).ok();
    let said = world.stead(&["status", "--json"]).json();
    assert_eq!(said["harnesses"][0]["harness"], "claude", "{said}");
}

#[test]
fn a_run_is_shown_stage_by_stage() {
    let world = with_stage(&fixed(2), CONTINUE);
    stage(&world, "after", &fixed(1), "exit 3");
    pipeline(&world, "two", "  - id: one\n    template: chore\n  - id: two\n    template: after\n");
    world.stead(&["run", "pipeline", "two", "it"]);
    let run = world.stead(&["status", "it"]);
    assert_eq!(run.code, 0, "{run}");
    for words in ["failed", "one", "2/2", "two", "exit", "stead run pipeline two it --resume"] {
        assert!(run.stdout.contains(words), "{words}: {run}");
    }
    let said = world.stead(&["status", "it", "--json"]).json();
    assert_eq!(said["nodes"][0]["iteration_completed"], 2, "{said}");
    assert_eq!(said["nodes"][1]["status"], "failed", "{said}");
    assert_eq!(said["error"]["type"], "exit", "{said}");
    assert_eq!(said["resume"], "stead run pipeline two it --resume", "{said}");
}

#[test]
fn runs_are_listed() {
    let world = with_stage(&fixed(1), CONTINUE);
    let run = world.stead(&["runs"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{run}");
    assert!(run.stderr.contains("no runs yet"), "{run}");
    world.stead(&["run", "stage", "chore", "good"]).ok();
    world.write("project/chore.sh", "exit 1");
    world.stead(&["run", "stage", "chore", "bad"]);
    world.write(run_file("odd/plan.json"), "{}");
    world.write(run_file("odd/state.json"), "{ not json");
    let run = world.stead(&["runs", "--json"]);
    assert_eq!(run.code, 1, "{run}");
    let said = run.json();
    let names = said["items"].as_array().unwrap();
    let status = |name: &str| names.iter().find(|run| run["run"] == name).map(|run| run["status"].clone());
    assert_eq!((status("good"), status("bad")), (Some("done".into()), Some("failed".into())), "{said}");
    assert!(names.iter().any(|run| run["run"] == "odd" && run["problem"].is_string()), "{said}");
    let text = world.stead(&["runs"]).stdout;
    assert!(
        text.contains("good") && text.contains("done") && text.contains("bad") && text.contains("failed"),
        "{text}"
    );
}

#[test]
fn a_run_whose_engine_died_is_interrupted() {
    let world = with_stage(&fixed(2), "echo $$ > agent; sleep 600");
    let mut child = start(&world, &["run", "stage", "chore", "it"]);
    written(&world, "project/agent");
    assert_eq!(world.stead(&["status", "it", "--json"]).json()["status"], "running");
    signal(&child, "KILL");
    child.wait().unwrap();
    let run = world.stead(&["status", "it"]);
    assert!(run.stdout.contains("interrupted") && run.stdout.contains("--resume"), "{run}");
    assert_eq!(world.stead(&["runs", "--json"]).json()["items"][0]["status"], "interrupted");
    // The agent outlived its engine; going on ends it first.
    let old = world.read("project/agent");
    world.write("project/chore.sh", CONTINUE);
    world.stead(&["run", "stage", "chore", "it", "--resume"]).ok();
    until("the survivor is gone", || !super::is_alive(&old));
}

/// An agent works for a long time, and nothing is written meanwhile.
#[test]
fn a_run_at_work_says_where_it_is() {
    let world =
        with_stage(&fixed(3), &format!("[ $STEAD_ITERATION = 1 ] || {{ echo $$ > agent; sleep 600; }}; {CONTINUE}"));
    let mut child = start(&world, &["run", "stage", "chore", "it"]);
    written(&world, "project/agent");
    let seconds = || {
        let (status, runs) = (world.stead(&["status", "it", "--json"]).json(), world.stead(&["runs", "--json"]).json());
        [&status["elapsed_seconds"], &status["nodes"][0]["elapsed_seconds"], &runs["items"][0]["elapsed_seconds"]]
            .map(|value| value.as_f64().unwrap())
    };
    let first = seconds();
    until("the time goes on", || seconds().iter().zip(first).all(|(now, then)| *now > then + 0.1));
    let run = world.stead(&["status", "it"]);
    assert!(run.stdout.contains("iteration 2, ") && run.stdout.contains("last: continue (more)"), "{run}");
    let said = world.stead(&["status", "it", "--json"]).json();
    assert_eq!(said["nodes"][0]["last_decision"]["decision"], "continue", "{said}");
    signal(&child, "INT");
    child.wait().unwrap();
}

/// Whoever takes the lock away must not get a living engine's agent killed.
#[test]
fn an_engine_without_its_lock_is_still_one() {
    let world = with_stage(&fixed(2), "echo $$ > agent; sleep 600");
    let child = start(&world, &["run", "stage", "chore", "it"]);
    let agent = written(&world, "project/agent");
    std::fs::remove_file(world.project().join(".agent/runs/it/lock")).unwrap();
    let said = world.stead(&["status", "it", "--json"]).json();
    assert_eq!((&said["status"], &said["pid"]), (&"running".into(), &child.id().into()), "{said}");
    let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("another engine") && super::is_alive(&agent), "{run}");
    let run = world.stead(&["stop", "it"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("cancelled") && !run.stdout.contains("its engine had died"), "{run}");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
}

#[test]
fn unknown_runs_are_named() {
    let world = with_stage(&fixed(1), CONTINUE);
    world.stead(&["run", "stage", "chore", "monday"]).ok();
    for command in ["status", "tail", "stop"] {
        let run = world.stead(&[command, "munday"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
        assert!(run.stderr.contains("`munday`") && run.stderr.contains("`monday`"), "{run}");
    }
}

#[test]
fn tail_shows_what_the_agent_said() {
    let world = with_stage(&fixed(2), &format!("echo words of $STEAD_ITERATION; {CONTINUE}"));
    stage(&world, "after", &fixed(1), &format!("echo last words; {CONTINUE}"));
    pipeline(&world, "two", "  - id: one\n    template: chore\n  - id: two\n    template: after\n");
    world.stead(&["run", "pipeline", "two", "it"]).ok();
    let tail = |args: &[&str]| world.stead(&[&["tail", "it"], args].concat());
    assert!(tail(&[]).ok().contains("last words"));
    assert!(tail(&["--stage", "one"]).ok().contains("words of 2"));
    assert!(tail(&["--stage", "one", "--iteration", "1"]).ok().contains("words of 1"));
    assert!(tail(&["--events"]).ok().contains("\"event\":\"run-ended\""));
    let run = tail(&["--stage", "ones"]);
    assert!(run.code == 2 && run.stderr.contains("`one`"), "{run}");
    let run = tail(&["--stage", "one", "--iteration", "9"]);
    assert!(run.code == 1 && run.stderr.contains('9'), "{run}");
    let run = tail(&["--iteration", "1"]);
    assert!(run.code == 2 && run.stderr.contains("hint: add `--stage` with one of one, two"), "{run}");
    world.stead(&["run", "stage", "chore", "alone"]).ok();
    assert!(world.stead(&["tail", "alone", "--iteration", "1"]).ok().contains("words of 1"));
}

#[test]
fn a_log_that_is_one_long_line_is_seen() {
    let script = format!("head -c 3000000 /dev/zero | tr '\\0' x; printf 'the end'; {CONTINUE}");
    let world = with_stage(&fixed(1), &script);
    world.stead(&["run", "stage", "chore", "it"]).ok();
    let said = world.stead(&["tail", "it"]).ok();
    assert!(said.starts_with("…x") && said.ends_with("xthe end\n") && said.len() < 10_000, "{} bytes", said.len());
}

#[test]
fn following_ends_with_the_run() {
    let script = format!(
        "echo begun $STEAD_ITERATION; while [ ! -e go ]; do sleep 0.05; done; echo over $STEAD_ITERATION; {CONTINUE}"
    );
    let world = with_stage(&fixed(2), &script);
    world.stead(&["run", "stage", "chore", "it", "--background"]).ok();
    let tail = start(&world, &["tail", "it", "--follow"]);
    let watch = start(&world, &["status", "it", "--watch"]);
    until("the first words", || {
        let log = world.project().join(".agent/runs/it/stage-00-chore/iterations/001/agent.log");
        std::fs::read_to_string(log).is_ok_and(|text| text.contains("begun 1"))
    });
    world.write("project/go", "");
    let said = tail.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success() && text.contains("over 1") && text.contains("over 2"), "{text}");
    let heads = String::from_utf8_lossy(&said.stderr);
    assert_eq!(heads, "--- chore, iteration 1\n--- chore, iteration 2\n");
    let said = watch.wait_with_output().unwrap();
    assert!(said.status.success() && String::from_utf8_lossy(&said.stdout).contains("done"), "{said:?}");
}
