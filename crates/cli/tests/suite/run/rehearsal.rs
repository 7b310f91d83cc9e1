//! `stead test`: stages and pipelines with canned answers, leaving nothing behind.

use super::{CONTINUE, fixed, pipeline, stage, with_stage};
use crate::world::marked;

fn with_fixture() -> stead_testkit::World {
    let world = with_stage(&format!("{}output: docs/out.md\nverify: [\"touch verified\"]\n", fixed(5)), CONTINUE);
    world.write("project/.agent/stages/chore/fixtures/iteration-1.txt", "first answer\n");
    world.write("project/.agent/stages/chore/fixtures/default.txt", "any answer\n");
    world
}

#[test]
fn a_stage_is_played_with_its_fixtures() {
    let world = with_fixture();
    let run = world.stead(&["test", "stage", "chore", "--iterations", "2"]);
    assert_eq!(run.code, 0, "{run}");
    for words in ["1/2", "2/2", "done"] {
        assert!(run.stdout.contains(words) || run.stderr.contains(words), "{words}: {run}");
    }
    // Nothing of the project changes: no run, no tracked output, no check.
    for path in ["project/.agent/runs", "project/docs", "project/verified"] {
        let left = std::fs::read_dir(world.folder().join(path)).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{path}");
    }
    let said = world.stead(&["test", "stage", "chore", "--iterations", "2", "--json"]).json();
    assert_eq!((&said["status"], &said["nodes"][0]["iteration_completed"]), (&"done".into(), &2.into()), "{said}");
}

/// What ends as a limit is not kept, so nothing in it is named.
#[test]
fn a_folder_that_goes_is_not_pointed_at() {
    let world = with_stage("termination:\n  type: judgment\n", CONTINUE);
    let run = world.stead(&["test", "stage", "chore", "--iterations", "1"]);
    assert_eq!(run.code, 3, "{run}");
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("stead-test-"), "{run}");
    let said = world.stead(&["test", "stage", "chore", "--iterations", "1", "--json"]).json();
    assert_eq!((&said["log"], &said["path"]), (&serde_json::Value::Null, &serde_json::Value::Null), "{said}");
}

#[test]
fn every_built_in_stage_and_pipeline_passes() {
    let world = marked();
    for kind in ["stage", "pipeline"] {
        let list = world.stead(&[kind, "list", "--json"]).json();
        let names: Vec<_> =
            list["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
        assert!(!names.is_empty());
        for name in names {
            let run = world.stead(&["test", kind, &name, "--iterations", "3"]);
            assert!(matches!(run.code, 0 | 3), "{kind} {name}: {run}");
        }
    }
}

#[test]
fn a_failing_answer_fails_the_test_and_stays_to_look_at() {
    let world = with_fixture();
    stage(&world, "after", &fixed(1), CONTINUE);
    world.write("project/.agent/stages/after/fixtures/default.txt", "---exit 3\nI could not\n");
    pipeline(&world, "two", "  - id: one\n    template: chore\n  - id: two\n    template: after\n");
    let run = world.stead(&["test", "pipeline", "two", "--iterations", "1"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("two") && run.stderr.contains("exit"), "{run}");
    let kept = run.stderr.lines().find_map(|line| line.split("kept in ").nth(1)).unwrap_or_else(|| panic!("{run}"));
    assert!(std::path::Path::new(kept.trim()).is_dir(), "{kept}");
    std::fs::remove_dir_all(kept.trim()).unwrap();
}
