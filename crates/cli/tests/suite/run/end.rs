//! Every way a run can end, its exit code, and what a person is told.

use stead_testkit::World;

use super::{CONTINUE, STOP, events, fixed, pipeline, run_file, stage, state, with_stage};

const JUDGMENT: &str =
    "termination:\n  type: judgment\n  min_iterations: 2\n  consensus: 2\nguardrails:\n  max_iterations: 3\n";

/// Runs the only stage and expects an exit code, a status, and words in what is said.
#[track_caller]
fn check(world: &World, code: i32, status: &str, words: &[&str]) {
    let run = world.stead(&["run", "stage", "chore", "it"]);
    assert_eq!(run.code, code, "{run}");
    assert_eq!(state(world, "it")["status"], status, "{run}");
    let said = format!("{}{}", run.stdout, run.stderr);
    for word in words {
        assert!(said.contains(word), "no `{word}` in {run}");
    }
    assert_eq!(world.stead(&["status", "it", "--json"]).json()["status"], status);
}

#[test]
fn consensus_is_done() {
    check(&with_stage(JUDGMENT, STOP), 0, "done", &["2/3: stop (all good)", "it: done"]);
}

#[test]
fn a_reached_limit_has_its_own_code() {
    check(&with_stage(JUDGMENT, CONTINUE), 3, "limit", &["limit"]);
}

#[test]
fn a_limit_that_must_not_be_is_a_failure() {
    let head = JUDGMENT.replace("max_iterations: 3\n", "max_iterations: 3\n  on_limit: fail\n");
    check(&with_stage(&head, CONTINUE), 1, "failed", &["limit"]);
}

#[test]
fn six_failures_are_told_apart() {
    let timeout = "termination:\n  type: fixed\nguardrails:\n  max_iterations: 2\n  iteration_timeout_seconds: 1\n";
    let error = r#"printf '{"decision":"error","reason":"no compiler"}' > "$STEAD_STATUS""#;
    for (kind, head, script) in [
        ("exit", fixed(2), "echo gone wrong; exit 7".to_owned()),
        ("signal", fixed(2), "kill -s KILL $$".to_owned()),
        ("timeout", timeout.to_owned(), "sleep 600".to_owned()),
        ("missing-status", fixed(2), "echo I forgot".to_owned()),
        ("invalid-status", fixed(2), "echo garbage > \"$STEAD_STATUS\"".to_owned()),
        ("agent-error", fixed(2), error.to_owned()),
    ] {
        let world = with_stage(&head, &script);
        check(&world, 1, "failed", &["chore", kind, "agent.log", "stead run stage chore it --resume"]);
        let state = state(&world, "it");
        assert_eq!((&state["error"]["type"], &state["error"]["stage"]), (&kind.into(), &"chore".into()), "{state}");
        assert_eq!(state["resume_from"], 1, "{kind}: {state}");
        let status = world.read(run_file("it/stage-00-chore/iterations/001/status.json"));
        assert!(status.contains("\"error\""), "{kind}: {status}");
        assert!(!world.exists(run_file("it/stage-00-chore/iterations/002")), "{kind}");
    }
}

#[test]
fn the_last_words_of_a_failed_agent_are_shown() {
    let world = with_stage(&fixed(1), "for i in $(seq 200); do echo line $i; done; exit 7");
    check(&world, 1, "failed", &["line 200"]);
    let run = world.stead(&["run", "stage", "chore", "second"]);
    assert!(!run.stderr.contains("line 100\n"), "{run}");
}

#[test]
fn nothing_downstream_of_a_failure_runs() {
    let world = with_stage(&fixed(1), "exit 3");
    stage(&world, "after", &fixed(1), &format!("touch ran; {CONTINUE}"));
    pipeline(&world, "two", "  - id: one\n    template: chore\n  - id: two\n    template: after\n");
    let run = world.stead(&["run", "pipeline", "two", "it"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("stead run pipeline two it --resume"), "{run}");
    assert!(!world.exists("project/ran"));
}

#[test]
fn an_agent_that_needs_a_person_blocks_the_run() {
    let blocked = r#"printf '{"decision":"stop","reason":"which database?","blocked_on":"person"}' > "$STEAD_STATUS""#;
    check(&with_stage(&fixed(3), blocked), 4, "blocked", &["1/3: blocked (which database?)", "--resume"]);
}

#[test]
fn a_queue_is_asked_and_its_failure_is_an_error() {
    let head = |command: &str| {
        format!("termination:\n  type: queue\n  command: \"{command}\"\nguardrails:\n  max_iterations: 5\n")
    };
    let script = format!("sed -i 1d todo; {CONTINUE}");
    let world = with_stage(&head("cat todo"), &script);
    world.write("project/todo", "a\nb\nc\n");
    check(&world, 0, "done", &["it: done"]);
    assert!(world.exists(run_file("it/stage-00-chore/iterations/003")));
    assert!(!world.exists(run_file("it/stage-00-chore/iterations/004")));
    let world = with_stage(&head("cat missing-list"), CONTINUE);
    check(&world, 1, "failed", &["queue"]);
}

#[test]
fn a_promise_in_the_output_ends_the_stage() {
    let head = "termination:\n  type: promise\n  promises: [DONE]\nguardrails:\n  max_iterations: 5\n";
    let script = format!("[ $STEAD_ITERATION -lt 2 ] || echo '<promise>DONE</promise>'; {CONTINUE}");
    let world = with_stage(head, &script);
    check(&world, 0, "done", &["it: done"]);
    assert_eq!(events(&world, "it", "iteration-ended").len(), 2);
}

#[test]
fn a_packet_is_handed_to_the_agents() {
    let world = with_stage(&fixed(1), &format!("cat \"$STEAD_CONTEXT\" > seen.json\n{CONTINUE}"));
    let args = ["run", "stage", "chore", "it", "--packet"];
    let missing = world.stead(&[&args[..], &["latest"]].concat());
    assert_eq!(missing.code, 2, "{missing}");
    world.stead(&["handoff", "finish the parser"]).ok();
    world.stead(&[&args[..], &["latest"]].concat()).ok();
    let seen: serde_json::Value = serde_json::from_str(&world.read("project/seen.json")).unwrap();
    let packet = seen["inputs"]["initial"][0].as_str().unwrap_or_default();
    assert!(packet.ends_with("-finish-the-parser.md") && std::path::Path::new(packet).is_file(), "{seen}");
}
