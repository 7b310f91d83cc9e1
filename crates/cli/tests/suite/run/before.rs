//! What a run says before it starts.

use super::{CONTINUE, bounded, fixed, run_file, stage, with_stage};
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
