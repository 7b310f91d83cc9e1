use std::fs;
use std::path::Path;
use std::process::Command;

use stead_pipeline::{ErrorKind, RunEvent, RunStatus};

use super::world::{World, node, plan};

fn git(dir: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").arg("-C").arg(dir).args(arguments).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn repository() -> World {
    let world = World::new();
    let root = &world.root;
    fs::write(root.join("file"), "one\n").unwrap();
    fs::write(root.join(".gitignore"), "runs/\ncalls\n").unwrap();
    git(root, &["init", "--quiet", "-b", "main"]);
    git(root, &["config", "user.email", "me@example.invalid"]);
    git(root, &["config", "user.name", "me"]);
    git(root, &["add", "."]);
    git(root, &["commit", "--quiet", "-m", "begin"]);
    world
}

#[test]
fn branches_work_apart_and_what_they_made_stays() {
    let world = repository();
    let branch = |name: &str, script: &str| {
        let mut node = node(&format!("a.{name}"), 1, script);
        node.worktree = true;
        node
    };
    let mut gather = node("gather", 1, "say stop");
    gather.needs = vec!["a".into()];
    let nodes = vec![
        branch("x", "echo x > file; say stop"),
        branch("y", "git commit -qam y --allow-empty; say stop"),
        branch("z", "say stop"),
        gather,
    ];
    let base = git(&world.root, &["rev-parse", "HEAD"]);
    let end = world.start(&plan(nodes)).unwrap();
    assert_eq!(end.status, RunStatus::Done, "{end:?}");
    assert_eq!(fs::read_to_string(world.root.join("file")).unwrap(), "one\n", "nothing is merged");
    assert_eq!(fs::read_to_string(world.path("worktrees/a.x/file")).unwrap(), "x\n");
    let mut kept: Vec<String> = world
        .events()
        .into_iter()
        .filter_map(|event| if let RunEvent::WorktreeKept { branch, .. } = event { Some(branch) } else { None })
        .collect();
    kept.sort();
    assert_eq!(kept, ["stead/night/a.x", "stead/night/a.y"]);
    assert!(!world.path("worktrees/a.z").exists(), "an untouched one goes");
    assert_eq!(
        git(&world.root, &["branch", "--list", "--format=%(refname:short)", "stead/*"]),
        "stead/night/a.x\nstead/night/a.y"
    );
    let context = world.json("stage-00-a.x/iterations/001/context.json");
    assert_eq!(context["paths"]["work_dir"], world.path("worktrees/a.x").to_str().unwrap());
    // Whoever gathers knows where the work is.
    let context = world.json("stage-00-gather/iterations/001/context.json");
    super::formats::check("context", &context);
    let tree = |name: &str| {
        serde_json::json!({
            "stage": "a", "node": format!("a.{name}"), "path": world.path(&format!("worktrees/a.{name}")),
            "git_branch": format!("stead/night/a.{name}"), "base": base,
        })
    };
    assert_eq!(context["inputs"]["worktrees"], serde_json::json!([tree("x"), tree("y")]), "{context}");
}

#[test]
fn a_failed_branch_goes_on_in_its_own_tree() {
    let world = repository();
    let mut stage = node("a", 1, "test -e begun && { say stop; exit; }; touch begun; exit 1");
    stage.worktree = true;
    assert_eq!(world.start(&plan(vec![stage])).unwrap().status, RunStatus::Failed);
    let kept = |event| matches!(event, RunEvent::WorktreeKept { branch, .. } if branch == "stead/night/a");
    assert!(world.events().into_iter().any(kept), "it is said where the work of a failed branch is");
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
    assert!(world.path("worktrees/a/begun").exists());
}

#[test]
fn without_a_repository_no_run_is_made() {
    let world = World::new();
    let mut stage = node("a", 1, "say stop");
    stage.worktree = true;
    let error = world.start(&plan(vec![stage])).unwrap_err();
    assert!(error.to_string().contains("not a git repository"), "{error}");
    assert!(error.hint().unwrap().contains("`git init`"), "{error:?}");
    assert!(!world.path("plan.json").exists());
}

#[test]
fn the_advice_about_a_branch_that_was_left_over_helps() {
    let world = repository();
    let mut stage = node("a", 1, "touch made; git add made; git commit -qm made; say stop");
    stage.worktree = true;
    let plan = plan(vec![stage]);
    assert_eq!(world.start(&plan).unwrap().status, RunStatus::Done);
    fs::remove_dir_all(world.path("")).unwrap();
    let error = world.start(&plan).unwrap().error.unwrap();
    assert_eq!(error.kind, ErrorKind::Worktree);
    let advised: Vec<&str> = error.message.split('`').filter(|part| part.starts_with("git ")).collect();
    assert_eq!(advised.len(), 3, "{}", error.message);
    for command in &advised[..2] {
        git(&world.root, &command.split(' ').skip(1).collect::<Vec<_>>());
    }
    assert_eq!(world.resume().unwrap().status, RunStatus::Done);
}
