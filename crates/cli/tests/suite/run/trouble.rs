//! What people and disks do: unknown names, broken files, two at once, no room left.

use super::{CONTINUE, STOP, fixed, pipeline, run_file, stage, start, state, with_stage};
use crate::world::bare;

#[test]
fn unknown_names_are_usage_errors_with_the_nearest() {
    let world = with_stage(&fixed(1), CONTINUE);
    pipeline(&world, "chain", "  - id: a\n    template: chore\n");
    for (args, words) in [
        (&["run", "stage", "chores", "it"][..], "`chore`"),
        (&["run", "pipeline", "chan", "it"], "`chain`"),
        (&["run", "stage", "chore", "it", "--provider", "claud"], "`claude`"),
        (&["run", "stage", "chore", "../it"], "invalid run name"),
        (&["run", "stage", "chore", ""], "invalid run name"),
        (&["run", "stage", "chore", "it", "--max", "0"], "--max"),
        (&["test", "stage", "chores"], "`chore`"),
    ] {
        let run = world.stead(args);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
        assert!(run.stderr.contains(words), "{words}: {run}");
        assert!(!world.exists(run_file("it")), "{run}");
    }
}

#[test]
fn a_folder_that_is_no_project_is_left_alone() {
    let world = bare();
    let run = world.stead(&["run", "stage", "work", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("hint:"), "{run}");
    assert!(!world.exists("project/.agent"));
}

#[test]
fn what_does_not_compile_does_not_run() {
    let world = with_stage(&fixed(1), CONTINUE);
    let cycle = "  - id: a\n    template: chore\n    needs: [b]\n  - id: b\n    template: chore\n    needs: [a]\n";
    let bomb = format!(
        "  - id: a\n    template: chore\nx0: &x0 [1,1,1,1,1,1,1,1]\n{}",
        (1..12)
            .map(|n| format!("x{n}: &x{n} [*x{0},*x{0},*x{0},*x{0},*x{0},*x{0},*x{0},*x{0}]\n", n - 1))
            .collect::<String>()
    );
    for (stages, words) in [
        (cycle, "a"),
        ("  - id: a\n    template: chor\n", "`chore`"),
        ("  - id: a\n    template: chore\n    inputs: {from: never}\n", "never"),
        ("  - id: a\n    template: chore\n  - id: a\n    template: chore\n", "a"),
        ("  - {{{{\n", "two"),
        (bomb.as_str(), "two"),
    ] {
        pipeline(&world, "two", stages);
        let run = world.stead(&["run", "pipeline", "two", "it"]);
        assert!(matches!(run.code, 1 | 2), "{run}");
        assert!(run.stderr.contains("error") && run.stderr.contains(words), "{words}: {run}");
        assert!(!world.exists(run_file("it")), "{run}");
    }
}

#[test]
fn two_engines_of_one_name_are_one_run() {
    let world = with_stage(&fixed(3), &format!("echo $STEAD_ITERATION >> ran; {CONTINUE}"));
    let children: Vec<_> = (0..6).map(|_| start(&world, &["run", "stage", "chore", "it"])).collect();
    let codes: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let winners = codes.iter().filter(|output| output.status.success()).count();
    assert_eq!(winners, 1, "{codes:?}");
    for loser in codes.iter().filter(|output| !output.status.success()) {
        let said = String::from_utf8_lossy(&loser.stderr);
        assert!(matches!(loser.status.code(), Some(1 | 2)) && said.contains("`it`"), "{said}");
    }
    assert_eq!(world.read("project/ran"), "1\n2\n3\n");
    assert_eq!(state(&world, "it")["status"], "done");
}

/// A small file system of its own holds the runs; it is full when the agent has filled it.
#[test]
fn a_full_disk_fails_the_run_and_spoils_nothing() {
    let fill = "[ ! -e fill ] || { rm fill; dd if=/dev/zero of=.agent/runs/fill bs=1k count=4000 2>/dev/null; }";
    let world = with_stage(&fixed(3), &format!("{fill}\n{CONTINUE} || true"));
    let script = "mkdir -p .agent/runs && mount -t tmpfs -o size=1m tmpfs .agent/runs && touch fill && set +e\n\
        \"$STEAD\" run stage chore it; echo \"first $?\"; cat .agent/runs/it/state.json; rm .agent/runs/fill\n\
        \"$STEAD\" status it --json\n\
        \"$STEAD\" run stage chore it --resume; echo \"second $?\"; ls .agent/runs/it/stage-00-chore/iterations";
    let Some(run) = world.sh_with_own_mounts(script, b"") else { return };
    assert!(run.stdout.contains("first 1\n"), "{run}");
    assert!(run.stderr.contains("failed (engine)") && run.stderr.contains("free some space"), "{run}");
    assert!(run.stderr.contains("resume: stead run stage chore it --resume"), "{run}");
    assert!(run.stdout.contains("second 0\n"), "{run}");
    assert!(run.stdout.ends_with("001\n002\n003\n"), "{run}");
}

#[test]
fn an_agent_in_the_engines_way_fails_the_run_and_it_can_go_on() {
    // In the way of the kept output, and of the state itself, which the engine then cannot write.
    for (harm, tried) in [
        ("mkdir \"$(dirname \"$STEAD_STATUS\")/output.md\"", "1\n2\n2\n3\n"),
        ("rm .agent/runs/it/state.json; mkdir .agent/runs/it/state.json", "1\n2\n3\n"),
    ] {
        let script = format!(
            "echo $STEAD_ITERATION >> tried; [ $STEAD_ITERATION != 2 ] || [ -e harmed ] || {{ touch harmed; {harm}; }}; {CONTINUE}"
        );
        let world = with_stage(&fixed(3), &script);
        let run = world.stead(&["run", "stage", "chore", "it"]);
        assert_eq!(run.code, 1, "{run}");
        assert!(run.stderr.contains("stead run stage chore it --resume"), "{run}");
        let told = world.stead(&["status", "it", "--json"]).json();
        assert_eq!(told["error"]["type"], "engine", "{harm}: {told}");
        assert_eq!(told["status"], "failed", "{harm}: {told}");
        let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
        assert_eq!(run.code, 0, "{run}");
        assert_eq!(world.read("project/tried"), tried, "{harm}");
    }
}

#[test]
fn an_output_outside_of_the_project_is_refused() {
    let world = with_stage(&format!("{}output: link/x.md\n", fixed(1)), CONTINUE);
    std::fs::create_dir(world.folder().join("outside")).unwrap();
    std::os::unix::fs::symlink(world.folder().join("outside"), world.project().join("link")).unwrap();
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("link/x.md") && run.stderr.contains("outside the project"), "{run}");
    assert!(!world.exists(run_file("it/plan.json")));
}

