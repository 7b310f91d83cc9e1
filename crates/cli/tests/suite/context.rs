//! `stead context init`.

use crate::world::bare;

#[test]
fn a_project_is_made_once() {
    let world = bare();
    let said = world.stead(&["context", "init"]).ok();
    assert!(said.starts_with("created  .agent/context/packets\n"), "{said}");
    assert!(said.contains("\ncreated  .agent/context/root.json\n"), "{said}");
    let again = world.stead(&["context", "init"]).ok();
    assert!(again.ends_with("is complete; nothing to do\n") && again.lines().count() == 1, "{again}");
}

#[test]
fn the_root_is_made_from_below_unless_here_is_meant() {
    let world = bare();
    let deep = world.project().join("deep/er");
    std::fs::create_dir_all(&deep).unwrap();
    world.stead_in(&deep, &["context", "init"]).ok();
    assert!(world.exists("project/.agent/context/root.json") && !world.exists("project/deep/er/.agent"));
    world.stead_in(&deep, &["context", "init", "--here"]).ok();
    assert!(world.exists("project/deep/er/.agent/context/root.json"));
}

#[test]
fn older_places_are_told() {
    let world = bare();
    world.write("project/session/agents/tester.context.md", "");
    let said = world.stead(&["context", "init", "--json"]).json();
    assert_eq!(said["changed"], true);
    let adopted = said["done"].as_array().unwrap().iter().find(|done| done["did"] == "adopted").unwrap();
    assert_eq!(adopted["room"], "roles");
    assert_eq!(adopted["path"], "session/agents");
    assert_eq!(adopted["because"], "`session/agents` holds `tester.context.md`");
    assert_eq!(world.stead(&["context", "init", "--json"]).json()["changed"], false);
}

#[test]
fn a_damaged_marker_is_an_error_with_a_hint() {
    let world = bare();
    world.write("project/.agent/context/root.json", "{");
    let run = world.stead(&["context", "init"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("error: the project marker `"), "{run}");
    assert!(run.stderr.contains("\nhint: restore `"), "{run}");
    assert!(!world.exists("project/.agent/config.toml"));
}
