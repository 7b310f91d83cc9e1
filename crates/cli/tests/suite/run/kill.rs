//! The engine, or its agent, is killed at every moment that matters; going on ends in the same tree each time.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use stead_testkit::{Finish, Run, World};

use super::{CONTINUE, STOP, fixed, is_alive, pipeline, stage, stead, until};
use crate::world::marked;

/// Every agent says that it ran, keeps its progress once, and writes what depends on nothing but its place.
const AGENT: &str = "echo \"$STEAD_STAGE $STEAD_ITERATION\" >> ran\n\
    grep -qx \"note $STEAD_ITERATION\" \"$STEAD_PROGRESS\" 2>/dev/null || echo \"note $STEAD_ITERATION\" >> \"$STEAD_PROGRESS\"\n\
    echo \"output of $STEAD_STAGE $STEAD_ITERATION\" > \"$STEAD_OUTPUT\"\n\
    echo talking\n";

const JUDGMENT: &str =
    "termination:\n  type: judgment\n  min_iterations: 2\n  consensus: 2\nguardrails:\n  max_iterations: 4\n";

/// A project with a pipeline of three stages; `prelude` is what its agents do first.
fn project(prelude: &str) -> World {
    let world = marked();
    stage(&world, "gather", &fixed(2), &format!("{prelude}{AGENT}{CONTINUE}"));
    stage(&world, "judge", JUDGMENT, &format!("{prelude}{AGENT}{STOP}"));
    stage(&world, "sum", &fixed(1), &format!("{prelude}{AGENT}{CONTINUE}"));
    pipeline(
        &world,
        "three",
        "  - id: gather\n    template: gather\n  - id: judge\n    template: judge\n    inputs: {from: gather, select: all}\n  - id: sum\n    template: sum\n    inputs: {from: judge}\n",
    );
    world
}

const RUN: [&str; 4] = ["run", "pipeline", "three", "it"];

fn begin(world: &World, kill_at: &str) -> Run {
    let mut command = stead(world);
    command.args(RUN);
    if !kill_at.is_empty() {
        command.env("STEAD_TEST_KILL_AT", kill_at);
    }
    command.finish(world, b"")
}

#[track_caller]
fn go_on(world: &World) {
    let run = world.stead(&[&RUN[..], &["--resume"]].concat());
    assert_eq!(run.code, 0, "{run}");
}

/// What a run left, without what must differ: times, ids, what it cost, and the log of what happened on the way.
fn tree(world: &World) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let folder = world.project().join(".agent/runs/it");
    collect(&folder, &folder, &mut files);
    files.into_iter().map(|(path, text)| (path, world.normalise(&text))).collect()
}

fn collect(top: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(top).unwrap().display().to_string();
        let last = path.file_name().unwrap().to_string_lossy().into_owned();
        if last.starts_with("attempt-") || ["events.jsonl", "lock", "engine.log"].contains(&last.as_str()) {
            continue;
        }
        if path.is_dir() {
            files.insert(format!("{name}/"), String::new());
            collect(top, &path, files);
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            let text = match serde_json::from_str::<Value>(&text) {
                Ok(mut value) => {
                    forget(&mut value);
                    format!("{value:#}")
                }
                Err(_) => text,
            };
            files.insert(name, text);
        }
    }
}

