//! Second processes: a test starts itself again, with a folder to work in, and possibly inside its own mount.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FOLDER: &str = "STEAD_TEST_CHILD_FOLDER";
const ROLE: &str = "STEAD_TEST_CHILD_ROLE";

/// Says whether this process is a child, and if so where it works and as what.
pub(crate) fn role() -> Option<(PathBuf, String)> {
    Some((PathBuf::from(std::env::var_os(FOLDER)?), std::env::var(ROLE).unwrap_or_default()))
}

/// Prepares a child that runs one test of this program again.
pub(crate) fn child(test: &str, folder: &Path, role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(FOLDER, folder).env(ROLE, role);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs one test of this program again with a small file system of its own mounted on `folder`.
#[track_caller]
pub(crate) fn in_small_mount(test: &str, options: &str) {
    stead_testkit::again_in_small_mount(test, options, FOLDER);
}

/// Makes the mount of a child read-only; by its mount point, because only that is allowed without privileges.
pub(crate) fn make_read_only(folder: &Path) {
    let status = Command::new("mount").args(["-o", "remount,bind,ro"]).arg(folder).status().unwrap();
    assert!(status.success(), "cannot remount {} read-only", folder.display());
}

/// Lists everything below a folder, by name.
pub(crate) fn tree(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.symlink_metadata().unwrap().is_dir() {
                left.push(path.clone());
            }
            found.push(path);
        }
    }
    found.sort();
    found
}
