use std::fs;

use stead_pipeline::{
    EngineError, EventLine, RunEvent, RunFolder, RunStatus, RunView, ViewStatus, list_runs, request_stop,
};

use super::world::{World, chain, node};

#[test]
fn a_run_is_seen_while_it_runs_and_cannot_be_taken_twice() {
    let world = World::new();
    let plan = chain(vec![node("a", 2, "test $STEAD_ITERATION = 1 || exec sleep 600; say continue")]);
    let look = || {
        let view = RunView::read(&world.folder(), 3).unwrap();
        assert_eq!((view.status, view.pid), (ViewStatus::Running, Some(std::process::id())));
        let node = &view.state.nodes[0];
        assert_eq!((node.iteration, node.iteration_completed, node.max_iterations), (2, 1, 2));
        let started = RunEvent::IterationStarted { node: "a".into(), iteration: 2, max_iterations: 2 };
        assert_eq!((&view.recent[0].event, view.recent.len()), (&started, 3));
        let other = world.again();
        for refused in [other.start(&plan).unwrap_err(), other.resume().unwrap_err()] {
            let EngineError::Held { holder, .. } = &refused else { panic!("{refused:?}") };
            assert!(holder.contains(&std::process::id().to_string()), "{holder}");
            assert!(refused.hint().unwrap().contains("stead stop night"));
        }
    };
    let end = world.start_and_cancel(&plan, || world.calls().len() == 2, look);
    assert_eq!(end.status, RunStatus::Cancelled);
    let view = RunView::read(&world.folder(), 100).unwrap();
    assert_eq!((view.status, view.pid, view.status.can_resume()), (ViewStatus::Cancelled, None, true));
    let lines = world.read("events.jsonl").lines().count();
    assert_eq!((view.recent.len(), world.events().len()), (lines, lines), "whoever watches is told what is written");
    assert!(matches!(request_stop(&world.folder()), Err(EngineError::NotRunning { .. })));
}

#[test]
fn the_time_of_a_run_at_work_goes_on() {
    let world = World::new();
    let plan = chain(vec![node("a", 1, "exec sleep 600"), node("b", 1, "say stop")]);
    let look = || {
        let view = || RunView::read(&world.folder(), 0).unwrap();
        let written = stead_model::unix_millis(&view().state.updated_at).unwrap();
        let before = view().state;
        let seen = view().as_of(written + 3_600_000).state;
        assert_eq!(seen.elapsed_seconds.round(), before.elapsed_seconds.round() + 3600.0);
        assert_eq!(seen.nodes[0].elapsed_seconds, 3600.0, "an agent is at work");
        assert_eq!(seen.nodes[1].elapsed_seconds, 0.0);
        assert_eq!(view().as_of(written - 3_600_000).state, before, "the clock was set back");
    };
    world.start_and_cancel(&plan, || world.calls().len() == 1, look);
    let view = RunView::read(&world.folder(), 0).unwrap();
    assert_eq!(view.clone().as_of(i64::MAX), view, "nobody is at work");
}

