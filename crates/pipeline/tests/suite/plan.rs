//! The plan is frozen: nobody changes it behind the engine's back.

use std::fs;

use stead_pipeline::{EngineError, RunStatus};

use super::world::{World, chain, node};

const RUN: &str = "D=runs/night";

#[test]
fn a_plan_that_was_changed_while_nobody_looked_is_refused() {
    let world = World::new();
    world.start(&chain(vec![node("a", 1, "exit 1"), node("b", 1, "say stop")])).unwrap();
    let good = world.read("plan.json");
    fs::write(world.path("plan.json"), good.replace("say stop", "touch injected; say stop")).unwrap();
    let error = world.resume().unwrap_err();
    assert!(matches!(error, EngineError::PlanChanged { .. }), "{error:?}");
    assert!(error.to_string().contains("plan.json") && error.hint().unwrap().contains("another name"), "{error}");
    assert!(matches!(world.folder().trusted_plan(), Err(EngineError::PlanChanged { .. })));
    // Without its state there is still a word of the plan.
    fs::remove_file(world.path("state.json")).unwrap();
    assert!(matches!(world.resume(), Err(EngineError::PlanChanged { .. })));
    assert_eq!(world.calls(), ["a 1"]);
    fs::write(world.path("plan.json"), good).unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Failed);
}

#[test]
fn what_an_agent_does_to_the_plan_is_undone_at_once() {
    for harm in [
        "echo '{}' > $D/plan.json",
        "rm $D/plan.json",
        "rm $D/plan.json; mkdir $D/plan.json",
        "rm $D/plan.json; ln -s /dev/null $D/plan.json",
    ] {
        let world = World::new();
        // The second iteration looks at what the first one did, and fails, so that the plan is needed again.
        let script =
            format!("{RUN}; test $STEAD_ITERATION = 2 && {{ cp $D/plan.json seen; exit 1; }}; {harm}; say continue");
        let end = world.start(&chain(vec![node("a", 2, &script)])).unwrap();
        assert_eq!((end.status, end.resume_from), (RunStatus::Failed, Some(2)), "{harm}");
        let plan = world.read("plan.json");
        assert_eq!(fs::read_to_string(world.root.join("seen")).unwrap(), plan, "{harm}");
        assert!(world.warnings().iter().any(|warning| warning.contains("plan.json")), "{harm}");
        assert_eq!(world.resume().unwrap().resume_from, Some(2), "{harm}");
    }
}

#[test]
fn the_plan_is_put_back_when_the_last_agent_changed_it() {
    let world = World::new();
    let end = world.start(&chain(vec![node("a", 1, &format!("{RUN}; echo '{{}}' > $D/plan.json; say stop"))])).unwrap();
    assert_eq!(end.status, RunStatus::Done);
    assert!(world.folder().trusted_plan().is_ok());
}
