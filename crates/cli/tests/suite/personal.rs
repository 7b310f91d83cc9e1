//! `stead init --personal`: everything works, and the repository does not know.

use serde_json::json;
use stead_testkit::World;

use crate::client::denial;
use crate::world::{bare, by_person, converse, payload, shell};

/// A team's repository with a settings file of its own.
fn of_a_team() -> World {
    let world = bare();
    world.write("project/.claude/settings.json", "{\"model\": \"opus\"}\n");
    world.write("project/src/main.rs", "fn main() {}\n");
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-qm", "first"]).ok();
    world
}

fn exclude(world: &World) -> String {
    world.read("project/.git/info/exclude")
}

#[track_caller]
fn assert_no_trace(world: &World) {
    assert_eq!(world.git(&["status", "--porcelain", "--untracked-files=all"]).ok(), "");
    let tracked = world.git(&["ls-files"]).ok();
    assert!(!tracked.contains(".agent") && !tracked.contains("stead"), "{tracked}");
}

#[test]
fn the_repository_sees_nothing_and_everything_works() {
    let world = of_a_team();
    let before = exclude(&world);
    let run = world.stead(&["init", "--personal", "--all", "--agents"]);
    assert_no_trace(&world);
    assert!(run.stderr.contains("Kimi Code is skipped"), "{run}");
    assert_eq!(world.read("project/.claude/settings.json"), "{\"model\": \"opus\"}\n");
    let local = world.read("project/.claude/settings.local.json");
    assert!(local.contains(" hook claude PreToolUse"), "{local}");
    for file in
        [".codex/hooks.json", ".mcp.json", ".claude/commands/stead/handoff.md", ".agent/guards/destructive.yaml"]
    {
        assert!(world.exists(format!("project/{file}")), "{file}");
    }
    assert_eq!(world.stead(&["init", "--personal", "--all", "--agents"]).code, run.code);
    let lines = exclude(&world);
    assert_eq!(lines.lines().filter(|line| *line == "/.agent/").count(), 1, "{lines}");

    // A session records, and stays unseen.
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    world.stead(&["handoff", "finish it"]).ok();
    world.stead(&["guard", "new", "mine", "--writes", "infra/**"]).ok();
    assert_no_trace(&world);
    world.git(&["add", "-A"]).ok();
    assert_no_trace(&world);

    by_person(&world, &["uninstall", "--yes"]).ok();
    assert_no_trace(&world);
    assert!(!world.exists("project/.claude/settings.local.json") && !world.exists("project/.codex"));
    assert!(exclude(&world).ends_with("/.agent/\n# stead init --personal: end\n"), "{}", exclude(&world));
    std::fs::remove_dir_all(world.project().join(".agent")).unwrap();
    let run = by_person(&world, &["uninstall", "--yes"]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(exclude(&world), before);
    assert_no_trace(&world);
}

#[test]
fn it_is_offered_below_the_summary() {
    let world = of_a_team();
    let answers = [("or other names: ", "\n"), ("Add them? [Y/n] ", "\n"), ("n stops: ", "p\n"), ("n stops: ", "\n")];
    let run = converse(&world, "init", &answers);
    assert_eq!(run.code, 0, "{run}");
    insta::assert_snapshot!("init-personal", run.stdout);
    assert_no_trace(&world);
}

#[test]
fn the_seal_and_trust_hold() {
    let world = of_a_team();
    by_person(&world, &["init", "--personal", "--harness", "claude", "--yes"]).ok();
    assert_eq!(world.stead(&["trust", "--show", "--json"]).json()["items"].as_array().map(Vec::len), Some(0));
    for command in ["rm -rf .agent", "sed -i /stead/d .claude/settings.local.json", "git clean -fdx"] {
        assert!(denial(&world.hook("claude PreToolUse", shell(&world, command))).is_some(), "{command}");
    }
    // What no reader of commands can see is put back.
    let lines = world.read("project/.claude/settings.local.json");
    world.hook("claude PreToolUse", shell(&world, "make"));
    world.write("project/.claude/settings.local.json", "{}\n");
    let done = json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "call-1",
        "tool_response": {"stdout": "", "stderr": "", "interrupted": false}});
    let told = world.hook("claude PostToolUse", payload(&world, "PostToolUse", done)).stdout;
    assert!(told.contains("put back"), "{told}");
    assert_eq!(world.read("project/.claude/settings.local.json"), lines);
    assert_no_trace(&world);
}

#[test]
fn a_file_that_git_sees_is_not_changed() {
    let world = of_a_team();
    world.write("project/.codex/hooks.json", "{}\n");
    world.write("project/.mcp.json", "{}\n");
    world.git(&["add", ".codex"]).ok();
    world.git(&["commit", "-qm", "second"]).ok();
    let run = world.stead(&["init", "--personal", "--harness", "claude,codex"]);
    for file in [".codex/hooks.json", ".mcp.json"] {
        assert!(run.stderr.contains(&format!("warning: `{file}` was skipped: git sees this file")), "{run}");
        assert_eq!(world.read(format!("project/{file}")), "{}\n");
    }
    assert!(!run.stdout.contains("Codex CLI: new hooks"), "{run}");
    assert_eq!(world.git(&["status", "--porcelain"]).ok(), "?? .mcp.json\n");
}

#[test]
fn below_the_top_and_in_a_worktree() {
    let world = of_a_team();
    world.write("project/apps/[web]/package.json", "{}\n");
    world.git(&["add", "-A"]).ok();
    world.git(&["commit", "-qm", "second"]).ok();
    let folder = world.project().join("apps/[web]");
    world.stead_in(&folder, &["context", "init", "--here"]).ok();
    world.stead_in(&folder, &["init", "--personal", "--harness", "claude"]).ok();
    assert_no_trace(&world);
    assert!(exclude(&world).contains("\n/apps/\\[web]/.agent/\n"), "{}", exclude(&world));
    world.git(&["worktree", "add", "-q", "../tree"]).ok();
    let tree = world.folder().join("tree");
    assert_eq!(world.sh(&format!("git -C {} status --porcelain", tree.display())).ok(), "");
}

#[test]
fn where_it_is_not_possible_it_says_why() {
    let world = of_a_team();
    world.stead(&["init", "--harness", "claude"]).ok();
    let run = world.stead(&["init", "--personal"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("hint: remove them first with `stead uninstall`"), "{run}");
    world.git(&["add", "-A"]).ok();
    let run = world.stead(&["init", "--personal"]);
    assert!(run.stderr.contains("this project shares Stead already: git tracks `.agent/"), "{run}");
    let world = bare();
    std::fs::remove_dir_all(world.project().join(".git")).unwrap();
    let run = world.stead(&["init", "--personal"]);
    assert!(run.code == 1 && run.stderr.contains("needs a git repository"), "{run}");
    assert!(!world.exists("project/.agent"));
}
