//! Six ways to fail, told apart, recorded, and nothing after them.

use std::fs;

use stead_pipeline::{EngineError, ErrorKind, NodeStatus, Outcome, Provider, RunEvent, RunStatus, Termination};

use super::world::{World, chain, node};

/// Runs two stages of which the first one's agent does this, and expects it to fail like that.
#[track_caller]
fn check(script: &str, kind: ErrorKind, message: &str) -> World {
    let world = World::new();
    let mut first = node("a", 3, script);
    first.guardrails.iteration_timeout_seconds = (kind == ErrorKind::Timeout).then_some(3);
    let end = world.start(&chain(vec![first, node("b", 1, "say stop")])).unwrap();
    assert_eq!((end.status, end.exit_code(), end.resume_from), (RunStatus::Failed, 1, Some(1)), "{end:?}");
    let error = end.error.clone().unwrap();
    assert_eq!((error.kind, error.stage.as_str()), (kind, "a"));
    assert!(error.message.contains(message), "{}", error.message);
    assert!(end.log.as_ref().is_some_and(|log| log.ends_with("stage-00-a/iterations/001/agent.log")), "{end:?}");

    let state = world.json("state.json");
    assert_eq!((&state["status"], &state["resume_from"]), (&"failed".into(), &1.into()));
    assert_eq!((&state["error"]["type"], &state["failed_at"]), (&kind.name().into(), &state["error"]["timestamp"]));
    let status = world.json("stage-00-a/iterations/001/status.json");
    assert_eq!(status["decision"], "error");
    assert!(status["reason"].as_str().unwrap().contains(message), "{status}");
    assert!(!world.path("stage-01-b").exists(), "nothing downstream of a failure runs");
    assert_eq!(world.calls(), ["a 1"], "a failure is not retried");
    let RunEvent::RunEnded { status: RunStatus::Failed, error: Some(told), .. } = world.events().pop().unwrap() else {
        panic!("the last event is not the end")
    };
    assert_eq!(told, error);
    world
}

#[test]
fn an_exit_code_wins_over_any_status() {
    let world = check("say stop; echo last words; exit 7", ErrorKind::Exit, "code 7");
    assert!(world.read("stage-00-a/iterations/001/status.rejected").contains("stop"));
    assert!(world.read("stage-00-a/iterations/001/agent.log").contains("last words"));
}

#[test]
fn a_signal_is_named() {
    check("say stop; kill -9 $$", ErrorKind::Signal, "signal 9");
}

#[test]
fn an_agent_that_never_ends_is_ended() {
    check("say stop; exec sleep 600", ErrorKind::Timeout, "longer than 3 s");
}

#[test]
fn a_missing_status_is_no_success() {
    check("echo fine", ErrorKind::MissingStatus, "no `status.json`");
}

#[test]
fn an_invalid_status_is_kept_beside() {
    let rejected = "stage-00-a/iterations/001/status.rejected";
    let world = check("echo not json > \"$STEAD_STATUS\"", ErrorKind::InvalidStatus, "kept as `status.rejected`");
    assert_eq!(world.read(rejected), "not json\n");
    let world = check("mkdir \"$STEAD_STATUS\"", ErrorKind::InvalidStatus, "it is a folder");
    assert!(world.path(rejected).is_dir());
    check("say stop; mv \"$STEAD_STATUS\" s; ln -s \"$PWD/s\" \"$STEAD_STATUS\"", ErrorKind::InvalidStatus, "link");
    check("head -c 2000000 /dev/zero > \"$STEAD_STATUS\"", ErrorKind::InvalidStatus, "bytes");
    check(
        "printf '{\"decision\": \"stop\", \"reason\": \"\\377\"}' > \"$STEAD_STATUS\"",
        ErrorKind::InvalidStatus,
        "UTF-8",
    );
    check("mkfifo \"$STEAD_STATUS\"", ErrorKind::InvalidStatus, "regular file");
}

#[test]
fn an_agents_own_error_keeps_its_words() {
    let script = r#"echo '{"decision": "error", "reason": "no key", "errors": ["e"], "mine": 1}' > "$STEAD_STATUS""#;
    let world = check(script, ErrorKind::AgentError, "no key");
    assert_eq!(world.json("stage-00-a/iterations/001/status.json")["mine"], 1);
}

