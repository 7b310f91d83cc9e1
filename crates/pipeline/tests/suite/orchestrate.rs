//! A run that works on the feature list: eight features of every kind, agents that lie, hang or die, and two engines
//! at once.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use stead_feature::{Event, FeatureError, Rules, transact};
use stead_pipeline::orchestrate::{Orchestrate, OrchestratePlan};
use stead_pipeline::{Plan, Provider, RunEvent, RunStatus};

use super::formats;
use super::world::{World, now};

/// How every agent begins: what it is to do, and how it reports.
const AGENT: &str = r#"
field() { sed -n "s/^ *\"$1\": \"\(.*\)\".*/\1/p" "$STEAD_COMMAND" | head -1; }
id=$(field feature_id); task=$(field task)
echo "$task $id" >> "$ROOT/calls"
say() { echo "{\"decision\": \"stop\", \"summary\": \"$1\", \"work\": {\"files_touched\": [\"$id.txt\"]}}" > "$STEAD_STATUS"; }
passed() { echo '{"decision": "stop", "result": "passed"}' > "$STEAD_STATUS"; }
"#;

pub(crate) fn agent(world: &World, script: &str) -> Provider {
    let script = format!("ROOT={:?}\n{AGENT}\n{script}", world.root);
    Provider::Command(vec!["sh".into(), "-c".into(), script])
}

pub(crate) fn plan(world: &World, coder: &str, tester: &str) -> OrchestratePlan {
    OrchestratePlan {
        run: "night".into(),
        created_at: "2026-11-15T20:00:00.000Z".into(),
        provider: agent(world, coder),
        max_parallel: 1,
        orchestrate: Orchestrate {
            tester: agent(world, tester),
            timeout_seconds: 60,
            lease_seconds: 60,
            ..Orchestrate::default()
        },
        ..OrchestratePlan::default()
    }
}

/// A feature whose file has to say `good`.
pub(crate) fn feature(id: &str) -> Value {
    json!({"id": id, "title": format!("Feature {id}"), "files": [format!("{id}.txt")],
        "verifiers": [format!("grep good {id}.txt")], "status": "pending"})
}

pub(crate) fn write_list(world: &World, features: &[Value]) {
    fs::create_dir_all(world.root.join("features")).unwrap();
    let list = json!({"schema": "stead.feature-list/1", "features": features});
    fs::write(world.list(), serde_json::to_string_pretty(&list).unwrap()).unwrap();
}

/// The status of each feature, with its attempts.
pub(crate) fn states(world: &World) -> Vec<String> {
    let list: Value = serde_json::from_str(&fs::read_to_string(world.list()).unwrap()).unwrap();
    let each = list["features"].as_array().unwrap().iter().map(|feature| {
        let on = feature["blocked_on"].as_str().map(|on| format!(" on {on}")).unwrap_or_default();
        let attempts = feature["attempts"].as_u64().unwrap_or(0);
        format!("{} {}{on} {attempts}", feature["id"].as_str().unwrap(), feature["status"].as_str().unwrap())
    });
    each.collect()
}

fn apply(world: &World, event: &Event) {
    transact(&world.root.join("features"), |opened| opened.apply(event, now(), &Rules::default()).map(drop))
        .map_err(|error: FeatureError| error)
        .unwrap();
}

fn git(dir: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(dir).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub(crate) fn make_repository(world: &World) {
    let root = &world.root;
    fs::write(root.join("shared.txt"), "begin\n").unwrap();
    fs::write(root.join(".gitignore"), "/runs/\n/calls\n/features/\n/programs/\n/indexes/\n").unwrap();
    git(root, &["init", "--quiet", "-b", "main"]);
    git(root, &["config", "user.email", "me@example.invalid"]);
    git(root, &["config", "user.name", "me"]);
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "begin"]);
}

