//! The engine is killed at every write of its state, on both sides of it, and each time the resumed run ends in the same
//! tree as one that nobody disturbed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;
use stead_pipeline::custody::cancel_on_signals;
use stead_pipeline::{
    Change, ErrorKind, Input, Plan, RunStatus, RunView, Select, Termination, ViewStatus, request_stop,
};

use super::world::{World, agent, chain, node};

const FOLDER: &str = "STEAD_TEST_ENGINE_FOLDER";
const KILL_AT: &str = "STEAD_TEST_KILL_AT";
const MAX: &str = "STEAD_TEST_MAX";

/// What each agent does: it notes its work once, however often it is started.
pub(super) const WORK: &str = r#"
grep -qs "^$STEAD_ITERATION$" "$STEAD_PROGRESS" || echo "$STEAD_ITERATION" >> "$STEAD_PROGRESS"
echo "$STEAD_STAGE $STEAD_ITERATION" > "$STEAD_OUTPUT"
echo "worked on $STEAD_ITERATION"
"#;

fn three_stages() -> Plan {
    let first = node("ideas", 3, &format!("{WORK} say continue"));
    let mut second = node("refine", 9, &format!("{WORK} test $STEAD_ITERATION -gt 1 && say stop || say continue"));
    second.termination = Termination::Judgment { min_iterations: 2, consensus: 2 };
    second.inputs = vec![Input { from: "ideas".into(), select: Select::All }];
    second.verify = vec!["echo checked".into()];
    let mut third = node("end", 1, &format!("{WORK} say stop"));
    third.inputs = vec![Input { from: "refine".into(), select: Select::Latest }];
    chain(vec![first, second, third])
}

/// Not a test of its own: the engine in a process that can be killed.
#[test]
fn engine_in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let world = World::at(Path::new(&folder));
    cancel_on_signals(&world.cancel).unwrap();
    let max_iterations = std::env::var(MAX).ok().and_then(|most| most.parse().ok());
    let end = match world.folder().is_begun() {
        true => world.resume_with(&Change { max_iterations, ..Change::default() }),
        false => world.start(&three_stages()),
    };
    std::process::exit(end.unwrap().exit_code().into());
}

pub(super) fn engine(root: &Path, kill_at: &str) -> ExitStatus {
    command(root, kill_at).status().unwrap()
}

fn command(root: &Path, kill_at: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "kill::engine_in_a_process_of_its_own", "--nocapture"])
        .env(FOLDER, root)
        .env(KILL_AT, kill_at)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Everything below the run, with times, ids and attempts left out.
fn tree(world: &World) -> BTreeMap<PathBuf, String> {
    let run = world.path("");
    let mut files = BTreeMap::new();
    let mut left = vec![run.clone()];
    while let Some(dir) = left.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.starts_with("attempt-") {
                continue;
            }
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap().replace(world.root.to_str().unwrap(), "ROOT");
            let text = match name.as_str() {
                "events.jsonl" => history(&text),
                name if name.ends_with(".json") => timeless(&text),
                _ => text,
            };
            files.insert(path.strip_prefix(&run).unwrap().to_owned(), text);
        }
    }
    files
}

fn timeless(text: &str) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap();
    forget_times(&mut value);
    value.to_string()
}

fn forget_times(value: &mut Value) {
    const TIMES: [&str; 11] = [
        "_at", "seconds", "seconds_used", "run_id", "resumes", "timestamp", "ts", "pid", "start", "boot_id",
        "events_bytes",
    ];
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !TIMES.iter().any(|time| name == time || (time.len() > 2 && name.ends_with(time))));
            fields.values_mut().for_each(forget_times);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_times),
        _ => {}
    }
}

/// What the events say: of each kind, node and iteration the last word, in order.
fn history(text: &str) -> String {
    let mut said: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let mut event: Value = serde_json::from_str(line).unwrap();
        if matches!(event["event"].as_str().unwrap(), "run-resumed" | "adopted" | "run-started" | "stage-started") {
            continue;
        }
        forget_times(&mut event);
        let key = format!("{} {} {}", event["event"], event["node"], event["iteration"]);
        said.retain(|(known, _)| *known != key);
        said.push((key, event.to_string()));
    }
    said.into_iter().map(|(_, line)| line + "\n").collect()
}

#[track_caller]
fn assert_same(got: &BTreeMap<PathBuf, String>, expected: &BTreeMap<PathBuf, String>, kill_at: &str) {
    let names = |tree: &BTreeMap<PathBuf, String>| tree.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(got), names(expected), "after a kill at {kill_at}");
    for (path, text) in got {
        assert_eq!(text, &expected[path], "{} after a kill at {kill_at}", path.display());
    }
}