#[test]
fn an_agent_that_cannot_be_started_is_a_failure_of_the_stage() {
    let world = World::new();
    let mut stage = node("a", 1, "");
    stage.provider = Provider::Command(vec!["./no-such-program".into()]);
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!(end.error.unwrap().kind, ErrorKind::Start);
    assert_eq!(world.json("stage-00-a/iterations/001/status.json")["decision"], "error");
}

#[test]
fn secrets_in_a_reason_are_not_logged() {
    let script = r#"echo '{"decision": "error", "reason": "token=hunter2"}' > "$STEAD_STATUS""#;
    let world = check(script, ErrorKind::AgentError, "token=");
    for file in ["state.json", "events.jsonl"] {
        assert!(!world.read(file).contains("hunter2"), "{file}");
    }
}

#[test]
fn a_failed_run_goes_on_where_it_failed() {
    let world = World::new();
    let script = "test $STEAD_ITERATION -lt 2 -o -e ready || exit 1; echo out $STEAD_ITERATION > \"$STEAD_OUTPUT\"; \
                  echo n$STEAD_ITERATION >> \"$STEAD_PROGRESS\"; say continue";
    let plan = chain(vec![node("a", 3, script), node("b", 1, "say stop")]);
    let end = world.start(&plan).unwrap();
    assert_eq!((end.status, end.resume_from), (RunStatus::Failed, Some(2)));
    let error = world.start(&plan).unwrap_err();
    assert!(matches!(error, EngineError::Exists { .. }) && error.hint().unwrap().contains("--resume"));

    fs::write(world.root.join("ready"), "").unwrap();
    let end = world.resume().unwrap();
    assert_eq!((end.status, end.error, end.resume_from), (RunStatus::Done, None, None));
    assert_eq!(world.calls(), ["a 1", "a 2", "a 2", "a 3", "b 1"]);
    assert_eq!(world.read("stage-00-a/progress.md"), "# Progress of a\nn1\nn2\nn3\n");
    assert_eq!(world.read("stage-00-a/iterations/002/output.md"), "out 2\n");
    let failed: serde_json::Value =
        serde_json::from_str(&world.read("stage-00-a/iterations/002/attempt-1/status.json")).unwrap();
    assert_eq!(failed["decision"], "error", "the failed attempt is kept");
    assert!(world.events().contains(&RunEvent::Repeated { node: "a".into(), iteration: 2, attempt: 1 }));
    // It is over, and stays so.
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
    assert_eq!(world.calls().len(), 5);
}

/// What an attempt that does not count wrote must not end up in one that does.
#[test]
fn an_iteration_that_is_done_again_begins_with_what_the_last_one_left() {
    let blocked = r#"echo '{"decision": "stop", "blocked_on": "person"}' > "$STEAD_STATUS"; exit 0"#;
    for (harm, first) in
        [("exit 1", 1), ("exit 1", 2), (blocked, 2), ("exit 75", 2), ("rm \"$STEAD_OUTPUT\"; exit 1", 3)]
    {
        let world = World::new();
        let script = format!(
            "echo o$STEAD_ITERATION >> \"$STEAD_OUTPUT\"; test $STEAD_ITERATION != {first} -o -e mended || {{ {harm}; }}; say continue"
        );
        assert_ne!(world.start(&chain(vec![node("a", 3, &script)])).unwrap().status, RunStatus::Done, "{harm}");
        fs::write(world.root.join("mended"), "").unwrap();
        assert_eq!(world.resume().unwrap().status, RunStatus::Done, "{harm}");
        assert_eq!(world.read("stage-00-a/iterations/003/output.md"), "o1\no2\no3\n", "{harm} in {first}");
        if !harm.starts_with("rm") {
            let left: String = (1..=first).map(|iteration| format!("o{iteration}\n")).collect();
            assert_eq!(world.read(&format!("stage-00-a/iterations/00{first}/attempt-1/output.md")), left, "{harm}");
        }
    }
}

