//! Real processes, most of them badly behaved.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::bounds::Bounds;
use super::run::run_within;
use super::survivor::end_survivors_within;
use super::{AgentEnd, Cancel, Capture, How, Launch};
use crate::os;

mod alone;

/// Nothing here takes that long; what does is a failure.
const PATIENCE: Duration = Duration::from_secs(120);

const TIGHT: Bounds =
    Bounds { head: 1 << 20, tail: 64 << 10, grace: Duration::from_millis(700), linger: Duration::from_millis(300) };

/// A folder and the agents that work in it.
struct Ground(tempfile::TempDir);

impl Ground {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(name)).unwrap_or_default()).into_owned()
    }

    fn launch(&self, script: &str) -> Launch {
        Launch {
            argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
            stdin: Vec::new(),
            dir: self.0.path().to_owned(),
            env: Vec::new(),
            unset: Vec::new(),
            log: self.path("agent.log"),
            timeout: Some(PATIENCE),
            run_id: format!("run-{}", self.0.path().file_name().unwrap().to_string_lossy()),
            capture: Capture::End,
            record: None,
        }
    }

    fn run(&self, script: &str) -> AgentEnd {
        run_within(&self.launch(script), &Cancel::new(), &TIGHT)
    }

    fn run_for(&self, script: &str, time: Duration) -> AgentEnd {
        let launch = Launch { timeout: Some(time), ..self.launch(script) };
        run_within(&launch, &Cancel::new(), &TIGHT)
    }

    /// Reads a process number that an agent wrote to a file, as soon as it is there.
    fn pid(&self, name: &str) -> u32 {
        until(|| self.read(name).strip_suffix('\n')?.trim().parse().ok())
    }
}

#[track_caller]
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "waited in vain");
        thread::sleep(Duration::from_millis(5));
    }
}

fn lives(pid: u32) -> bool {
    os::process(pid).is_some_and(|process| !process.is_zombie)
}

#[test]
fn an_agent_ends_one_way_or_another() {
    let check = |script: &str, expected: How| assert_eq!(Ground::new().run(script).how, expected, "{script}");
    check("exit 0", How::Exit(0));
    check("exit 7", How::Exit(7));
    check("kill -9 $$", How::Signal(9));
    check("kill -TERM $$", How::Signal(15));
    check("no-such-program-at-all", How::Exit(127));
}

#[test]
fn what_cannot_start_says_why() {
    let ground = Ground::new();
    fs::write(ground.path("plain"), "not a program").unwrap();
    let start = |change: &dyn Fn(&mut Launch)| {
        let mut launch = ground.launch("exit 0");
        change(&mut launch);
        match run_within(&launch, &Cancel::new(), &TIGHT).how {
            How::CannotStart(why) => why,
            how => panic!("{how:?}"),
        }
    };
    assert!(start(&|launch| launch.argv[0] = "/no/such/program".into()).contains("/no/such/program"));
    assert!(start(&|launch| launch.argv[0] = ground.path("plain").display().to_string()).contains("plain"));
    assert!(start(&|launch| launch.argv[1] = "nul\0byte".into()).contains("sh"));
    assert!(start(&|launch| launch.dir = ground.path("gone")).contains("sh"));
    assert!(start(&|launch| launch.log = ground.path("gone/agent.log")).contains("agent.log"));
    assert!(start(&|launch| launch.argv.clear()).contains("no program"));
}

#[test]
fn both_outputs_go_to_the_log_and_stdout_is_heard() {
    let ground = Ground::new();
    fs::write(ground.path("agent.log"), "before\n").unwrap();
    let end = ground.run("echo out; echo err >&2; printf '\\377\\000\\n'; printf last");
    let log = ground.read("agent.log");
    assert!(log.starts_with("before\n") && log.contains("err\n") && log.contains("last"), "{log}");
    assert_eq!(end.said, "out\n\u{fffd}\0\nlast");
    let launch =
        Launch { capture: Capture::Lines(&["\"type\""]), ..ground.launch("echo x; echo '{\"type\":1}'; echo y") };
    assert_eq!(run_within(&launch, &Cancel::new(), &TIGHT).said, "{\"type\":1}");
}

