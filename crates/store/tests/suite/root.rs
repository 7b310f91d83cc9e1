use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use stead_store::{Found, MARKER, Marker, StoreError, Worktree, find_root};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn dir(&self, path: &str) -> PathBuf {
        fs::create_dir_all(self.at(path)).unwrap();
        self.at(path)
    }

    fn mark(&self, path: &str) -> PathBuf {
        let marker = self.at(path).join(MARKER);
        fs::create_dir_all(marker.parent().unwrap()).unwrap();
        fs::write(marker, "{}").unwrap();
        self.at(path)
    }

    #[track_caller]
    fn git(&self, dir: &str, args: &[&str]) {
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"];
        let output = Command::new("git")
            .current_dir(self.dir(dir))
            .args(identity)
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .expect("git is needed for this test");
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A repository with one commit and a worktree of it.
    fn repository(&self, main: &str, worktree: &str) {
        self.git(main, &["init", "-q"]);
        self.git(main, &["commit", "-q", "--allow-empty", "-m", "first"]);
        self.git(main, &["worktree", "add", "-q", self.at(worktree).to_str().unwrap()]);
    }
}

fn from_tree(dir: PathBuf, tree: PathBuf) -> Found {
    Found::Marked { dir, tree: Some(tree) }
}

fn marked(dir: PathBuf) -> Found {
    Found::Marked { dir, tree: None }
}

#[test]
fn the_nearest_marker_wins_over_git_and_over_farther_ones() {
    let place = Place::new();
    place.mark("outer");
    place.git("outer/inner", &["init", "-q"]);
    assert_eq!(find_root(&place.dir("outer/inner/src/deep")), marked(place.at("outer")));
    place.mark("outer/inner");
    assert_eq!(find_root(&place.at("outer/inner/src/deep")), marked(place.at("outer/inner")));
    assert_eq!(find_root(&place.at("outer/inner/not/there/yet")), marked(place.at("outer/inner")));
    assert!(find_root(&place.at("outer")).is_marked());
}

#[test]
fn without_a_marker_git_decides_and_then_the_start() {
    let place = Place::new();
    assert_eq!(find_root(&place.dir("plain/sub")), Found::Bare { dir: place.at("plain/sub") });
    place.git("repo", &["init", "-q"]);
    assert_eq!(find_root(&place.dir("repo/sub")), Found::Git { dir: place.at("repo") });
    // A folder of that name is no marker.
    place.dir("repo/sub/.agent/context/root.json");
    assert_eq!(find_root(&place.at("repo/sub")).dir(), place.at("repo"));
}

#[cfg(unix)]
#[test]
fn a_marker_that_cannot_be_read_is_a_marker() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    place.git("repo", &["init", "-q"]);
    let marker = place.dir("repo/.agent/context").join("root.json");
    let check = |name: &str| assert_eq!(find_root(&place.dir("repo/sub")), marked(place.at("repo")), "{name}");
    fs::write(&marker, "<<<<<<< ours\n{}\n=======\n").unwrap();
    check("a conflict");
    fs::write(&marker, "").unwrap();
    check("nothing in it");
    fs::remove_file(&marker).unwrap();
    symlink("nowhere", &marker).unwrap();
    check("a dangling link");
    fs::remove_dir_all(place.at("repo/.agent")).unwrap();
    symlink(".agent", place.at("repo/.agent")).unwrap();
    check("a link to itself around it");
    fs::remove_file(place.at("repo/.agent")).unwrap();
    fs::write(place.at("repo/.agent"), "").unwrap();
    assert!(!find_root(&place.at("repo/sub")).is_marked(), "a file of that name belongs to somebody else");
}

#[test]
fn a_worktree_has_its_own_marker_or_the_main_checkouts() {
    let place = Place::new();
    place.repository("main", "elsewhere/tree");
    place.dir("elsewhere/tree/pkg/src");
    let start = place.at("elsewhere/tree/pkg/src");
    assert_eq!(find_root(&start), Found::Git { dir: place.at("elsewhere/tree") });
    assert_eq!(
        Worktree::at(&place.at("elsewhere/tree")),
        Some(Worktree { dir: place.at("elsewhere/tree"), main: Some(place.at("main")) })
    );
    assert_eq!(Worktree::at(&place.at("main")), None);

    place.mark("elsewhere");
    assert_eq!(find_root(&start), marked(place.at("elsewhere")));
    place.mark("main");
    let tree = place.at("elsewhere/tree");
    assert_eq!(find_root(&start), from_tree(place.at("main"), tree.clone()), "before what happens to lie above");
    place.mark("main/pkg");
    let found = from_tree(place.at("main/pkg"), tree.join("pkg"));
    assert_eq!(find_root(&start), found, "the same package of the main checkout");
    place.mark("elsewhere/tree");
    assert_eq!(find_root(&start), marked(place.at("elsewhere/tree")));
}

#[test]
fn a_worktree_within_its_main_checkout_belongs_to_it() {
    let place = Place::new();
    place.repository("main", "main/runs/worktrees/one");
    place.mark("main");
    let tree = place.at("main/runs/worktrees/one");
    let found = from_tree(place.at("main"), tree.clone());
    assert_eq!(find_root(&tree.join("src")), found);
    assert_eq!((found.work(), found.dir()), (tree.as_path(), place.at("main").as_path()));
    // What is committed is in every worktree.
    place.mark("main/runs/worktrees/one");
    assert_eq!(find_root(&tree.join("src")), found);
    place.mark("main/runs/worktrees/one/pkg");
    assert_eq!(find_root(&tree.join("pkg")), marked(tree.join("pkg")), "a package that only this checkout has");
    place.mark("main/pkg");
    assert_eq!(find_root(&tree.join("pkg/src")), from_tree(place.at("main/pkg"), tree.join("pkg")));
    // The name alone means nothing.
    place.mark("main/worktrees/plain");
    assert_eq!(find_root(&place.at("main/worktrees/plain")), marked(place.at("main/worktrees/plain")));
}

