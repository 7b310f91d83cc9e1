//! Every operation of git against every fate of a line. Each line has words that name its author, so the oracle is the
//! text itself. `docs/ledger.md` has the table that this test prints.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use stead_testkit::{Finish, World};

use super::{agent_writes, blame, git, project};

/// What a person does to lines after the operation.
const FATES: [&str; 7] = ["plain", "moved", "indented", "formatted", "local", "renamed", "split"];

const WORK: &str = "src/work.rs";
const OLD: &str = "src/old.rs";
const BIG: &str = "src/big.rs";

/// A function all of whose lines name their author and fate.
fn function(author: &str, fate: &str) -> String {
    let name = format!("{author}_{fate}");
    match fate {
        // As no formatter leaves it.
        "formatted" => format!("pub fn {name}_fn({name}_in: u32)->u32{{ let {name}_x={name}_in+11; {name}_x*7 }}\n\n"),
        _ => format!(
            "pub fn {name}_fn({name}_in: u32) -> u32 {{\n    let {name}_x = {name}_in + 11;\n    {name}_x * 7\n}}\n\n"
        ),
    }
}

fn text(authors: &[&str], fates: &[&str]) -> String {
    fates.iter().flat_map(|fate| authors.iter().map(|author| function(author, fate))).collect()
}

fn start() -> World {
    let human = |fates: &[&str]| text(&["human"], fates);
    project(&[
        (WORK, &human(&FATES[..5])),
        (OLD, &human(&["renamed"])),
        (BIG, &human(&["split"])),
        ("other.txt", "x\n"),
    ])
}

/// The agent adds its functions beside those of the person.
fn agent(world: &World, checkout: &Path) {
    let both = |fates: &[&str]| text(&["human", "agent"], fates);
    agent_writes(world, checkout, WORK, &both(&FATES[..5]));
    agent_writes(world, checkout, OLD, &both(&["renamed"]));
    agent_writes(world, checkout, BIG, &both(&["split"]));
}

fn commit_other(world: &World, text: &str) {
    world.write("project/other.txt", text);
    git(world, "commit -qam other");
}

type Operation = (&'static str, fn(&World));

const OPERATIONS: [Operation; 12] = [
    ("none", |world| agent(world, &world.project())),
    ("commit", |world| {
        agent(world, &world.project());
        git(world, "commit -qam agent");
    }),
    ("amend", |world| {
        commit_other(world, "y\n");
        agent(world, &world.project());
        git(world, "commit -qa --amend -m both");
    }),
    ("rebase", |world| {
        git(world, "checkout -qb feature");
        agent(world, &world.project());
        git(world, "commit -qam agent");
        git(world, "checkout -q main");
        commit_other(world, "y\n");
        git(world, "rebase -q main feature");
    }),
    ("interactive fixup", |world| {
        commit_other(world, "y\n");
        agent(world, &world.project());
        git(world, "commit -qa --fixup HEAD");
        git(world, "-c sequence.editor=true rebase -q -i --autosquash HEAD~2");
    }),
    ("squash merge", |world| {
        git(world, "checkout -qb feature");
        agent(world, &world.project());
        git(world, "commit -qam agent");
        commit_other(world, "y\n");
        git(world, "checkout -q main");
        git(world, "merge -q --squash feature");
        git(world, "commit -qm squashed");
    }),
    ("cherry-pick", |world| {
        git(world, "checkout -qb feature");
        agent(world, &world.project());
        git(world, "commit -qam agent");
        git(world, "checkout -q main");
        commit_other(world, "y\n");
        git(world, "cherry-pick feature");
    }),
    ("stash", |world| {
        agent(world, &world.project());
        git(world, "stash -q");
        commit_other(world, "y\n");
        git(world, "stash pop -q");
    }),
    ("pull --rebase", |world| {
        let at = world.folder();
        let run = |dir: &str, args: &[&str]| {
            let identity = ["-c", "user.name=Other", "-c", "user.email=other@example.invalid"];
            world.command("git", &at.join(dir)).args(identity).args(args).finish(world, b"").ok()
        };
        run(".", &["clone", "-q", "--bare", "project", "remote.git"]);
        run(".", &["clone", "-q", "remote.git", "colleague"]);
        world.write("colleague/other.txt", "y\n");
        run("colleague", &["commit", "-qam", "colleague"]);
        run("colleague", &["push", "-q", "origin", "main"]);
        agent(world, &world.project());
        git(world, "commit -qam agent");
        git(world, "remote add origin ../remote.git");
        git(world, "pull -q --rebase origin main");
    }),
    ("git mv", |world| {
        agent(world, &world.project());
        git(world, "commit -qam agent");
        git(world, "mv src lib");
        git(world, "commit -qm moved");
        git(world, "mv lib src2");
        git(world, "commit -qm again");
        // The fates below find the files where they look.
        git(world, "mv src2 src");
        git(world, "commit -qm back");
    }),
    ("worktree merge", |world| {
        git(world, "worktree add -q ../tree -b feature");
        agent(world, &world.folder().join("tree"));
        let tree = world.folder().join("tree");
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "commit", "-qam", "agent"];
        world.command("git", &tree).args(identity).finish(world, b"").ok();
        commit_other(world, "y\n");
        git(world, "merge -q --no-edit feature");
    }),
    ("reset --soft", |world| {
        agent(world, &world.project());
        git(world, "commit -qam agent");
        git(world, "reset -q --soft HEAD~1");
    }),
];

