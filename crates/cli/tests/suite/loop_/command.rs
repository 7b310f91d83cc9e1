//! `stead loop …` as people and agents type it.

use serde_json::json;

use super::{as_agent, log, quoted, shown, start};
use crate::world::{lines, marked, shell};

#[test]
fn flags_are_never_prompt_text() {
    let world = marked();
    for words in [vec!["--max-iterations=3"], vec!["--max-iterations", "3"]] {
        let words = [vec!["loop", "start", "Fix", "it.", "--json"], words].concat();
        let started = world.stead(&words).json();
        assert_eq!(started["max_iterations"], 3);
        assert_eq!(shown(&world, started["id"].as_str().unwrap())["prompt"], "Fix it.");
    }
    for wrong in [
        vec!["--max-iteration=3"],
        vec!["--forever"],
        vec!["--max-iterations", "many"],
        vec!["--max-iterations", "-1"],
        vec!["--verify-seconds", "551"],
        vec!["--promise", "a|"],
        vec!["--verify", " "],
        vec!["--from-packet", "latest"],
    ] {
        let run = world.stead(&[vec!["loop", "start", "go"], wrong.clone()].concat());
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{wrong:?}: {run}");
    }
    assert_eq!(world.stead(&["loop", "start"]).code, 2);
    assert_eq!(world.stead(&["loop", "start", "  "]).code, 2);
    assert_eq!(world.stead(&["loop", "list", "--json"]).json()["items"].as_array().unwrap().len(), 2);
}

#[test]
fn the_default_is_finite_and_zero_must_be_written() {
    let world = marked();
    assert_eq!(world.stead(&["loop", "start", "go", "--json"]).json()["max_iterations"], 25);
    assert_eq!(world.stead(&["loop", "start", "go", "--max-iterations=0", "--json"]).json()["max_iterations"], 0);
    let packet = |extra: &str| {
        let head = "id: p\ncreated_at: 2026-11-15T19:45:30.123Z\nupdated_at: 2026-11-15T19:45:30.123Z\nstatus: draft\npurpose: x";
        let text =
            format!("---\n{head}\n{extra}---\n\n## Next Prompt (Draft)\n\nGo on with the parser.\n\n## Plan\n\n1. x\n");
        world.write("project/.agent/context/packets/20261115T194530Z-p.md", text);
        world.stead(&["loop", "start", "--from-packet", "20261115T194530Z-p", "--json"])
    };
    let started = packet("loop_promise: DONE|BLOCKED\nloop_max_iterations: 7\n").json();
    assert_eq!((&started["max_iterations"], &started["promises"]), (&json!(7), &json!(["DONE", "BLOCKED"])));
    assert_eq!(started["packet"], "20261115T194530Z-p");
    assert_eq!(shown(&world, started["id"].as_str().unwrap())["prompt"], "Go on with the parser.");
    assert_eq!(packet("loop_max_iterations: 0\n").json()["max_iterations"], 25);
    assert_eq!(packet("verify: make check\n").json()["verify"], "make check");
    assert_eq!(packet("").json()["promises"], json!([]));
    let run = world.stead(&["loop", "start", "--from-packet", "20261115T194530Z-q"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("did you mean `20261115T194530Z-p`?"), "{run}");
}

#[test]
fn a_command_is_bound_to_the_session_that_let_it_pass() {
    let world = marked();
    let words = ["loop", "start", "Fix it, please.", "--promise", "DONE"];
    let told = as_agent(&world, "s1", &words).ok();
    assert!(told.contains("; session s1 of claude") && told.contains("<promise>DONE</promise>"), "{told}");
    let binds = lines(&world, "sessions.jsonl").pop().unwrap()["binds"].clone();
    assert_eq!(binds.as_array().unwrap().len(), 1, "{binds}");
    world.hook("claude PreToolUse", shell(&world, "ls"));
    assert!(lines(&world, "sessions.jsonl").pop().unwrap().get("binds").is_none());
    // Other words are another command, and a denied one binds nobody.
    assert!(world.stead(&["loop", "start", "Another."]).ok().contains("; no session"));
    let both = format!("rm -rf .agent; stead {}", quoted(&["loop", "start", "Sly."]));
    world.hook("claude PreToolUse", shell(&world, &both));
    assert!(world.stead(&["loop", "start", "Sly."]).ok().contains("; no session"));
}

#[test]
fn loops_are_listed_shown_and_explained() {
    let world = marked();
    assert!(world.stead(&["loop", "list"]).stderr.contains("no loops yet"));
    let id = start(&world, "s1", &["--promise", "DONE|BLOCKED", "--verify", "cargo test"]);
    let list = world.stead(&["loop", "list"]).ok();
    assert!(list.starts_with(&format!("* active     1 of 25   {id}  ")), "{list}");
    let text = world.stead(&["loop", "show", "fix-it"]).ok();
    for part in [
        "status      active",
        "iteration   1 of 25",
        "promise     DONE or BLOCKED",
        "verify      cargo test",
        "\nFix it.\n",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let text = world.stead(&["loop", "log"]).ok();
    assert!(text.contains(&format!("{id} #1 started s1")), "{text}");
    assert_eq!(log(&world).len(), 1);
    let run = world.stead(&["loop", "cancel", "fix-ti"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("there is no loop `fix-ti`") && run.stderr.contains(&format!("did you mean `{id}`?")));
    world.stead(&["loop", "cancel", &id]).ok();
    let run = world.stead(&["loop", "resume", &id]);
    assert!(run.code == 1 && run.stderr.contains("is cancelled"), "{run}");
    let outside = crate::world::bare().stead(&["loop", "list"]);
    assert!(outside.code == 1 && outside.stderr.contains("stead init"), "{outside}");
}

#[test]
fn what_is_written_fits_its_schema() {
    let world = marked();
    let id = start(&world, "s1", &["--promise", "DONE"]);
    super::stop(&world, "s1", "x");
    super::stop(&world, "s2", "x");
    let check = |name: &str, value: &serde_json::Value| {
        let schema = world.stead(&["schema", name]).json();
        let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
        let errors: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert_eq!(errors, [] as [String; 0], "{name}: {value}");
    };
    lines(&world, "loop-log.jsonl").iter().for_each(|line| check("loop-log", line));
    lines(&world, "sessions.jsonl").iter().for_each(|line| check("session-log", line));
    let pointer = world.read("project/.agent/context/indexes/active-loop.json");
    let pointer: serde_json::Value = serde_json::from_str(&pointer).unwrap();
    check("active-loop", &pointer);
    assert_eq!((&pointer["active_loop_id"], &pointer["sessions"]["s1"]), (&json!(id), &json!(id)));
}