/// A stage whose agents only speak keeps each one's own words.
#[test]
fn words_are_not_put_back_as_an_output() {
    let world = World::new();
    let script = "test $STEAD_ITERATION != 2 -o -e mended || { echo half > \"$STEAD_OUTPUT\"; exit 1; }; echo said $STEAD_ITERATION; say continue";
    world.start(&chain(vec![node("a", 2, script)])).unwrap();
    fs::write(world.root.join("mended"), "").unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
    assert_eq!(world.read("stage-00-a/iterations/002/output.md"), "said 2");
    assert_eq!(world.read("stage-00-a/iterations/002/attempt-1/output.md"), "half\n");
}

#[test]
fn a_tracked_output_stays_as_the_attempt_left_it() {
    let world = World::new();
    let mut stage = node("a", 1, "echo o >> docs.md; test -e mended && say stop");
    stage.output = Some("docs.md".into());
    world.start(&chain(vec![stage])).unwrap();
    fs::write(world.root.join("mended"), "").unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
    assert_eq!(fs::read_to_string(world.root.join("docs.md")).unwrap(), "o\no\n");
}

#[test]
fn an_output_that_leads_out_of_the_project_is_not_kept() {
    let world = World::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("theirs"), "secret").unwrap();
    let script = format!("ln -sf '{}/theirs' \"$STEAD_OUTPUT\"; echo said; say stop", outside.path().display());
    assert_eq!(world.start(&chain(vec![node("a", 1, &script)])).unwrap().status, RunStatus::Done);
    assert_eq!(world.read("stage-00-a/iterations/001/output.md"), "said");
    let warnings = world.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("out of the project"), "{warnings:?}");
}

#[test]
fn a_program_that_may_not_be_executed_says_what_to_do() {
    let world = World::new();
    fs::write(world.root.join("agent.sh"), "#!/bin/sh\n").unwrap();
    let mut stage = node("a", 1, "");
    stage.provider = Provider::Command(vec!["./agent.sh".into()]);
    let error = world.start(&chain(vec![stage])).unwrap().error.unwrap();
    assert!(error.kind == ErrorKind::Start && error.message.contains("chmod +x"), "{error:?}");
}

#[test]
fn a_status_of_an_earlier_attempt_never_counts() {
    let world = World::new();
    let plan = chain(vec![node("a", 1, "test -e again || { say stop; exit 1; }")]);
    assert_eq!(world.start(&plan).unwrap().error.unwrap().kind, ErrorKind::Exit);
    fs::write(world.root.join("again"), "").unwrap();
    assert_eq!(world.resume().unwrap().error.unwrap().kind, ErrorKind::MissingStatus);
}

#[test]
fn an_agent_that_waits_for_a_person_blocks_the_run() {
    for decision in ["stop", "error"] {
        let world = World::new();
        let blocked = format!(
            r#"test -e answer && say stop || echo '{{"decision": "{decision}", "reason": "which key?", "blocked_on": "person"}}' > "$STEAD_STATUS""#
        );
        let mut stage = node("a", 5, &blocked);
        stage.termination = Termination::Judgment { min_iterations: 1, consensus: 1 };
        let plan = chain(vec![stage, node("b", 1, "say stop")]);
        let end = world.start(&plan).unwrap();
        assert_eq!((end.status, end.exit_code(), end.error), (RunStatus::Blocked, 4, None), "{decision}");
        assert_eq!((end.reason.as_deref(), end.node.as_deref()), (Some("which key?"), Some("a")));
        assert_eq!(end.state.nodes[0].status, NodeStatus::Blocked);
        fs::write(world.root.join("answer"), "").unwrap();
        assert_eq!(world.resume().unwrap().status, RunStatus::Done, "{decision}");
        assert_eq!(world.calls(), ["a 1", "a 1", "b 1"], "{decision}");
    }
}

/// Whatever it decided beside: somebody who waits for an answer has not done the work.
#[test]
fn a_blocked_iteration_counts_for_nothing() {
    let blocked =
        r#"test -e answer && say stop || echo '{"decision": "stop", "blocked_on": "person"}' > "$STEAD_STATUS""#;
    let consensus = Termination::Judgment { min_iterations: 1, consensus: 2 };
    for (termination, most, calls) in [(Termination::Fixed, 1, 2), (consensus, 5, 3)] {
        for is_lost in [false, true] {
            let world = World::new();
            let mut stage = node("a", most, blocked);
            stage.termination = termination.clone();
            let end = world.start(&chain(vec![stage])).unwrap();
            let at = &end.state.nodes[0];
            assert_eq!((end.status, end.resume_from), (RunStatus::Blocked, Some(1)), "{termination:?}");
            assert_eq!((at.iteration_completed, at.consecutive_stops), (0, 0), "{termination:?}");
            if is_lost {
                fs::remove_file(world.path("state.json")).unwrap();
            }
            fs::write(world.root.join("answer"), "").unwrap();
            assert_eq!(world.resume().unwrap().status, RunStatus::Done, "{termination:?}");
            assert_eq!(world.calls().len(), calls, "{termination:?}, state lost: {is_lost}");
        }
    }
}

