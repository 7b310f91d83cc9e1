//! The engine of a run on the feature list is killed at every write, on both sides of it. What resumes ends as if
//! nobody had disturbed it, and no attempt counts twice or is lost.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use serde_json::json;
use stead_pipeline::Plan;

use super::orchestrate::{feature, make_repository, plan, states, write_list};
use super::world::World;

const FOLDER: &str = "STEAD_TEST_ORCHESTRATE_FOLDER";
const KILL_AT: &str = "STEAD_TEST_KILL_AT";

const CODER: &str = r#"case "$id" in bad) echo bad > "$id.txt";; *) echo good > "$id.txt";; esac; say done"#;

fn the_plan(world: &World) -> Plan {
    let mut options = plan(world, CODER, "passed");
    options.orchestrate.worktrees = world.root.join(".git").exists();
    options.plan()
}

/// Not a test of its own: the engine in a process that can be killed.
#[test]
fn engine_in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let world = World::at(Path::new(&folder));
    let end = match world.folder().is_begun() {
        true => world.resume(),
        false => world.start(&the_plan(&world)),
    };
    std::process::exit(end.unwrap().exit_code().into());
}

fn engine(root: &Path, kill_at: &str) -> ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "orchestrate_kill::engine_in_a_process_of_its_own", "--nocapture"])
        .env(FOLDER, root)
        .env(KILL_AT, kill_at)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap()
}

/// A feature that passes and, without worktrees, one that never does.
fn world(is_repository: bool) -> World {
    let world = World::new();
    if is_repository {
        make_repository(&world);
        write_list(&world, &[feature("good")]);
    } else {
        write_list(&world, &[feature("good"), feature("bad")]);
    }
    world
}

/// Kills before and after one write, and returns whether there was one.
fn killed_at(write: usize, is_repository: bool) -> bool {
    let (expected, code): (&[&str], i32) = match is_repository {
        true => (&["good tested 1"], 0),
        false => (&["good tested 1", "bad blocked on verifier 2"], 1),
    };
    let mut was_killed = false;
    for side in ["", "a"] {
        let world = world(is_repository);
        let mut status = engine(&world.root, &format!("{write}{side}"));
        if status.signal() == Some(9) {
            was_killed = true;
            status = engine(&world.root, "");
        }
        assert_eq!(status.code(), Some(code), "after a kill at {write}{side}");
        assert_eq!(states(&world), expected, "after a kill at {write}{side}");
        let session = fs::read_to_string(world.root.join("features/session-state.json")).unwrap();
        let session: serde_json::Value = serde_json::from_str(&session).unwrap();
        assert_eq!(session["claims"], json!([]), "after a kill at {write}{side}");
        assert!(world.path("report.md").exists());
        if is_repository {
            assert_eq!(fs::read_to_string(world.root.join("good.txt")).unwrap(), "good\n");
        }
    }
    was_killed
}

/// Kills at every write there is, a few engines at a time.
fn killed_everywhere(is_repository: bool) -> usize {
    const AT_ONCE: usize = 4;
    let mut kills = 0;
    for first in (1..200).step_by(AT_ONCE) {
        let all: Vec<bool> = thread::scope(|scope| {
            let engines: Vec<_> =
                (first..first + AT_ONCE).map(|write| scope.spawn(move || killed_at(write, is_repository))).collect();
            engines.into_iter().map(|engine| engine.join().unwrap()).collect()
        });
        kills += all.iter().filter(|killed| **killed).count();
        if all.contains(&false) {
            return kills;
        }
    }
    panic!("the run never ends");
}

#[test]
fn a_kill_at_any_write_costs_no_attempt() {
    let kills = killed_everywhere(false);
    assert!(kills > 20, "{kills}");
}

#[test]
fn a_kill_at_any_write_loses_no_branch() {
    let kills = killed_everywhere(true);
    assert!(kills > 8, "{kills}");
}
