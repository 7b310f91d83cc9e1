//! A disk that fills up while a run is at work.

use std::fs;
use std::path::{Path, PathBuf};

use stead_pipeline::{ErrorKind, RunEvent, RunStatus, RunView, ViewStatus};
use stead_testkit::again_in_small_mount;

use super::world::{World, chain, node};

const FOLDER: &str = "STEAD_TEST_MOUNT";

#[test]
fn a_full_disk_is_said_and_nothing_is_lost() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return again_in_small_mount("disk::a_full_disk_is_said_and_nothing_is_lost", "size=1m", FOLDER);
    };
    let world = World::at(Path::new(&folder));
    let fill = "test $STEAD_ITERATION = 2 -a ! -e filled && { echo > filled; dd if=/dev/zero of=fill bs=1k 2>/dev/null; }; \
                echo out $STEAD_ITERATION > \"$STEAD_OUTPUT\"; say continue; exit 0";
    let end = world.start(&chain(vec![node("a", 3, fill)])).unwrap();
    let error = end.error.unwrap();
    assert_eq!((end.status, error.kind, end.resume_from), (RunStatus::Failed, ErrorKind::Engine, Some(2)));
    assert!(error.message.contains("space"), "{}", error.message);
    let view = RunView::read(&world.folder(), 5).unwrap();
    assert_eq!((view.status, view.state.nodes[0].iteration_completed), (ViewStatus::Failed, 1));
    assert!(matches!(view.recent[0].event, RunEvent::RunEnded { status: RunStatus::Failed, .. }), "{:?}", view.recent);
    assert_eq!(world.read("stage-00-a/iterations/001/output.md"), "out 1\n");

    fs::remove_file(world.root.join("fill")).unwrap();
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
    for iteration in 1..=3 {
        assert_eq!(world.read(&format!("stage-00-a/iterations/00{iteration}/output.md")), format!("out {iteration}\n"));
    }
}