/// Agents can remove the lock, and then they themselves are the proof that their engine lives.
#[test]
fn a_run_whose_lock_is_gone_still_has_its_engine() {
    let world = World::new();
    let wait = "while ! [ -e go ]; do sleep 0.02; done; test $STEAD_ITERATION = 1 || exec sleep 600; say continue";
    let plan = chain(vec![node("a", 2, wait)]);
    let own = std::process::id();
    let ready = || world.calls().len() == 1;
    let look = || {
        for harm in ["", "junk"] {
            fs::remove_file(world.path("lock")).unwrap();
            if !harm.is_empty() {
                fs::write(world.path("lock"), harm).unwrap();
            }
            let view = RunView::read(&world.folder(), 0).unwrap();
            assert_eq!((view.status, view.pid), (ViewStatus::Running, Some(own)), "{harm}");
            assert!(matches!(world.again().resume(), Err(EngineError::Held { .. })), "{harm}");
            fs::write(world.path("lock"), "").unwrap();
        }
        fs::remove_file(world.path("lock")).unwrap();
        fs::write(world.root.join("go"), "").unwrap();
        while world.calls().len() < 2 {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(world.read("lock").contains(&format!("\"pid\":{own}")), "it is put back after the iteration");
    };
    let end = world.start_and_cancel(&plan, ready, look);
    assert_eq!((end.status, end.state.nodes[0].iteration_completed), (RunStatus::Cancelled, 1));
    assert_eq!(world.warnings().iter().filter(|warning| warning.contains("`lock`")).count(), 1);
    assert!(!world.path("lock").exists());
}

#[test]
fn a_folder_in_which_nothing_was_begun_says_so() {
    let world = World::new();
    fs::create_dir(world.path("")).unwrap();
    fs::write(world.path("lock"), "").unwrap();
    let error = world.resume().unwrap_err();
    assert!(matches!(error, EngineError::NotBegun { .. }), "{error:?}");
    assert!(error.hint().unwrap().contains("without `--resume`"), "{error}");
    assert_eq!(world.start(&chain(vec![node("a", 1, "say stop")])).unwrap().status, RunStatus::Done);
}

#[test]
fn runs_are_listed_with_the_latest_first() {
    let world = World::new();
    world.start(&chain(vec![node("a", 1, "say stop")])).unwrap();
    for (name, started) in [("older", "2020-01-01T00:00:00.000Z"), ("newer", "2098-01-01T00:00:00.000Z")] {
        let folder = world.runs().join(name);
        fs::create_dir(&folder).unwrap();
        fs::copy(world.path("plan.json"), folder.join("plan.json")).unwrap();
        let mut state = world.json("state.json");
        state["started_at"] = started.into();
        state["status"] = "running".into();
        fs::write(folder.join("state.json"), state.to_string()).unwrap();
    }
    fs::create_dir(world.runs().join("no-run")).unwrap();
    let damaged = world.runs().join("damaged");
    fs::create_dir(&damaged).unwrap();
    fs::write(damaged.join("plan.json"), "{}").unwrap();
    let (runs, unread) = list_runs(&world.runs());
    let seen: Vec<(&str, ViewStatus)> = runs.iter().map(|view| (view.run.as_str(), view.status)).collect();
    let interrupted = ViewStatus::Interrupted;
    assert_eq!(seen, [("newer", interrupted), ("night", ViewStatus::Done), ("older", interrupted)]);
    assert_eq!(unread, ["damaged"]);
}

#[test]
fn unknown_and_bad_names_are_refused() {
    let world = World::new();
    world.start(&chain(vec![node("a", 1, "say stop")])).unwrap();
    let folder = RunFolder::at(&world.runs(), "nigt").unwrap();
    let error = request_stop(&folder).unwrap_err();
    assert!(error.hint().unwrap().contains("`night`"), "{error}");
    assert!(matches!(RunView::read(&folder, 1), Err(EngineError::UnknownRun { .. })));
    for bad in ["", "..", "a/b", ".hidden"] {
        assert!(matches!(RunFolder::at(&world.runs(), bad), Err(EngineError::BadName { .. })), "{bad}");
    }
}

#[test]
fn damaged_and_newer_files_are_said_to_be() {
    let world = World::new();
    world.start(&chain(vec![node("a", 1, "exit 1")])).unwrap();
    let (good, plan) = (world.read("state.json"), world.read("plan.json"));
    fs::write(world.path("plan.json"), "{\"schema\": 1").unwrap();
    assert!(matches!(world.resume(), Err(EngineError::Damaged { .. })));
    fs::remove_file(world.path("plan.json")).unwrap();
    let error = world.resume().unwrap_err();
    assert!(error.to_string().contains("plan.json") && error.to_string().contains("missing"), "{error}");
    fs::write(world.path("plan.json"), plan).unwrap();
    fs::write(world.path("state.json"), good.replace("\"schema\": 1", "\"schema\": 9")).unwrap();
    assert!(matches!(world.resume(), Err(EngineError::Newer { found: 9, .. })));
    fs::write(world.path("state.json"), good.replace("\"id\": \"a\"", "\"id\": \"other\"")).unwrap();
    assert!(matches!(world.resume(), Err(EngineError::Mismatch { .. })));
    fs::write(world.path("state.json"), &good).unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Failed);
}

#[test]
fn a_torn_event_does_not_hide_the_others() {
    let world = World::new();
    world.start(&chain(vec![node("a", 1, "exit 1")])).unwrap();
    let mut text = world.read("events.jsonl");
    text.push_str("{\"v\":1,\"ts\":\"T\",\"event\":\"sang\"}\n{\"v\":1,\"ts\":");
    fs::write(world.path("events.jsonl"), text).unwrap();
    world.resume().unwrap();
    let recent: Vec<EventLine> = RunView::read(&world.folder(), 1000).unwrap().recent;
    assert!(recent.iter().any(|line| line.event == RunEvent::Unknown));
    assert!(recent.iter().any(|line| matches!(line.event, RunEvent::RunResumed { status: RunStatus::Failed, .. })));
}

#[test]
fn a_folder_that_cannot_be_written_is_a_clear_error() {
    let world = World::new();
    fs::write(world.root.join("runs/night"), "a file").unwrap();
    let error = world.start(&chain(vec![node("a", 1, "say stop")])).unwrap_err();
    assert!(error.to_string().contains("night"), "{error}");
}
