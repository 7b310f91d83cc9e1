//! Tests that need a process of their own: what they look at belongs to the whole process.

use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

use super::*;
use crate::custody::cancel_on_signals;

const ROLE: &str = "STEAD_TEST_ROLE";
const FOLDER: &str = "STEAD_TEST_FOLDER";

/// Says whether this process is the one that was started for a test. `name` is the test's own.
fn is_alone(name: &str) -> bool {
    std::env::var(ROLE).is_ok_and(|role| role == name)
}

/// Starts a test of this file again, in a process of its own that works in a folder.
fn again(name: &str, ground: &Ground) -> Child {
    let mut test = Command::new(std::env::current_exe().unwrap());
    test.args(["--exact", "--test-threads=1", "--nocapture", &format!("custody::tests::alone::{name}")]);
    test.env(ROLE, name).env(FOLDER, ground.0.path());
    stead_testkit::let_children_be_interrupted();
    test.spawn().unwrap()
}

fn own_launch(script: &str) -> Launch {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let launch = Ground::new().launch(script);
    Launch { log: folder.join("agent.log"), dir: folder, run_id: "run-alone".into(), ..launch }
}

fn send_signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
}

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn thousands_of_quick_agents_leave_nothing_open() {
    const NAME: &str = "thousands_of_quick_agents_leave_nothing_open";
    if !is_alone(NAME) {
        assert!(again(NAME, &Ground::new()).wait().unwrap().success());
        return;
    }
    let quick = own_launch("");
    let quick = Launch { argv: vec!["true".into()], stdin: b"prompt".to_vec(), ..quick };
    let forking = own_launch("(setsid true &); (true &); exit 0");
    let missing = Launch { argv: vec!["no-such-program".into()], ..quick.clone() };
    let once = || {
        assert_eq!(run_within(&quick, &Cancel::new(), &TIGHT).how, How::Exit(0));
    };
    once();
    let before = open_files();
    (0..2000).for_each(|_| once());
    for _ in 0..50 {
        assert_eq!(run_within(&forking, &Cancel::new(), &TIGHT).left_behind, 0);
        assert!(matches!(run_within(&missing, &Cancel::new(), &TIGHT).how, How::CannotStart(_)));
    }
    once();
    assert_eq!(open_files(), before);
    // Whoever was adopted was collected.
    until(|| {
        once();
        os::children(std::process::id()).is_empty().then_some(())
    });
}

#[test]
fn a_daemon_with_a_clean_environment_is_ended_too() {
    const NAME: &str = "a_daemon_with_a_clean_environment_is_ended_too";
    if !is_alone(NAME) {
        assert!(again(NAME, &Ground::new()).wait().unwrap().success());
        return;
    }
    let launch = own_launch(
        "(env -i PATH=\"$PATH\" setsid sh -c 'echo $$ > far; exec sleep 600' >/dev/null 2>&1 &)
         while ! [ -s far ]; do sleep 0.02; done; exit 0",
    );
    let end = run_within(&launch, &Cancel::new(), &TIGHT);
    assert_eq!((end.how, end.left_behind), (How::Exit(0), 1));
    let far: u32 = fs::read_to_string(launch.dir.join("far")).unwrap().trim().parse().unwrap();
    assert!(!lives(far));
}

#[test]
fn agents_of_agents_name_both_runs() {
    const NAME: &str = "agents_of_agents_name_both_runs";
    let ground = Ground::new();
    if !is_alone(NAME) {
        let script =
            format!("exec '{}' --exact custody::tests::alone::{NAME}", std::env::current_exe().unwrap().display());
        let mut launch = ground.launch(&script);
        launch.env = vec![(ROLE.into(), NAME.into()), (FOLDER.into(), ground.0.path().display().to_string())];
        assert_eq!(run_within(&launch, &Cancel::new(), &TIGHT).how, How::Exit(0));
        assert!(ground.read("inner").trim().ends_with(&format!("{}/run-alone", launch.run_id)));
        return;
    }
    assert_eq!(run_within(&own_launch("echo $STEAD_RUN_ID > inner"), &Cancel::new(), &TIGHT).how, How::Exit(0));
}

#[test]
fn what_survives_a_killed_engine_is_found_and_ended() {
    const NAME: &str = "what_survives_a_killed_engine_is_found_and_ended";
    if is_alone(NAME) {
        let launch = own_launch(
            "trap '' TERM; echo $$ > agent
             (setsid sh -c 'trap \"\" TERM; echo $$ > far; while :; do sleep 1; done' &)
             while :; do sleep 1; done",
        );
        let id = fs::read_to_string(launch.dir.join("id")).unwrap();
        run_within(&Launch { run_id: id, ..launch }, &Cancel::new(), &TIGHT);
        panic!("it was not killed");
    }
    let ground = Ground::new();
    let id = ground.launch("").run_id;
    fs::write(ground.path("id"), &id).unwrap();
    let mut engine = again(NAME, &ground);
    let (agent, far) = (ground.pid("agent"), ground.pid("far"));
    engine.kill().unwrap();
    engine.wait().unwrap();
    assert!(lives(agent) && lives(far));
    let ended = end_survivors_within(&id, &[], &Cancel::new(), &TIGHT);
    assert!(!lives(agent) && !lives(far));
    for pid in [agent, far] {
        assert!(ended.iter().any(|ended| ended.pid == pid && ended.was_killed), "{ended:?}");
    }
    assert!(end_survivors_within(&id, &[], &Cancel::new(), &TIGHT).is_empty());
}

#[test]
fn the_first_interrupt_asks_and_the_second_insists() {
    const NAME: &str = "the_first_interrupt_asks_and_the_second_insists";
    if is_alone(NAME) {
        let cancel = Cancel::new();
        cancel_on_signals(&cancel).unwrap();
        let launch = own_launch(
            "trap 'echo asked > asked' TERM; (setsid sh -c 'trap \"\" TERM; echo $$ > far; while :; do sleep 1; done' &)
             while ! [ -s far ]; do sleep 0.02; done; echo $$ > ready; while :; do sleep 0.05; done",
        );
        let bounds = Bounds { grace: PATIENCE * 10, ..TIGHT };
        assert_eq!(run_within(&launch, &cancel, &bounds).how, How::Cancelled);
        return;
    }
    let ground = Ground::new();
    let mut engine = again(NAME, &ground);
    let (agent, far) = (ground.pid("ready"), ground.pid("far"));
    send_signal(engine.id(), Signal::INT);
    until(|| ground.path("asked").is_file().then_some(()));
    assert!(lives(agent) && lives(far));
    send_signal(engine.id(), Signal::INT);
    assert!(engine.wait().unwrap().success());
    assert!(!lives(agent) && !lives(far));
}
