//! One project, all its trees: work trees, clones and copies are judged as the main tree is, and other projects keep
//! what is theirs. With real git.

use std::fs;

use serde_json::json;
use stead_testkit::World;

use crate::client::denial;
use crate::world::{marked, payload, shell, tool};

/// One of each class of protected path.
const PROTECTED: &[&str] = &[
    ".agent/config.toml",
    ".agent/config.local.toml",
    ".agent/guards/new.yaml",
    ".agent/context/root.json",
    ".agent/context/indexes/sessions.jsonl",
    ".agent/features/evidence/login/a.json",
    ".agent/intents/active_intents.yaml",
    ".agent/cache/policy",
];

/// Ways to write a file that no table has to know.
const SPELLINGS: &[&str] = &[
    "echo x > {dir}/{file}",
    "cd {dir} && echo x > {file}",
    "cd {dir} && rm -f {file}",
    "(cd {dir}; sed -i s/a/b/ {file})",
    "pushd {dir} && tee {file} < /dev/null",
    "D={dir}; cp /etc/hostname \"$D/{file}\"",
    "python3 -c \"open('{dir}/{file}','w').write('x')\"",
    "git -C {dir} mv README {file}",
    "git -C {dir} rm --force {file}",
    "bash -c 'cd {dir} && mv {file} /tmp/x'",
    "ln -sf /dev/null {dir}/{file}",
    "rm -rf {dir}/.agent",
];

/// A committed project with a guard, a work tree, a clone and their like beside it.
fn world() -> World {
    let world = marked();
    world.write("project/README", "x\n");
    world.write("project/src/a.rs", "fn a() {}\n");
    world.write(
        "project/.agent/guards/locked.yaml",
        "id: locked\nmode: enforce\non: [before-tool]\nmatch: {writes: ['src/locked/**']}\nthen: deny\nsay: locked\n",
    );
    world.sh("mkdir -p src/locked && echo l > src/locked/l.rs").ok();
    git(&world, &["init", "-q", "-b", "main"]);
    git(&world, &["add", "-A"]);
    git(&world, &["commit", "-qm", "first"]);
    world
}

fn git(world: &World, args: &[&str]) {
    world.git(args).ok();
}

fn script(world: &World, script: &str) {
    let identity = "export GIT_AUTHOR_NAME=T GIT_AUTHOR_EMAIL=t@example.invalid GIT_COMMITTER_NAME=T \
        GIT_COMMITTER_EMAIL=t@example.invalid; git() { command git -c protocol.file.allow=always \"$@\"; }; ";
    world.sh(&format!("set -e; {identity}{script}")).ok();
}

fn asked(world: &World, command: &str) -> Option<String> {
    denial(&world.hook("claude PreToolUse", shell(world, command)))
}

fn written(world: &World, path: &str) -> Option<String> {
    let path = world.project().join(path);
    denial(&world.hook("claude PreToolUse", tool(world, "Write", json!({"file_path": path, "content": "x"}))))
}

/// Judges every class of protected path in a tree, by the file tool and by commands.
#[track_caller]
fn check(world: &World, dir: &str, is_denied: bool) {
    for (at, file) in PROTECTED.iter().enumerate() {
        let path = format!("{dir}/{file}");
        assert_eq!(written(world, &path).is_some(), is_denied, "{path}");
        let spelling = SPELLINGS[at % SPELLINGS.len()].replace("{dir}", dir).replace("{file}", file);
        assert_eq!(asked(world, &spelling).is_some(), is_denied, "{spelling}");
    }
    for spelling in SPELLINGS {
        let command = spelling.replace("{dir}", dir).replace("{file}", PROTECTED[0]);
        assert_eq!(asked(world, &command).is_some(), is_denied, "{command}");
    }
    assert_eq!(written(world, &format!("{dir}/src/a.rs")), None);
    assert_eq!(asked(world, &format!("cd {dir} && echo x > src/a.rs")), None);
}

#[test]
fn another_tree_of_the_project_is_judged_as_the_main_one() {
    let world = world();
    script(
        &world,
        "git worktree add -q ../wt -b wt; git worktree add -q nested -b nested; git clone -q . ../clone
        git -C ../clone worktree add -q ../clone-wt -b other; ln -s wt ../to-wt
        git clone -q --bare . ../bare.git; git -C ../bare.git worktree add -q ../bare-wt -b of-bare
        git clone -q . nested-clone; cp -r . ../copy",
    );
    for dir in ["../wt", "nested", "../clone", "../clone-wt", "../to-wt", "../bare-wt", "nested-clone", "../copy"] {
        check(&world, dir, true);
        let said = asked(&world, &format!("rm {dir}/src/locked/l.rs; echo x > {dir}/src/locked/new.rs"));
        assert!(said.is_some_and(|said| said.contains("locked")), "{dir}");
        assert!(written(&world, &format!("{dir}/src/locked/l.rs")).is_some(), "{dir}");
    }
}

