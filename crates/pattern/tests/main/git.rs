use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use stead_pattern::{Case, PatternList};

/// What git ignores, with this one list of patterns.
fn ignored(repository: &Path, patterns: &[&str], paths: &[String]) -> Vec<String> {
    fs::write(repository.join(".gitignore"), patterns.join("\n") + "\n").unwrap();
    let mut git = Command::new("git")
        .args([
            "-c",
            "core.excludesFile=/dev/null",
            "-c",
            "core.ignoreCase=false",
            "check-ignore",
            "--no-index",
            "--stdin",
        ])
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .current_dir(repository)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(paths.join("\n").as_bytes()).unwrap();
    let output = git.wait_with_output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 2), "{patterns:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Every path of up to four names from a small set.
fn all_paths() -> Vec<String> {
    const NAMES: [&str; 5] = ["a", "b", "ab", ".a", "a.py"];
    let mut paths: Vec<String> = NAMES.map(str::to_owned).to_vec();
    let mut last = paths.clone();
    for _ in 1..4 {
        last = last.iter().flat_map(|path| NAMES.iter().map(move |name| format!("{path}/{name}"))).collect();
        paths.extend_from_slice(&last);
    }
    paths
}

/// The part of `.gitignore` that is ours, too: everything but a slash in front, escapes, classes such as `[:alpha:]`, and
/// files in a folder that is ignored as a whole.
#[test]
fn git_ignores_what_a_pattern_matches() {
    let folder = tempfile::tempdir().unwrap();
    let init = Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status().unwrap();
    assert!(init.success());
    let paths = all_paths();
    for patterns in [
        &["a"][..],
        &["*"],
        &["*.py"],
        &["a?"],
        &["a*"],
        &["[ab]"],
        &["[!a]"],
        &["[a-b]b"],
        &["a/b"],
        &["a/*"],
        &["a/*.py"],
        &["*/a"],
        &["*/*"],
        &["**"],
        &["**/a"],
        &["**/a/b"],
        &["a/**"],
        &["a/**/b"],
        &["**/a/**"],
        &["**/a/**/b"],
        &["a/**/**/b"],
        &["*/**/a.py"],
        &["**/*.py"],
        &["a**"],
        &["**b"],
        &["a/**b"],
        &[".*"],
        &["?"],
        &["a/[!b]/*"],
        &["*.py", "!a.py"],
        &["*.py", "!b/a.py"],
        &["*.py", "!a/**/a.py", "a/b/*.py"],
        &["a/*/a.py", "!a/b/*.py"],
    ] {
        let owned: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
        let list = PatternList::new(&owned, Case::Exact);
        let expected = ignored(folder.path(), patterns, &paths);
        // A file below `.py` names is in a folder that git ignores as a whole, whatever is taken back in it.
        let taken_back = |path: &str| patterns.len() > 1 && path.split('/').rev().skip(1).any(|name| name == "a.py");
        let (mut found, mut expected): (Vec<&String>, Vec<&String>) =
            (paths.iter().filter(|path| list.matches(path)).collect(), expected.iter().collect());
        found.retain(|path| !taken_back(path));
        expected.retain(|path| !taken_back(path));
        assert_eq!(found, expected, "{patterns:?}");
    }
}

/// `./` is ours; git writes it `/`.
#[test]
fn a_dot_and_a_slash_are_what_git_writes_as_a_slash() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status().unwrap().success());
    let paths = all_paths();
    for name in ["a", "*.py", "a?", "a/b", "**/b"] {
        let list = PatternList::new(&[format!("./{name}")], Case::Exact);
        let found: Vec<&String> = paths.iter().filter(|path| list.matches(path)).collect();
        let expected = ignored(folder.path(), &[&format!("/{name}")], &paths);
        assert_eq!(found, expected.iter().collect::<Vec<_>>(), "{name}");
    }
}
