//! The look after a call: routes that no reader of commands can see, driven through the real hook before and after, with
//! the command executed in between. Whatever happened, nothing is looser than before, and it is recorded.
#![cfg(unix)]

use std::fs;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};
use stead_testkit::{Finish, World};

use crate::world::{bare, denies, payload, shell, tool};

pub(crate) const GUARD: &str =
    "id: infra\nmode: enforce\non: [before-tool]\nmatch: {writes: infra/**}\nthen: deny\nsay: infra is reviewed\n";
const FEATURES: &str =
    r#"{"features": [{"id": "login", "tested": false, "verifiers": ["make test"], "files": ["src/**"]}]}"#;

/// A program that runs what its argument encodes: nobody can read it before.
fn opaque_program() -> &'static [u8] {
    static BUILT: OnceLock<Vec<u8>> = OnceLock::new();
    BUILT.get_or_init(|| {
        let world = bare();
        let source = world.folder().join("opaque.c");
        fs::write(
            &source,
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **a) { static char t[65536]; unsigned c; int i = 0;\n\
             for (char *s = a[1]; sscanf(s, \"%2x\", &c) == 1; s += 2) t[i++] = (char)c; return system(t) != 0; }\n",
        )
        .unwrap();
        let program = world.folder().join("opaque");
        let built = Command::new("cc").arg(&source).arg("-o").arg(&program).status().unwrap();
        assert!(built.success());
        fs::read(program).unwrap()
    })
}

/// The call of that program.
pub(crate) fn opaque(script: &str) -> String {
    let hex: String = script.bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("\"$HOME/tools/opaque\" {hex}")
}

/// A project with hooks, a guard, a feature and a commit of all of it; the branch `weak` has it all weakened.
pub(crate) fn world() -> World {
    use std::os::unix::fs::PermissionsExt;
    let world = bare().with_stead_on_path();
    world.write("home/.gitconfig", "[user]\nname = Ann\nemail = ann@example.org\n[advice]\ndetachedHead = false\n");
    world.write("project/src/main.py", "print('hello')\n");
    let init = world.stead(&["init", "--harness", "claude", "--yes", "--no-mcp"]);
    init.ok();
    world.write("project/.agent/guards/infra.yaml", GUARD);
    world.write("project/.agent/features/feature-list.json", FEATURES);
    fs::create_dir_all(world.home().join("tools")).unwrap();
    let program = world.home().join("tools/opaque");
    fs::write(&program, opaque_program()).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    sh(&world, "git add -A && git commit -qm base");
    sh(
        &world,
        "git checkout -q -b weak && sed -i s/enforce/off/ .agent/guards/infra.yaml && printf '[gate]\\nguards = false\\n' >> \
         .agent/config.toml && git commit -qam weak && git checkout -q -b bare main && git rm -rq .agent .claude && git commit \
         -qm bare && git checkout -q main",
    );
    world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
    assert!(guard_holds(&world) && own_files_hold(&world));
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", json!({"prompt": "tidy up"})));
    world
}

pub(crate) fn sh(world: &World, script: &str) {
    let run = world.command("sh", &world.project()).args(["-c", script]).finish(world, b"");
    assert_eq!(run.code, 0, "{script}: {}{}", run.stdout, run.stderr);
}

pub(crate) fn guard_holds(world: &World) -> bool {
    let path = world.project().join("infra/x.tf");
    let said = world.hook("claude PreToolUse", tool(world, "Write", json!({"file_path": path, "content": "x"})));
    denies(&said.stdout)
}

pub(crate) fn own_files_hold(world: &World) -> bool {
    denies(&world.hook("claude PreToolUse", shell(world, "rm -rf .agent/guards")).stdout)
}

fn tested_holds(world: &World) -> bool {
    let path = world.project().join(".agent/features/feature-list.json");
    let content = FEATURES.replace("false", "true");
    denies(
        &world.hook("claude PreToolUse", tool(world, "Write", json!({"file_path": path, "content": content}))).stdout,
    )
}

/// Drives one command of an agent: before, for real, after. Returns what the agent is told, or `None` if it was denied.
pub(crate) fn drive(world: &World, command: &str) -> Option<String> {
    let input = json!({"command": command});
    let own = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": "call-7"});
    let before = world.hook("claude PreToolUse", payload(world, "PreToolUse", own.clone()));
    if denies(&before.stdout) {
        return None;
    }
    world.command("bash", &world.project()).args(["-c", command]).finish(world, b"");
    let mut own = own;
    own["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
    Some(world.hook("claude PostToolUse", payload(world, "PostToolUse", own)).stdout)
}

pub(crate) fn log(world: &World) -> Vec<Value> {
    world.stead(&["seal", "log", "--all", "--json"]).json()["items"].as_array().unwrap().clone()
}

/// Drives a route and checks what must hold after every one of them. Returns what became of it.
fn check(name: &str, prepare: &str, command: &str) -> String {
    let world = world();
    if !prepare.is_empty() {
        sh(&world, prepare);
        // Whatever was prepared is the person's; it weakens nothing.
        world.hook("claude SessionStart", payload(&world, "SessionStart", json!({"source": "startup"})));
        assert_eq!(log(&world), Vec::<Value>::new(), "{name}");
    }
    let told = drive(&world, command);
    // A child that went on in the background.
    std::thread::sleep(Duration::from_millis(if command.contains("sleep") { 900 } else { 0 }));
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", json!({"prompt": "go on"})));
    let holds =
        [("guards", guard_holds(&world)), ("own files", own_files_hold(&world)), ("tested", tested_holds(&world))];
    let loose: Vec<&str> = holds.iter().filter(|(_, holds)| !holds).map(|(what, _)| *what).collect();
    let Some(told) = told.filter(|_| loose.is_empty()) else {
        return if loose.is_empty() { "prevented".to_owned() } else { format!("LOOSE: {}", loose.join(", ")) };
    };
    let mut outcomes: Vec<String> =
        log(&world).iter().map(|change| change["outcome"].as_str().unwrap().to_owned()).collect();
    outcomes.sort();
    outcomes.dedup();
    if outcomes.contains(&"put-back".to_owned()) {
        let is_back = world.read("project/.agent/guards/infra.yaml").contains("enforce");
        if !told.contains("was put back") || !is_back {
            return format!("NOT PUT BACK: {told}");
        }
    }
    outcomes.join(" ")
}

#[test]
fn what_follows_a_removal_is_recorded() {
    use std::os::unix::fs::PermissionsExt;
    for removed in [".agent", ".agent/context", ".agent/context/indexes"] {
        let world = world();
        drive(&world, &opaque(&format!("rm -r {removed}"))).unwrap();
        assert!(guard_holds(&world), "{removed}");
        let lines = world.read("project/.agent/context/indexes/sessions.jsonl");
        let [call, denied] = lines.lines().collect::<Vec<_>>()[..] else { panic!("{removed}: {lines}") };
        assert!(call.contains("after-tool") && denied.contains("infra is reviewed"), "{removed}: {lines}");
        let indexes = fs::metadata(world.project().join(".agent/context/indexes")).unwrap();
        assert_eq!(indexes.permissions().mode() & 0o777, 0o700, "{removed}");
        let unignored = world.git(&["ls-files", "--others", "--exclude-standard", ".agent"]).stdout;
        assert_eq!(unignored, "", "{removed}");
    }
}

/// A route: what the person prepared, what the agent runs, and what becomes of it unless it is prevented.
struct Route {
    name: &'static str,
    prepare: String,
    command: String,
    expected: &'static str,
}

fn row(name: &'static str, prepare: impl Into<String>, command: impl Into<String>, expected: &'static str) -> Route {
    Route { name, prepare: prepare.into(), command: command.into(), expected }
}

fn run_routes(routes: Vec<Route>) {
    let (mut wrong, mut table) = (Vec::new(), String::new());
    for Route { name, prepare, command, expected } in routes {
        let outcome = check(name, &prepare, &command);
        table.push_str(&format!("{name:<50} {outcome}\n"));
        if outcome != "prevented" && outcome != expected {
            wrong.push(format!("{name}: {outcome}, expected {expected}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "{table}");
}

pub(crate) const WEAKEN: &str = "sed -i s/enforce/off/ .agent/guards/infra.yaml";
const ARCHIVE: &str =
    "mkdir -p $HOME/weak && git archive weak | tar x -C $HOME/weak && tar cf $HOME/weak.tar -C $HOME/weak .";

#[test]
fn what_git_brings_loosens_nothing() {
    run_routes(vec![
        row("git checkout", "", "git checkout -q weak", "in-force"),
        row("git switch", "", "git switch -q weak", "in-force"),
        row("git merge", "", "git merge -q weak", "in-force"),
        row("git merge --no-ff", "", "git merge -q --no-ff -m m weak", "in-force"),
        row("git pull", "", "git pull -q . weak", "in-force"),
        row(
            "git pull a clone",
            "git clone -q . ../clone && git -C ../clone checkout -q weak",
            "git pull -q ../clone weak",
            "in-force",
        ),
        row("git fetch and merge", "", "git fetch -q . weak && git merge -q FETCH_HEAD", "in-force"),
        row("git reset --hard", "", "git reset -q --hard weak", "in-force"),
        row(
            "git stash pop",
            "git stash -q 2>/dev/null; git checkout -q weak -- . && git stash -q",
            "git stash pop -q",
            "put-back",
        ),
        row("git stash apply", "git checkout -q weak -- . && git stash -q", "git stash apply -q", "put-back"),
        row("git cherry-pick", "", "git cherry-pick weak", "in-force"),
        row("git rebase", "", "git rebase -q weak", "in-force"),
        row(
            "git revert",
            "git merge -q weak 2>/dev/null && git revert -n HEAD && git commit -qm back",
            "git revert --no-edit HEAD",
            "in-force",
        ),
        row(
            "git am",
            "git format-patch -q -1 weak --stdout > $HOME/weak.mbox",
            "git am -q $HOME/weak.mbox",
            "in-force",
        ),
        row("git apply", "git diff main weak > $HOME/weak.patch", "git apply $HOME/weak.patch", "put-back"),
        row(
            "commit-tree and merge",
            "git commit-tree weak^{tree} -p main -m x > $HOME/id",
            "git merge -q $(cat $HOME/id)",
            "in-force",
        ),
        row("git read-tree", "", "git read-tree -u --reset weak", "in-force"),
        row("git restore", "", "git restore --source=weak .", "put-back"),
        row("git checkout paths", "", "git checkout -q weak -- .", "in-force"),
        row(
            "git checkout-index",
            "git rev-parse weak:.agent/guards/infra.yaml > $HOME/blob",
            "git update-index --cacheinfo 100644,$(cat $HOME/blob),.agent/guards/infra.yaml && git checkout-index -f -a",
            "in-force",
        ),
        row(
            "a work tree merged back",
            "git worktree add -q ../tree -b side main && git -C ../tree merge -q weak",
            "git merge -q side",
            "in-force",
        ),
        row(
            "git bisect",
            "",
            "git bisect start -q weak main; git bisect good; git bisect reset -q; git checkout -q weak",
            "in-force",
        ),
        row("a branch without .agent", "", "git checkout -q bare", "in-force"),
        row("a merge that removes .agent", "", "git merge -q bare", "in-force"),
        row("a rebase that removes .agent", "", "git reset -q --hard bare", "in-force"),
    ]);
}

#[test]
fn what_tools_bring_loosens_nothing() {
    run_routes(vec![
        row("patch", "git diff main weak > $HOME/weak.patch", "patch -p1 < $HOME/weak.patch", "put-back"),
        row("tar over the root", ARCHIVE, "tar xf $HOME/weak.tar", "put-back"),
        row(
            "python's zip over the root",
            format!("{ARCHIVE} && cd $HOME/weak && python3 -m zipfile -c ../weak.zip .agent"),
            "python3 -m zipfile -e $HOME/weak.zip .",
            "put-back",
        ),
        row("a copy over the root", ARCHIVE, "cp -r $HOME/weak/. .", "put-back"),
        row(
            "a tar file in Python",
            ARCHIVE,
            "python3 -c \"import os, tarfile; tarfile.open(os.environ['HOME'] + '/weak.tar').extractall()\"",
            "put-back",
        ),
        row("a codemod over git ls-files", "", "sed -i s/enforce/off/ $(git ls-files)", "put-back"),
        row("xargs over git ls-files", "", "git ls-files -z | xargs -0 sed -i s/enforce/off/", "put-back"),
        row(
            "os.walk in Python",
            "",
            "python3 -c \"import os\nfor d, _, fs in os.walk('.'):\n  for f in fs:\n    p = os.path.join(d, f)\n    if f.endswith('l') and '.git/' not in p:\n      t = open(p).read(); open(p, 'w').write(t.replace('enforce', 'off'))\"",
            "lost put-back",
        ),
        row(
            "a git hook",
            format!("printf '#!/bin/sh\\n{WEAKEN}\\n' > .git/hooks/post-commit && chmod +x .git/hooks/post-commit"),
            "git commit -q --allow-empty -m x",
            "put-back",
        ),
        row(
            "a make file elsewhere",
            format!("printf 'all:\\n\\t{WEAKEN}\\n' > $HOME/tools/Makefile"),
            "make -f \"$HOME/tools/Makefile\"",
            "put-back",
        ),
    ]);
}

#[test]
fn what_a_program_does_unseen_loosens_nothing() {
    run_routes(vec![
        row("a compiled program", "", opaque(WEAKEN), "put-back"),
        row("a compiled program that deletes", "", opaque("rm -r .agent/guards"), "put-back"),
        row("a compiled program that removes .agent", "", opaque("rm -r .agent"), "lost put-back"),
        row(
            "a compiled program and config",
            "",
            opaque("printf '[gate]\\nguards = false\\nself_protection = false\\n' >> .agent/config.toml"),
            "put-back",
        ),
        row(
            "a compiled program and local config",
            "",
            opaque("printf '[gate]\\nguards = false\\n' > .agent/config.local.toml"),
            "put-back",
        ),
        row(
            "a compiled program and settings",
            "",
            opaque("echo '{\"theme\": \"dark\"}' > .claude/settings.json"),
            "put-back",
        ),
        row(
            "a compiled program and an off switch",
            "",
            opaque("echo '{\"disableAllHooks\": true}' > .claude/settings.local.json"),
            "put-back",
        ),
        row(
            "a compiled program and proof",
            "",
            opaque("sed -i 's/false/true/' .agent/features/feature-list.json"),
            "put-back",
        ),
        row(
            "a compiled program and verifiers",
            "",
            opaque("sed -i 's/make test/true/' .agent/features/feature-list.json"),
            "put-back",
        ),
        row(
            "a compiled program and an override",
            "",
            opaque("echo '{\"v\":1}' >> .agent/context/indexes/overrides.jsonl"),
            "put-back",
        ),
        row(
            "a compiled program and the marker",
            "",
            opaque("echo '<<<<<<< HEAD' > .agent/context/root.json"),
            "put-back",
        ),
        row(
            "a compiled program and the caches",
            "",
            opaque("sed s,infra/,other/, .agent/cache/guards > $HOME/g && cat $HOME/g > .agent/cache/guards"),
            "put-back",
        ),
        row("a compiled program and the log", "", opaque(": > .agent/context/indexes/sessions.jsonl"), "lost"),
        row(
            "a compiled program and a new guard that grants",
            "",
            opaque(
                "printf 'id: yes\\nmode: enforce\\non: [permission-request]\\nmatch: {runs: [make *]}\\nthen: allow\\nsay: ok\\n' > .agent/guards/yes.yaml",
            ),
            "put-back",
        ),
        row(
            "a guard replaced by a link",
            "",
            opaque(
                "cp .agent/guards/infra.yaml $HOME/g && sed -i s/enforce/off/ $HOME/g && ln -sf $HOME/g .agent/guards/infra.yaml",
            ),
            "put-back",
        ),
        row(
            "a guard replaced by a folder",
            "",
            opaque("rm .agent/guards/infra.yaml; mkdir .agent/guards/infra.yaml"),
            "put-back",
        ),
        row("a background child", "", format!("(sleep 0.4; {}) > /dev/null 2>&1 &", opaque(WEAKEN)), "in-force"),
        row(
            "a background child that also empties the log",
            "",
            format!(
                "(sleep 0.4; {}) > /dev/null 2>&1 &",
                opaque(&format!(": > .agent/context/indexes/sessions.jsonl; {WEAKEN}"))
            ),
            "in-force lost",
        ),
        row("nohup", "", format!("nohup sh -c 'sleep 0.4; {}' > /dev/null 2>&1 &", opaque(WEAKEN)), "in-force"),
    ]);
}
