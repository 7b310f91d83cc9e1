//! The engine of a run on the feature list is killed at every write, on both sides of it. What resumes ends as if
//! nobody had disturbed it, and no attempt counts twice or is lost.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use stead_feature::{Action, Claim, Outline, Rules, SessionState, next};
use stead_pipeline::Plan;

use super::orchestrate::{feature, make_repository, plan, states, write_list};
use super::world::World;

const FOLDER: &str = "STEAD_TEST_ORCHESTRATE_FOLDER";
const KILL_AT: &str = "STEAD_TEST_KILL_AT";
/// Kills between the write of the list and the write of the state beside it.
const DIE_BETWEEN: &str = "STEAD_TEST_DIE_BETWEEN";

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

fn engine(root: &Path, (variable, value): (&str, &str)) -> ExitStatus {
    command(root).env(variable, value).status().unwrap()
}

fn command(root: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "orchestrate_kill::engine_in_a_process_of_its_own", "--nocapture"]);
    command.env(FOLDER, root).stdout(Stdio::null()).stderr(Stdio::null());
    command
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

/// Kills before and after one write, or between the two of a transaction, and returns whether there was one.
fn killed_at(write: usize, is_repository: bool) -> bool {
    let (expected, code): (&[&str], i32) = match is_repository {
        true => (&["good tested 1"], 0),
        false => (&["good tested 1", "bad blocked on verifier 2"], 1),
    };
    let mut was_killed = false;
    let (before, after) = (write.to_string(), format!("{write}a"));
    for fault in [(KILL_AT, before.as_str()), (KILL_AT, &after), (DIE_BETWEEN, &before)] {
        let world = world(is_repository);
        let mut status = engine(&world.root, fault);
        if status.signal().is_some() {
            was_killed = true;
            status = engine(&world.root, (KILL_AT, ""));
        }
        assert_eq!(status.code(), Some(code), "after {fault:?}");
        assert_eq!(states(&world), expected, "after {fault:?}");
        let session = fs::read_to_string(world.root.join("features/session-state.json")).unwrap();
        let session: serde_json::Value = serde_json::from_str(&session).unwrap();
        assert_eq!(session["claims"], json!([]), "after {fault:?}");
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

/// Not a test of its own, either: an engine whose agent never ends.
#[test]
fn endless_engine_in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(ENDLESS) else { return };
    let world = World::at(Path::new(&folder));
    let _ = world.start(&endless_plan(&world, "echo $$ > $ROOT/agent; sleep 600"));
}

const ENDLESS: &str = "STEAD_TEST_ENDLESS_FOLDER";

/// A claim lasts three seconds and is renewed every second.
fn endless_plan(world: &World, coder: &str) -> Plan {
    let mut options = plan(world, coder, "passed");
    options.orchestrate.lease_seconds = 3;
    options.orchestrate.worktrees = world.root.join(".git").exists();
    options.plan()
}

fn claim(world: &World) -> Option<Claim> {
    SessionState::read(&world.root.join("features")).unwrap().claims.first().cloned()
}

#[test]
fn a_claim_is_renewed_while_its_owner_lives_and_expires_when_it_died() {
    let world = world(true);
    let features = world.root.join("features");
    let mut engine = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "orchestrate_kill::endless_engine_in_a_process_of_its_own", "--nocapture"])
        .env(ENDLESS, &world.root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(|| fs::read_to_string(world.root.join("agent")).is_ok_and(|pid| pid.ends_with('\n')));
    let first = claim(&world).unwrap();
    until(|| claim(&world).is_some_and(|now| now.expires_at() >= first.expires_at() + 3_000));
    let renewed = claim(&world).unwrap();
    assert_eq!((&renewed.since, &renewed.owner, &renewed.tree), (&first.since, &first.owner, &first.tree));
    let history = SessionState::read(&features).unwrap().history;
    assert_eq!(history.iter().filter(|past| past.event == "claimed").count(), 1, "renewals are no history");
    engine.kill().unwrap();
    engine.wait().unwrap();

    let last = claim(&world).unwrap();
    let outline = Outline::read(&features).unwrap().unwrap();
    let session = SessionState::read(&features).unwrap();
    let next_at = |moment: i64| next(Some(&outline), &session, moment, &Rules::default());
    assert!(matches!(next_at(last.expires_at() - 1), Action::Wait { .. }));
    assert!(matches!(next_at(last.expires_at()), Action::Code { feature, .. } if feature == "good"));
    let tree = PathBuf::from(last.tree.unwrap());
    assert!(tree.join("shared.txt").exists(), "its worktree is kept");

    // The same run continues: what the dead engine left is ended, and the attempt did not count.
    let agent = fs::read_to_string(world.root.join("agent")).unwrap();
    let end = world.again().resume_and_cancel(|| {
        fs::read_to_string(world.root.join("agent")).is_ok_and(|pid| pid != agent && pid.ends_with('\n'))
    });
    assert_eq!(end.exit_code(), 130, "{end:?}");
    let stat = fs::read_to_string(Path::new("/proc").join(agent.trim()).join("stat")).unwrap_or_default();
    let is_alive = stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']));
    assert!(!is_alive, "the agent of the dead engine is gone");
    assert_eq!(states(&world), ["good pending 0"]);
}

fn until(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "it takes too long");
        thread::sleep(Duration::from_millis(20));
    }
}
