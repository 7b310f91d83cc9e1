//! Evidence that this checkout did not record itself: changed by hand, merged in, copied, or with a log that was cut or set
//! back. It is shown, and proves nothing.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use stead_testkit::World;

use crate::world::{accept_all, denies, lines, marked, payload, tool};

const GREEN: &str = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";

const LOG: &str = "project/.agent/context/indexes/evidence.jsonl";
const HEAD: &str = "project/.agent/context/indexes/evidence.head";

fn world() -> World {
    let world = marked();
    world.write("project/src/search.rs", "one");
    let list = json!({"features": [{"id": "search", "files": ["src/search.rs"]}]});
    world.write("project/.agent/features/feature-list.json", list.to_string());
    world
}

/// A hook sees the whole suite pass.
fn see(world: &World, command: &str, output: &str) {
    let own = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "c",
        "tool_response": {"stdout": output, "stderr": "", "interrupted": false}});
    let run = world.hook("claude PostToolUse", payload(world, "PostToolUse", own));
    assert_eq!(run.code, 0, "{run}");
}

fn standing(world: &World) -> Value {
    world.stead(&["evidence", "list", "search", "--json"]).json()
}

#[track_caller]
fn check(world: &World, name: &str, why: &str) {
    let said = standing(world);
    assert_eq!(said["standing"], name, "{said}");
    assert!(said["why_not"].as_str().unwrap().contains(why), "{said}");
}

fn record(world: &World) -> PathBuf {
    let folder = world.project().join(".agent/features/evidence/search");
    fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

/// The copy of the head in the person's state folder.
fn copy(world: &World) -> PathBuf {
    let projects = world.home().join(".local/state/stead/projects");
    let id = fs::read_dir(projects).unwrap().next().unwrap().unwrap().path();
    let places = fs::read_dir(id).unwrap().map(|entry| entry.unwrap().path());
    places.map(|place| place.join("evidence.head")).find(|path| path.exists()).unwrap()
}

fn tested(world: &World) -> bool {
    let list = json!({"features": [{"id": "search", "files": ["src/search.rs"], "tested": true}]});
    let input = json!({"file_path": world.project().join(".agent/features/feature-list.json"),
        "content": list.to_string()});
    let run = world.hook("claude PreToolUse", tool(world, "Write", input));
    if denies(&run.stdout) {
        assert!(run.stdout.contains("foreign"), "{run}");
    }
    !denies(&run.stdout)
}

#[test]
fn a_record_that_was_edited_is_foreign_everywhere() {
    let world = world();
    see(&world, "cargo test", GREEN);
    check(&world, "fresh", "");
    assert!(tested(&world));
    let path = record(&world);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("3 passed", "4 passed")).unwrap();
    check(&world, "foreign", "it was changed after it was recorded");
    assert!(!tested(&world));
    let id = path.file_stem().unwrap().to_str().unwrap();
    let shown = world.stead(&["evidence", "show", id]).ok();
    assert!(shown.contains("proves    no: foreign: it was changed after it was recorded"), "{shown}");
    let listed = world.stead(&["evidence", "list", "search"]).ok();
    assert!(listed.contains("foreign: it was changed after it was recorded"), "{listed}");
    let feature = world.stead(&["feature", "show", "search"]).ok();
    assert!(feature.contains("foreign: has only foreign evidence"), "{feature}");
    let report = world.stead(&["feature", "report", "search", "--passed"]);
    assert!(report.code == 1 && report.stderr.contains("foreign"), "{report}");
    // A list that already calls it tested: the person is told wherever they look.
    let list = json!({"features": [{"id": "search", "files": ["src/search.rs"], "tested": true}]});
    world.write("project/.agent/features/feature-list.json", list.to_string());
    accept_all(&world);
    let status = world.stead(&["status"]).ok();
    assert!(status.contains("`search` is tested by foreign evidence only"), "{status}");
    let doctor = world.stead(&["doctor", "--json"]).json();
    assert!(doctor["checks"].to_string().contains("is tested by foreign evidence only"), "{doctor}");
    fs::write(&path, text).unwrap();
    check(&world, "fresh", "");
}

