//! Runs of stages and pipelines by the real binary, with shell scripts as agents.

mod agent;
mod background;
mod bars;
mod before;
mod cancel;
mod discard;
mod end;
mod intent;
mod judged;
mod kill;
mod morning;
mod night;
mod night_page;
mod notify;
mod older;
mod rehearsal;
mod report;
mod resume;
mod trouble;
mod unheard;
mod view;

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use stead_testkit::World;

use crate::world::{at_terminal, marked};

/// How long anything that must happen may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// What every well-behaved agent ends with.
const CONTINUE: &str = r#"printf '{"decision":"continue","reason":"more","summary":"did a bit"}' > "$STEAD_STATUS""#;
const STOP: &str = r#"printf '{"decision":"stop","reason":"all good","summary":"nothing left"}' > "$STEAD_STATUS""#;

/// A world with one stage, whose agent is a shell script.
fn with_stage(head: &str, script: &str) -> World {
    let world = marked();
    stage(&world, "chore", head, script);
    world
}

/// Adds a stage. `head` is YAML: its termination, guardrails and whatever else it has.
pub(crate) fn stage(world: &World, name: &str, head: &str, script: &str) {
    let folder = format!("project/.agent/stages/{name}");
    let text = format!("name: {name}\ndescription: A test\n{head}provider:\n  command: [\"sh\", \"{name}.sh\"]\n");
    world.write(format!("{folder}/stage.yaml"), text);
    world.write(format!("{folder}/prompt.md"), "Read ${CTX}, note in ${PROGRESS}, write ${OUTPUT} and ${STATUS}.\n");
    world.write(format!("project/{name}.sh"), script);
}

fn pipeline(world: &World, name: &str, stages: &str) {
    world.write(
        format!("project/.agent/pipelines/{name}.yaml"),
        format!("name: {name}\ndescription: A test\nstages:\n{stages}"),
    );
}

/// A termination after so many iterations.
pub(crate) fn fixed(iterations: u32) -> String {
    format!("termination:\n  type: fixed\nguardrails:\n  max_iterations: {iterations}\n")
}

/// The same with a time limit, so that nothing is said about a missing one.
fn bounded(iterations: u32) -> String {
    format!("{}  iteration_timeout_seconds: 600\n", fixed(iterations))
}

fn run_file(path: &str) -> String {
    format!("project/.agent/runs/{path}")
}

fn state(world: &World, run: &str) -> Value {
    serde_json::from_str(&world.read(run_file(&format!("{run}/state.json")))).unwrap()
}

/// The events of a run with that name.
fn events(world: &World, run: &str, event: &str) -> Vec<Value> {
    let text = world.read(run_file(&format!("{run}/events.jsonl")));
    let all = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|line| line["event"] == event).collect()
}

