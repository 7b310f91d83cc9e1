//! A wall clock that is set while a run goes on: times are written as the clock tells them, and nothing hangs on them.

use std::sync::atomic::{AtomicI64, Ordering};

use stead_pipeline::{NodeStatus, RunStatus, RunView};

use super::world::{World, chain, node};

const DAY: i64 = 24 * 3600 * 1000;

/// Each look at it is years away from the one before: 1970, then 2106, then 1970 …
fn jumping() -> i64 {
    static LOOKS: AtomicI64 = AtomicI64::new(0);
    let looks = LOOKS.fetch_add(1, Ordering::SeqCst);
    looks + if looks % 2 == 0 { 0 } else { 136 * 365 * DAY }
}

fn in_1970() -> i64 {
    DAY
}

#[test]
fn a_clock_that_jumps_neither_ends_nor_holds_a_run() {
    let mut world = World::new();
    world.clock = &jumping;
    let mut stage = node("a", 4, "test $STEAD_ITERATION = 3 -a ! -e mended && { touch mended; exit 1; }; say continue");
    stage.guardrails.max_runtime_seconds = Some(600);
    stage.guardrails.iteration_timeout_seconds = Some(600);
    let mut plan = chain(vec![stage, node("b", 1, "say stop")]);
    plan.max_runtime_seconds = Some(600);
    assert_eq!(world.start(&plan).unwrap().resume_from, Some(3));

    let mut early = world.again();
    early.clock = &in_1970;
    let end = early.resume().unwrap();
    assert_eq!(end.status, RunStatus::Done);
    assert!(end.state.nodes.iter().all(|node| node.status == NodeStatus::Done));
    assert_eq!(world.calls(), ["a 1", "a 2", "a 3", "a 3", "a 4", "b 1"]);
    assert!((0.0..600.0).contains(&end.state.elapsed_seconds), "{}", end.state.elapsed_seconds);
    let context = world.json("stage-00-a/iterations/004/context.json");
    assert!((1..=600).contains(&context["limits"]["remaining_seconds"].as_u64().unwrap()), "{context}");
    assert!((0.0..600.0).contains(&context["budget"]["stage_seconds_used"].as_f64().unwrap()), "{context}");
    let view = RunView::read(&world.folder(), 20).unwrap();
    assert_eq!(view.state.ended_at.as_deref(), Some("1970-01-02T00:00:00.000Z"));
}
