//! `stead where`.

use crate::world::{bare, marked};

#[test]
fn a_project_is_described() {
    let world = marked();
    let said = world.stead_in(world.project().join(".agent"), &["where", "--json"]).json();
    assert_eq!(said["found_by"], "marker");
    assert_eq!(said["marker"]["state"], "good");
    assert_eq!(said["layout"]["cache"], ".agent/cache");
    assert_eq!(said["worktree"], serde_json::Value::Null);
    let layers: Vec<_> =
        said["config"].as_array().unwrap().iter().map(|file| file["layer"].as_str().unwrap()).collect();
    assert_eq!(layers, ["user", "project", "local"]);
    let text = world.stead(&["where"]).ok();
    assert!(text.contains("\nfound by  marker\n") && text.contains("\nlayout    context   .agent/context\n"), "{text}");
}

#[test]
fn a_folder_without_a_marker_is_too() {
    let world = bare();
    let run = world.stead(&["where"]);
    assert!(run.stdout.contains("found by  git\nmarker    missing\n"), "{run}");
    assert!(run.stderr.contains("hint: run `stead init`"), "{run}");
    assert_eq!(run.code, 0);
    let said = world.stead_in(world.home(), &["where", "--json"]).json();
    assert_eq!((said["found_by"].as_str(), said["marker"]["state"].as_str()), (Some("nothing"), Some("missing")));
}

#[test]
fn a_worktree_names_its_main_checkout() {
    let world = marked();
    world.git(&["commit", "-q", "--allow-empty", "-m", "first"]).ok();
    world.git(&["worktree", "add", "-q", "../tree"]).ok();
    let tree = world.folder().join("tree");
    let said = world.stead_in(&tree, &["where", "--json"]).json();
    assert_eq!(said["found_by"], "marker");
    assert_eq!(said["root"], "$PROJECT");
    assert_eq!(said["worktree"]["path"], "$WORLD/tree");
    assert_eq!(said["worktree"]["main"], said["root"]);
}

#[test]
fn a_newer_marker_is_named() {
    let world = bare();
    world.write("project/.agent/context/root.json", r#"{"schema": 12}"#);
    let said = world.stead(&["where", "--json"]).json();
    assert_eq!(said["marker"]["state"], "newer");
    assert!(said["marker"]["problem"].as_str().unwrap().contains("has schema 12"), "{said}");
}