#[test]
fn evidence_of_another_project_is_foreign() {
    let (from, to) = (world(), world());
    see(&from, "cargo test", GREEN);
    see(&to, "cargo test", "test result: ok. 0 passed; 0 failed; 0 ignored\n");
    let name = record(&from).file_name().unwrap().to_owned();
    let text = fs::read(record(&from)).unwrap();
    fs::write(to.project().join(".agent/features/evidence/search").join(name), text).unwrap();
    check(&to, "foreign", "this checkout's log does not list it");
    assert!(!tested(&to));
    // Not with its log and head, either, nor after the next run.
    for path in [LOG, HEAD] {
        to.write(path, from.read(path));
    }
    check(&to, "foreign", "the head beside its log is missing or was changed");
    to.write("project/src/search.rs", "two");
    see(&to, "cargo test", GREEN);
    check(&to, "fresh", "");
    to.write("project/src/search.rs", "one");
    assert_ne!(standing(&to)["standing"], "fresh");
}

/// The whole project, copied with its log to another folder, has to be tested there.
#[test]
fn a_copied_checkout_proves_nothing_until_it_is_tested() {
    let world = world();
    see(&world, "cargo test", GREEN);
    world.sh("cp -r . ../copy").ok();
    let said = world.stead_in(world.folder().join("copy"), &["evidence", "list", "search", "--json"]).json();
    assert_eq!(said["standing"], "foreign", "{said}");
    assert!(said["why_not"].as_str().unwrap().contains("not written in this checkout"), "{said}");
    check(&world, "fresh", "");
    // A project that was moved keeps what it had.
    fs::rename(world.project(), world.folder().join("moved")).unwrap();
    let said = world.stead_in(world.folder().join("moved"), &["evidence", "list", "search", "--json"]).json();
    assert_eq!(said["standing"], "fresh", "{said}");
}

#[test]
fn evidence_that_git_merges_in_is_foreign() {
    let world = world();
    let git = "git -c user.name=T -c user.email=t@example.invalid -c init.defaultBranch=main";
    world.sh(&format!("{git} init -q . && {git} add -A && {git} commit -qm x && {git} clone -q . ../theirs")).ok();
    world.sh("mkdir -p ../home2").ok();
    // Another machine: another checkout, another home.
    see(&world, "cargo test", GREEN);
    let name = record(&world).file_name().unwrap().to_str().unwrap().to_owned();
    let theirs = world.folder().join("theirs/.agent/features/evidence/search");
    fs::create_dir_all(&theirs).unwrap();
    let text = fs::read_to_string(record(&world)).unwrap().replace(&name[..17], "20990101T000000000");
    fs::write(theirs.join(name.replace(&name[..17], "20990101T000000000")), text).unwrap();
    fs::remove_dir_all(world.project().join(".agent/features/evidence")).unwrap();
    world
        .sh(&format!(
            "cd ../theirs && {git} add -f .agent/features/evidence && {git} commit -qm evidence && cd ../project && {git} pull -q --no-rebase ../theirs HEAD"
        ))
        .ok();
    check(&world, "foreign", "this checkout's log does not list it");
    assert!(!tested(&world));
}

#[test]
fn a_log_that_was_cut_set_back_or_lost_its_head_vouches_for_nothing() {
    let world = world();
    see(&world, "cargo test", GREEN);
    let old = [LOG, HEAD].map(|path| world.read(path));
    see(&world, "cargo build", "Finished");
    let new = [LOG, HEAD].map(|path| world.read(path));
    check(&world, "fresh", "");
    assert_eq!(world.stead(&["evidence", "verify"]).ok(), "2 lines verified\n");
    fs::remove_file(world.folder().join(HEAD)).unwrap();
    check(&world, "foreign", "the head beside its log is missing or was changed");
    world.write(HEAD, &new[1]);
    check(&world, "fresh", "");
    world.write(LOG, &old[0]);
    check(&world, "foreign", "its log was changed, cut off or set back");
    let verified = world.stead(&["evidence", "verify"]);
    assert_eq!((verified.code, verified.stdout.as_str()), (1, "line 2: truncation\n"), "{verified}");
    world.write(HEAD, &old[1]);
    check(&world, "foreign", "the head beside its log is missing or was changed");
    assert_eq!(world.stead(&["evidence", "verify"]).stdout, "line 2: rollback\n");
    assert!(!tested(&world));
    // Another run does not make up for what is missing.
    see(&world, "cargo build", "Finished");
    check(&world, "foreign", "its log was changed, cut off or set back");
    let broken = world.stead(&["doctor", "--json"]).json();
    assert!(broken["checks"].to_string().contains("the log of evidence is damaged"), "{broken}");
    [LOG, HEAD].iter().zip(&new).for_each(|(path, text)| drop(world.write(path, text)));
    fs::remove_file(copy(&world)).unwrap();
    check(&world, "foreign", "its log was not written in this checkout");
}

