use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use stead_store::{
    CONFIG, Config, Did, Done, Edited, Layout, MARKER, Marker, Room, StoreError, adopt, find_root, init, set_value,
};

use crate::child::{child, in_small_mount, make_read_only, role, tree};

const NOW: &str = "2026-11-15T20:00:00.000Z";

fn no_env(_: &str) -> Option<OsString> {
    None
}

fn make(root: &Path) -> Result<Vec<Done>, StoreError> {
    init(root, &no_env, NOW)
}

fn layout(root: &Path) -> Layout {
    let (config, problems) = Config::load(Some(root), &no_env, &[]);
    assert_eq!(problems, []);
    Layout::of(&config)
}

/// Everything that a change would change: names, kinds, bytes, inodes and times.
fn portrait(root: &Path) -> Vec<(PathBuf, u64, i64, i64, Vec<u8>)> {
    let look = |path: PathBuf| {
        let data = path.symlink_metadata().unwrap();
        let bytes = if data.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        (path, data.ino(), data.mtime(), data.mtime_nsec(), bytes)
    };
    tree(root).into_iter().chain([root.to_owned()]).map(look).collect()
}

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_new_project_has_marker_skeleton_and_ignores() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let done = make(root).unwrap();
    assert!(done.iter().all(|done| done.did == Did::Created));
    let names: Vec<_> = done.iter().map(|done| done.path.to_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            ".agent/context/packets",
            ".agent/context/loops",
            ".agent/context/scratch",
            ".agent/context/indexes",
            ".agent/context/indexes/sessions",
            ".agent/context/indexes/roles",
            ".agent/context/indexes/active-loop.json",
            ".agent/context/indexes/relevant-files.jsonl",
            ".agent/context/indexes/sessions.jsonl",
            ".agent/context/.gitignore",
            ".agent/.gitignore",
            ".agent/config.toml",
            ".agent/context/root.json",
        ]
    );
    assert!(find_root(&root.join(".agent/context")).is_marked());
    assert_eq!(Marker::read(root).unwrap().created_at, NOW);
    assert_eq!(
        fs::read_to_string(root.join(".agent/.gitignore")).unwrap().lines().skip(1).collect::<Vec<_>>(),
        [
            "/cache/",
            "/runs/",
            "/context/indexes/",
            "/context/scratch/",
            "/features/session-state.json",
            "/config.local.toml"
        ]
    );
    assert_eq!(
        fs::metadata(root.join(".agent/context/indexes")).unwrap().mode() & 0o077,
        0,
        "session state is private"
    );
    assert_eq!(layout(root), Layout::default());
}

#[test]
fn a_second_run_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path().join(".orchestration/active_intents.yaml"), "");
    make(folder.path()).unwrap();
    let before = portrait(folder.path());
    let done = make(folder.path()).unwrap();
    assert!(done.iter().all(|done| done.did == Did::Kept), "{done:?}");
    assert_eq!(portrait(folder.path()), before);
}

#[test]
fn what_exists_is_kept_and_the_rest_completed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root.join(".agent/.gitignore"), "mine\n");
    write(root.join(".agent/config.toml"), "# mine\n");
    write(root.join(".agent/context/indexes/sessions.jsonl"), "{}\n");
    make(root).unwrap();
    for (path, text) in
        [(".gitignore", "mine\n"), ("config.toml", "# mine\n"), ("context/indexes/sessions.jsonl", "{}\n")]
    {
        assert_eq!(fs::read_to_string(root.join(".agent").join(path)).unwrap(), text);
    }
    assert!(Marker::read(root).is_ok());
}

#[test]
fn a_damaged_or_newer_marker_stops_it() {
    for marker in ["{", r#"{"schema":7}"#] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path().join(MARKER), marker);
        let before = portrait(folder.path());
        assert!(make(folder.path()).is_err());
        assert_eq!(portrait(folder.path()), before);
    }
}

#[test]
fn older_places_are_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root.join(".orchestration/active_intents.yaml"), "");
    write(root.join("session/agents/architect.context.md"), "");
    write(root.join(".claude/progress/feature-list.json"), "");
    write(root.join("scripts/loops/work/loop.yaml"), "");
    write(root.join("scripts/pipelines/full.yaml"), "");
    let found: Vec<_> = adopt(root).into_iter().map(|adopted| (adopted.room, adopted.path)).collect();
    let expected = [
        (Room::Intents, ".orchestration"),
        (Room::Roles, "session/agents"),
        (Room::Features, ".claude/progress"),
        (Room::Stages, "scripts/loops"),
        (Room::Pipelines, "scripts/pipelines"),
    ];
    assert_eq!(found, expected);
    let done = make(root).unwrap();
    assert_eq!(done.iter().filter(|done| matches!(done.did, Did::Adopted { .. })).count(), 5);
    let layout = layout(root);
    for (room, path) in expected {
        assert_eq!(layout.relative(room), path);
    }
    assert_eq!(layout.relative(Room::Guards), ".agent/guards");
}