#[test]
fn a_flood_of_output_fills_neither_disk_nor_memory() {
    let ground = Ground::new();
    let end = ground.run("head -c 300000000 /dev/zero; echo; echo the end");
    assert_eq!((end.how, end.left_behind), (How::Exit(0), 0));
    let size = fs::metadata(ground.path("agent.log")).unwrap().len();
    assert!(size < (TIGHT.head + TIGHT.tail + 100) as u64, "{size}");
    assert_eq!(end.left_out + (TIGHT.head + TIGHT.tail) as u64, 300_000_009);
    assert!(end.said.ends_with("the end\n") && end.said.len() < 1 << 20);
    assert!(ground.read("agent.log").ends_with("the end\n"));
}

#[test]
fn a_prompt_is_read_or_not() {
    let ground = Ground::new();
    let give =
        |script: &str, stdin: Vec<u8>| run_within(&Launch { stdin, ..ground.launch(script) }, &Cancel::new(), &TIGHT);
    let prompt = vec![b'p'; 8 << 20];
    assert_eq!(give("wc -c", prompt.clone()).said.trim(), "8388608");
    assert_eq!(give("exit 3", prompt.clone()).how, How::Exit(3));
    assert_eq!(give("exec <&-; exit 4", prompt.clone()).how, How::Exit(4));
    assert_eq!(give("head -c 5; cat /dev/stdin >/dev/null", prompt).said, "ppppp");
    assert_eq!(give("cat; echo over", Vec::new()).said, "over\n");
}

#[test]
fn an_agent_without_outputs_is_waited_for() {
    let end = Ground::new().run("echo said; exec >&- 2>&-; sleep 0.5; exit 5");
    assert_eq!((end.how, end.said.as_str(), end.left_behind), (How::Exit(5), "said\n", 0));
    assert!(end.took >= Duration::from_millis(450));
}

#[test]
fn an_agent_has_no_terminal_and_its_own_environment() {
    let ground = Ground::new();
    let mut launch = ground.launch("(: </dev/tty) 2>/dev/null && echo tty; echo $GIVEN $HOME $STEAD_RUN_ID; pwd -P");
    launch.env = vec![("GIVEN".into(), "yes".into())];
    launch.unset = vec!["HOME".into()];
    let end = run_within(&launch, &Cancel::new(), &TIGHT);
    let dir = fs::canonicalize(ground.0.path()).unwrap();
    assert!(end.said.starts_with("yes ") && end.said.ends_with(&format!("{}\n{}\n", launch.run_id, dir.display())));
}

#[test]
fn a_timeout_reaches_everybody() {
    let ground = Ground::new();
    let end = ground.run_for(
        "sleep 600 & echo $! > child; (setsid sh -c 'echo $$ > far; exec sleep 600' &) ; sleep 600",
        Duration::from_secs(2),
    );
    assert_eq!(end.how, How::Timeout);
    assert!(!lives(ground.pid("child")) && !lives(ground.pid("far")));
}

#[test]
fn whoever_ignores_the_request_is_killed() {
    let ground = Ground::new();
    let script = "trap '' TERM; sh -c 'echo $$ > child; while :; do sleep 1; done' & while :; do sleep 1; done";
    let end = ground.run_for(script, Duration::from_secs(1));
    assert_eq!(end.how, How::Timeout);
    assert!(!lives(ground.pid("child")) && end.left_behind >= 1, "{end:?}");
}

#[test]
fn a_request_to_end_leaves_time_to_tidy_up() {
    let ground = Ground::new();
    let cancel = Cancel::new();
    let launch = ground.launch("trap 'echo tidy > tidied; exit 0' TERM; echo $$ > ready; while :; do sleep 0.05; done");
    let bounds = Bounds { grace: PATIENCE, ..TIGHT };
    let end = thread::scope(|scope| {
        let running = scope.spawn(|| run_within(&launch, &cancel, &bounds));
        ground.pid("ready");
        cancel.ask();
        running.join().unwrap()
    });
    assert_eq!((end.how, ground.read("tidied").as_str()), (How::Cancelled, "tidy\n"));
}

#[test]
fn who_insists_does_not_wait_for_the_grace() {
    let ground = Ground::new();
    let cancel = Cancel::new();
    let launch = ground.launch("trap '' TERM; echo $$ > ready; while :; do sleep 1; done");
    let bounds = Bounds { grace: PATIENCE * 10, ..TIGHT };
    let end = thread::scope(|scope| {
        let running = scope.spawn(|| run_within(&launch, &cancel, &bounds));
        ground.pid("ready");
        cancel.ask();
        cancel.insist();
        running.join().unwrap()
    });
    assert_eq!(end.how, How::Cancelled);
    assert!(!lives(ground.pid("ready")));
    assert_eq!(run_within(&launch, &cancel, &bounds).how, How::Cancelled);
}

