//! Lines of the ledger that a hook call could not write: the next command writes them, once, whoever was killed.

use std::fs;
use std::path::PathBuf;

use stead_testkit::World;

use crate::trace::{LEDGER, ledger, note, shell};
use crate::world::marked;

#[test]
fn a_lock_that_is_not_free_leaves_the_line_to_the_next_command() {
    let world = marked();
    world.write("project/a.txt", "a\n");
    shell(&world, "c1", "sed -i s/a/b/ a.txt");
    let holder = fs::File::open(world.folder().join(LEDGER)).unwrap();
    holder.lock().unwrap();
    shell(&world, "c2", "sed -i s/b/c/ a.txt");
    holder.unlock().unwrap();
    assert!(!world.read(LEDGER).contains("\"c2\""));
    world.stead(&["files", "list"]).ok();
    let lines = ledger(&world);
    assert!(lines.iter().any(|line| note(line)["call"] == "c2"), "{lines:?}");
    assert_eq!(world.stead(&["trace", "verify", "--json"]).json()["ok"], true);
}

/// The spooled record of a call whose line could not be written at once.
fn spooled(world: &World) -> PathBuf {
    world.write("project/a.txt", "a\n");
    shell(world, "c1", "sed -i s/a/b/ a.txt");
    world.stead(&["files", "list"]).ok();
    let holder = fs::File::open(world.folder().join(LEDGER)).unwrap();
    holder.lock().unwrap();
    shell(world, "c2", "sed -i s/b/c/ a.txt");
    holder.unlock().unwrap();
    let mut left = fs::read_dir(world.project().join(".agent/cache/spool")).unwrap();
    left.next().unwrap().unwrap().path()
}

fn lines_of(world: &World, call: &str) -> usize {
    ledger(world).iter().filter(|line| note(line)["call"] == call).count()
}

#[test]
fn a_record_that_a_killed_process_had_begun_is_finished_by_the_next_one() {
    let world = marked();
    let record = spooled(&world);
    let holder = fs::File::open(world.folder().join(LEDGER)).unwrap();
    holder.lock().unwrap();
    let mut child =
        world.command(env!("CARGO_BIN_EXE_stead"), &world.project()).args(["files", "list"]).spawn().unwrap();
    let begun = record.with_extension("taken");
    while !begun.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended without taking the record");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    holder.unlock().unwrap();
    assert!(begun.exists() && !record.exists());
    world.stead(&["files", "list"]).ok();
    assert_eq!((begun.exists(), lines_of(&world, "c2")), (false, 1));
    assert_eq!(world.stead(&["trace", "verify", "--json"]).json()["ok"], true);
}

#[test]
fn a_record_whose_line_was_written_before_the_kill_is_not_written_twice() {
    let world = marked();
    let record = spooled(&world);
    let text = fs::read(&record).unwrap();
    world.stead(&["files", "list"]).ok();
    let lines = lines_of(&world, "c2");
    // The name with the process, as an earlier version wrote it.
    for name in ["taken", "4711.taken"] {
        fs::write(record.with_extension(name), &text).unwrap();
        world.stead(&["files", "list"]).ok();
        assert_eq!((record.with_extension(name).exists(), lines_of(&world, "c2")), (false, lines), "{name}");
    }
}

#[test]
fn a_record_that_somebody_works_on_is_left_alone() {
    let world = marked();
    let record = spooled(&world);
    let folder = fs::File::open(record.parent().unwrap()).unwrap();
    folder.lock().unwrap();
    fs::rename(&record, record.with_extension("taken")).unwrap();
    world.stead(&["files", "list"]).ok();
    assert_eq!((record.with_extension("taken").exists(), lines_of(&world, "c2")), (true, 0));
    folder.unlock().unwrap();
    world.stead(&["files", "list"]).ok();
    assert_eq!((record.with_extension("taken").exists(), lines_of(&world, "c2")), (false, 1));
}