#[test]
fn folders_that_only_look_alike_are_not_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root.join("session/agents/readme.md"), "");
    write(root.join("scripts/loops/work.sh"), "");
    write(root.join("scripts/pipelines/full.sh"), "");
    write(root.join(".orchestration"), "a file");
    assert_eq!(adopt(root), []);
}

#[test]
fn a_room_in_use_or_placed_by_somebody_is_not_moved() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root.join(".orchestration/x"), "");
    write(root.join(".claude/progress/x"), "");
    fs::create_dir_all(root.join(".agent/intents")).unwrap();
    write(root.join(CONFIG), "[layout]\nfeatures = \"work/features\" # here\n");
    let done = make(root).unwrap();
    assert!(!done.iter().any(|done| matches!(done.did, Did::Adopted { .. })), "{done:?}");
    assert_eq!(fs::read_to_string(root.join(CONFIG)).unwrap(), "[layout]\nfeatures = \"work/features\" # here\n");
}

#[test]
fn adoption_keeps_the_comments_of_an_existing_config() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root.join(".orchestration/x"), "");
    write(root.join(CONFIG), "# top\n[record]\nsessions = false # quiet\n# end\n");
    make(root).unwrap();
    assert_eq!(
        fs::read_to_string(root.join(CONFIG)).unwrap(),
        "# top\n[record]\nsessions = false # quiet\n# end\n\n[layout]\nintents = \".orchestration\"\n"
    );
}

#[test]
fn moved_rooms_are_made_and_ignored_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let config = root.join(CONFIG);
    for (key, place) in
        [("layout.context", "notes"), ("layout.cache", "build/stead"), ("layout.runs", ".agent/logs/runs")]
    {
        assert_eq!(set_value(&config, key, place).unwrap(), Edited::Changed);
    }
    make(root).unwrap();
    assert!(root.join("notes/indexes/sessions.jsonl").is_file());
    assert!(root.join(MARKER).is_file());
    assert!(!root.join(".agent/context/indexes").exists());
    let git = |args: &[&str]| std::process::Command::new("git").current_dir(root).args(args).output().unwrap();
    assert!(git(&["init", "-q"]).status.success());
    for (path, ignored) in [
        ("notes/indexes/sessions.jsonl", true),
        ("notes/scratch/x", true),
        ("notes/packets/x.md", true),
        ("notes/loops/x.md", true),
        ("build/stead/index", true),
        (".agent/logs/runs/1/plan.json", true),
        (".agent/cache/policy", true),
        (".agent/config.local.toml", true),
        (".agent/config.toml", false),
        (".agent/context/root.json", false),
    ] {
        assert_eq!(git(&["check-ignore", "-q", path]).status.success(), ignored, "{path}");
    }
}

#[test]
fn many_at_once_make_one_project() {
    if let Some((folder, _)) = role() {
        make(&folder).unwrap();
        println!("{}", Marker::read(&folder).unwrap().project_id);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut command = child("init::many_at_once_make_one_project", folder.path(), "");
            command.stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said.contains(&Marker::read(folder.path()).unwrap().project_id), "{said}");
    }
    assert!(!tree(folder.path()).iter().any(|path| path.extension().is_some_and(|ending| ending == "tmp")));
}

#[test]
fn a_disk_that_fills_up_midway_leaves_nothing() {
    let Some((folder, _)) = role() else {
        return in_small_mount("init::a_disk_that_fills_up_midway_leaves_nothing", "size=1m,nr_inodes=64");
    };
    let root = folder.join("project");
    fs::create_dir(&root).unwrap();
    fs::create_dir(folder.join("filler")).unwrap();
    let filler = |n: usize| folder.join(format!("filler/{n}"));
    let room = (0..).take_while(|n| fs::write(filler(*n), "").is_ok()).count();
    let mut failures = 0;
    for free in 0..room {
        match make(&root) {
            Ok(_) => {
                assert!(Marker::read(&root).is_ok());
                assert!(failures > 10, "{failures} failures only");
                return;
            }
            Err(error) => {
                failures += 1;
                assert!(error.hint().unwrap().contains("free some space"), "{error}");
                assert_eq!(tree(&root), [] as [PathBuf; 0], "with {free} files of room");
            }
        }
        fs::remove_file(filler(free)).unwrap();
    }
    panic!("never enough room");
}

#[test]
fn a_read_only_folder_is_a_clear_error() {
    let Some((folder, _)) = role() else {
        return in_small_mount("init::a_read_only_folder_is_a_clear_error", "size=1m");
    };
    make_read_only(&folder);
    let error = make(&folder).unwrap_err();
    assert!(error.to_string().contains(".agent") && error.hint().unwrap().contains("read-only"), "{error}");
    assert_eq!(tree(&folder), [] as [PathBuf; 0]);
}

#[test]
fn a_file_in_the_way_is_an_error_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path().join(".agent/context/indexes"), "not a folder");
    let before: Vec<_> = tree(folder.path());
    assert!(make(folder.path()).is_err());
    assert_eq!(tree(folder.path()), before);
}