#[test]
fn a_tree_without_its_own_marker_is_judged_as_well() {
    let world = world();
    script(&world, "git rm -rq --cached .agent; git commit -qm untracked; git worktree add -q ../wt -b wt");
    assert!(!world.exists("wt/.agent"));
    check(&world, "../wt", true);
}

#[test]
fn another_project_keeps_its_files() {
    let world = world();
    fs::create_dir_all(world.folder().join("other/src")).unwrap();
    world.stead_in(world.folder().join("other"), &["context", "init"]).ok();
    script(&world, "mkdir -p examples; cp -r ../other examples/inner");
    for dir in ["../other", "examples/inner"] {
        check(&world, dir, true);
        assert!(asked(&world, &format!("rm -rf {dir}")).is_some(), "{dir}");
        // The guards are this project's own.
        assert_eq!(written(&world, &format!("{dir}/src/locked/l.rs")), None, "{dir}");
    }
}

#[test]
fn what_is_no_project_is_free() {
    let world = world();
    script(
        &world,
        "mkdir -p ../plain/src; git init -q ../lib; (cd ../lib; echo x > f; git add f; git commit -qm x)
        git submodule add -q ../lib lib; mkdir lib/src",
    );
    for dir in ["../plain", "../lib"] {
        assert_eq!(written(&world, &format!("{dir}/.agent/config.toml")), None, "{dir}");
        assert_eq!(asked(&world, &format!("mkdir -p {dir}/.agent && echo x > {dir}/.agent/config.toml")), None);
        assert_eq!(asked(&world, &format!("echo x > {dir}/src/locked/l.rs")), None, "{dir}");
        assert_eq!(asked(&world, &format!("rm -rf {dir}")), None, "{dir}");
    }
    // A submodule is a folder of this project, with a repository of its own.
    assert_eq!(written(&world, "lib/.agent/config.toml"), None);
    assert_eq!(written(&world, "lib/src/locked/l.rs"), None);
}

#[test]
fn a_tree_that_the_same_call_makes_counts() {
    let world = world();
    for make in [
        "git worktree add ../new -b new",
        "git worktree add -b new ../new",
        "git clone . ../new",
        "git clone -q .git ../new",
        "git clone https://example.invalid/x.git ../new",
        "cp -r . ../new",
        "cp -a ./ ../new/",
        "rsync -a ./ ../new/",
        "git worktree add --detach ../made && mv ../made ../new",
    ] {
        for change in ["echo x > ../new/.agent/config.toml", "cd ../new && rm .agent/guards/locked.yaml"] {
            let command = format!("{make} && {change}");
            assert!(asked(&world, &command).is_some(), "{command}");
        }
        let command = format!("{make} && cd ../new && echo x > src/a.rs");
        assert_eq!(asked(&world, &command), None, "{command}");
    }
    for command in
        ["git worktree add ../new && rm ../new/src/locked/l.rs", "git clone . ../new && rm ../new/src/locked/x"]
    {
        assert!(asked(&world, command).is_some(), "{command}");
    }
}

#[test]
fn a_whole_tree_may_be_removed_unless_records_go_with_it() {
    let world = world();
    script(&world, "git worktree add -q ../wt -b wt; git clone -q . ../clone; git clone -q . ../used");
    let used = world.folder().join("used");
    world.write("used/.agent/context/indexes/sessions.jsonl", "{}\n");
    assert!(used.exists());
    for command in ["rm -rf ../wt", "git worktree remove ../wt", "git worktree remove --force ../wt", "rm -rf ../clone"]
    {
        assert_eq!(asked(&world, command), None, "{command}");
    }
    for command in
        ["rm -rf ../used", "mv ../used /tmp/x", "rm -rf ../wt/.agent ../clone", "rm -rf ../clone/.agent/guards"]
    {
        assert!(asked(&world, command).is_some(), "{command}");
    }
}

#[test]
fn a_pattern_that_may_name_a_tree_counts_as_one() {
    let world = world();
    script(&world, "git worktree add -q ../wt -b wt");
    for command in
        ["rm ../w*/.agent/config.toml", "rm -rf ../w?/.agent", "for f in ../w*/.agent/config.toml; do echo > $f; done"]
    {
        assert!(asked(&world, command).is_some(), "{command}");
    }
    for command in ["rm -rf ../w*/target", "rm ../w*/src/b.rs"] {
        assert_eq!(asked(&world, command), None, "{command}");
    }
}

#[test]
fn a_session_in_a_work_tree_may_not_change_the_main_one() {
    let world = world();
    script(&world, "git worktree add -q ../wt -b wt");
    let wt = world.folder().join("wt");
    for file in PROTECTED {
        for dir in [world.project(), wt.clone(), world.folder().join("wt/../project")] {
            let input = json!({"file_path": dir.join(file), "content": "x"});
            let event = json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "c", "cwd": wt});
            let run = world.hook("claude PreToolUse", payload(&world, "PreToolUse", event));
            assert!(denial(&run).is_some(), "{}", dir.join(file).display());
        }
    }
}
