//! What an attempt that does not count left in the project, for the agent that tries again.

use std::path::Path;
use std::time::SystemTime;

use super::git::git;

/// How many files and commits are listed.
const LISTED: usize = 100;

/// The files in a git work tree that changed since then and are not committed; `None` without git. Those of `without` are
/// left out.
pub(crate) fn changed_files(root: &Path, since: SystemTime, without: &Path) -> Option<Vec<String>> {
    let top = git(root, &["rev-parse", "--show-toplevel"]).ok()?;
    let said = git(root, &["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", "."]).ok()?;
    let is_new = |path: &Path| match std::fs::symlink_metadata(path).and_then(|data| data.modified()) {
        Ok(modified) => modified >= since,
        // Nobody knows when it was removed.
        Err(_) => true,
    };
    let paths = said.split('\0').filter_map(|entry| entry.get(3..)).filter(|path| {
        let path = Path::new(&top).join(path);
        !path.starts_with(without) && is_new(&path)
    });
    Some(paths.take(LISTED).map(str::to_owned).collect())
}

/// The commits of the current branch since then, newest first, each as its short id and subject.
pub(crate) fn commits(root: &Path, since: SystemTime) -> Vec<String> {
    let seconds = since.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    log(root, &[&format!("--since=@{seconds}")])
}

/// The commits of the current branch between two times as files store them, newest first.
pub(crate) fn commits_between(root: &Path, from: &str, until: &str) -> Vec<String> {
    log(root, &[&format!("--since={from}"), &format!("--until={until}")])
}

fn log(root: &Path, bounds: &[&str]) -> Vec<String> {
    let most = LISTED.to_string();
    let arguments = [&["log"], bounds, &["-n", &most, "--format=%h %s"]].concat();
    let said = git(root, &arguments).unwrap_or_default();
    said.lines().map(super::journal::safe).collect()
}