/// A line with the right hash behind the last one is in no chain, and the next run does not take it in.
#[test]
fn a_line_that_somebody_wrote_stays_foreign() {
    let world = world();
    see(&world, "cargo build", "Finished");
    let last = lines(&world, "evidence.jsonl").pop().unwrap();
    let record = json!({"v": 2, "id": "20991231T000000000Z-abcdef", "ts": "2099-12-31T00:00:00.000Z", "kind": "ran",
        "source": "verify", "about": "test", "feature": "search", "command": "cargo test", "exit": 0, "whole": true});
    let text = record.to_string();
    let mut line = record.clone();
    line["records"] = json!([{"feature": "search", "id": record["id"], "sha256": stead_store::sha256(&text)}]);
    line["chain"] = json!({"seq": 2, "prev": last["chain"]["hash"]});
    line["chain"]["hash"] = stead_store::sha256(stead_store::canonical(&line)).into();
    world.write("project/.agent/features/evidence/search/20991231T000000000Z-abcdef.json", text);
    world.write(LOG, format!("{}{line}\n", world.read(LOG)));
    check(&world, "foreign", "this checkout's log does not list it");
    see(&world, "cargo build", "Finished");
    check(&world, "foreign", "this checkout's log does not list it");
    assert!(!tested(&world));
}

#[test]
fn a_killed_hook_leaves_its_records_foreign_or_proven() {
    let world = world();
    see(&world, "cargo test", GREEN);
    // As if it had been killed after the record and before the line.
    let whole = world.read(LOG);
    let (head, end) = (world.read(HEAD), fs::read(copy(&world)).unwrap());
    fs::remove_file(world.folder().join(LOG)).unwrap();
    let start = json!({"seq": 0, "hash": "0".repeat(64), "length": 0}).to_string();
    world.write(HEAD, &start);
    fs::write(copy(&world), &start).unwrap();
    check(&world, "foreign", "this checkout's log does not list it");
    // After the line and before the ends.
    world.write(LOG, whole);
    check(&world, "fresh", "");
    world.write(HEAD, head);
    check(&world, "fresh", "");
    fs::write(copy(&world), end).unwrap();
    check(&world, "fresh", "");
}

/// Sixteen hooks at once: every run is in one chain.
#[test]
fn sixteen_hooks_at_once_keep_one_chain() {
    let world = world();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| see(&world, "cargo test", GREEN));
        }
    });
    assert_eq!(lines(&world, "evidence.jsonl").len(), 16);
    assert_eq!(world.stead(&["evidence", "verify"]).ok(), "16 lines verified\n");
    let said = standing(&world);
    assert_eq!(said["standing"], "fresh", "{said}");
    assert_eq!(said["foreign"], json!([]), "{said}");
}

/// What told the runner what to run is listed with its hash, and named if the same session wrote it.
#[test]
fn a_record_says_what_it_leaned_on() {
    let world = world();
    let makefile = world.project().join("Makefile");
    world.write("project/Makefile", "test:\n\tcargo test\n");
    see(&world, "make test", GREEN);
    let said = lines(&world, "evidence.jsonl").pop().unwrap();
    assert_eq!(said["leaned"][0]["path"], "Makefile");
    assert_eq!(said["leaned"][0]["by_session"], Value::Null);
    // The session writes it, and the ledger knows.
    let input = json!({"file_path": makefile, "content": "test:\n\tcargo test --quiet\n"});
    world.hook("claude PreToolUse", tool(&world, "Write", input.clone())).ok();
    world.write("project/Makefile", "test:\n\tcargo test --quiet\n");
    let own = json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "call-1",
        "tool_response": {"filePath": makefile, "type": "update"}});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", own)).ok();
    see(&world, "make test", GREEN);
    let line = lines(&world, "evidence.jsonl").pop().unwrap();
    assert_eq!(line["leaned"][0]["by_session"], true, "{line}");
    let id = line["records"][0]["id"].as_str().unwrap();
    let shown = world.stead(&["evidence", "show", id]).ok();
    assert!(shown.contains("leaned on Makefile (changed in this session)"), "{shown}");
    let feature = world.stead(&["feature", "show", "search"]).ok();
    assert!(feature.contains("Makefile (changed in this session)"), "{feature}");
    // The refusal names it, too.
    see(&world, "make test", "test result: FAILED. 2 passed; 1 failed; 0 ignored\n");
    let report = world.stead(&["feature", "report", "search", "--passed"]);
    assert!(report.stderr.replace('\n', " ").contains("leaned on: Makefile (changed in this session)"), "{report}");
}
