//! Going on with a run, and refusing to when it would be wrong.

use super::{CONTINUE, events, fixed, pipeline, run_file, stage, state, with_stage};

/// Fails in its second iteration until somebody mends it.
const BREAKS: &str = "echo $STEAD_ITERATION >> tried; [ $STEAD_ITERATION != 2 ] || [ -e mended ] || exit 9\n";

#[test]
fn a_failed_run_goes_on_where_it_stopped() {
    let world = with_stage(&fixed(3), &format!("{BREAKS}{CONTINUE}"));
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert_eq!(state(&world, "it")["resume_from"], 2);
    world.write("project/mended", "");
    let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(world.read("project/tried"), "1\n2\n2\n3\n");
    assert_eq!(state(&world, "it")["status"], "done");
    assert!(state(&world, "it").get("error").is_none_or(serde_json::Value::is_null));
    assert_eq!(events(&world, "it", "run-ended").len(), 2);
}

#[test]
fn a_run_name_is_used_once() {
    let world = with_stage(&fixed(1), CONTINUE);
    world.stead(&["run", "stage", "chore", "it"]).ok();
    let before = world.read(run_file("it/events.jsonl"));
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    assert!(
        run.stderr.contains("`it`") && run.stderr.contains("--resume") && run.stderr.contains("another name"),
        "{run}"
    );
    assert_eq!(world.read(run_file("it/events.jsonl")), before);
}

#[test]
fn a_finished_run_has_nothing_to_resume() {
    let world = with_stage(&fixed(1), &format!("echo x >> ran; {CONTINUE}"));
    world.stead(&["run", "stage", "chore", "it"]).ok();
    let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(world.read("project/ran"), "x\n");
}

#[test]
fn what_is_resumed_must_be_what_was_begun() {
    let world = with_stage(&fixed(1), "exit 1");
    stage(&world, "other", &fixed(1), CONTINUE);
    pipeline(&world, "chain", "  - id: a\n    template: chore\n");
    world.stead(&["run", "stage", "chore", "it"]);
    for what in [["stage", "other"], ["pipeline", "chain"], ["pipeline", "chore"]] {
        let run = world.stead(&["run", what[0], what[1], "it", "--resume"]);
        assert_eq!(run.code, 2, "{run}");
        assert!(run.stderr.contains("stead run stage chore it --resume"), "{run}");
    }
    let run = world.stead(&["run", "stage", "chore", "never", "--resume"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("`never`"), "{run}");
}

#[test]
fn options_of_the_plan_do_not_fit_a_resumed_run() {
    let world = with_stage(&fixed(1), "exit 1");
    world.stead(&["run", "stage", "chore", "it"]);
    for option in
        [["--max", "3"], ["--provider", "mock"], ["--model", "m"], ["--input", "chore.sh"], ["--packet", "latest"]]
    {
        let run = world.stead(&["run", "stage", "chore", "it", "--resume", option[0], option[1]]);
        assert_eq!(run.code, 2, "{run}");
        assert!(run.stderr.contains(option[0]), "{run}");
    }
}

#[test]
fn a_changed_stage_is_named_and_the_old_plan_holds() {
    let world = with_stage(&fixed(2), &format!("cat >> prompts; {BREAKS}{CONTINUE}"));
    world.stead(&["run", "stage", "chore", "it"]);
    world.write("project/mended", "");
    world.write("project/.agent/stages/chore/prompt.md", "Something else; ${CTX} ${STATUS} ${OUTPUT}\n");
    let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stderr.contains("prompt.md") && run.stderr.contains("changed"), "{run}");
    assert!(!world.read("project/prompts").contains("Something else"));
}

#[test]
fn nothing_but_the_run_is_needed_to_resume() {
    let world = with_stage(&fixed(2), &format!("{BREAKS}{CONTINUE}"));
    world.stead(&["run", "stage", "chore", "it"]);
    world.write("project/mended", "");
    std::fs::remove_dir_all(world.project().join(".agent/stages/chore")).unwrap();
    let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
    assert_eq!(run.code, 0, "{run}");
}
