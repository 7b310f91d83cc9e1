//! The check that must be green as well.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{as_agent, held, log, shown, start, status, stop};
use crate::world::{marked, payload};

const DONE: &str = "<promise>DONE</promise>";

#[test]
fn a_promise_with_a_red_check_is_not_enough() {
    let world = marked();
    let check = "test -e sign || { echo no sign yet; exit 7; }";
    let id = start(&world, "s1", &["--promise", "DONE", "--verify", check]);
    assert!(!held(&stop(&world, "s1", "not yet")).unwrap().contains("failed"), "it is not run without a promise");
    let prompt = held(&stop(&world, "s1", DONE)).unwrap();
    assert!(prompt.contains("failed (exit 7)") && prompt.contains("no sign yet"), "{prompt}");
    assert!(prompt.contains("iteration 3 of 25") && prompt.contains("Fix it."), "{prompt}");
    world.write("project/sign", "");
    assert_eq!(held(&stop(&world, "s1", DONE)), None);
    assert!(status(&world, &id).starts_with("done: promise `DONE` kept, `test -e sign"), "{}", status(&world, &id));
    assert!(log(&world)[2].starts_with("held: `test -e sign || { echo no sign yet; exit 7; }` failed: exit 7"));
}

#[test]
fn a_check_alone_can_be_the_end() {
    let world = marked();
    let id = start(&world, "s1", &["--verify", "test -e sign"]);
    assert!(held(&stop(&world, "s1", "a")).unwrap().contains("The loop ends when `test -e sign` succeeds."));
    world.write("project/sign", "");
    assert_eq!(held(&stop(&world, "s1", "b")), None);
    assert_eq!(status(&world, &id), "done: its check kept, `test -e sign` passed");
}

#[test]
fn a_check_has_a_deadline_of_its_own() {
    let world = marked();
    // Longer than the hook's usual two seconds is fine, longer than its own is not.
    let id = start(&world, "s1", &["--promise", "DONE", "--verify", "sleep 2.5", "--verify-seconds=20"]);
    assert_eq!(held(&stop(&world, "s1", DONE)), None);
    assert!(status(&world, &id).starts_with("done"), "{}", status(&world, &id));
    start(
        &world,
        "s1",
        &["--promise", "DONE", "--verify", "(sleep 3; touch late) & sleep 60", "--verify-seconds", "1"],
    );
    let since = Instant::now();
    let prompt = held(&stop(&world, "s1", DONE)).unwrap();
    assert!(prompt.contains("failed (timed out after 1 s)"), "{prompt}");
    assert!(since.elapsed() < Duration::from_secs(20));
    std::thread::sleep(Duration::from_secs(3));
    assert!(!world.exists("project/late"), "what it started lives on");
}

#[test]
fn a_noisy_check_is_cut_to_its_end() {
    let world = marked();
    let noisy = "i=0; while [ $i -lt 3000 ]; do echo line-$i é; i=$((i+1)); done; echo THE END; exit 1";
    start(&world, "s1", &["--promise", "DONE", "--verify", noisy]);
    let prompt = held(&stop(&world, "s1", DONE)).unwrap();
    assert!(prompt.contains("THE END") && !prompt.contains("line-100 ") && prompt.len() < 8_000, "{prompt}");
}

/// Otherwise a check would be a way around the gates: what it runs, no hook sees.
#[test]
fn an_agents_check_may_not_do_what_the_agent_may_not() {
    let world = marked();
    let refused = as_agent(&world, "s1", &["loop", "start", "It.", "--verify", "rm -f .agent/config.toml"]);
    assert!(refused.code == 1 && refused.stderr.contains("is refused: Stead stopped"), "{refused}");
    // What becomes forbidden later is refused at the stop.
    let id = start(&world, "s1", &["--promise", "DONE", "--verify", "touch infra/checked"]);
    let guard = "id: infra\nmode: enforce\nmatch: {writes: 'infra/**'}\nthen: deny\nsay: \"leave it\"\n";
    world.write("project/.agent/guards/infra.yaml", guard);
    let prompt = held(&stop(&world, "s1", DONE)).unwrap();
    assert!(prompt.contains("failed (refused)") && prompt.contains("leave it"), "{prompt}");
    assert!(!world.exists("project/infra/checked"));
    world.stead(&["loop", "cancel", &id]).ok();
    // What a person asks for is a person's business.
    world
        .stead(&[
            "loop",
            "start",
            "Theirs.",
            "--promise",
            "DONE",
            "--verify",
            "cat .agent/config.toml >>.agent/config.toml",
        ])
        .ok();
    let id = world.stead(&["loop", "list", "--json"]).json()["active"].as_str().unwrap().to_owned();
    as_agent(&world, "s1", &["loop", "activate", &id]).ok();
    assert!(held(&stop(&world, "s1", DONE)).is_none() || !log(&world).pop().unwrap().contains("refused"));
}

/// The hook is killed while the check runs: nothing is half written, and the next stop works.
#[test]
fn kill_in_the_middle_leaves_whole_files() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE", "--verify", "touch running; sleep 5"]);
    let path = format!("project/.agent/context/loops/{id}.md");
    let before = world.read(&path);
    let mut hook = world.command(env!("CARGO_BIN_EXE_stead"), &world.project());
    hook.args(["hook", "claude", "Stop"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = hook.spawn().unwrap();
    let own = json!({"session_id": "s1", "last_assistant_message": DONE, "stop_hook_active": false});
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload(&world, "Stop", own).as_bytes()).unwrap();
    let since = Instant::now();
    while !world.exists("project/running") {
        assert!(since.elapsed() < Duration::from_secs(20), "the check never began");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(world.read(&path), before);
    assert!(held(&stop(&world, "s1", "not yet")).unwrap().contains("iteration 2 of 25"));
    assert_eq!(shown(&world, &id)["status"], "active");
}
