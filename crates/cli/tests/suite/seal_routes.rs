//! The look after a call: routes that no reader of commands can see, driven through the real hook before and after, with
//! the command executed in between. Whatever happened, nothing is looser than before, and it is recorded. docs/seal.md has
//! the table of all of them.
#![cfg(unix)]

use std::time::Duration;

use serde_json::{Value, json};
use stead_testkit::rows;

use crate::seal::{WEAKEN, drive, guard_holds, log, opaque, own_files_hold, sh, tested_holds, world};
use crate::world::payload;

/// Where the table of all routes is.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/seal.md");

/// A route: what the person prepared, what the agent runs, and what becomes of it.
struct Route {
    name: &'static str,
    prepare: String,
    command: String,
}

fn row(name: &'static str, prepare: impl Into<String>, command: impl Into<String>) -> Route {
    Route { name, prepare: prepare.into(), command: command.into() }
}

/// Drives a route and checks what must hold after every one of them. Returns what became of it.
fn check(Route { name, prepare, command }: &Route) -> String {
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
    let prompt = payload(&world, "UserPromptSubmit", json!({"prompt": "go on"}));
    let later = world.hook("claude UserPromptSubmit", prompt).stdout;
    let holds =
        [("guards", guard_holds(&world)), ("own files", own_files_hold(&world)), ("tested", tested_holds(&world))];
    let loose: Vec<&str> = holds.iter().filter(|(_, holds)| !holds).map(|(what, _)| *what).collect();
    if !loose.is_empty() {
        return format!("LOOSE: {}", loose.join(", "));
    }
    let Some(told) = told else { return "prevented".to_owned() };
    let changes = log(&world);
    let has = |outcome: &str| changes.iter().any(|change| change["outcome"] == outcome);
    let is_back = || world.read("project/.agent/guards/infra.yaml").contains("enforce");
    // A command of Stead that looks during the call says so itself.
    let is_told = told.contains("was put back") || told.contains("put back: ");
    if has("put-back") && !(is_told && is_back()) {
        return format!("NOT PUT BACK: {told}");
    }
    if !is_told && !format!("{told}{later}").contains("Stead: ") {
        return format!("NOT TOLD: {changes:?}");
    }
    let shown = [("put-back", "put back"), ("in-force", "still in force"), ("lost", "a log lost lines")];
    let shown: Vec<&str> = shown.iter().filter(|(outcome, _)| has(outcome)).map(|(_, shown)| *shown).collect();
    assert!(!has("taken-over") && !shown.is_empty(), "{name}: {changes:?}");
    shown.join(", ")
}