#[test]
fn a_worktree_of_a_bare_repository_stands_alone() {
    let place = Place::new();
    place.repository("seed", "unused");
    place.git(
        ".",
        &["clone", "-q", "--bare", place.at("seed").to_str().unwrap(), place.at("bare.git").to_str().unwrap()],
    );
    place.git("bare.git", &["worktree", "add", "-q", "--detach", place.at("tree").to_str().unwrap()]);
    assert_eq!(Worktree::at(&place.at("tree")), Some(Worktree { dir: place.at("tree"), main: None }));
    assert_eq!(find_root(&place.at("tree")), Found::Git { dir: place.at("tree") });
}

#[test]
fn a_submodule_belongs_to_the_project_above() {
    let place = Place::new();
    place.repository("library", "unused");
    place.git("super", &["init", "-q"]);
    let library = place.at("library");
    place.git(
        "super",
        &["-c", "protocol.file.allow=always", "submodule", "add", "-q", library.to_str().unwrap(), "lib"],
    );
    assert_eq!(find_root(&place.at("super/lib")), Found::Git { dir: place.at("super/lib") });
    place.mark("super");
    assert_eq!(find_root(&place.at("super/lib")), marked(place.at("super")));
}

#[test]
fn a_broken_git_file_is_just_a_git_root() {
    let place = Place::new();
    for content in ["", "gitdir:", "gitdir: nowhere", "gitdir: .", "\u{0}\u{1}", "gitdir: ../../../../../../.."] {
        fs::write(place.dir("broken").join(".git"), content).unwrap();
        assert_eq!(find_root(&place.at("broken")), Found::Git { dir: place.at("broken") }, "{content:?}");
    }
    fs::write(place.at("broken/.git"), [0xff, 0xfe]).unwrap();
    assert_eq!(find_root(&place.at("broken")).dir(), place.at("broken"));
    // A common folder that names itself, and a link in a circle.
    fs::create_dir_all(place.at("loop/git")).unwrap();
    fs::write(place.at("loop/.git"), "gitdir: git").unwrap();
    fs::write(place.at("loop/git/commondir"), ".").unwrap();
    assert_eq!(find_root(&place.at("loop")).dir(), place.at("loop"));
    symlink("circle", place.at("circle")).unwrap();
    assert_eq!(find_root(&place.at("circle")), Found::Bare { dir: place.at("circle") });
}

#[test]
fn links_and_dots_do_not_hide_the_marker() {
    let place = Place::new();
    place.mark("project");
    place.dir("project/sub");
    place.dir("far/away");
    symlink(place.at("project/sub"), place.at("far/link")).unwrap();
    assert_eq!(find_root(&place.at("far/link")), marked(place.at("project")));
    assert_eq!(find_root(&place.at("far/away/../../project/sub")), marked(place.at("project")));
    assert_eq!(find_root(&place.at("project/sub/../../far")), Found::Bare { dir: place.at("far") });
    assert_eq!(find_root(&place.at("project/no/../../far")), Found::Bare { dir: place.at("far") });
}

#[test]
fn odd_starts_have_an_answer() {
    let place = Place::new();
    place.mark("project");
    let name = OsStr::from_bytes(b"project/n\xff\xfe");
    assert_eq!(find_root(&place.at("").join(name)), marked(place.at("project")));
    let deep = place.at("project").join("d/".repeat(200_000));
    assert_eq!(find_root(&deep), marked(place.at("project")));
    let here = std::env::current_dir().unwrap();
    assert_eq!(find_root(Path::new("")), find_root(&here));
    assert_eq!(find_root(Path::new("./src")), find_root(&here.join("src")));
    assert!(find_root(Path::new("/")).dir().is_absolute());
    assert!(find_root(Path::new("a\0b")).dir().is_absolute());
}

#[test]
fn a_marker_is_read_from_its_file() {
    let place = Place::new();
    assert!(matches!(Marker::read(&place.dir("none")), Err(StoreError::MarkerMissing { .. })));
    place.mark("damaged");
    let error = Marker::read(&place.at("damaged")).unwrap_err();
    assert!(matches!(error, StoreError::MarkerCorrupt { .. }) && error.hint().is_some(), "{error}");
    fs::write(place.mark("newer").join(MARKER), r#"{"schema":2}"#).unwrap();
    let error = Marker::read(&place.at("newer")).unwrap_err();
    assert!(matches!(error, StoreError::MarkerNewer { found: 2, .. }), "{error}");
    assert!(error.hint().unwrap().contains("update"));
    fs::write(place.mark("huge").join(MARKER), " ".repeat(1 << 20)).unwrap();
    assert!(matches!(Marker::read(&place.at("huge")), Err(StoreError::Io { .. })));
    place.dir("folder/.agent/context/root.json");
    assert!(matches!(Marker::read(&place.at("folder")), Err(StoreError::NotAFile { .. })));
}
