//! What a run says before it starts.

use stead_testkit::World;

use super::{CONTINUE, STOP, bounded, events, fixed, pipeline, run_file, stage, state, with_stage};
use crate::world::marked;

#[test]
fn what_cannot_work_is_said_before_anything_starts() {
    let world = marked();
    let check = |head: &str, script: &str, words: &str| {
        stage(&world, "chore", head, script);
        let run = world.stead(&["run", "stage", "chore", "it"]);
        assert_eq!((run.code, world.exists(run_file("it"))), (1, false), "{run}");
        assert!(run.stderr.contains("nothing was started") && run.stderr.contains(words), "{run}");
        assert!(run.stderr.contains("hint:"), "{run}");
        let dry = world.stead(&["dry-run", "stage", "chore", "it"]);
        assert_eq!(dry.code, 1, "{dry}");
        assert!(dry.stderr.contains(words), "{dry}");
        let concerns = world.stead(&["dry-run", "stage", "chore", "it", "--json"]).json()["concerns"].clone();
        assert_eq!(concerns[0]["weight"], "error", "{concerns}");
    };
    check(&format!("{}verify: [\"no-such-checker --all\"]\n", bounded(1)), CONTINUE, "`no-such-checker` in its verify");
    world.write("project/check", "#!/bin/sh\n");
    check(&format!("{}verify: [\"./check\"]\n", bounded(1)), CONTINUE, "`./check` in its verify");
    let queue =
        "termination:\n  type: queue\n  command: no-such-queue list\nguardrails:\n  iteration_timeout_seconds: 9\n";
    check(queue, CONTINUE, "`no-such-queue` in its queue");
    // What may be missing, is.
    stage(&world, "chore", &format!("{}verify: [\"no-such-checker || true\"]\n", bounded(1)), CONTINUE);
    world.stead(&["run", "stage", "chore", "maybe"]).ok();
    world.write(
        "project/.agent/stages/chore/stage.yaml",
        format!("name: chore\ndescription: A test\n{}provider: {{command: [./gone]}}\n", bounded(1)),
    );
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert!(run.code == 1 && run.stderr.contains("gone") && !world.exists(run_file("it")), "{run}");
}

#[test]
fn what_nobody_bounded_is_said_too() {
    let world = with_stage(&fixed(1), CONTINUE);
    let run = world.stead(&["run", "stage", "chore", "one"]);
    assert!(run.code == 0 && run.stderr.contains("warning: `chore`: no time limit anywhere"), "{run}");
    for (name, args) in [("two", &["--max-runtime", "1h"][..]), ("three", &["--json"])] {
        let run = world.stead(&[&["run", "stage", "chore", name], args].concat());
        assert!(run.code == 0 && !run.stderr.contains("no time limit"), "{run}");
    }
    let waits = bounded(1).replace("guardrails:\n", "guardrails:\n  on_quota: wait\n  max_cost_usd: 5\n");
    stage(&world, "chore", &waits, CONTINUE);
    let dry = world.stead(&["dry-run", "stage", "chore"]);
    assert_eq!(dry.code, 0, "{dry}");
    for words in ["tries again after 1, 2, 4", "does not report costs"] {
        assert!(dry.stderr.contains(words), "{words}: {dry}");
    }
    for words in
        ["time      no limit in total, 10 min 0 s per iteration", "cost      $5.00", "at limit  the run continues"]
    {
        assert!(dry.stdout.contains(words), "{words}: {dry}");
    }
}

#[test]
fn an_empty_queue_is_known_before_and_told_afterwards() {
    let head = "termination:\n  type: queue\n  command: cat todo\nguardrails:\n  iteration_timeout_seconds: 9\n";
    let world = with_stage(head, CONTINUE);
    world.write("project/todo", "");
    let dry = world.stead(&["dry-run", "stage", "chore"]);
    assert!(dry.code == 0 && dry.stderr.contains("its queue is empty, so no agent would start"), "{dry}");
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert!(run.code == 0 && run.stderr.contains("warning: chore: its queue is empty at the start"), "{run}");
    let run = world.stead(&["run", "stage", "chore", "later", "--background"]);
    assert!(run.code == 0 && run.stderr.contains("its queue is empty, so no agent would start"), "{run}");
}

