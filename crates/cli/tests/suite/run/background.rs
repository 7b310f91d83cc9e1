//! Engines of their own: they outlive the command that started them, and say why they could not start.

use super::{CONTINUE, fixed, is_alive, run_file, start, state, until, with_stage, written};

#[test]
fn an_engine_in_the_background_is_there_when_the_command_returns() {
    let world = with_stage(&fixed(1), &format!("echo $$ > agent; while [ ! -e go ]; do sleep 0.05; done; {CONTINUE}"));
    let run = world.stead(&["run", "stage", "chore", "it", "--background"]);
    assert_eq!(run.code, 0, "{run}");
    for words in ["stead status it --watch", "stead tail it --follow", "stead stop it", "engine.log"] {
        assert!(run.stdout.contains(words), "{words}: {run}");
    }
    assert_eq!(world.stead(&["status", "it", "--json"]).json()["status"], "running");
    // In a session of its own, so that closing the terminal does not end it.
    let agent = written(&world, "project/agent");
    assert!(is_alive(&agent));
    world.write("project/go", "");
    until("the run is done", || state(&world, "it")["status"] == "done");
    until("the engine is gone", || world.stead(&["status", "it", "--json"]).json()["pid"].is_null());
    until("its last words", || world.read(run_file("it/engine.log")).contains("it: done"));
}

#[test]
fn the_background_engine_is_told_as_json() {
    let world = with_stage(&fixed(1), &format!("while [ ! -e go ]; do sleep 0.05; done; {CONTINUE}"));
    let run = world.stead(&["run", "stage", "chore", "it", "--background", "--json"]);
    let said = run.json();
    assert_eq!((run.code, &said["run"]), (0, &"it".into()), "{run}");
    assert!(said["pid"].is_u64(), "{run}");
    world.write("project/go", "");
    until("the run is done", || state(&world, "it")["status"] == "done");
}

#[test]
fn an_engine_that_cannot_start_says_why() {
    let world = with_stage(&fixed(1), CONTINUE);
    for (args, code, words) in [
        (&["run", "stage", "chor", "it", "--background"][..], 2, "`chore`"),
        (&["run", "stage", "chore", "it", "--background", "--resume"], 2, "`it`"),
    ] {
        let run = world.stead(args);
        assert_eq!(run.code, code, "{run}");
        assert!(run.stderr.contains(words), "{run}");
        assert!(!world.exists(run_file("it")), "{run}");
    }
}

#[test]
fn a_second_engine_is_refused_by_name() {
    let world = with_stage(&fixed(1), &format!("while [ ! -e go ]; do sleep 0.05; done; {CONTINUE}"));
    world.stead(&["run", "stage", "chore", "it", "--background"]).ok();
    let engine = world.stead(&["status", "it", "--json"]).json()["pid"].to_string();
    for options in [&[][..], &["--background"], &["--resume"], &["--resume", "--background"]] {
        let args = [&["run", "stage", "chore", "it"][..], options].concat();
        let run = world.stead(&args);
        assert_eq!(run.code, 1, "{run}");
        assert!(run.stderr.contains(&engine), "{engine}: {run}");
    }
    world.write("project/go", "");
    until("the run is done", || state(&world, "it")["status"] == "done");
}

#[test]
fn of_two_that_start_at_once_the_loser_says_so() {
    let world = with_stage(&fixed(1), &format!("while [ ! -e go ]; do sleep 0.05; done; {CONTINUE}"));
    let args = ["run", "stage", "chore", "it", "--background"];
    let starters: Vec<_> = (0..5).map(|_| start(&world, &args)).collect();
    let ended: Vec<_> = starters.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    world.write("project/go", "");
    assert_eq!(ended.iter().filter(|output| output.status.success()).count(), 1, "{ended:?}");
    for loser in ended.iter().filter(|output| !output.status.success()) {
        let said = String::from_utf8_lossy(&loser.stderr);
        assert!(said.contains("error: run `it` is used by another engine"), "{said}");
        assert!(loser.stdout.is_empty() && loser.status.code() == Some(1), "{loser:?}");
    }
    until("the run is done", || state(&world, "it")["status"] == "done");
}

/// Whether it is still seen at work or was over before, the run is told as what it became.
#[test]
fn an_engine_that_fails_at_once_did_start() {
    let world = with_stage(&fixed(1), "exit 3");
    let run = world.stead(&["run", "stage", "chore", "it", "--background"]);
    assert!(matches!(run.code, 0 | 1), "{run}");
    assert!(!run.stderr.contains("did not start"), "{run}");
    until("the run has failed", || state(&world, "it")["status"] == "failed");
    until("its last words", || world.read(run_file("it/engine.log")).contains("stead run stage chore it --resume"));
}
