//! The page about what turns hooks off is what the tables say.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use stead_client::{Harness, VARIABLES, VariableSwitch};
use stead_model::{Base, Spot};

const HEAD: &str = "# What turns hooks off

Stead's rules hold in an agent program because its hooks call Stead. This page lists what turns those hooks off in each
program, or starts it without them, and where that is documented. An agent may do none of it: self-protection denies the
command, the change of the file, and the variable. A person may do all of it.

The tables are those that Stead uses (`crates/client/src/<name>/switches.rs` and the `watch` of its settings files); a test
compares this page with them, and another one sends each row through the hook of each program. \"Read in the program\"
means that the published program was searched for it.

Not covered: a program that is started in a folder without Stead's hooks and edits files elsewhere, a program under another
name that Stead cannot know (a copy made in an earlier call; Cursor's program is also installed as `agent`, which is too
common a name), arguments that are known only at run time (`claude $FLAGS`), and what a person types in the program itself.
Gemini CLI and Qwen Code also load the first `.env` in the folder they start in or above it, and in the person's home. Agents
write that file all day, so it is not watched; what it sets counts only for variables that are not set, and from the next start on.

## Variables

These decide for every program whether Stead runs and what it reads. A settings file may not set, change or remove them, and
a command may not set or remove them for an agent program or for `stead` that it starts (`HOME=/tmp/x claude`,
`env -i stead`). More folders at the end of `PATH` are allowed.

";

fn page() -> String {
    let mut page = HEAD.to_owned();
    variables(&mut page, VARIABLES);
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        let _ = write!(page, "\n## {}\n\nChecked with: {}.\n", facts.title, facts.checked);
        let switches = &facts.switches;
        let programs: Vec<String> = switches.programs.iter().map(|name| format!("`{name}`")).collect();
        let _ = write!(page, "Started as: {}.\n\n", programs.join(", "));
        if switches.commands.is_empty() {
            page.push_str("No command line of it is known to turn hooks off.\n\n");
        } else {
            page.push_str("| denied | because | allowed | source |\n|---|---|---|---|\n");
            for command in switches.commands {
                let _ = writeln!(
                    page,
                    "| `{}` | {} | `{}` | {} |",
                    command.denied, command.does, command.passes, command.source
                );
            }
            page.push('\n');
        }
        variables(&mut page, switches.variables);
        page.push_str("\n| file | rule |\n|---|---|\n");
        for file in facts.settings {
            let watched: Vec<String> = file.watch.split_whitespace().map(clause).collect();
            let watched = if watched.is_empty() { String::new() } else { format!("; {}", watched.join(", ")) };
            let _ = writeln!(page, "| {} | keeps Stead's lines{watched} |", shown(file.spot));
        }
        for file in switches.files {
            let _ = writeln!(page, "| {} | {}: not changed by agents ({}) |", shown(file.spot), file.what, file.source);
        }
    }
    page
}

fn variables(page: &mut String, variables: &[VariableSwitch]) {
    page.push_str("| variable | what it does | source |\n|---|---|---|\n");
    for variable in variables {
        let _ = writeln!(page, "| `{}` | {} | {} |", variable.name, variable.does, variable.source);
    }
}

/// Describes a clause.
fn clause(clause: &str) -> String {
    match clause.split_once(':') {
        Some(("off", rest)) => format!("not `{rest}`"),
        Some(("same", rest)) => format!("`{rest}` stays"),
        Some(("trust", rest)) => format!("`{rest}` is not lost"),
        Some(("env", rest)) => format!("no such variable in `{rest}`"),
        Some(("only", rest)) => format!("only known keys in `{}`", rest.split('=').next().unwrap_or_default()),
        _ => "lines keep their positions".to_owned(),
    }
}

fn shown(spot: Spot<'_>) -> String {
    let path = spot.path;
    match spot.base {
        Base::Project => format!("`{path}`"),
        Base::Home => format!("`~/{path}`"),
        Base::Var { fallback, .. } if fallback.starts_with('/') => format!("`{fallback}/{path}`"),
        Base::Var { name, fallback: "" } => format!("`~/{path}` (`{name}`)"),
        Base::Var { name, fallback } => format!("`~/{fallback}/{path}` (`{name}`)"),
    }
}

#[test]
fn the_page_lists_every_switch() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/switches.md");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|mode| mode == "always") {
        fs::write(&file, page()).unwrap();
    }
    assert!(
        fs::read_to_string(&file).unwrap_or_default() == page(),
        "docs/switches.md is not what the tables say; run this test with INSTA_UPDATE=always"
    );
}

#[test]
fn every_client_says_what_turns_it_off_and_where_that_is_documented() {
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        let switches = &facts.switches;
        assert!(switches.programs.contains(&facts.program), "{harness}");
        assert!(!switches.variables.is_empty(), "{harness}");
        for command in switches.commands {
            assert!(!command.source.is_empty() && command.does.starts_with("it"), "{harness}: {}", command.words);
            assert!(command.denied.starts_with(facts.program), "{harness}: {}", command.denied);
            assert!(command.passes.starts_with(facts.program), "{harness}: {}", command.passes);
        }
        // A variable that moves a settings file is a switch.
        let files = facts.settings.iter().map(|file| file.spot).chain(switches.files.iter().map(|file| file.spot));
        for spot in files {
            let Base::Var { name, .. } = spot.base else { continue };
            let is_known = |variable: &VariableSwitch| stead_model::is_variable(variable.name, name);
            let known = VARIABLES.iter().chain(switches.variables).any(is_known);
            assert!(known || name.is_empty(), "{harness}: `{name}` moves `{}`", spot.path);
        }
        for name in facts.project_vars {
            assert!(switches.variables.iter().any(|variable| variable.name == *name), "{harness}: `{name}`");
        }
    }
}
