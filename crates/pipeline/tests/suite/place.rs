//! Tracked outputs stay in the project, whatever links there are.

use std::fs;
use std::os::unix::fs::symlink;

use stead_pipeline::{EngineError, ErrorKind, Node, Provider, RunStatus};

use super::world::{World, chain, node};

fn tracked(output: &str, script: &str) -> Node {
    Node { output: Some(output.into()), ..node("a", 2, script) }
}

#[test]
fn an_output_that_leaves_the_project_is_refused_before_anything_runs() {
    let outside = tempfile::tempdir().unwrap();
    let world = World::new();
    symlink(outside.path(), world.root.join("link")).unwrap();
    fs::create_dir(world.root.join("docs")).unwrap();
    for (output, why) in [("link/x.md", "outside the project"), ("docs", "folder")] {
        let error = world.start(&chain(vec![tracked(output, "say stop")])).unwrap_err();
        assert!(matches!(error, EngineError::Output { .. }), "{error:?}");
        assert!(error.to_string().contains(why) && error.to_string().contains(output), "{error}");
    }
    assert!(!world.path("plan.json").exists() && world.calls().is_empty());
}

#[test]
fn a_link_that_appears_during_the_run_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    let world = World::new();
    let mut first = node("z", 1, &format!("ln -s '{}' docs; say stop", outside.path().display()));
    first.id = "z".into();
    let mut second = tracked("docs/x.md", "");
    second.provider = Provider::Mock;
    let end = world.start(&chain(vec![first, second])).unwrap();
    let error = end.error.unwrap();
    assert_eq!((end.status, error.kind, error.stage.as_str()), (RunStatus::Failed, ErrorKind::Engine, "a"));
    assert!(error.message.contains("outside the project"), "{}", error.message);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);

    // Between two iterations, too.
    let world = World::new();
    let script = format!("rm -rf docs; ln -s '{}' docs; say continue", outside.path().display());
    let end = world.start(&chain(vec![tracked("docs/x.md", &script)])).unwrap();
    assert_eq!((end.error.unwrap().kind, end.resume_from), (ErrorKind::Engine, Some(2)));
    fs::remove_file(world.root.join("docs")).unwrap();
    assert_eq!(world.resume().unwrap().resume_from, None);
}
