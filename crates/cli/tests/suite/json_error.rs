//! Errors, notes and warnings with `--json`. That they fit their schemas is checked after every run of the suite.

use serde_json::{Value, json};

use crate::world::{bare, marked};

fn lines(stderr: &str) -> Vec<Value> {
    stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_error_has_a_code_and_the_same_exit_code() {
    let world = marked();
    world.stead(&["handoff", "One"]).ok();
    world.write("project/.agent/features/feature-list.json", "{ not json");
    let check = |line: &str, code: &str, hint: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let told = world.stead(&[&words[..], &["--json"]].concat());
        let plain = world.stead(&words);
        let all = lines(&told.stderr);
        let [error] = all.as_slice() else { panic!("{line}: {told}") };
        assert_eq!((told.code, told.stdout.as_str()), (plain.code, ""), "{line}: {told}");
        assert_eq!((&error["schema"], &error["error"]["code"]), (&json!("stead.error/1"), &json!(code)), "{line}");
        // The parser writes its message in several lines.
        let one_line = plain.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(error["error"]["message"].as_str().unwrap()), "{line}: {plain}");
        assert!(error["error"]["hint"].as_str().unwrap_or_default().contains(hint), "{line}: {told}");
    };
    check("explain", "not-found", "stead log");
    check("guard show nothing", "not-found", "");
    check("packet show nothing", "not-found", "");
    check("config get record.sesions", "not-found", "did you mean `record.sessions`?");
    check("schema answer.guard-lst", "not-found", "did you mean `answer.guard-list`?");
    check("packet share ../x", "not-found", "");
    check("feature list", "config", "");
    check("seal accept t-1", "refused", "in a terminal of your own");
    check("run stage work", "usage", "");
    check("loop start", "usage", "");
    check("guard lst", "usage", "");
    check("guard list --nothing", "usage", "");
    check("lint --config record.sessions=7", "usage", "");
}

#[test]
fn a_folder_that_is_no_project_is_told_by_its_code() {
    let run = bare().stead(&["trace", "log", "--json"]);
    assert_eq!(lines(&run.stderr)[0]["error"]["code"], "not-set-up", "{run}");
}

#[test]
fn a_cause_is_told_apart_from_the_message() {
    let world = marked();
    let run = world.stead(&["logs", "missing.log", "--json"]);
    let error = &lines(&run.stderr)[0]["error"];
    assert!(error["causes"][0].as_str().unwrap().contains("No such file"), "{run}");
    assert!(!error["message"].as_str().unwrap().contains("No such file"), "{run}");
}

#[test]
fn warnings_and_notes_are_lines_of_their_own() {
    let world = marked();
    world.write("project/.agent/config.toml", "[record]\nsesions = true\n");
    let run = world.stead(&["config", "list", "--json"]);
    assert!(run.json()["problems"][0]["message"].is_string(), "{run}");
    let run = world.stead(&["verify", "--json", "--", "true"]);
    let first = &lines(&run.stderr)[0];
    assert_eq!(first["schema"], "stead.message/1", "{run}");
    let text = first["message"]["text"].as_str().unwrap();
    assert!(first["message"]["level"] == "note" && text.starts_with("running `true`"), "{run}");
}

#[test]
fn json_after_two_hyphens_is_not_ours() {
    let run = marked().stead(&["guard", "lst", "--", "--json"]);
    assert!(run.code == 2 && run.stderr.starts_with("error: "), "{run}");
}
