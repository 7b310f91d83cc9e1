//! Going on with a run, and refusing to when it would be wrong.

use stead_testkit::{Finish, Run, World};

use super::{CONTINUE, STOP, events, fixed, pipeline, run_file, stage, state, with_stage};

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

/// The command after `resume:`, as a person would type it.
#[track_caller]
fn hinted(run: &Run) -> Vec<String> {
    let line = run.stderr.lines().find_map(|line| line.strip_prefix("resume: stead "));
    line.unwrap_or_else(|| panic!("no way to resume: {run}")).split(' ').map(str::to_owned).collect()
}

fn play(world: &World, command: &[String]) -> Run {
    world.stead(&command.iter().map(String::as_str).collect::<Vec<_>>())
}

const JUDGMENT: &str =
    "termination:\n  type: judgment\n  min_iterations: 1\n  consensus: 1\nguardrails:\n  max_iterations: 2\n";

#[test]
fn a_limit_says_how_to_go_on_and_that_works() {
    let script =
        format!("echo $STEAD_ITERATION >> tried; [ $STEAD_ITERATION = 3 ] && {{ {STOP}; exit 0; }}; {CONTINUE}");
    for (on_limit, code) in [("", 3), ("  on_limit: fail\n", 1)] {
        let world = with_stage(&format!("{JUDGMENT}{on_limit}"), &script);
        let run = world.stead(&["run", "stage", "chore", "it"]);
        assert_eq!(run.code, code, "{run}");
        let command = hinted(&run);
        assert_eq!(command[command.len() - 2..], ["--max", "4"], "{run}");
        assert_eq!(world.stead(&["status", "it", "--json"]).json()["resume"], format!("stead {}", command.join(" ")));
        let run = play(&world, &command);
        assert_eq!(run.code, 0, "{run}");
        assert!(run.stderr.contains("at most 4 iterations"), "{run}");
        assert_eq!(world.read("project/tried"), "1\n2\n3\n");
        assert!(world.read(run_file("it/plan.json")).contains("\"amendments\""));
        // It is done, and no option changes that.
        let run = world.stead(&["run", "stage", "chore", "it", "--resume", "--max", "9"]);
        assert_eq!(run.code, 1, "{run}");
        assert!(run.stderr.contains("done") && run.stderr.contains("another name"), "{run}");
    }
}

/// Whichever way the limit ends the run, the command that is printed continues it.
#[test]
fn a_limit_of_time_names_the_command_that_extends_it() {
    for (on_limit, code) in [("fail", 1), ("continue", 3)] {
        let limits = format!("max_iterations: 9\n  max_runtime_seconds: 2\n  on_limit: {on_limit}\n");
        let world = with_stage(&JUDGMENT.replace("max_iterations: 2\n", &limits), "sleep 600");
        let run = world.stead(&["run", "stage", "chore", "it"]);
        assert_eq!(run.code, code, "{run}");
        let command = hinted(&run);
        assert_eq!(command[command.len() - 2..], ["--max-runtime", "4s"], "{run}");
        world.write("project/chore.sh", STOP);
        let run = world.stead(&["run", "stage", "chore", "it", "--resume", "--max-runtime", "1s"]);
        if on_limit == "continue" {
            assert!(run.code == 1 && run.stderr.contains("`--max-runtime` above the 2 seconds"), "{run}");
        }
        let run = world.stead(&["run", "stage", "chore", "it", "--resume", "--max-runtime", "10m"]);
        assert_eq!(run.code, 0, "{run}");
        assert!(run.stderr.contains("the plan was changed for chore: at most 10 min"), "{run}");
        let plan = world.read(run_file("it/plan.json"));
        assert!(plan.contains("\"amendments\"") && plan.contains("\"max_runtime_seconds\": 600"), "{plan}");
    }
}

#[test]
fn raised_limits_are_taken_from_the_files_if_asked_for() {
    let world = with_stage(JUDGMENT, CONTINUE);
    assert_eq!(world.stead(&["run", "stage", "chore", "it"]).code, 3);
    stage(&world, "chore", &JUDGMENT.replace("max_iterations: 2", "max_iterations: 3"), STOP);
    world.write("project/.agent/stages/chore/prompt.md", "Something else; ${CTX} ${STATUS} ${OUTPUT}\n");
    assert_eq!(world.stead(&["run", "stage", "chore", "it", "--resume"]).code, 3, "without being asked");
    let run = world.stead(&["run", "stage", "chore", "it", "--resume", "--reload"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stderr.contains("only its limits are taken"), "{run}");
    assert!(run.stderr.contains("limits read again from its files"), "{run}");
    let plan = world.read(run_file("it/plan.json"));
    assert!(!plan.contains("Something else"), "{plan}");
    assert_eq!(world.stead(&["run", "stage", "chore", "new", "--reload"]).code, 2, "there is nothing to continue");
}

#[test]
fn a_missing_program_can_be_replaced_for_the_rest_of_the_run() {
    let world = with_stage(&fixed(2), &format!("[ $STEAD_ITERATION = 1 ] || [ -e mended ] || exit 1; {CONTINUE}"));
    let file = "project/.agent/stages/chore/stage.yaml";
    world.write(file, format!("name: chore\ndescription: A test\n{}provider:\n  command: [\"./gone\"]\n", fixed(2)));
    // It is there, as far as anybody can know before it starts.
    world.write("project/gone", "#!/no/such/interpreter\n");
    let executable = || std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(world.project().join("gone"), executable()).unwrap();
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, 1, "{run}");
    let command = hinted(&run);
    assert!(run.stderr.contains(&format!("stead {} --provider NAME", command.join(" "))), "{run}");
    world.write(
        "project/agent.sh",
        format!("#!/bin/sh\n[ $STEAD_ITERATION = 1 ] || [ -e mended ] || exit 1\n{CONTINUE}\n"),
    );
    std::fs::set_permissions(world.project().join("agent.sh"), executable()).unwrap();
    world.write("project/spec.md", "the spec\n");
    let options = ["--provider", "./agent.sh", "--input", "spec.md", "--model", "m"].map(str::to_owned);
    let run = play(&world, &[command.clone(), options.to_vec()].concat());
    assert_eq!((run.code, &state(&world, "it")["error"]["type"]), (1, &"exit".into()), "{run}");
    assert_eq!(state(&world, "it")["resume_from"], 2, "{run}");
    // A plain resume keeps all of it.
    world.write("project/mended", "");
    let run = play(&world, &command);
    assert_eq!(run.code, 0, "{run}");
    let context = world.read(run_file("it/stage-00-chore/iterations/002/context.json"));
    assert!(context.contains("spec.md"), "{context}");
}