/// Blanks what differs from one run to the next.
fn forget(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            const DIFFER: [&str; 6] = ["resumes", "pid", "start", "boot_id", "attempt", "previous_attempt"];
            fields.retain(|name, _| !DIFFER.contains(&name.as_str()));
            for (name, value) in fields.iter_mut() {
                let differs = name.ends_with("_at")
                    || name.contains("seconds")
                    || ["run_id", "elapsed", "timestamp", "sources", "plan_sha1", "events_bytes"]
                        .contains(&name.as_str());
                if differs && !value.is_object() {
                    *value = "…".into();
                } else {
                    forget(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        _ => {}
    }
}

#[track_caller]
fn compare(expected: &BTreeMap<String, String>, world: &World, when: &str) {
    let found = tree(world);
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(expected), "{when}");
    for (name, text) in expected {
        assert_eq!(&found[name], text, "{when}: {name}");
    }
}

/// What is recorded as completed, as the agents name it.
fn completed(world: &World) -> Vec<String> {
    let path = world.project().join(".agent/runs/it/state.json");
    let state: Value =
        std::fs::read_to_string(path).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let nodes = state["nodes"].as_array().cloned().unwrap_or_default();
    let of = |node: &Value| {
        let id = node["id"].as_str().unwrap_or_default().to_owned();
        (1..=node["iteration_completed"].as_u64().unwrap_or(0)).map(move |number| format!("{id} {number}"))
    };
    nodes.iter().flat_map(of).collect()
}

fn ran(world: &World) -> Vec<String> {
    let text = std::fs::read_to_string(world.project().join("ran")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn undisturbed() -> BTreeMap<String, String> {
    let world = project("");
    let run = begin(&world, "");
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(ran(&world), ["gather 1", "gather 2", "judge 1", "judge 2", "sum 1"]);
    tree(&world)
}

#[test]
fn an_engine_killed_at_any_write_goes_on_to_the_same_end() {
    let expected = undisturbed();
    let mut kills = 0;
    for number in 1.. {
        let mut survived = 0;
        for moment in [number.to_string(), format!("{number}a")] {
            let world = project("");
            let run = begin(&world, &moment);
            if run.code == 0 {
                survived += 1;
                compare(&expected, &world, &moment);
                continue;
            }
            assert_eq!(run.code, 128 + 9, "{moment}: {run}");
            kills += 1;
            let (before, recorded) = (ran(&world).len(), completed(&world));
            // Killed before anything stood in the run's folder, there is nothing to go on with.
            if world.exists("project/.agent/runs/it/plan.json") {
                go_on(&world);
            } else {
                assert_eq!(before, 0, "{moment}: agents ran before there was a state");
                assert_eq!(begin(&world, "").code, 0, "{moment}");
            }
            compare(&expected, &world, &moment);
            for again in &ran(&world)[before..] {
                assert!(!recorded.contains(again), "{moment}: `{again}` was completed and ran again");
            }
        }
        if survived == 2 {
            break;
        }
        assert!(number < 500, "the engine never gets to its end");
    }
    // Five iterations and three stages cannot be recorded in fewer writes.
    assert!(kills >= 10, "only {kills} kills; the fault points are gone");
}

/// The engine dies while an agent is at work; whoever goes on ends that agent first.
#[test]
fn an_engine_killed_beside_its_agent_goes_on_to_the_same_end() {
    let expected = undisturbed();
    for place in ["gather 1", "gather 2", "judge 2", "sum 1"] {
        let prelude = format!(
            "if [ \"$STEAD_STAGE $STEAD_ITERATION\" = '{place}' ] && [ ! -e struck ]; then echo $$ > struck; kill -s KILL $PPID; trap '' TERM; while :; do sleep 1; done; fi\n"
        );
        let world = project(&prelude);
        let run = begin(&world, "");
        assert_eq!(run.code, 128 + 9, "{place}: {run}");
        let agent = world.read("project/struck");
        assert!(is_alive(&agent), "{place}");
        go_on(&world);
        until("the survivor is gone", || !is_alive(&agent));
        compare(&expected, &world, place);
        assert_eq!(ran(&world), ["gather 1", "gather 2", "judge 1", "judge 2", "sum 1"], "{place}");
    }
}

/// The agent dies, before it wrote anything or after it wrote everything.
#[test]
fn a_killed_agent_fails_the_run_which_goes_on_to_the_same_end() {
    let expected = undisturbed();
    for place in ["gather 1", "judge 2", "sum 1"] {
        let strike = format!(
            "if [ \"$STEAD_STAGE $STEAD_ITERATION\" = '{place}' ] && [ ! -e struck ]; then touch struck; kill -s KILL $$; fi\n"
        );
        for late in [false, true] {
            let world = project(if late { "" } else { &strike });
            if late {
                for name in ["gather", "judge", "sum"] {
                    let script = world.read(format!("project/{name}.sh"));
                    world.write(format!("project/{name}.sh"), format!("{script}\n{strike}"));
                }
            }
            let run = begin(&world, "");
            assert_eq!(run.code, 1, "{place}: {run}");
            assert!(run.stderr.contains("signal"), "{place}: {run}");
            go_on(&world);
            compare(&expected, &world, place);
        }
    }
}
