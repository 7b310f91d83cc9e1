use std::fs;

use stead_pipeline::{Change, NodeStatus, OnQuota, Plan, Provider, RunEvent, RunStatus};

use super::world::{World, agent, chain, node, now};

/// A fake client that says its limit is reached until the file `open` is there or the moment has come.
fn limited(world: &mut World, seconds: i64) -> Plan {
    let until = now() / 1000 + seconds;
    world.program(
        "claude",
        &format!(
            r#"echo x >> calls
if [ -e open ] || [ "$(date +%s)" -ge {until} ]; then
  echo '{{"decision": "stop"}}' > "$STEAD_STATUS"
  echo '{{"type":"result","is_error":false,"result":"ok","session_id":"s"}}'
else
  echo '{{"type":"rate_limit_event","rate_limit_info":{{"status":"rejected","resetsAt":{until}}}}}'
  exit 1
fi"#
        ),
    );
    let mut stage = node("a", 1, "");
    stage.provider = Provider::Known("claude".into());
    chain(vec![stage, node("b", 1, "say stop")])
}

#[test]
fn without_leave_to_wait_the_run_ends_as_quota() {
    let mut world = World::new();
    let plan = limited(&mut world, 5000);
    let end = world.start(&plan).unwrap();
    assert_eq!((end.status, end.exit_code(), end.error), (RunStatus::Quota, 5, None));
    assert_eq!((end.state.nodes[0].status, end.resume_from), (NodeStatus::Quota, Some(1)));
    let until = end.state.nodes[0].waiting_until.clone().unwrap();
    assert!(end.reason.as_ref().is_some_and(|reason| reason.contains(&until)), "{:?}", end.reason);
    fs::write(world.root.join("open"), "").unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
}

#[test]
fn with_leave_it_waits_until_the_stated_moment() {
    let mut world = World::new();
    let mut plan = limited(&mut world, 6);
    plan.nodes[0].guardrails.on_quota = OnQuota::Wait;
    let end = world.start(&plan).unwrap();
    assert_eq!((end.status, end.state.nodes[0].waiting_until.clone()), (RunStatus::Done, None));
    let waits = world.events().iter().filter(|event| matches!(event, RunEvent::Waiting { .. })).count();
    assert!((1..=2).contains(&waits), "{waits}");
    assert_eq!(world.calls().len(), waits + 2);
    assert!(end.state.nodes[0].elapsed_seconds < end.state.elapsed_seconds, "waiting is not working");
}

#[test]
fn a_wait_survives_its_engine() {
    let mut world = World::new();
    let mut plan = limited(&mut world, 5000);
    plan.nodes[0].guardrails.on_quota = OnQuota::Wait;
    let end = world.start_and_cancel(&plan, || world.waits(), || ());
    assert_eq!(end.status, RunStatus::Cancelled);
    let until = end.state.nodes[0].waiting_until.clone().unwrap();

    // The next engine goes on waiting without asking the provider again.
    let again = world.again();
    let end = again.resume_and_cancel(|| again.waits());
    assert_eq!((end.state.nodes[0].waiting_until.clone(), world.calls().len()), (Some(until), 1));

    // Once the moment has passed, it goes on.
    let mut state = world.json("state.json");
    state["nodes"][0]["waiting_until"] = "2026-01-01T00:00:00.000Z".into();
    fs::write(world.path("state.json"), state.to_string()).unwrap();
    fs::write(world.root.join("open"), "").unwrap();
    let last = world.again();
    assert_eq!(last.resume().unwrap().status, RunStatus::Done);
}

/// A quota is the one's who stated it.
#[test]
fn another_provider_does_not_wait_for_the_first_ones_quota() {
    for is_lost in [false, true] {
        let mut world = World::new();
        let mut plan = limited(&mut world, 5000);
        plan.nodes[0].guardrails.on_quota = OnQuota::Wait;
        assert_eq!(world.start_and_cancel(&plan, || world.waits(), || ()).status, RunStatus::Cancelled);
        let again = world.again();
        let failing = Change { provider: Some(agent("exit 1")), ..Change::default() };
        let end = again.resume_with(&failing).unwrap();
        assert_eq!((end.status, again.waits()), (RunStatus::Failed, false), "{end:?}");
        if is_lost {
            fs::remove_file(world.path("state.json")).unwrap();
        }
        let last = world.again();
        let change = Change { provider: Some(agent("say stop")), ..Change::default() };
        let end = last.resume_with(&change).unwrap();
        assert_eq!((end.status, last.waits()), (RunStatus::Done, false), "state lost: {is_lost}");
    }
}

#[test]
fn a_wait_that_outlasts_the_run_is_not_begun() {
    let mut world = World::new();
    let mut plan = limited(&mut world, 5000);
    plan.nodes[0].guardrails.on_quota = OnQuota::Wait;
    plan.max_runtime_seconds = Some(1000);
    let end = world.start(&plan).unwrap();
    assert_eq!((end.status, world.calls().len()), (RunStatus::Quota, 1));
    let mut world = World::new();
    let mut plan = limited(&mut world, 100 * 24 * 3600);
    plan.nodes[0].guardrails.on_quota = OnQuota::Wait;
    assert_eq!(world.start(&plan).unwrap().status, RunStatus::Quota, "nobody means a hundred days");
}

#[test]
fn any_command_can_name_a_quota_by_its_exit_code() {
    let world = World::new();
    let mut stage = node("a", 1, "exit 75");
    stage.guardrails.on_quota = OnQuota::Wait;
    let end = world.start(&chain(vec![node("a", 1, "exit 75")])).unwrap();
    assert_eq!(end.status, RunStatus::Quota, "nobody allowed it to wait");
    // With leave, but without a stated moment, it tries again later.
    let world = World::new();
    let before = now();
    let end = world.start_and_cancel(&chain(vec![stage]), || world.waits(), || ());
    assert_eq!((end.status, world.calls().len()), (RunStatus::Cancelled, 1));
    let (until, tries) = world
        .events()
        .into_iter()
        .find_map(|event| if let RunEvent::Waiting { until, tries, .. } = event { Some((until, tries)) } else { None })
        .unwrap();
    let pause = (stead_model::unix_millis(&until).unwrap() - before) / 1000;
    assert!(tries == 1 && (45..=120).contains(&pause), "{tries} {pause}");
    // The next engine goes on waiting.
    let again = world.again();
    let end = again.resume_and_cancel(|| again.waits());
    assert_eq!((end.state.nodes[0].waiting_until.clone(), world.calls().len()), (Some(until), 1));
    let world = World::new();
    let end = world.start(&chain(vec![node("a", 1, "echo rate limit reached, try again later; exit 1")])).unwrap();
    assert_eq!(end.status, RunStatus::Failed, "words mean nothing");
}