/// A `stead` that runs beside the test.
pub(crate) fn start(world: &World, args: &[&str]) -> Child {
    let mut command = stead(world);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn stead(world: &World) -> Command {
    world.command(env!("CARGO_BIN_EXE_stead"), &world.project())
}

/// Waits until something holds.
#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "not within {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits for a file that an agent writes, and gives its text.
#[track_caller]
pub(crate) fn written(world: &World, path: &str) -> String {
    let path = world.folder().join(path);
    until(&path.display().to_string(), || std::fs::read_to_string(&path).is_ok_and(|text| text.ends_with('\n')));
    std::fs::read_to_string(path).unwrap()
}

/// Says whether a process is still there; one that ended and was not waited for yet is gone.
pub(crate) fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(PathBuf::from("/proc").join(pid.trim()).join("stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

pub(crate) fn signal(child: &Child, name: &str) {
    // The shell has its own; the program is missing from a minimal system.
    let done = Command::new("sh").args(["-c", &format!("kill -s {name} {}", child.id())]).status().unwrap();
    assert!(done.success());
}

#[test]
fn a_stage_runs_to_its_end_and_leaves_its_files() {
    let script = format!(
        "cat > prompt.txt; echo $STEAD_ITERATION >> \"$STEAD_PROGRESS\"; echo out $STEAD_ITERATION > \"$STEAD_OUTPUT\"; echo working; {CONTINUE}"
    );
    let world = with_stage(&fixed(2), &script);
    let run = world.stead(&["run", "stage", "chore", "first"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.contains("first: done"), "{run}");
    assert!(run.stderr.contains("chore 1/2: continue (more)"), "{run}");
    let folder = "project/.agent/runs/first/stage-00-chore";
    assert_eq!(world.read(format!("{folder}/progress.md")), "# Progress of chore\n1\n2\n");
    assert_eq!(world.read(format!("{folder}/iterations/001/output.md")), "out 1\n");
    assert_eq!(world.read(format!("{folder}/iterations/002/output.md")), "out 2\n");
    assert!(world.read(format!("{folder}/iterations/002/agent.log")).contains("working"));
    let prompt = world.read("project/prompt.txt");
    assert!(prompt.contains("stage-00-chore/iterations/002/context.json"), "{prompt}");
    assert_eq!(state(&world, "first")["status"], "done");
}

#[test]
fn max_overrides_the_number_of_iterations() {
    let world = with_stage(&fixed(2), CONTINUE);
    world.stead(&["run", "stage", "chore", "more", "--max", "4"]).ok();
    assert!(world.exists(run_file("more/stage-00-chore/iterations/004/status.json")));
    assert!(!world.exists(run_file("more/stage-00-chore/iterations/005")));
    pipeline(
        &world,
        "two",
        "  - id: one\n    template: chore\n  - id: two\n    template: chore\n    max_iterations: 1\n",
    );
    for (run, max) in [("raised", 3), ("lowered", 1)] {
        world.stead(&["run", "pipeline", "two", run, "--max", &max.to_string()]).ok();
        let nodes = state(&world, run)["nodes"].clone();
        let done = |node: usize| nodes[node]["iteration_completed"].as_u64();
        assert_eq!((done(0), done(1)), (Some(max), Some(max)), "{nodes}");
    }
}

#[test]
fn a_pipeline_hands_the_output_on() {
    let world = with_stage(&fixed(2), &format!("echo idea $STEAD_ITERATION > \"$STEAD_OUTPUT\"; {CONTINUE}"));
    let script = format!("cp \"$STEAD_CONTEXT\" seen.json; {CONTINUE}");
    stage(&world, "reader", &fixed(1), &script);
    pipeline(
        &world,
        "two",
        "  - id: ideas\n    template: chore\n  - id: sum\n    template: reader\n    inputs: {from: ideas, select: all}\n",
    );
    let run = world.stead(&["run", "pipeline", "two", "both", "--json"]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(run.stderr, "");
    assert_eq!(run.json()["status"], "done", "{run}");
    let seen: Value = serde_json::from_str(&world.read("project/seen.json")).unwrap();
    let inputs = seen["inputs"]["from_stage"]["ideas"].as_array().unwrap();
    let read = |path: &Value| std::fs::read_to_string(path.as_str().unwrap()).unwrap();
    assert_eq!(inputs.iter().map(read).collect::<String>(), "idea 1\nidea 2\n");
}

#[test]
fn input_files_reach_the_agent() {
    let world = with_stage(&fixed(1), &format!("cp \"$STEAD_CONTEXT\" seen.json; {CONTINUE}"));
    world.write("project/spec.md", "the spec\n");
    world.stead(&["run", "stage", "chore", "fed", "--input", "spec.md"]).ok();
    let seen = world.read("project/seen.json");
    assert!(seen.contains(&world.project().join("spec.md").display().to_string()), "{seen}");
    let run = world.stead(&["run", "stage", "chore", "unfed", "--input", "nothing.md"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("nothing.md"), "{run}");
    assert!(!world.exists(run_file("unfed")));
}

/// It judges by itself whether every step did what it says.
#[test]
fn the_demo_plays_to_its_end() {
    let mut world = marked();
    world.set("TMPDIR", world.folder().display().to_string());
    let run = world.stead(&["demo", "--verbose"]);
    assert_eq!(run.code, 0, "{run}");
    for text in [
        "You must cite a valid active Intent",
        "Scope Violation",
        "intent   INT-001",
        "monday: done",
        "`no-writes-infra-tf` is now in mode `enforce`",
        "people corrected this 3",
    ] {
        assert!(run.stdout.contains(text), "{text}\n{run}");
    }
    let wide: Vec<_> = run.stdout.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "wider than a terminal: {wide:#?}");
    world.set("CLAUDECODE", "1");
    let run = world.stead(&["demo"]);
    assert!(run.code == 0 && run.stdout.contains("An agent runs this demo."), "{run}");
}

#[test]
fn the_demo_is_a_story_of_two_screens() {
    let mut world = marked();
    world.set("TMPDIR", world.folder().display().to_string());
    let run = world.stead(&["demo"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines.len() <= 46, "{} lines\n{run}", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{run}");
    assert!(!run.stdout.contains(['{', '\u{1b}']), "no payloads, and no colours in a pipe: {run}");
    // A time of day, and the id of a verdict.
    let stamps = |word: &str| match word.as_bytes() {
        [_, _, b':', _, _, b':', _, _] => "HH:MM:SS".to_owned(),
        [b'v', b'-', ..] => "VERDICT".to_owned(),
        _ => word.to_owned(),
    };
    let told = run.stdout.split_inclusive([' ', '\n']).map(|word| {
        let plain = word.trim_end();
        stamps(plain) + &word[plain.len()..]
    });
    insta::assert_snapshot!("demo", told.collect::<String>().trim_end());

    // The picture of the README shows its first steps.
    let picture = include_str!("../../../../docs/demo.svg").lines().filter(|line| line.starts_with("<text "));
    let text =
        |line: &str| line.split('<').filter_map(|tag| tag.split_once('>')).map(|(_, text)| text).collect::<String>();
    let drawn: Vec<String> =
        picture.map(|line| text(line).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).collect();
    let told = std::iter::once("$ stead demo").chain(lines.iter().map(|line| line.trim()));
    assert!(drawn.len() > 15, "{drawn:?}");
    assert_eq!(drawn, told.take(drawn.len()).collect::<Vec<_>>(), "run `cargo xtask picture`");
}

#[test]
fn the_demo_is_in_colour_where_colours_are_shown() {
    let check = |variables: &[(&str, &str)], args: &[&str], is_coloured: bool| {
        let mut world = marked();
        world.set("TMPDIR", world.folder().display().to_string());
        for (name, value) in variables {
            world.set(name, *value);
        }
        let run = at_terminal(&world, 80, args);
        assert_eq!(run.code, 0, "{run}");
        assert_eq!(run.stdout.contains("\u{1b}[1;31mNo.\u{1b}[0m"), is_coloured, "{variables:?}: {run}");
        assert_eq!(run.stdout.contains('\u{1b}'), is_coloured, "{variables:?}: {run}");
    };
    check(&[("TERM", "xterm")], &["demo"], true);
    check(&[("TERM", "xterm"), ("NO_COLOR", "1")], &["demo"], false);
    check(&[("TERM", "dumb")], &["demo"], false);
}

/// Nothing in it is told because it should be so: here the project's test cannot run.
#[cfg(unix)]
#[test]
fn a_demo_that_is_answered_otherwise_fails() {
    let mut world = marked();
    world.set("TMPDIR", world.folder().display().to_string());
    world.sh("mkdir ../few && for name in git sh; do ln -s \"$(command -v $name)\" ../few; done").ok();
    world.set("PATH", world.folder().join("few").display().to_string());
    let run = world.stead(&["demo"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("error: a test that passes proved nothing"), "{run}");
}
