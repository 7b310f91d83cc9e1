use std::path::Path;
use std::process::Command;

use stead_store::checked_out_revision;

fn git(dir: &Path, words: &[&str]) -> String {
    let own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    let done =
        Command::new("git").args(own).args(words).current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").output();
    let done = done.unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

#[track_caller]
fn check(dir: &Path) {
    assert_eq!(checked_out_revision(dir), Some(git(dir, &["rev-parse", "HEAD"])));
}

#[test]
fn the_revision_is_what_git_says() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("main");
    std::fs::create_dir_all(main.join("deep/er")).unwrap();
    assert_eq!(checked_out_revision(&main), None);
    git(&main, &["init", "-q"]);
    assert_eq!(checked_out_revision(&main), None, "no commit yet");
    let commit = |dir: &Path| git(dir, &["commit", "-qm", "x", "--allow-empty"]);
    commit(&main);
    check(&main);
    check(&main.join("deep/er"));
    git(&main, &["pack-refs", "--all"]);
    check(&main);
    git(&main, &["checkout", "-qb", "feature/a"]);
    commit(&main);
    check(&main);
    git(&main, &["checkout", "-q", "--detach"]);
    check(&main);
    let tree = folder.path().join("tree");
    git(&main, &["worktree", "add", "-q", "../tree", "main"]);
    commit(&tree);
    check(&tree);
    std::fs::write(main.join(".git/HEAD"), "ref: ../../outside\n").unwrap();
    assert_eq!(checked_out_revision(&main), None);
}
