//! Bad input: nonsense in files, two at once, no space. The agent is let go, the files stay whole.

use serde_json::json;

use super::{held, log, shown, start, status, stop};
use crate::world::{marked, payload};

#[test]
fn nonsense_lets_the_agent_go_and_is_named_by_file_and_line() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    let path = format!("project/.agent/context/loops/{id}.md");
    let good = world.read(&path);
    let check = |text: String, expected: &str| {
        world.write(&path, &text);
        let told = stop(&world, "s1", "x").json()["systemMessage"].as_str().unwrap().to_owned();
        assert!(told.contains("cannot be read, so it holds nobody") && told.contains(expected), "{expected}: {told}");
        assert!(log(&world).pop().unwrap().contains(expected), "{expected}");
        let run = world.stead(&["loop", "show", &id]);
        assert_eq!(run.code, 1, "{run}");
        assert!(run.stderr.contains(&format!("{id}.md`")) && run.stderr.contains(expected), "{expected}: {run}");
        assert_eq!(world.read(&path), text);
        assert_eq!(world.stead(&["loop", "list"]).code, 1);
    };
    check(good.replace("status: active", "status: asleep"), "line 5: `status`: expected `active`");
    check(good.replace("iteration: 1", "iteration: one"), "`iteration`: expected a non-negative integer");
    check(good.replacen("---\n", "", 1), "line 1: the file does not start with `---`");
    check(good.replace("status: active", "status: active\nstatus: done"), "line 6: `status` appears twice");
    check(good.replace("Fix it.", ""), "there is no text below `## Loop Prompt`");
    check(format!("{good}{}", "x".repeat(10 * 1024 * 1024)), "could not read");
    // Windows line ends and a byte order mark are no nonsense.
    world.write(&path, format!("\u{feff}{}", good.replace('\n', "\r\n")));
    assert!(held(&stop(&world, "s1", "x")).unwrap().contains("Fix it."));
    let text = world.read(&path);
    assert!(text.starts_with("\u{feff}---\r\n") && text.contains("iteration: 2\r\n"), "{text}");
    world.write("project/.agent/context/indexes/active-loop.json", "{torn");
    let told = stop(&world, "s1", "x");
    assert!(
        told.stdout.contains("no loop can hold this session") && told.stdout.contains("active-loop.json"),
        "{told}"
    );
    assert!(world.stead(&["loop", "list"]).stderr.contains("active-loop.json`: line 1"));
}

#[test]
fn a_loop_whose_file_is_gone_is_told_once() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    std::fs::remove_file(world.project().join(format!(".agent/context/loops/{id}.md"))).unwrap();
    let told = stop(&world, "s1", "x").json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(told.contains(&format!("there is no loop `{id}`")), "{told}");
    assert_eq!(stop(&world, "s1", "x").to_string(), "exit 0");
}

#[test]
fn what_a_person_wrote_around_the_state_stays() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    let path = format!("project/.agent/context/loops/{id}.md");
    let mine = world.read(&path).replace("iteration: 1", "# keep me\niteration: 1\nmood:   fine") + "\nmy notes  \n";
    world.write(&path, &mine);
    assert!(held(&stop(&world, "s1", "x")).is_some());
    let text = world.read(&path);
    let changes =
        mine.lines().zip(text.lines()).filter(|(old, new)| old != new).map(|(old, _)| old).collect::<Vec<_>>();
    let keys: Vec<&str> = changes.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(keys, ["updated_at", "iteration", "expires", "counts"], "{text}");
    assert!(text.ends_with("\nmy notes  \n"), "{text}");
}

#[test]
fn two_sessions_and_a_person_at_once_lose_nothing() {
    let world = marked();
    let first = start(&world, "s1", &["--max-iterations", "0", "--max-repeats", "0"]);
    let second = start(&world, "s2", &["--max-iterations", "0", "--max-repeats", "0"]);
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let world = &world;
            let session = if worker % 2 == 0 { "s1" } else { "s2" };
            scope.spawn(move || {
                for _ in 0..6 {
                    assert!(held(&stop(world, session, "x")).is_some());
                }
            });
        }
    });
    for id in [&first, &second] {
        assert_eq!(shown(&world, id)["iteration"], 13);
    }
    assert_eq!(log(&world).iter().filter(|line| line.starts_with("held")).count(), 24);
}

#[test]
fn a_full_disk_holds_nobody_and_keeps_the_files() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    let own = json!({"session_id": "s1", "last_assistant_message": "x", "stop_hook_active": false});
    world.write("payload.json", payload(&world, "Stop", own));
    let script = "cp -r .agent/context/loops ../kept && mount -t tmpfs -o size=64k tmpfs .agent/context/loops \
        && cp ../kept/* .agent/context/loops/ && (cat /dev/zero > .agent/context/loops/filler 2>/dev/null; true) \
        && \"$STEAD\" hook claude Stop < ../payload.json && cmp ../kept/*.md .agent/context/loops/*.md && echo whole";
    let Some(run) = world.sh_with_own_mounts(script, b"") else { return };
    assert!(run.code == 0 && run.stdout.ends_with("whole\n"), "{run}");
    assert!(run.stdout.contains("no loop can hold this session: could not write"), "{run}");
    assert!(world.read("home/.local/state/stead/notes.jsonl").contains(&id), "the reason is noted for doctor");
    assert_eq!(status(&world, &id), "active");
    assert!(held(&stop(&world, "s1", "x")).is_some());
}
