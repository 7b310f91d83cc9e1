//! What intents cost before a tool: the same calls in a project without intents, and in one with many of them, one of
//! which is selected.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::bench::callgrind;
use crate::bench::contestant::{self, Answer, Contestant};
use crate::bench::ground::{Ground, Keep, Project, fixture};
use crate::bench::report::Target;
use crate::program;

const INTENTS: usize = 50;
const PATTERNS: usize = 20;

/// The most that a call may cost with intents, compared with the same call without.
const MOST: f64 = 1.1;

/// The calls that are compared: a file tool, a command that changes a file, one that runs tests, and one that reads.
const EDIT: &str = "an edit";
const COMMANDS: [&str; 3] = ["sed -i s/a/b/ src/part25/file3.rs", "cargo test -p parser", "git status"];

pub(super) fn targets(ground: &Ground) -> Result<Vec<Target>> {
    let without = project(ground, "no-intents", false)?;
    let with = project(ground, "intents", true)?;
    let mut targets = Vec::new();
    for name in [EDIT].into_iter().chain(COMMANDS) {
        let cost = |project: &Project| -> Result<u64> {
            let call = if name == EDIT { edit(ground, project)? } else { shell(ground, project, "shell", name) };
            // The first call compiles the caches.
            call.prove()?;
            callgrind::count(&call, &ground.folder)
        };
        let (plain, judged) = (cost(&without)?, cost(&with)?);
        let figure = judged as f64 / plain as f64;
        let says = format!(
            "before `{name}` with {INTENTS} intents x {PATTERNS} patterns: {judged} instructions, {figure:.2}x of {plain} \
             without (at most {MOST}x)"
        );
        targets.push(Target { says, figure, most: MOST });
    }
    Ok(targets)
}

fn project(ground: &Ground, name: &str, has_intents: bool) -> Result<Project> {
    let project = Project::make(&ground.stead, &ground.folder, name, Keep::Nothing)?;
    let folder = project.folder.join("src/part25");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("file3.rs"), "fn a() {}\n").context("cannot write a source file")?;
    if has_intents {
        let mut text = String::from("active_intents:\n");
        for intent in 0..INTENTS {
            let _ = writeln!(text, "  - id: INT-{intent:03}\n    name: Part {intent}\n    status: IN_PROGRESS");
            text.push_str("    owned_scope:\n");
            for pattern in 0..PATTERNS {
                let _ = writeln!(text, "      - src/part{intent}/file{pattern}.rs");
            }
        }
        let room = project.folder.join(".agent/intents");
        fs::create_dir_all(&room)?;
        fs::write(room.join("active_intents.yaml"), text).context("cannot write intents")?;
        crate::bench::ground::settle();
        select(ground, &project)?;
    }
    Ok(project)
}

/// Selects an intent as an agent does: the hook sees the command, and the command runs.
fn select(ground: &Ground, project: &Project) -> Result<()> {
    const WORDS: [&str; 3] = ["intent", "select", "INT-025"];
    let command = format!("stead {}", WORDS.join(" "));
    shell(ground, project, "select", &command).prove()?;
    let mut run = Command::new(&ground.stead);
    run.args(WORDS).current_dir(&project.folder).env("HOME", ground.home());
    program::read(&mut run).map(drop)
}

fn shell(ground: &Ground, project: &Project, name: &str, command: &str) -> Contestant {
    Contestant { payload: project.payload(command), ..contestant::stead(ground, name, project, Answer::Silence) }
}

fn edit(ground: &Ground, project: &Project) -> Result<Contestant> {
    let mut payload = fixture("claude/PreToolUse.Edit")?;
    payload["cwd"] = project.folder.to_string_lossy().into();
    payload["tool_input"]["file_path"] = project.folder.join("src/part25/file3.rs").to_string_lossy().into();
    Ok(Contestant { payload: payload.to_string(), ..contestant::stead(ground, EDIT, project, Answer::Silence) })
}