/// A program of the project.
fn program(world: &World, path: &str, script: &str) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(world.write(path, script), mode).unwrap();
}

/// What was there in the evening may be gone in the morning. Only what is still to be done is checked.
#[test]
fn what_is_left_of_a_run_is_checked_again() {
    let world = marked();
    for name in ["one", "two", "three"] {
        let head = format!("{}verify: [\"./check-{name}\"]\n", bounded(1));
        stage(&world, name, &head, &format!("[ -e {name}-works ] || exit 4; {CONTINUE}"));
        program(&world, &format!("project/check-{name}"), "#!/bin/sh\n");
    }
    pipeline(
        &world,
        "chain",
        "  - {id: one, template: one}\n  - {id: two, template: two}\n  - {id: three, template: three}\n",
    );
    world.write("project/one-works", "");
    assert_eq!(world.stead(&["run", "pipeline", "chain", "it"]).code, 1);
    let resume = ["run", "pipeline", "chain", "it", "--resume"];
    for name in ["two", "three"] {
        world.write(format!("project/{name}-works"), "");
    }
    // The first stage is done and needs nothing any more; the third may get its program from the second.
    for name in ["one", "three"] {
        std::fs::remove_file(world.project().join(format!("check-{name}"))).unwrap();
    }
    std::fs::rename(world.project().join("check-two"), world.project().join("elsewhere")).unwrap();
    let before = state(&world, "it");
    for background in [&[][..], &["--background"]] {
        let run = world.stead(&[&resume[..], background].concat());
        assert!(run.code == 1 && run.stderr.contains("`two`: `./check-two` in its verify command"), "{run}");
        assert!(run.stderr.contains("nothing was started") && !run.stderr.contains("dry-run"), "{run}");
        assert!(!run.stderr.contains("check-one"), "{run}");
    }
    assert_eq!((state(&world, "it"), events(&world, "it", "run-resumed").len()), (before, 0));
    std::fs::rename(world.project().join("elsewhere"), world.project().join("check-two")).unwrap();
    let run = world.stead(&resume);
    assert!(run.stderr.contains("warning: `three`: `./check-three` in its verify command"), "{run}");
    assert_eq!(run.code, 6, "{run}");
    // To verify once more, no agent is needed.
    program(&world, "project/check-three", "#!/bin/sh\n");
    world.stead(&resume).ok();
}

/// A provider that replaces a missing one is what is checked.
#[test]
fn a_missing_program_can_be_replaced_when_a_run_continues() {
    let world = with_stage(&bounded(2), CONTINUE);
    world.write(
        "project/.agent/stages/chore/stage.yaml",
        format!("name: chore\ndescription: A test\n{}provider: {{command: [./agent]}}\n", bounded(2)),
    );
    program(&world, "project/agent", "#!/bin/sh\nrm agent; exit 1\n");
    assert_eq!(world.stead(&["run", "stage", "chore", "it"]).code, 1);
    let run = world.stead(&["run", "stage", "chore", "it", "--resume"]);
    assert!(run.code == 1 && run.stderr.contains("nothing was started"), "{run}");
    program(&world, "project/other", &format!("#!/bin/sh\n{STOP}\n"));
    world.stead(&["run", "stage", "chore", "it", "--resume", "--provider", "./other"]).ok();
}

#[test]
fn how_many_branches_run_at_a_time_is_a_bound_too() {
    let world = with_stage(&bounded(1), CONTINUE);
    world.write("project/.agent/stages/chore/prompt.md", "${CTX} ${STATUS} ${ITEM}\n");
    pipeline(&world, "wide", "  - {id: a, template: chore, parallel: {over: [x, y, z], max_parallel: 2}}\n");
    let dry = world.stead(&["dry-run", "pipeline", "wide"]);
    assert_eq!(dry.stdout.matches("parallel  at most 2 at a time").count(), 3, "{dry}");
}