pub(super) fn completed(world: &World) -> BTreeMap<String, u64> {
    let Ok(text) = fs::read_to_string(world.path("state.json")) else { return BTreeMap::new() };
    let state: Value = serde_json::from_str(&text).expect("a state is never half written");
    let node = |node: &Value| (node["id"].as_str().unwrap().to_owned(), node["iteration_completed"].as_u64().unwrap());
    state["nodes"].as_array().unwrap().iter().map(node).collect()
}

#[test]
fn a_kill_at_any_write_costs_at_most_the_iteration_under_way() {
    let calm = World::new();
    assert!(engine(&calm.root, "").success());
    let expected = tree(&calm);
    assert_eq!(calm.calls(), ["ideas 1", "ideas 2", "ideas 3", "refine 1", "refine 2", "refine 3", "end 1"]);

    let mut writes = 0;
    loop {
        let mut reached = false;
        for side in ["", "a"] {
            let kill_at = format!("{}{side}", writes + 1);
            let world = World::new();
            let status = engine(&world.root, &kill_at);
            if status.success() {
                continue;
            }
            reached = true;
            assert_eq!(status.signal(), Some(9), "at {kill_at}: {status}");
            let recorded = completed(&world);
            let calls = world.calls().len();
            if !recorded.is_empty() {
                let view = RunView::read(&world.folder(), 5).unwrap();
                let is_over = view.state.ended_at.is_some();
                assert_eq!(
                    view.status,
                    if is_over { ViewStatus::Done } else { ViewStatus::Interrupted },
                    "at {kill_at}"
                );
            }
            assert!(engine(&world.root, "").success(), "after a kill at {kill_at}");
            for call in &world.calls()[calls..] {
                let (stage, iteration) = call.split_once(' ').unwrap();
                let before = recorded.get(stage).copied().unwrap_or_default();
                assert!(iteration.parse::<u64>().unwrap() > before, "{call} was recorded before the kill at {kill_at}");
            }
            // Whoever had finished is adopted, so nobody works twice.
            assert_eq!(world.calls(), calm.calls(), "after a kill at {kill_at}");
            assert_same(&tree(&world), &expected, &kill_at);
        }
        if !reached {
            break;
        }
        writes += 1;
    }
    // The beginning, each stage's, each iteration's, and the end.
    assert_eq!(writes, 1 + 3 + 7 + 1);
}

#[test]
fn many_kills_in_one_run_still_end_it() {
    let calm = World::new();
    assert!(engine(&calm.root, "").success());
    let world = World::new();
    let mut kills = 0;
    // Each engine dies right after its third write: it was resumed, began a stage, and recorded one iteration.
    while !engine(&world.root, "3a").success() {
        kills += 1;
        assert!(kills < 30, "it does not get on: {:?}", world.calls());
    }
    assert!(kills > 3, "{kills}");
    assert_same(&tree(&world), &tree(&calm), "many");
}

/// Before it did anything, and when its work is done and only its end is missing.
#[test]
fn an_agent_killed_in_any_iteration_costs_only_that_one() {
    const STRIKE: &str = r#"
strike() { test "$(cat victim 2> /dev/null)" = "$1 $STEAD_STAGE $STEAD_ITERATION" && rm victim && kill -9 $$; }
strike early
"#;
    let mut plan = three_stages();
    for (index, decision) in
        ["say continue", "test $STEAD_ITERATION -gt 1 && say stop || say continue", "say stop"].into_iter().enumerate()
    {
        plan.nodes[index].provider = agent(&format!("{STRIKE} {WORK} {decision}; strike late; true"));
    }
    let calm = World::new();
    assert_eq!(calm.start(&plan).unwrap().status, RunStatus::Done);
    let mut expected = tree(&calm);
    expected.remove(Path::new("events.jsonl"));
    for (number, call) in calm.calls().iter().enumerate() {
        for when in ["early", "late"] {
            let victim = format!("{when} {call}");
            let mut expected = expected.clone();
            let world = World::new();
            fs::write(world.root.join("victim"), &victim).unwrap();
            let end = world.start(&plan).unwrap();
            let error = end.state.error.expect(&victim);
            let (stage, iteration) = call.split_once(' ').unwrap();
            assert_eq!((end.status, error.kind, error.stage.as_str()), (RunStatus::Failed, ErrorKind::Signal, stage));
            assert_eq!((end.resume_from, world.calls().len()), (iteration.parse().ok(), number + 1), "{victim}");
            assert_eq!(world.again().resume().unwrap().status, RunStatus::Done, "{victim}");
            assert_eq!(world.calls().len(), calm.calls().len() + 1, "{victim}");
            let repeated = format!("stage-0{}-{stage}/iterations/{iteration:0>3}/context.json", stage_index(stage));
            let context = world.json(&repeated);
            assert_eq!((&context["attempt"], context["previous_attempt"].is_object()), (&2.into(), true), "{context}");
            let mut got = tree(&world);
            got.remove(Path::new("events.jsonl"));
            for tree in [&mut got, &mut expected] {
                tree.remove(Path::new(&repeated));
            }
            assert_same(&got, &expected, &victim);
        }
    }
}

