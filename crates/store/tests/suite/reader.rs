//! What stands in place of a file below a project's own folders: nothing but a regular file inside the project is read.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use stead_store::{Lines, StoreError, Tail, confine, open_file, read_capped, read_file, read_text};

struct Place {
    world: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { world: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.root().join(".agent/own")).unwrap();
        fs::create_dir_all(place.outside()).unwrap();
        fs::write(place.outside().join("secret"), "{}\n").unwrap();
        confine(&place.root(), ".agent");
        place
    }

    fn root(&self) -> PathBuf {
        self.world.path().join("project")
    }

    fn outside(&self) -> PathBuf {
        self.world.path().join("outside")
    }

    fn own(&self, name: &str) -> PathBuf {
        self.root().join(".agent").join(name)
    }
}

/// Whether each reader reads the file.
fn readers(path: &Path) -> Vec<(&'static str, bool)> {
    vec![
        ("open_file", open_file(path).is_ok()),
        ("read_file", read_file(path).is_ok()),
        ("read_text", read_text(path).is_ok()),
        ("read_capped", matches!(read_capped(path, 1_000), Ok(Some(_)))),
        ("Tail", Tail::open(path).is_ok_and(|mut lines| lines.next().is_some())),
        ("Lines", Lines::open(path).is_ok_and(|mut lines| lines.next().is_some())),
    ]
}

#[track_caller]
fn check(path: &Path, expected: bool) {
    let began = Instant::now();
    for (name, read) in readers(path) {
        assert_eq!(read, expected, "{name} {}", path.display());
    }
    assert!(began.elapsed() < Duration::from_secs(1), "{} took {:?}", path.display(), began.elapsed());
}

#[test]
fn only_regular_files_inside_the_project_are_read() {
    let place = Place::new();
    fs::write(place.own("own/file"), "{}\n").unwrap();
    check(&place.own("own/file"), true);
    symlink("own/file", place.own("inside")).unwrap();
    check(&place.own("inside"), true);
    symlink("own", place.own("folder")).unwrap();
    check(&place.own("folder/file"), true);

    let fifo = place.own("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    check(&fifo, false);
    let _listener = UnixListener::bind(place.own("socket")).unwrap();
    check(&place.own("socket"), false);
    for (name, target) in [("zero", "/dev/zero"), ("tty", "/dev/tty"), ("null", "/dev/null"), ("etc", "/etc/passwd")] {
        symlink(target, place.own(name)).unwrap();
        check(&place.own(name), false);
    }
    symlink(place.outside().join("secret"), place.own("link")).unwrap();
    check(&place.own("link"), false);
    symlink(place.outside(), place.own("linked")).unwrap();
    check(&place.own("linked/secret"), false);
    symlink("link", place.own("twice")).unwrap();
    check(&place.own("twice"), false);
    symlink("loop", place.own("loop")).unwrap();
    check(&place.own("loop"), false);
    check(&place.own("own"), false);
    check(&place.own("missing"), false);
    assert!(matches!(read_capped(&place.own("link"), 100), Err(StoreError::LeavesProject { .. })));
    // Elsewhere links are a person's own affair.
    symlink(place.outside().join("secret"), place.root().join("link")).unwrap();
    check(&place.root().join("link"), true);
}