/// Replaces what differs from run to run.
fn timeless(world: &World, text: &str) -> String {
    let text = text.replace(world.root.to_str().unwrap(), "ROOT");
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let shape = |pattern: &str| {
            let head = rest.get(..pattern.len())?;
            let fits = head.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
                b'd' => byte.is_ascii_digit(),
                b'x' => byte.is_ascii_hexdigit(),
                wanted => byte == wanted,
            });
            fits.then_some(pattern.len())
        };
        if let Some(length) = shape("dddd-dd-ddTdd:dd:dd.dddZ") {
            out.push('T');
            rest = &rest[length..];
        } else if let Some(length) = shape("ddddddddTdddddddddZ-xxxxxx") {
            out.push('E');
            rest = &rest[length..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

const CODER: &str = r#"
case "$id" in
  fails-once) [ -e "$ROOT/calls.once" ] && echo good > "$id.txt" || { echo bad > "$id.txt"; touch "$ROOT/calls.once"; };;
  fails-twice) echo bad > "$id.txt";;
  asks) if grep -q '"answer"' "$STEAD_COMMAND"; then echo good > "$id.txt"; else
    echo '{"decision": "stop", "blocked_on": "human", "needs_human": {"question": "Which colour?"}}' > "$STEAD_STATUS"
    exit 0; fi;;
  conflicts) echo good > "$id.txt"; echo mine > shared.txt
    echo theirs > "$ROOT/shared.txt"; git -C "$ROOT" commit -qam theirs;;
  *) echo good > "$id.txt";;
esac
say "wrote $id.txt"
"#;

fn eight() -> Vec<Value> {
    let mut features: Vec<Value> =
        ["plain", "fails-once", "fails-twice", "depends", "unproven", "asks", "conflicts", "last"].map(feature).into();
    features[3]["depends_on"] = json!(["fails-once"]);
    features[3]["priority"] = json!(1);
    features[4].as_object_mut().unwrap().remove("verifiers");
    features
}

#[test]
fn eight_features_end_as_they_should() {
    let world = World::new();
    make_repository(&world);
    write_list(&world, &eight());
    let mut options = plan(&world, CODER, "passed");
    options.orchestrate.worktrees = true;
    let end = world.start(&options.plan()).unwrap();
    assert_eq!((end.status, end.exit_code()), (RunStatus::Blocked, 4), "{end:?}");
    assert_eq!(
        states(&world),
        [
            "plain tested 1",
            "fails-once tested 2",
            "fails-twice blocked on verifier 2",
            "depends tested 1",
            "unproven blocked on verifier 2",
            "asks blocked on human 0",
            "conflicts blocked on human 0",
            "last tested 1"
        ]
    );
    let root = &world.root;
    // What is tested is merged, and nothing else.
    assert_eq!(
        git(root, &["branch", "--format=%(refname:short)"]).lines().collect::<Vec<_>>(),
        ["main", "stead/night/asks", "stead/night/conflicts", "stead/night/fails-twice", "stead/night/unproven"]
    );
    assert!(
        root.join("plain.txt").exists() && root.join("depends.txt").exists() && !root.join("fails-twice.txt").exists()
    );
    assert_eq!(fs::read_to_string(root.join("shared.txt")).unwrap(), "theirs\n");
    let report = world.json("report.json");
    formats::check("report", &report);
    let questions: Vec<&str> =
        report["features"].as_array().unwrap().iter().filter_map(|feature| feature["question"].as_str()).collect();
    assert_eq!(questions, ["Which colour?", "merge the branches `main` and `stead/night/conflicts` by hand"]);

    let answered = Event::Answered { feature: "asks".into(), answer: "blue".into() };
    apply(&world, &answered);
    // The person merges by hand and answers.
    git(root, &["merge", "-q", "-X", "theirs", "stead/night/conflicts", "-m", "by hand"]);
    apply(&world, &Event::Answered { feature: "conflicts".into(), answer: "merged".into() });
    let again = world.again();
    let end = again.resume().unwrap();
    assert_eq!((end.status, end.exit_code()), (RunStatus::Failed, 1), "{end:?}");
    formats::check("report", &world.json("report.json"));
    insta::assert_snapshot!("report", timeless(&world, &mask_seconds(&world.read("report.md"))));
    let list: Value = serde_json::from_str(&fs::read_to_string(world.list()).unwrap()).unwrap();
    insta::assert_snapshot!("list", timeless(&world, &serde_json::to_string_pretty(&list).unwrap()));
    insta::assert_snapshot!("events", timeless(&world, &told(&world.read("events.jsonl"))));
}

