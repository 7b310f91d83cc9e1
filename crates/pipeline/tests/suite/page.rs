//! The page about a run, from files with fixed times, so that all of it can be compared.

use std::fs;

use serde_json::{Value, json};
use stead_pipeline::page::RunPage;
use stead_pipeline::{NodeStatus, Outcome, RunStatus, State};

use super::formats::check;
use super::world::{World, chain, node};

/// A night: ideas are found, refining waits for a quota, an agent fails, the time is up; in the morning somebody gives it
/// more time, and it ends unverified.
const EVENTS: &str = include_str!("page/night.jsonl");

fn night() -> World {
    let world = World::new();
    let mut plan = chain(vec![node("ideas", 2, ""), node("refine", 6, ""), node("sum", 1, "")]);
    plan.pipeline = Some("full-refine".into());
    fs::create_dir_all(world.path("")).unwrap();
    fs::write(world.folder().plan_path(), serde_json::to_vec(&plan).unwrap()).unwrap();
    let mut state = State::new(&plan, "5f0e".into(), "2026-11-15T22:00:00.000Z".into());
    state.status = RunStatus::Unverified;
    state.reason =
        Some("`refine` would be done (2 iterations in a row decided to stop), but its verification failed".into());
    (state.ended_at, state.updated_at) = (Some("2026-11-16T07:21:00.000Z".into()), "2026-11-16T07:21:00.000Z".into());
    (state.elapsed_seconds, state.cost_usd, state.resumes) = (9_840.0, 4.75, 2);
    for (index, (status, outcome, completed, seconds, cost)) in [
        (NodeStatus::Done, Outcome::Done, 2, 1_320.0, 0.5),
        (NodeStatus::Unverified, Outcome::Unverified, 6, 7_500.0, 4.25),
        (NodeStatus::Skipped, Outcome::Skipped, 0, 0.0, 0.0),
    ]
    .into_iter()
    .enumerate()
    {
        let at = &mut state.nodes[index];
        (at.status, at.outcome) = (status, Some(outcome));
        (at.iteration, at.iteration_completed, at.elapsed_seconds, at.cost_usd) = (completed, completed, seconds, cost);
    }
    fs::write(world.folder().state_path(), serde_json::to_vec(&state).unwrap()).unwrap();
    fs::write(world.folder().events_path(), EVENTS).unwrap();
    for (iteration, files) in [(1, json!(["src/parse.rs"])), (2, json!(["src/parse.rs", "docs/plan.md"]))] {
        let dir = world.path(&format!("stage-01-refine/iterations/00{iteration}"));
        fs::create_dir_all(&dir).unwrap();
        let status = json!({"decision": "continue", "work": {"files_touched": files}});
        fs::write(dir.join("status.json"), status.to_string()).unwrap();
    }
    world
}

#[test]
fn a_night_on_one_page() {
    let world = night();
    let page = RunPage::of(&world.folder(), &world.root, 0).unwrap();
    let next = ["stead run pipeline full-refine night --resume".to_owned()];
    insta::assert_snapshot!("night.md", page.markdown(&next));
    insta::assert_snapshot!("night.svg", page.timeline());
    check("run-page", &serde_json::to_value(&page).unwrap());
    let written = page.write(&world.path("report"), &next).unwrap();
    assert_eq!(fs::read_to_string(written).unwrap(), page.markdown(&next));
    assert_eq!(world.read("report/timeline.svg"), page.timeline());
}

#[test]
fn a_run_without_its_events_has_a_page_that_says_so() {
    let world = night();
    fs::remove_file(world.folder().events_path()).unwrap();
    let page = RunPage::of(&world.folder(), &world.root, 0).unwrap();
    assert!(page.history_lost && page.markdown(&[]).contains("`events.jsonl` is missing"));
    assert!(page.timeline().contains("refine"), "a row per stage all the same");
}

/// What agents wrote can neither break out of a cell nor out of the image.
#[test]
fn texts_of_agents_stay_texts() {
    let world = night();
    let evil = r#"</text><script>alert(1)</script> | ``` \" & \u0000 \u001b[2J"#;
    let line = |event: Value| format!("{event}\n");
    let mut text = EVENTS.to_owned();
    let started = json!({"v": 1, "ts": "2026-11-16T07:20:00.000Z", "event": "iteration-started", "node": "refine", "iteration": 7, "max_iterations": 9});
    let ended = json!({"v": 1, "ts": "2026-11-16T07:20:30.000Z", "event": "iteration-ended", "node": "refine", "iteration": 7, "decision": "stop", "summary": evil, "reason": evil, "consecutive_stops": 1, "seconds": 1.0});
    text.push_str(&line(started));
    text.push_str(&line(ended));
    fs::write(world.folder().events_path(), text).unwrap();
    let page = RunPage::of(&world.folder(), &world.root, 0).unwrap();
    let image = page.timeline();
    assert!(!image.contains("<script") && !image.contains('\u{1b}') && !image.contains('\0'), "{image}");
    let row = page.markdown(&[]).lines().find(|line| line.contains("alert(1)")).unwrap().to_owned();
    assert_eq!(row.replace("\\|", "").matches('|').count(), 8, "{row}");
}