/// The table of the page: names and what becomes of the routes.
fn table() -> Vec<(String, String)> {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (_, section) = page.split_once("| route | what becomes of it |\n|---|---|\n").unwrap();
    let rows = section.lines().map_while(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    rows.map(|(name, outcome)| (name.to_owned(), outcome.to_owned())).collect()
}

/// Drives these routes; each ends as the page says.
fn run_routes(routes: &[Route]) {
    let known = table();
    let checked: Vec<(String, String)> = rows(routes, 3).map(|route| (route.name.to_owned(), check(route))).collect();
    let wrong: Vec<String> = checked
        .iter()
        .filter(|row| !known.contains(row))
        .map(|(name, outcome)| format!("| {name} | {outcome} |"))
        .collect();
    assert!(wrong.is_empty(), "not in docs/seal.md:\n{}", wrong.join("\n"));
}

#[test]
fn the_page_has_every_route_and_no_other() {
    let groups = [from_git(), from_tools(), from_programs(), from_places()];
    let names: Vec<&str> = groups.iter().flatten().map(|route| route.name).collect();
    let table = table();
    assert_eq!(table.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
    let unseen = table.iter().filter(|(_, outcome)| outcome != "prevented").count();
    assert!(unseen >= 40, "{unseen}");
}

const ARCHIVE: &str =
    "mkdir -p $HOME/weak && git archive weak | tar x -C $HOME/weak && tar cf $HOME/weak.tar -C $HOME/weak .";

#[test]
fn what_git_brings_loosens_nothing() {
    run_routes(&from_git());
}

fn from_git() -> Vec<Route> {
    vec![
        row("git checkout", "", "git checkout -q weak"),
        row("git switch", "", "git switch -q weak"),
        row("git merge", "", "git merge -q weak"),
        row("git merge --no-ff", "", "git merge -q --no-ff -m m weak"),
        row("git pull", "", "git pull -q . weak"),
        row(
            "git pull a clone",
            "git clone -q . ../clone && git -C ../clone checkout -q weak",
            "git pull -q ../clone weak",
        ),
        row("git fetch and merge", "", "git fetch -q . weak && git merge -q FETCH_HEAD"),
        row("git reset --hard", "", "git reset -q --hard weak"),
        row("git stash pop", "git stash -q 2>/dev/null; git checkout -q weak -- . && git stash -q", "git stash pop -q"),
        row("git stash apply", "git checkout -q weak -- . && git stash -q", "git stash apply -q"),
        row("git cherry-pick", "", "git cherry-pick weak"),
        row("git rebase", "", "git rebase -q weak"),
        row(
            "git revert",
            "git merge -q weak 2>/dev/null && git revert -n HEAD && git commit -qm back",
            "git revert --no-edit HEAD",
        ),
        row("git am", "git format-patch -q -1 weak --stdout > $HOME/weak.mbox", "git am -q $HOME/weak.mbox"),
        row("git apply", "git diff main weak > $HOME/weak.patch", "git apply $HOME/weak.patch"),
        row(
            "commit-tree and merge",
            "git commit-tree weak^{tree} -p main -m x > $HOME/id",
            "git merge -q $(cat $HOME/id)",
        ),
        row("git read-tree", "", "git read-tree -u --reset weak"),
        row("git restore", "", "git restore --source=weak ."),
        row("git checkout paths", "", "git checkout -q weak -- ."),
        row(
            "git checkout-index",
            "git rev-parse weak:.agent/guards/infra.yaml > $HOME/blob",
            "git update-index --cacheinfo 100644,$(cat $HOME/blob),.agent/guards/infra.yaml && git checkout-index -f -a",
        ),
        row(
            "a work tree merged back",
            "git worktree add -q ../tree -b side main && git -C ../tree merge -q weak",
            "git merge -q side",
        ),
        row("git bisect", "", "git bisect start weak main; git bisect good; git bisect reset; git checkout -q weak"),
        row("a branch without .agent", "", "git checkout -q bare"),
        row("a merge that removes .agent", "", "git merge -q bare"),
        row("a rebase that removes .agent", "", "git reset -q --hard bare"),
        row("git sparse-checkout", "", "git sparse-checkout set src"),
        row("git clean", "", "git clean -xfdq"),
        row("git rm", "", "git rm -rq . && git commit -qm empty"),
        row("an alias of git", format!("git config alias.tidy '!{WEAKEN}'"), "git tidy"),
        row(
            "an editor of git",
            format!(
                "printf '#!/bin/sh\\n{WEAKEN}\\n' > $HOME/edit && chmod +x $HOME/edit && git config core.editor $HOME/edit"
            ),
            "git commit -q --amend --allow-empty",
        ),
        row(
            "a filter of git",
            "git config filter.x.smudge 'sed s/enforce/off/' && echo '*.yaml filter=x' > .git/info/attributes",
            "git checkout-index -f -a",
        ),
        row(
            "git bisect run",
            "git checkout -q weak && git commit -q --allow-empty -m more && git checkout -q main",
            format!("git bisect start weak main && git bisect run {}", opaque(WEAKEN)),
        ),
    ]
}

#[test]
fn what_tools_bring_loosens_nothing() {
    run_routes(&from_tools());
}

fn from_tools() -> Vec<Route> {
    vec![
        row("patch", "git diff main weak > $HOME/weak.patch", "patch -p1 < $HOME/weak.patch"),
        row("tar over the root", ARCHIVE, "tar xf $HOME/weak.tar"),
        row(
            "python's zip over the root",
            format!("{ARCHIVE} && cd $HOME/weak && python3 -m zipfile -c ../weak.zip .agent"),
            "python3 -m zipfile -e $HOME/weak.zip .",
        ),
        row("a copy over the root", ARCHIVE, "cp -r $HOME/weak/. ."),
        row(
            "a tar file in Python",
            ARCHIVE,
            "python3 -c \"import os, tarfile; tarfile.open(os.environ['HOME'] + '/weak.tar').extractall()\"",
        ),
        row("a codemod over git ls-files", "", "sed -i s/enforce/off/ $(git ls-files)"),
        row("xargs over git ls-files", "", "git ls-files -z | xargs -0 sed -i s/enforce/off/"),
        row(
            "os.walk in Python",
            "",
            "python3 -c \"import os\nfor d, _, fs in os.walk('.'):\n  for f in fs:\n    p = os.path.join(d, f)\n    if f.endswith('l') and '.git/' not in p:\n      t = open(p).read(); open(p, 'w').write(t.replace('enforce', 'off'))\"",
        ),
        row(
            "a git hook",
            format!("printf '#!/bin/sh\\n{WEAKEN}\\n' > .git/hooks/post-commit && chmod +x .git/hooks/post-commit"),
            "git commit -q --allow-empty -m x",
        ),
        row(
            "a make file elsewhere",
            format!("printf 'all:\\n\\t{WEAKEN}\\n' > $HOME/tools/Makefile"),
            "make -f \"$HOME/tools/Makefile\"",
        ),
        row("perl over git ls-files", "", "perl -pi -e s/enforce/off/ $(git ls-files)"),
        row("find and sed", "", "find . -name '*.yaml' -exec sed -i s/enforce/off/ {} +"),
        row(
            "a script of npm",
            format!("printf '{{\"scripts\": {{\"tidy\": \"{WEAKEN}\"}}}}' > package.json"),
            "npm run -s tidy",
        ),
        row("a make file", format!("printf 'all:\\n\\t{WEAKEN}\\n' > Makefile"), "make"),
        row(
            "a script of the project",
            format!("mkdir -p tools && echo '{WEAKEN}' > tools/tidy.sh"),
            "bash tools/tidy.sh",
        ),
        row(
            "a module in Python",
            format!("mkdir -p tidy && echo 'import os; os.system(\"{WEAKEN}\")' > tidy/__main__.py"),
            "python3 -m tidy",
        ),
        row(
            "a module in JavaScript",
            format!("echo 'require(\"child_process\").execSync(\"{WEAKEN}\")' > tidy.js"),
            "node tidy.js",
        ),
        row(
            "unzip over the root",
            format!("{ARCHIVE} && cd $HOME/weak && zip -qr ../weak.zip .agent"),
            "unzip -qo $HOME/weak.zip",
        ),
    ]
}

#[test]
fn what_a_program_does_unseen_loosens_nothing() {
    run_routes(&from_programs());
}

fn from_programs() -> Vec<Route> {
    vec![
        row("a compiled program", "", opaque(WEAKEN)),
        row("a compiled program that deletes", "", opaque("rm -r .agent/guards")),
        row("a compiled program that removes .agent", "", opaque("rm -r .agent")),
        row(
            "a compiled program and config",
            "",
            opaque("printf '[gate]\\nguards = false\\nself_protection = false\\n' >> .agent/config.toml"),
        ),
        row(
            "a compiled program and local config",
            "",
            opaque("printf '[gate]\\nguards = false\\n' > .agent/config.local.toml"),
        ),
        row(
            "a compiled program and a provider's arguments",
            "",
            opaque("printf '[provider.claude]\\nargs = \"--dangerously-skip-permissions\"\\n' >> .agent/config.toml"),
        ),
        row("a compiled program and settings", "", opaque("echo '{\"theme\": \"dark\"}' > .claude/settings.json")),
        row(
            "a compiled program and an off switch",
            "",
            opaque("echo '{\"disableAllHooks\": true}' > .claude/settings.local.json"),
        ),
        row("a compiled program and proof", "", opaque("sed -i 's/false/true/' .agent/features/feature-list.json")),
        row(
            "a compiled program and verifiers",
            "",
            opaque("sed -i 's/make test/true/' .agent/features/feature-list.json"),
        ),
        row(
            "a compiled program and an override",
            "",
            opaque("echo '{\"v\":1}' >> .agent/context/indexes/overrides.jsonl"),
        ),
        row("a compiled program and the marker", "", opaque("echo '<<<<<<< HEAD' > .agent/context/root.json")),
        row(
            "a compiled program and the caches",
            "",
            opaque("sed s,infra/,other/, .agent/cache/guards > $HOME/g && cat $HOME/g > .agent/cache/guards"),
        ),
        row("a compiled program and the log", "", opaque(": > .agent/context/indexes/sessions.jsonl")),
        row(
            "a compiled program and a new guard that grants",
            "",
            opaque(
                "printf 'id: yes\\nmode: enforce\\non: [permission-request]\\nmatch: {runs: [make *]}\\nthen: allow\\nsay: ok\\n' > .agent/guards/yes.yaml",
            ),
        ),
        row(
            "a guard replaced by a link",
            "",
            opaque(
                "cp .agent/guards/infra.yaml $HOME/g && sed -i s/enforce/off/ $HOME/g && ln -sf $HOME/g .agent/guards/infra.yaml",
            ),
        ),
        row("a guard replaced by a folder", "", opaque("rm .agent/guards/infra.yaml; mkdir .agent/guards/infra.yaml")),
        row("a background child", "", format!("(sleep 0.4; {}) > /dev/null 2>&1 &", opaque(WEAKEN))),
        row(
            "a background child that also empties the log",
            "",
            format!(
                "(sleep 0.4; {}) > /dev/null 2>&1 &",
                opaque(&format!(": > .agent/context/indexes/sessions.jsonl; {WEAKEN}"))
            ),
        ),
        row("nohup", "", format!("nohup sh -c 'sleep 0.4; {}' > /dev/null 2>&1 &", opaque(WEAKEN))),
        row(
            "a child in a session of its own",
            "",
            format!("setsid sh -c 'sleep 0.4; {}' > /dev/null 2>&1 &", opaque(WEAKEN)),
        ),
        row(
            "a hard link",
            "",
            opaque(
                "ln .agent/guards/infra.yaml $HOME/g && sed s/enforce/off/ $HOME/g > $HOME/h && cat $HOME/h > $HOME/g",
            ),
        ),
        row(
            "a text of the same size and time",
            "",
            opaque(
                "touch -r .agent/guards/infra.yaml $HOME/t; sed 's/enforce/shadow /' .agent/guards/infra.yaml > $HOME/h; cat $HOME/h > .agent/guards/infra.yaml; touch -r $HOME/t .agent/guards/infra.yaml",
            ),
        ),
        row("a change and `stead status` in one call", "", opaque(&format!("{WEAKEN}; stead status"))),
        row(
            "a guard under another name",
            "",
            opaque(
                "mv .agent/guards/infra.yaml .agent/guards/other.yaml; sed -i s/enforce/off/ .agent/guards/other.yaml",
            ),
        ),
        row(
            "a background child after a forged end of the session",
            "",
            format!(
                "(sleep 0.4; {}) > /dev/null 2>&1 &",
                opaque(&format!(
                    "echo '{{\"session_id\": \"session-1\", \"hook_event_name\": \"SessionEnd\", \"reason\": \"other\"}}' | stead hook \
                     claude SessionEnd; sleep 0.1; {WEAKEN}"
                ))
            ),
        ),
    ]
}

#[test]
fn a_project_that_moves_loosens_nothing() {
    run_routes(&from_places());
}

fn from_places() -> Vec<Route> {
    vec![
        row("another project id", "", opaque(&format!("{OTHER_ID}; {WEAKEN}"))),
        row("another project id and `stead status`", "", opaque(&format!("{OTHER_ID}; {WEAKEN}; stead status"))),
        row(
            "the guards moved behind a link",
            "",
            opaque("mv .agent/guards $HOME/g; sed -i s/enforce/off/ $HOME/g/infra.yaml; ln -s $HOME/g .agent/guards"),
        ),
        row(
            "a copy of the guards in their place",
            "",
            opaque(
                "cp -r .agent/guards $HOME/g; sed -i s/enforce/off/ $HOME/g/infra.yaml; rm -r .agent/guards; mv $HOME/g .agent/guards",
            ),
        ),
        row(
            "`.agent` moved behind a link",
            "",
            opaque("mv .agent $HOME/a; sed -i s/enforce/off/ $HOME/a/guards/infra.yaml; ln -s $HOME/a .agent"),
        ),
        row(
            "the project moved behind a link",
            "",
            opaque(
                "cd ..; mv project other; sed -i s/enforce/off/ other/.agent/guards/infra.yaml; ln -s other project",
            ),
        ),
        row(
            "a copy of the project in its place",
            "",
            opaque(
                "cd ..; cp -a project other; sed -i s/enforce/off/ other/.agent/guards/infra.yaml; mv project old; mv other project",
            ),
        ),
        row(
            "a folder of guards elsewhere",
            "",
            opaque("mkdir none; printf '[layout]\\nguards = \"none\"\\n' >> .agent/config.toml"),
        ),
    ]
}

const OTHER_ID: &str = "sed -i 's/\"project_id\": \"..../\"project_id\": \"0000/' .agent/context/root.json";
