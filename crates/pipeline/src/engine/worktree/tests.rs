use std::fs;

use super::*;

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("app")).unwrap();
    fs::write(root.join("app/file"), "one\n").unwrap();
    fs::write(root.join(".gitignore"), "runs/\n").unwrap();
    git(root, &["init", "--quiet", "-b", "main"]).unwrap();
    git(root, &["config", "user.email", "me@example.invalid"]).unwrap();
    git(root, &["config", "user.name", "me"]).unwrap();
    git(root, &["add", "."]).unwrap();
    git(root, &["commit", "--quiet", "-m", "begin"]).unwrap();
    folder
}

fn open(project: &Path, folder: &RunFolder, base: &str) -> Tree {
    Tree::open(project, folder, "a.1", base).unwrap()
}

#[test]
fn an_untouched_tree_goes_and_a_worked_in_one_stays() {
    let repository = repository();
    let project = repository.path().join("app");
    let folder = RunFolder::at(&repository.path().join("runs"), "night").unwrap();
    let base = begin(&project, &folder, "a.1").unwrap();

    let tree = open(&project, &folder, &base);
    assert_eq!(fs::read_to_string(tree.root.join("file")).unwrap(), "one\n");
    assert_eq!(open(&project, &folder, &base), tree, "an earlier engine's tree is found");
    assert_eq!(tree.close(&project), Fate::Gone);
    assert!(!tree.root.exists());
    assert_eq!(tip(&project, "stead/night/a.1"), None);

    for work in ["change", "new file", "commit"] {
        let tree = open(&project, &folder, &base);
        match work {
            "change" => fs::write(tree.root.join("file"), "two\n").unwrap(),
            "new file" => fs::write(tree.root.join("new"), "two\n").unwrap(),
            _ => drop(git(&tree.root, &["commit", "--quiet", "--allow-empty", "-m", "work"]).unwrap()),
        }
        let Fate::Kept { path, branch } = tree.close(&project) else { panic!("{work} was thrown away") };
        assert_eq!(branch, "stead/night/a.1");
        git(&project, &["worktree", "remove", "--force", &path.to_string_lossy()]).unwrap();
        git(&project, &["branch", "-D", &branch]).unwrap();
    }
}

#[test]
fn a_deleted_tree_comes_back_with_its_commits() {
    let repository = repository();
    let folder = RunFolder::at(&repository.path().join("runs"), "night").unwrap();
    let base = begin(repository.path(), &folder, "a.1").unwrap();
    let tree = open(repository.path(), &folder, &base);
    fs::write(tree.root.join("made"), "x").unwrap();
    git(&tree.root, &["add", "."]).unwrap();
    git(&tree.root, &["commit", "--quiet", "-m", "work"]).unwrap();
    fs::remove_dir_all(&tree.root).unwrap();
    let again = open(repository.path(), &folder, &base);
    assert!(again.root.join("made").exists());
    assert!(matches!(again.close(repository.path()), Fate::Kept { .. }));
    assert!(begin(repository.path(), &folder, "a.1").unwrap_err().contains("already"));
}

#[test]
fn without_a_repository_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = RunFolder::at(folder.path(), "night").unwrap();
    assert!(begin(folder.path(), &run, "a").is_err());
}

#[test]
fn a_repository_without_a_commit_is_told_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]).unwrap();
    let run = RunFolder::at(folder.path(), "night").unwrap();
    let why = begin(folder.path(), &run, "a").unwrap_err();
    assert!(why.contains("no commit yet"), "{why}");
}