/// What the events say about features, one line each.
fn told(events: &str) -> String {
    let mut text = String::new();
    for line in events.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let get = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let line = match event["event"].as_str().unwrap() {
            "assigned" => format!("{} {} {}", event["iteration"], get("task"), get("feature")),
            "feature-changed" => {
                format!("{}   {} -> {}: {}", event["iteration"], get("what"), get("status"), get("why"))
            }
            "verified" => format!("{}   {}: {}", event["iteration"], get("command"), event["green"]),
            "run-started" | "run-resumed" | "stage-ended" | "run-ended" => {
                format!("{} {} {}", get("event"), get("status"), get("why"))
            }
            _ => continue,
        };
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn mask_seconds(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut out = Vec::new();
        let mut parts = line.split(' ').peekable();
        while let Some(word) = parts.next() {
            let is_time = word.parse::<u64>().is_ok() && parts.peek().is_some_and(|next| *next == "s");
            out.push(if is_time { "N" } else { word });
        }
        words.push(out.join(" "));
    }
    words.join("\n") + "\n"
}

#[test]
fn a_retry_knows_what_failed() {
    let world = World::new();
    write_list(&world, &[feature("fails-once")]);
    let end = world.start(&plan(&world, CODER, "passed").plan()).unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(
        world.calls(),
        [
            "implement_feature fails-once",
            "validate_feature fails-once",
            "fix_feature fails-once",
            "validate_feature fails-once"
        ]
    );
    let command = world.json("stage-00-work/iterations/003/command.json");
    let why = command["context"]["last_attempt"]["summary"].as_str().unwrap();
    assert!(why.contains("grep good fails-once.txt"), "{why}");
    let tested = world.json("stage-00-work/iterations/002/command.json");
    assert_eq!(tested["context"]["files_changed"], json!(["fails-once.txt"]));
}

#[test]
fn a_tester_that_lies_is_not_believed() {
    let world = World::new();
    write_list(&world, &[feature("a")]);
    let end = world.start(&plan(&world, "echo bad > a.txt; say done", "passed").plan()).unwrap();
    assert_eq!((end.status, end.exit_code()), (RunStatus::Failed, 1), "{end:?}");
    assert_eq!(states(&world), ["a blocked on verifier 2"]);
}

#[test]
fn a_failed_test_is_believed_and_a_tester_without_a_status_is_no_attempt() {
    let world = World::new();
    write_list(&world, &[feature("a"), feature("b")]);
    let tester = r#"
        [ "$id" = b ] && exit 3
        echo '{"decision": "stop", "result": "FAILED", "reason": "the button is missing"}' > "$STEAD_STATUS""#;
    let end = world.start(&plan(&world, "echo good > $id.txt; say done", tester).plan()).unwrap();
    assert_eq!(end.exit_code(), 1, "{end:?}");
    assert_eq!(states(&world), ["a blocked on verifier 2", "b blocked on verifier 0"]);
    let list = fs::read_to_string(world.list()).unwrap();
    assert!(list.contains("the button is missing") && list.contains("exited with code 3"), "{list}");
}