/// What a person does to the files.
fn suffer(world: &World) {
    let work = world.read(format!("project/{WORK}"));
    let cut = |text: &str, fate: &str| {
        let both = [function("human", fate), function("agent", fate)];
        (both.iter().fold(text.to_owned(), |text, own| text.replace(own, "")), both)
    };
    let (rest, moved) = cut(&work, "moved");
    let (rest, indented) = cut(&rest, "indented");
    let inner: String = indented.concat().lines().map(|line| format!("    {line}\n")).collect();
    let rest = rest.replace("_local_x", "_local_renamed");
    let all = format!("{}mod wrapper_of_both {{\n{inner}}}\n\n{rest}{}", moved[1], moved[0]);
    let file = world.write(format!("project/{WORK}"), all);
    let formatted = Command::new("rustfmt").args(["--edition", "2021"]).arg(&file).status().unwrap();
    assert!(formatted.success());
    std::fs::rename(world.project().join(OLD), world.project().join("src/new.rs")).unwrap();
    let big = world.read(format!("project/{BIG}"));
    let half = big.find("pub fn agent").unwrap();
    world.write(format!("project/{BIG}"), &big[..half]);
    world.write("project/src/part.rs", &big[half..]);
}

/// For each fate: how many of the agent's lines are known, of how many. Fails at a wrong answer.
fn count(world: &World, operation: &str) -> BTreeMap<&'static str, (usize, usize)> {
    let mut counts = BTreeMap::new();
    let mut files: Vec<String> = std::fs::read_dir(world.project().join("src"))
        .unwrap()
        .map(|entry| format!("src/{}", entry.unwrap().file_name().to_string_lossy()))
        .collect();
    files.sort();
    for file in files {
        let text = world.read(format!("project/{file}"));
        let answers = blame(world, &file);
        assert_eq!(text.lines().count(), answers.len());
        for (line, answer) in text.lines().zip(answers) {
            let class = answer["class"].as_str().unwrap();
            if line.contains("human_") {
                assert_eq!(class, "unknown", "{operation}: {file}: {line}: {answer}");
            }
            if let Some(fate) = FATES.into_iter().find(|fate| line.contains(&format!("agent_{fate}"))) {
                let (known, all) = counts.entry(fate).or_insert((0, 0));
                *all += 1;
                match class {
                    "agent" => *known += 1,
                    class => assert_eq!(class, "unknown", "{operation}: {file}: {line}: {answer}"),
                }
                assert!(class == "unknown" || answer["intent"] == "INT-7", "{answer}");
            }
        }
    }
    counts
}

#[test]
fn lines_survive_every_operation() {
    let mut table = String::from(
        "| operation | agent line | moved | re-indented | reformatted | renamed local | renamed file | split file |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut gaps = Vec::new();
    for (name, operate) in OPERATIONS {
        let world = start();
        operate(&world);
        suffer(&world);
        let open = count(&world, name);
        git(&world, "add -A src");
        git(&world, "commit -qm suffered");
        let committed = count(&world, name);
        let cell = |fate: &str| {
            let shown =
                |(known, all): (usize, usize)| if known == all { "yes".into() } else { format!("{known}/{all}") };
            let (open, committed): (String, String) = (shown(open[fate]), shown(committed[fate]));
            if open == committed { open } else { format!("{open}, committed {committed}") }
        };
        let cells: Vec<String> = FATES.iter().map(|fate| cell(fate)).collect();
        gaps.extend(
            cells
                .iter()
                .zip(FATES)
                .filter(|(cell, _)| *cell != "yes")
                .map(|(cell, fate)| format!("{name} {fate}: {cell}")),
        );
        table.push_str(&format!("| {name} | {} |\n", cells.join(" | ")));
    }
    let page = include_str!("../../../../../docs/ledger.md");
    assert!(page.contains(&table), "docs/ledger.md has another table than\n{table}\ngaps: {gaps:#?}");
}