#[test]
fn a_cancelled_run_ends_its_agent_and_can_go_on() {
    let world = World::new();
    let plan = chain(vec![node("a", 2, "test -e ready && { say stop; exit; }; touch started; exec sleep 600")]);
    let end = world.start_and_cancel(&plan, || world.root.join("started").exists(), || ());
    assert_eq!((end.status, end.exit_code(), end.resume_from), (RunStatus::Cancelled, 130, Some(1)));
    assert_eq!((end.state.nodes[0].status, end.state.nodes[0].outcome), (NodeStatus::Cancelled, None));
    assert_eq!(end.reason.as_deref(), Some("iteration 1 of `a` was running"));
    fs::write(world.root.join("ready"), "").unwrap();
    let end = world.again().resume().unwrap();
    assert_eq!((end.status, end.state.nodes[0].outcome), (RunStatus::Done, Some(Outcome::Done)));
    assert_eq!(world.calls(), ["a 1", "a 1", "a 2"]);
}

#[test]
fn an_agent_that_meddles_with_the_run_is_written_over() {
    let world = World::new();
    let meddle = "D=runs/night; echo junk > $D/state.json; echo junk > $D/plan.json; say stop";
    let end = world.start(&chain(vec![node("a", 2, meddle)])).unwrap();
    assert_eq!(end.status, RunStatus::Done);
    assert_eq!(world.json("state.json")["status"], "done");
    assert!(world.folder().trusted_plan().is_ok());
    // One that takes the run away leaves no status, and that is said.
    let world = World::new();
    let end = world.start(&chain(vec![node("a", 2, "rm -rf runs")])).unwrap();
    assert_eq!((end.error.unwrap().kind, end.log), (ErrorKind::MissingStatus, None));
    assert_eq!(world.json("state.json")["status"], "failed");
    assert_eq!(world.json("stage-00-a/iterations/001/status.json")["decision"], "error");
}

#[test]
fn the_prompt_reaches_the_agent_resolved() {
    let world = World::new();
    let mut stage = node("a", 1, "cat > prompt; say stop");
    stage.prompt = "read ${CTX}; ${SESSION}; ${NOBODY}".into();
    world.start(&chain(vec![stage])).unwrap();
    let prompt = fs::read_to_string(world.root.join("prompt")).unwrap();
    let context = world.path("stage-00-a/iterations/001/context.json");
    assert_eq!(prompt, format!("read {}; night; ${{NOBODY}}", context.display()));
    // The older ones were told of with their lines before the run began.
    let warnings = world.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("${NOBODY}"), "{warnings:?}");
}

#[test]
fn a_mock_plays_its_fixtures_and_can_fail() {
    let world = World::new();
    let mut stage = node("a", 3, "");
    stage.provider = Provider::Mock;
    let fixture = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    stage.fixture_texts = vec![
        fixture("default.txt", "as always\n"),
        fixture("iteration-2.txt", "---status\n{\"decision\": \"stop\", \"summary\": \"two\"}\n---\nthe second\n"),
        fixture("iteration-3.txt", "---exit 4\nno more\n"),
    ];
    let end = world.start(&chain(vec![stage])).unwrap();
    assert_eq!((end.status, end.resume_from), (RunStatus::Failed, Some(3)));
    assert!(end.error.unwrap().message.contains("code 4"));
    assert_eq!(world.read("stage-00-a/iterations/001/output.md"), "as always\n");
    assert_eq!(world.read("stage-00-a/iterations/002/output.md"), "the second\n");
    assert_eq!(world.json("stage-00-a/iterations/002/status.json")["summary"], "two");
    assert_eq!(world.read("stage-00-a/iterations/003/agent.log"), "no more\n");
}
