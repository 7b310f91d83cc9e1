//! Stages and pipelines of the older form: they run, and each is warned about once, with its line.

use stead_testkit::World;

use super::{STOP, state};
use crate::world::marked;

/// A loop that ends when its agents agree, in a pipeline that gives it `runs`.
fn older(runs: u32, prompt: &str, script: &str) -> World {
    let world = marked();
    world.write(
        "project/.agent/stages/old/loop.yaml",
        "name: old\ncompletion: plateau\nmin_iterations: 3\noutput_parse: \"plateau:PLATEAU reasoning:REASONING\"\nprovider:\n  command: [\"sh\", \"old.sh\"]\n",
    );
    world.write("project/.agent/stages/old/prompt.md", prompt);
    world.write("project/old.sh", script);
    world.write(
        "project/.agent/pipelines/flow.yaml",
        format!("name: flow\nstages:\n  - name: one\n    loop: old\n    runs: {runs}\n"),
    );
    world
}

#[test]
fn fewer_runs_than_a_stage_needs_end_as_a_limit() {
    let world = older(1, "Say PLATEAU for ${SESSION}.\n", "echo PLATEAU: true");
    let lint = world.stead(&["lint", "pipeline", "flow"]);
    assert_eq!(lint.code, 0, "{lint}");
    let finding =
        "warning[L006]: `min_iterations` is 3, but the maximum is 1 iteration\n --> .agent/pipelines/flow.yaml:5:11\n";
    assert!(lint.stdout.contains(finding), "{lint}");
    let run = world.stead(&["run", "pipeline", "flow", "it"]);
    assert_eq!(run.code, 3, "{run}");
    assert_eq!(state(&world, "it")["status"], "limit", "{run}");
    world.stead(&["migrate", "pipelines", "--yes"]).ok();
    let lint = world.stead(&["lint", "pipeline", "flow", "--v3"]);
    assert_eq!(lint.code, 0, "{lint}");
    assert!(lint.stdout.contains(".agent/pipelines/flow.yaml:5:21\n"), "{lint}");
    world.write("project/old.sh", STOP);
    let run = world.stead(&["run", "pipeline", "flow", "again"]);
    assert_eq!(run.code, 3, "{run}");
}

#[test]
fn each_warning_is_a_line_and_is_given_once() {
    let world = older(3, "Say PLATEAU for ${SESSION},\nin ${SESSION}, of ${SESSION}.\n", "echo PLATEAU: true");
    let run = world.stead(&["run", "pipeline", "flow", "it"]);
    assert_eq!(run.code, 0, "{run}");
    let told: Vec<&str> = run.stderr.lines().filter(|line| line.contains("${SESSION}")).collect();
    let expected = "warning: .agent/stages/old/prompt.md:1: `${SESSION}` is deprecated [L010] (also in line 2)";
    assert_eq!(told, [expected], "{run}");
    assert!(run.stderr.contains("warning: .agent/stages/old/loop.yaml:2: `completion` is deprecated [L014]\n"));
    assert!(run.stderr.contains("hint: `stead migrate pipelines` updates the older format"), "{run}");
    assert!(run.stderr.lines().count() < 25, "{run}");
}

#[test]
fn an_answer_without_the_word_names_the_word() {
    let world = older(3, "Say PLATEAU at the end.\n", "echo I am near the PLATEAU: true");
    let run = world.stead(&["run", "pipeline", "flow", "it"]);
    assert_eq!(run.code, 1, "{run}");
    let error = &state(&world, "it")["error"];
    assert_eq!(error["type"], "missing-status", "{error}");
    assert!(error["message"].as_str().unwrap().contains("starts with `PLATEAU:`"), "{error}");
}

/// Nobody told the agent of the word, so it is told of its status file.
#[test]
fn an_agent_that_does_not_know_the_word_is_told_of_its_status() {
    let world = older(3, "Go.\n", &format!("cat > prompt.txt; {STOP}"));
    world.stead(&["run", "pipeline", "flow", "it"]).ok();
    let prompt = world.read("project/prompt.txt");
    assert!(prompt.starts_with("Go.\n") && prompt.contains("iterations/003/status.json"), "{prompt}");
}

#[test]
fn the_fewest_iterations_at_the_top_hold_beside_a_termination() {
    let world = marked();
    world.write(
        "project/.agent/stages/old/stage.yaml",
        "name: old\ntermination: {type: judgment, consensus: 1} # end\nmin_iterations: 4 # top\nprovider:\n  command: [\"sh\", \"old.sh\"]\n",
    );
    world.write("project/.agent/stages/old/prompt.md", "Read ${CTX}, write ${STATUS}.\n");
    world.write("project/old.sh", STOP);
    let run = world.stead(&["run", "stage", "old", "it"]);
    assert_eq!(state(&world, "it")["nodes"][0]["iteration_completed"], 4, "{run}");
    assert!(run.stderr.contains("stage.yaml:3: `min_iterations` is deprecated"), "{run}");
    world.stead(&["migrate", "pipelines", "--yes"]).ok();
    assert_eq!(
        world.read("project/.agent/stages/old/stage.yaml"),
        "name: old\ntermination: {type: judgment, consensus: 1, min_iterations: 4} # end\n# top\nprovider:\n  command: [\"sh\", \"old.sh\"]\n"
    );
    assert_eq!(world.stead(&["lint", "--v3"]).ok(), "no findings\n");
    world.stead(&["run", "stage", "old", "again"]).ok();
    assert_eq!(state(&world, "again")["nodes"][0]["iteration_completed"], 4);
}

#[test]
fn what_a_prompt_leaves_unsaid_is_not_called_older() {
    let world = marked();
    let stage = "name: new\ndescription: New\ntermination: {type: fixed}\nguardrails: {max_iterations: 1}\n";
    world.write("project/.agent/stages/new/stage.yaml", format!("{stage}provider: mock\n"));
    world.write("project/.agent/stages/new/prompt.md", "Write ${STATUS}.\n");
    let run = world.stead(&["run", "stage", "new", "it"]);
    assert!(run.stderr.contains("[L017]\nhint: `stead lint` shows details\n"), "{run}");
    assert!(run.code == 0 && !run.stderr.contains("migrate"), "{run}");
}