fn stage_index(stage: &str) -> usize {
    three_stages().nodes.iter().position(|node| node.id == stage).unwrap()
}

/// Puts a plan in the place where the next engine finds it.
pub(super) fn begin(world: &World, script: &str) {
    let mut plan = three_stages();
    let stage = node("ideas", 3, script);
    plan.nodes[0].provider = stage.provider;
    fs::create_dir_all(world.path("")).unwrap();
    fs::write(world.folder().plan_path(), serde_json::to_vec(&plan).unwrap()).unwrap();
}

/// While one plan takes another's place, a kill may cost the change, but never the run.
#[test]
fn a_kill_while_a_plan_is_amended_leaves_a_run_that_goes_on() {
    for (kill_at, is_kept) in [("1", false), ("1a", false), ("2", true), ("2a", true)] {
        let world = World::new();
        let mut stage = node("ideas", 2, &format!("{WORK} say continue"));
        stage.termination = Termination::Judgment { min_iterations: 1, consensus: 1 };
        world.start(&chain(vec![stage])).unwrap();
        let status = command(&world.root, kill_at).env(MAX, "4").status().unwrap();
        assert_eq!(status.signal(), Some(9), "at {kill_at}: {status}");
        assert_eq!(engine(&world.root, "").code(), Some(3), "after a kill at {kill_at}");
        let most = if is_kept { 4 } else { 2 };
        assert_eq!(completed(&world)["ideas"], most, "after a kill at {kill_at}");
        let status = command(&world.root, "").env(MAX, "5").status().unwrap();
        assert_eq!((status.code(), completed(&world)["ideas"]), (Some(3), 5), "after a kill at {kill_at}");
        let numbers: Vec<String> = (1..=5).map(|iteration| format!("ideas {iteration}")).collect();
        assert_eq!(world.calls(), numbers, "after a kill at {kill_at}");
        assert!(world.json("state.json")["next_plan_sha1"].is_null());
    }
}

pub(super) fn wait_for(what: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_engine_killed_by_its_agent_leaves_no_second_agent() {
    let world = World::new();
    begin(
        &world,
        &format!(
            "test -e killed || {{ touch killed; kill -9 $PPID; echo $$ > survivor; exec sleep 600; }}; {WORK} say continue"
        ),
    );
    assert_eq!(engine(&world.root, "").signal(), Some(9));
    let survivor = || fs::read_to_string(world.root.join("survivor")).unwrap_or_default().trim().to_owned();
    wait_for(|| !survivor().is_empty());
    let of_run = || fs::read(format!("/proc/{}/environ", survivor())).unwrap_or_default();
    let lives = || of_run().windows(13).any(|part| part == b"STEAD_RUN_ID=");
    // In the midst of its exec a process has no environment.
    wait_for(lives);
    assert_eq!(RunView::read(&world.folder(), 1).unwrap().status, ViewStatus::Interrupted);
    assert!(engine(&world.root, "").success());
    assert!(!lives());
    assert!(world.read("events.jsonl").contains("\"survivors\":1"));
}

#[test]
fn an_engine_that_is_asked_to_stop_ends_in_good_order() {
    let world = World::new();
    begin(&world, &format!("test -e go || exec sleep 600; {WORK} say continue"));
    let mut running = command(&world.root, "").spawn().unwrap();
    wait_for(|| !world.calls().is_empty());
    let holder = request_stop(&world.folder()).unwrap();
    assert_eq!(holder.pid, running.id());
    assert_eq!(running.wait().unwrap().code(), Some(130));
    assert_eq!(RunView::read(&world.folder(), 1).unwrap().status, ViewStatus::Cancelled);
    fs::write(world.root.join("go"), "").unwrap();
    assert!(engine(&world.root, "").success());
}