#[test]
fn a_verifier_that_hangs_or_forks_is_ended() {
    let world = World::new();
    let mut hangs = feature("a");
    hangs["verifiers"] = json!(["sleep 600 & echo $! > child; echo started; sleep 600"]);
    hangs["timeout_seconds"] = json!(2);
    write_list(&world, &[hangs, feature("b")]);
    let end = world.start(&plan(&world, "echo good > $id.txt; say done", "passed").plan()).unwrap();
    assert_eq!(end.exit_code(), 1, "{end:?}");
    assert_eq!(states(&world), ["a blocked on verifier 2", "b tested 1"]);
    let child = fs::read_to_string(world.root.join("child")).unwrap();
    assert!(!Path::new("/proc").join(child.trim()).exists(), "its child is gone");
}

#[test]
fn an_initializer_writes_the_list() {
    let world = World::new();
    let list = json!({"features": [feature("a")]}).to_string();
    let coder = format!(
        "case $task in initialize) mkdir -p features; echo '{list}' > features/feature-list.json; say list;; \
         *) echo good > $id.txt; say done;; esac"
    );
    let end = world.start(&plan(&world, &coder, "passed").plan()).unwrap();
    // What an agent wrote as a verifier is no test runner, so it proves nothing.
    assert_eq!(end.exit_code(), 1, "{end:?}");
    assert!(fs::read_to_string(world.list()).unwrap().contains("not a test runner"));
    assert_eq!(world.calls()[0], "initialize ");
}

#[test]
fn an_initializer_that_writes_garbage_ends_the_run() {
    let world = World::new();
    let end =
        world.start(&plan(&world, "mkdir -p features; echo '{' > features/feature-list.json; say x", "passed").plan());
    let end = end.unwrap();
    assert_eq!((end.status, end.exit_code()), (RunStatus::Failed, 1), "{end:?}");
    assert!(end.reason.unwrap().contains("no valid feature list"));
    assert_eq!(world.calls().len(), 2, "it was tried twice");
    assert!(!world.list().exists());
    assert_eq!(fs::read_to_string(world.path("stage-00-work/iterations/001/feature-list.rejected")).unwrap(), "{\n");
}

#[test]
fn a_program_that_cannot_start_fails_the_run_and_not_the_feature() {
    let world = World::new();
    write_list(&world, &[feature("a")]);
    let mut options = plan(&world, "", "");
    options.provider = Provider::Command(vec!["no-such-program".into()]);
    let end = world.start(&options.plan()).unwrap();
    assert_eq!(end.status, RunStatus::Failed, "{end:?}");
    assert_eq!(states(&world), ["a pending 0"]);
}

#[test]
fn a_second_run_on_the_same_list_names_the_first() {
    let world = World::new();
    write_list(&world, &[feature("a")]);
    let first = plan(&world, "while [ ! -e go ]; do sleep 0.05; done; echo good > a.txt; say done", "passed").plan();
    let started = || world.calls().len() == 1;
    let end = std::thread::scope(|scope| {
        let running = scope.spawn(|| world.start(&first).unwrap());
        while !started() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let other = World::at(&world.root);
        let mut second = plan(&world, "say done", "passed").plan();
        second.run = "day".into();
        let end = other.start_named("day", &second).unwrap();
        assert_eq!(end.exit_code(), 1);
        assert!(end.reason.unwrap().contains("run `night` already works on this feature list"));
        fs::write(world.root.join("go"), "").unwrap();
        running.join().unwrap()
    });
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(states(&world), ["a tested 1"]);
}

#[test]
fn a_cancelled_agent_is_no_attempt() {
    let world = World::new();
    write_list(&world, &[feature("a")]);
    let plan = plan(&world, "[ -e go ] || sleep 600; echo good > a.txt; say done", "passed").plan();
    let end = world.start_and_cancel(&plan, || world.calls().len() == 1, || ());
    assert_eq!((end.status, end.exit_code()), (RunStatus::Cancelled, 130), "{end:?}");
    assert_eq!(states(&world), ["a pending 0"]);
    fs::write(world.root.join("go"), "").unwrap();
    let end = world.again().resume().unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(states(&world), ["a tested 1"]);
}