/// What is printed must work where it was printed.
#[test]
fn the_way_to_go_on_names_the_folder_that_was_named() {
    let world = with_stage(&fixed(1), &format!("[ -e mended ] || exit 1; {CONTINUE}"));
    let odd = world.folder().join("it's here");
    std::os::unix::fs::symlink(world.project(), &odd).unwrap();
    for (run, dir) in [("one", "project"), ("two", "it's here")] {
        let ran = world.stead_in(world.folder(), &["-C", dir, "run", "stage", "chore", run]);
        assert_eq!(ran.code, 1, "{ran}");
        let log = ran.stderr.lines().find_map(|line| line.strip_prefix("log: ")).unwrap();
        let log = log.replace("$PROJECT", &world.project().display().to_string());
        let log = log.replace("$WORLD", &world.folder().display().to_string());
        assert!(world.folder().join(&log).is_file(), "{log}: {ran}");
        let command = ran.stderr.lines().find_map(|line| line.strip_prefix("resume: ")).unwrap().to_owned();
        world.write("project/mended", "");
        let script = format!("stead() {{ \"$STEAD\" \"$@\"; }}; cd ..; {command}");
        let mut shell = world.command("sh", &world.project());
        let went = shell.args(["-c", &script]).env("STEAD", env!("CARGO_BIN_EXE_stead")).finish(&world, b"");
        assert_eq!(went.code, 0, "{command}: {went}");
        std::fs::remove_file(world.project().join("mended")).unwrap();
    }
}

#[test]
fn a_provider_by_its_path_begins_at_the_current_folder() {
    let world = with_stage(&fixed(1), "exit 1");
    world.write("project/deep/agent.sh", format!("#!/bin/sh\npwd > where; {CONTINUE}\n"));
    let deep = world.project().join("deep");
    let call = |run: &str, path: &str| world.stead_in(&deep, &["run", "stage", "chore", run, "--provider", path]);
    let ran = call("one", "./agent.sh");
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.stderr.contains("chmod +x"), "{ran}");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(deep.join("agent.sh"), mode).unwrap();
    assert_eq!(call("one", "./agent.sh").code, 0);
    assert_eq!(world.normalise(world.read("project/where").trim()), "$PROJECT");
    let ran = call("two", "../agent.sh");
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.stderr.contains("$PROJECT/agent.sh") && ran.stderr.contains("current folder"), "{ran}");
    assert!(!world.exists(run_file("two")), "{ran}");
    let ran = world.stead(&["run", "stage", "chore", "three", "--provider", "codex"]);
    assert_eq!((ran.code, world.exists(run_file("three"))), (2, false), "{ran}");
}

#[test]
fn a_run_of_which_nothing_was_begun_says_so() {
    let world = with_stage(&fixed(1), CONTINUE);
    world.stead(&["run", "stage", "chore", "kt0"]).ok();
    world.write(run_file("kt2/lock"), "");
    for command in [&["run", "stage", "chore", "kt2", "--resume"][..], &["status", "kt2"]] {
        let run = world.stead(command);
        assert_eq!(run.code, 2, "{run}");
        assert!(run.stderr.contains("run `kt2` has not started") && run.stderr.contains("without"), "{run}");
    }
    world.stead(&["run", "stage", "chore", "kt2"]).ok();
}

#[test]
fn what_cannot_be_changed_is_refused_before_anything_runs() {
    let world = with_stage(&fixed(1), "exit 1");
    world.stead(&["run", "stage", "chore", "it"]);
    let before = world.read(run_file("it/events.jsonl"));
    for (option, words) in [
        (["--max", "0"], "--max"),
        (["--provider", "claud"], "`claude`"),
        (["--input", "no.md"], "no.md"),
        (["--packet", "latest"], "packet"),
    ] {
        let run = world.stead(&["run", "stage", "chore", "it", "--resume", option[0], option[1]]);
        assert_eq!(run.code, 2, "{run}");
        assert!(run.stderr.contains(words), "{run}");
    }
    assert_eq!(world.read(run_file("it/events.jsonl")), before);
}

#[test]
fn a_plan_that_somebody_changed_is_refused() {
    let world = with_stage(&fixed(1), "exit 1");
    world.stead(&["run", "stage", "chore", "it"]);
    let plan = world.read(run_file("it/plan.json"));
    for changed in [plan.replace("chore.sh", "injected.sh"), "{}".to_owned()] {
        world.write(run_file("it/plan.json"), changed);
        for background in [&[][..], &["--background"]] {
            let run = world.stead(&[&["run", "stage", "chore", "it", "--resume"][..], background].concat());
            assert_eq!(run.code, 1, "{run}");
            assert!(run.stderr.contains("plan.json") && run.stderr.contains("another name"), "{run}");
        }
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