#[test]
fn a_read_only_run_folder_is_a_clear_error() {
    let world = with_stage(&fixed(1), CONTINUE);
    let script =
        "mkdir -p .agent/runs && mount -t tmpfs -o size=1m,ro tmpfs .agent/runs\n\"$STEAD\" run stage chore it";
    let Some(run) = world.sh_with_own_mounts(script, b"") else { return };
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("error:") && run.stderr.contains(".agent/runs"), "{run}");
}

#[test]
fn branches_run_side_by_side() {
    // Each waits for the other, so that one after the other would never end.
    let script =
        format!("touch \"here-$STEAD_STAGE\"; while [ $(ls here-* | wc -l) -lt 2 ]; do sleep 0.05; done; {CONTINUE}");
    let world = with_stage(&fixed(1), &script);
    stage(&world, "sum", &fixed(1), CONTINUE);
    pipeline(
        &world,
        "wide",
        "  - id: left\n    template: chore\n    needs: []\n  - id: right\n    template: chore\n    needs: []\n  - id: end\n    template: sum\n    needs: [left, right]\n",
    );
    let run = world.stead(&["run", "pipeline", "wide", "it"]);
    assert_eq!(run.code, 0, "{run}");
}

#[test]
fn a_stage_that_needs_an_item_is_sent_to_a_pipeline() {
    let world = with_stage(&fixed(1), STOP);
    world.write("project/.agent/stages/chore/prompt.md", "${CTX} ${STATUS} ${ITEM}\n");
    let run = world.stead(&["run", "stage", "chore", "night"]);
    assert!(run.code == 1 && run.stderr.contains("error[P011]: the prompt uses `${ITEM}`"), "{run}");
    assert!(run.stderr.contains("stage `chore` cannot run on its own") && !run.stderr.contains("stead lint"), "{run}");
    assert!(run.stderr.contains("`template: chore` with `parallel: {over: [..]}`"), "{run}");
}

#[test]
fn work_trees_without_a_repository_make_no_run() {
    let world = with_stage(&fixed(1), STOP);
    world.write("project/.agent/stages/chore/prompt.md", "${CTX} ${STATUS} ${ITEM}\n");
    pipeline(&world, "apart", "  - {id: a, template: chore, parallel: {over: [x, y], worktree: true}}\n");
    let run = world.stead(&["run", "pipeline", "apart", "night"]);
    assert!(run.code == 1 && run.stderr.contains("`git init`"), "{run}");
    assert!(!world.exists(run_file("night")), "{run}");
}