#[test]
fn a_cancelled_verifier_is_no_attempt() {
    let world = World::new();
    let mut slow = feature("a");
    slow["verifiers"] = json!(["touch testing; [ -e go ] || sleep 600; grep good a.txt"]);
    write_list(&world, &[slow]);
    let plan = plan(&world, "echo good > a.txt; say done", "passed").plan();
    let end = world.start_and_cancel(&plan, || world.root.join("testing").exists(), || ());
    assert_eq!(end.exit_code(), 130, "{end:?}");
    assert_eq!(states(&world), ["a implemented 0"]);
    fs::write(world.root.join("go"), "").unwrap();
    assert_eq!(world.again().resume().unwrap().status, RunStatus::Done);
    assert_eq!(states(&world), ["a tested 1"]);
}

#[test]
fn time_and_money_end_the_run_and_free_the_feature() {
    let world = World::new();
    write_list(&world, &[feature("a")]);
    let mut options = plan(&world, "sleep 600", "passed");
    options.max_runtime_seconds = Some(1);
    let end = world.start(&options.plan()).unwrap();
    assert_eq!((end.status, end.exit_code()), (RunStatus::Limit, 3), "{end:?}");
    assert_eq!(states(&world), ["a pending 0"]);
}

#[test]
fn an_agent_that_takes_too_long_is_an_attempt() {
    let world = World::new();
    let mut slow = feature("a");
    slow["timeout_seconds"] = json!(1);
    write_list(&world, &[slow]);
    let end = world.start(&plan(&world, "sleep 600", "passed").plan()).unwrap();
    assert_eq!(end.exit_code(), 1, "{end:?}");
    assert_eq!(states(&world), ["a blocked on verifier 2"]);
}

#[test]
fn parallel_workers_share_the_list() {
    let world = World::new();
    make_repository(&world);
    let ids: Vec<String> = (0..6).map(|number| format!("f{number}")).collect();
    write_list(&world, &ids.iter().map(|id| feature(id)).collect::<Vec<_>>());
    let mut options = plan(&world, "sleep 0.2; echo good > $id.txt; say done", "passed");
    options.max_parallel = 3;
    options.orchestrate.worktrees = true;
    let end = world.start(&options.plan()).unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert!(states(&world).iter().all(|state| state.ends_with("tested 1")), "{:?}", states(&world));
    assert!(ids.iter().all(|id| world.root.join(format!("{id}.txt")).exists()));
    assert_eq!(git(&world.root, &["status", "--porcelain"]), "");
    assert_eq!(world.calls().len(), 12, "nothing was done twice");
    let workers: std::collections::BTreeSet<String> = world
        .events()
        .into_iter()
        .filter_map(|event| if let RunEvent::Assigned { node, .. } = event { Some(node) } else { None })
        .collect();
    assert!(workers.len() > 1, "{workers:?}");
}

#[test]
fn chosen_features_are_the_only_ones() {
    let world = World::new();
    write_list(&world, &[feature("a"), feature("b")]);
    let mut options = plan(&world, "echo good > $id.txt; say done", "passed");
    options.orchestrate.only = vec!["b".into()];
    let end = world.start(&options.plan()).unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(states(&world), ["a pending 0", "b tested 1"]);
}

#[test]
fn what_a_person_skips_meanwhile_stays_skipped() {
    let world = World::new();
    write_list(&world, &[feature("a")]);
    let plan: Plan = plan(&world, "while [ ! -e go ]; do sleep 0.05; done; say done", "passed").plan();
    let end = std::thread::scope(|scope| {
        let running = scope.spawn(|| world.start(&plan).unwrap());
        while world.calls().is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        apply(&world, &Event::Skipped { feature: "a".into(), why: "not now".into() });
        fs::write(world.root.join("go"), "").unwrap();
        running.join().unwrap()
    });
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(states(&world), ["a skipped 0"]);
    assert!(world.warnings().iter().any(|warning| warning.contains("has no effect")), "{:?}", world.warnings());
}