#[test]
fn daemons_are_ended_with_their_agent() {
    let ground = Ground::new();
    let script = "(setsid sh -c 'echo $$ > far; exec sleep 600' >/dev/null 2>&1 &); sleep 600 & echo $! > near
                  while ! [ -s far ]; do sleep 0.02; done; exit 0";
    let end = ground.run(script);
    assert_eq!((end.how, end.left_behind), (How::Exit(0), 2));
    assert!(!lives(ground.pid("far")) && !lives(ground.pid("near")));
}

#[test]
fn a_daemon_that_holds_the_outputs_open_and_ignores_requests_is_ended_too() {
    let ground = Ground::new();
    let script = "(setsid sh -c 'trap \"\" TERM HUP; echo $$ > far; while :; do echo on; sleep 0.1; done' &)
                  while ! [ -s far ]; do sleep 0.02; done; exit 9";
    let end = ground.run(script);
    assert_eq!(end.how, How::Exit(9));
    assert!(end.left_behind >= 1 && !lives(ground.pid("far")), "{end:?}");
}

/// Who is born while the others are asked to end was not left behind by the agent.
#[test]
fn a_daemon_counts_once_however_many_it_starts() {
    let ground = Ground::new();
    let script = "(setsid sh -c 'trap \"\" TERM HUP; echo $$ > far; while :; do sleep 0.05; done' >/dev/null 2>&1 &)
                  while ! [ -s far ]; do sleep 0.02; done; exit 0";
    let end = ground.run(script);
    // The daemon, and what it waits for at that moment.
    assert!((1..=2).contains(&end.left_behind) && !lives(ground.pid("far")), "{end:?}");
}

#[test]
fn last_hooks_may_finish_by_themselves() {
    let ground = Ground::new();
    let bounds = Bounds { linger: PATIENCE, ..TIGHT };
    let launch = ground.launch("(setsid sh -c 'sleep 0.3; echo late; echo done > done' &); exit 0");
    let end = run_within(&launch, &Cancel::new(), &bounds);
    assert_eq!((end.left_behind, ground.read("done").as_str()), (0, "done\n"));
    assert!(end.said.contains("late") && end.took < PATIENCE / 2);
}

#[test]
fn an_agent_does_not_touch_the_kin_of_another() {
    let (first, second) = (Ground::new(), Ground::new());
    let keeps = second.launch("(setsid sh -c 'echo $$ > far; exec sleep 600' >/dev/null 2>&1 &); cat < wait");
    assert!(Command::new("mkfifo").arg(second.path("wait")).status().unwrap().success());
    thread::scope(|scope| {
        let running = scope.spawn(|| run_within(&keeps, &Cancel::new(), &TIGHT));
        let far = second.pid("far");
        for _ in 0..5 {
            assert_eq!(first.run("(setsid sleep 600 &); exit 0").left_behind, 1);
            assert!(lives(far));
        }
        fs::write(second.path("wait"), "").unwrap();
        assert_eq!(running.join().unwrap().left_behind, 1);
        assert!(!lives(far));
    });
}

/// Starts a process that this test's agents have nothing to do with.
fn stranger(run_id: &str) -> std::process::Child {
    Command::new("sleep").arg("600").env("STEAD_RUN_ID", run_id).spawn().unwrap()
}

#[test]
fn survivors_are_told_from_strangers() {
    let ground = Ground::new();
    let id = ground.launch("").run_id;
    let mut strangers = [stranger("another"), stranger(&format!("{id}-not")), stranger("")];
    let mut ours = [stranger(&id), stranger(&format!("outer/{id}/inner"))];
    let mut pids = ours.each_ref().map(std::process::Child::id);
    pids.sort_unstable();
    let collector = thread::spawn(move || ours.each_mut().map(|child| child.wait().unwrap().success()));
    let ended = end_survivors_within(&id, &[], &Cancel::new(), &TIGHT);
    assert_eq!(collector.join().unwrap(), [false, false]);
    let ended: Vec<_> = ended.iter().map(|ended| (ended.pid, ended.command.as_str())).collect();
    assert_eq!(ended, pids.map(|pid| (pid, "sleep 600")));
    assert!(end_survivors_within("", &[], &Cancel::new(), &TIGHT).is_empty());
    for stranger in &mut strangers {
        assert_eq!(stranger.try_wait().unwrap(), None);
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }
}
