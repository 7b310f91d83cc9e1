//! Runs are removed, and names used again.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;
use stead_testkit::Finish;

use super::{CONTINUE, bounded, events, run_file, state, stead, with_stage};
use crate::world::marked;

#[test]
fn a_name_whose_run_never_started_can_be_used_again() {
    let world = with_stage(&bounded(2), CONTINUE);
    let agent = world.project().join("agent.sh");
    world.write("project/agent.sh", "#!/no/such/interpreter\n");
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    let by = ["run", "stage", "chore", "it", "--provider", "./agent.sh"];
    let run = world.stead(&by);
    assert_eq!((run.code, &state(&world, "it")["error"]["type"]), (1, &"start".into()), "{run}");
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert!(run.code == 2 && run.stderr.contains("replace it with `--replace`"), "{run}");
    world.stead(&["run", "stage", "chore", "it", "--replace"]).ok();
    assert_eq!(events(&world, "it", "run-started").len(), 1, "a new history");
    // Now it has worked.
    let run = world.stead(&["run", "stage", "chore", "it", "--replace"]);
    assert!(run.code == 1 && run.stderr.contains("an agent of it has started"), "{run}");
    assert_eq!(state(&world, "it")["status"], "done");
    world.stead(&["run", "stage", "chore", "new", "--replace"]).ok();
}

#[test]
fn old_runs_are_removed_when_asked() {
    let world = with_stage(&bounded(1), CONTINUE);
    for name in ["a", "b", "c"] {
        world.stead(&["run", "stage", "chore", name]).ok();
    }
    let age = |run: &str, at: &str| {
        let path = run_file(&format!("{run}/state.json"));
        let mut state: Value = serde_json::from_str(&world.read(&path)).unwrap();
        (state["ended_at"], state["started_at"]) = (at.into(), at.into());
        world.write(path, state.to_string());
    };
    age("a", "2026-01-01T00:00:00.000Z");
    age("b", "2026-01-02T00:00:00.000Z");
    let prune = |args: &[&str]| world.stead(&[&["runs", "prune", "--keep", "1"], args].concat());
    let run = prune(&[]);
    assert!(run.stdout.contains("would remove a (done, ") && run.stdout.contains("would remove b (done, "), "{run}");
    assert!(run.stderr.contains("add `--yes`") && world.exists(run_file("a")), "{run}");
    world.write(run_file("b/worktrees/x/file"), "work\n");
    std::fs::create_dir_all(world.project().join(".agent/runs/.removed-old-1/deep")).unwrap();
    let run = prune(&["--yes"]);
    assert!(run.stdout.contains("removed a") && run.stderr.contains("kept b: it has worktrees"), "{run}");
    assert_eq!([run_file("a"), run_file("b"), run_file("c")].map(|path| world.exists(path)), [false, true, true]);
    assert!(!world.exists(run_file(".removed-old-1")), "what a killed removal left");
    let said = prune(&["--older-than", "1d", "--json"]).json();
    assert_eq!((&said["dry_run"], &said["items"][0]["run"]), (&true.into(), &"b".into()), "{said}");
    let mut agent = marked();
    agent.set("CLAUDECODE", "1");
    assert_eq!(agent.stead(&["runs", "prune", "--yes"]).code, 1, "not by an agent");
}

/// A removal that is killed leaves the whole run, or none of it.
#[test]
fn a_kill_while_a_run_is_removed_leaves_no_half_of_it() {
    for (moment, is_left) in [("1", true), ("1a", false)] {
        let world = with_stage(&bounded(1), CONTINUE);
        world.stead(&["run", "stage", "chore", "it"]).ok();
        let prune = |kill_at: &str| {
            let mut command = stead(&world);
            command
                .args(["runs", "prune", "--older-than", "1", "--keep", "0", "--yes"])
                .env("STEAD_TEST_KILL_AT", kill_at);
            command.finish(&world, b"").code
        };
        std::thread::sleep(std::time::Duration::from_secs(2));
        assert_eq!((prune(moment), world.exists(run_file("it"))), (128 + 9, is_left), "{moment}");
        assert_eq!(
            world.stead(&["runs", "--json"]).json()["items"].as_array().map(Vec::len),
            Some(usize::from(is_left))
        );
        if is_left {
            assert_eq!(world.stead(&["status", "it", "--json"]).json()["status"], "done");
            assert_eq!((prune(""), world.exists(run_file("it"))), (0, false));
        }
        // The name is free, and what the kill left goes with the next removal.
        world.stead(&["run", "stage", "chore", "it"]).ok();
        std::thread::sleep(std::time::Duration::from_secs(2));
        assert_eq!(prune(""), 0);
        let left = std::fs::read_dir(world.project().join(".agent/runs")).unwrap().count();
        assert_eq!(left, 0, "{moment}");
    }
}
