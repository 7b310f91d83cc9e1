//! An engine is killed while its agent works: what the next engine makes of what it finds.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use stead_pipeline::RunStatus;

use super::kill::{WORK, begin, completed, engine, wait_for};
use super::world::{World, chain, node};

/// Kills the engine of the agent that does this, once the engine has noted who it is. Whoever speaks to it afterwards is
/// ended by the closed pipe.
const UNSEEN: &str = "while [ ! -e \"${STEAD_STATUS%status.json}agent.json\" ]; do sleep 0.01; done; \
    kill -9 $PPID; exec > /dev/null 2>&1;";

/// The engine dies while its agent works; the agent finishes, and nobody is there to see it.
#[test]
fn an_agent_that_finished_without_its_engine_is_adopted() {
    for (ending, is_adopted) in [
        ("say continue", true),
        // A status it wrote before is not the end of its work.
        ("say continue; touch wrote; exec sleep 600", false),
        ("echo garbage > \"$STEAD_STATUS\"", false),
        ("echo '{\"decision\": \"stop\", \"blocked_on\": \"human\"}' > \"$STEAD_STATUS\"", false),
        ("true", false),
    ] {
        let world = World::new();
        begin(
            &world,
            &format!(
                "test -e killed || {{ touch killed; {UNSEEN} {WORK} echo first >> notes; {ending}; touch over; exit; }}; {WORK} say continue"
            ),
        );
        assert_eq!(engine(&world.root, "").signal(), Some(9));
        let path = |name: &str| world.root.join(name);
        wait_for(|| path("over").exists() || path("wrote").exists());
        // Its process has to be gone, not only its work.
        if path("over").exists() {
            let record = world.json("stage-00-ideas/iterations/001/agent.json");
            let stat = format!("/proc/{}/stat", record["pid"]);
            wait_for(|| fs::read_to_string(&stat).map_or(true, |text| text.contains(") Z ")));
        }
        assert!(engine(&world.root, "").success(), "{ending}");
        let first = world.calls().iter().filter(|call| *call == "ideas 1").count();
        assert_eq!(first, if is_adopted { 1 } else { 2 }, "{ending}: {:?}", world.calls());
        assert_eq!(world.read("events.jsonl").matches("\"adopted\"").count(), usize::from(is_adopted), "{ending}");
        assert_eq!(world.read("stage-00-ideas/iterations/001/output.md"), "ideas 1\n", "{ending}");
        let notes = world.read("stage-00-ideas/progress.md");
        assert_eq!(notes, "# Progress of ideas\n1\n2\n3\n", "{ending}");
    }
}

/// Whoever adopts may be killed as well, at every write.
#[test]
fn a_kill_while_an_agent_is_adopted_loses_nothing() {
    for kill_at in ["1", "1a", "2", "2a", "3", "3a"] {
        let world = World::new();
        begin(
            &world,
            &format!(
                "test -e killed || {{ touch killed; {UNSEEN} {WORK} say continue; touch over; exit; }}; {WORK} say continue"
            ),
        );
        assert_eq!(engine(&world.root, "").signal(), Some(9));
        wait_for(|| world.root.join("over").exists());
        let record = world.json("stage-00-ideas/iterations/001/agent.json");
        wait_for(|| {
            fs::read_to_string(format!("/proc/{}/stat", record["pid"])).map_or(true, |text| text.contains(") Z "))
        });
        assert_eq!(engine(&world.root, kill_at).signal(), Some(9), "at {kill_at}");
        assert!(engine(&world.root, "").success(), "after a kill at {kill_at}");
        let first = world.calls().iter().filter(|call| *call == "ideas 1").count();
        assert_eq!((first, completed(&world)["ideas"]), (1, 3), "after a kill at {kill_at}: {:?}", world.calls());
    }
}

/// One that was ended by force, with a status it wrote before, is not finished; nor is it for the engine after that.
#[test]
fn an_agent_that_was_ended_is_never_adopted() {
    let world = World::new();
    begin(
        &world,
        &format!(
            "test -e killed || {{ touch killed; {UNSEEN} {WORK} say continue; touch wrote; exec sleep 600; }}; {WORK} say continue"
        ),
    );
    assert_eq!(engine(&world.root, "").signal(), Some(9));
    wait_for(|| world.root.join("wrote").exists());
    assert_eq!(
        engine(&world.root, "1").signal(),
        Some(9),
        "after the survivor was ended, before anything was recorded"
    );
    assert!(engine(&world.root, "").success());
    assert_eq!(world.calls().iter().filter(|call| *call == "ideas 1").count(), 2, "{:?}", world.calls());
    assert!(!world.read("events.jsonl").contains("\"adopted\""));
}

/// A process that cleared its environment is still in its agent's session.
#[test]
fn a_survivor_without_its_environment_is_ended() {
    let world = World::new();
    begin(
        &world,
        &format!(
            "test -e killed || {{ touch killed; env -i sleep 600 & echo $! > survivor; {UNSEEN} exit; }}; {WORK} say continue"
        ),
    );
    assert_eq!(engine(&world.root, "").signal(), Some(9));
    let survivor = fs::read_to_string(world.root.join("survivor")).unwrap().trim().to_owned();
    let lives = || fs::read_to_string(format!("/proc/{survivor}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    assert!(lives());
    assert!(engine(&world.root, "").success());
    // A signal was sent; the system may take a moment to end the process.
    wait_for(|| !lives());
}

/// Notes of an attempt that does not count are kept with its files, and the stage's own are put back.
#[test]
fn notes_are_put_back_and_what_was_left_is_told() {
    let world = World::new();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@t"]).args(args).current_dir(&world.root);
        assert!(command.status().unwrap().success(), "{args:?}");
    };
    git(&["init", "-q"]);
    fs::write(world.root.join(".gitignore"), "runs/\ncalls\nfeatures/\nindexes/\ncache/\n").unwrap();
    fs::write(world.root.join("old.txt"), "old\n").unwrap();
    git(&["add", "-A"]);
    git(&["commit", "-qm", "before"]);
    fs::write(world.root.join("older.txt"), "changed long before\n").unwrap();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(600);
    fs::File::options().write(true).open(world.root.join("older.txt")).unwrap().set_modified(long_ago).unwrap();
    let script = "echo \"try $STEAD_ITERATION\" >> \"$STEAD_PROGRESS\"; \
        test $STEAD_ITERATION = 2 -a ! -e mended && { echo half > half.txt; exit 1; }; say continue";
    let plan = chain(vec![node("a", 2, script)]);
    assert_eq!(world.start(&plan).unwrap().status, RunStatus::Failed);
    assert_eq!(world.read("stage-00-a/progress.md"), "# Progress of a\ntry 1\ntry 2\n");
    fs::write(world.root.join("mended"), "").unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
    assert_eq!(world.read("stage-00-a/progress.md"), "# Progress of a\ntry 1\ntry 2\n", "once, by the one that counts");
    let context = world.json("stage-00-a/iterations/002/context.json");
    let previous = &context["previous_attempt"];
    let dir = previous["dir"].as_str().unwrap();
    assert_eq!(fs::read_to_string(Path::new(dir).join("progress.md")).unwrap(), "# Progress of a\ntry 1\ntry 2\n");
    let mut files: Vec<&str> =
        previous["changed_files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    files.sort_unstable();
    assert_eq!((files, &context["attempt"]), (vec!["half.txt", "mended"], &2.into()), "{context}");
}
