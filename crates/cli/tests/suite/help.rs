//! `--help` of every command: an example, every value said, and no wider than a terminal is.

use stead_testkit::World;

use crate::world::bare;

/// The commands below one, with its own words in front.
fn below(world: &World, words: &[String], see: &mut dyn FnMut(&[String], &str)) {
    let args: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
    let help = world.stead(&args).ok();
    see(words, &help);
    // The program's own commands are in groups, those of a command in one list.
    let (list, end) = if words.is_empty() { ("\nSet up (", "\nOptions:\n") } else { ("\nCommands:\n", "\n\n") };
    let commands = help.split(list).nth(1).unwrap_or_default().split(end).next().unwrap_or_default();
    for line in commands.lines() {
        // A long description goes on below its beginning.
        let Some(name) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) else { continue };
        let name = name.split_whitespace().next().unwrap_or_default();
        if name != "help" {
            let deeper: Vec<String> = words.iter().cloned().chain([name.to_owned()]).collect();
            below(world, &deeper, see);
        }
    }
}

#[test]
fn commands_are_listed_in_groups() {
    insta::assert_snapshot!("help", bare().stead(&["--help"]).ok());
}

#[test]
fn every_command_has_an_example() {
    let mut without = Vec::new();
    below(&bare(), &[], &mut |words, help| {
        let is_plain = help.contains("\nExample:\n") || help.contains("\nExamples:\n");
        if !is_plain && !words.is_empty() {
            without.push(words.join(" "));
        }
    });
    assert_eq!(without, [] as [String; 0]);
}

#[test]
fn help_fits_eighty_columns_where_no_width_is_known() {
    let (mut seen, mut wide) = (0, Vec::new());
    below(&bare(), &[], &mut |words, help| {
        seen += 1;
        let lines = help.lines().filter(|line| line.chars().count() > 80);
        wide.extend(lines.map(|line| format!("{}: {line}", words.join(" "))));
    });
    assert!(seen > 60, "{seen}");
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

#[test]
fn help_is_as_wide_as_the_terminal_and_a_hundred_at_most() {
    let mut world = bare();
    for (columns, most) in [("60", 60), ("90", 90), ("200", 100)] {
        world.set("COLUMNS", columns);
        let help = world.stead(&["guard", "--help"]).ok();
        let prose = help.split("\nUsage:").next().unwrap_or_default();
        let longest = prose.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(longest <= most && longest > most - 15, "{columns}: {longest}\n{help}");
    }
}

#[test]
#[cfg(unix)]
fn help_asks_the_terminal() {
    for (columns, most) in [("60", 60), ("80", 80), ("200", 100)] {
        let stead = env!("CARGO_BIN_EXE_stead");
        let run = bare().sh(&format!(
            "SHELL=/bin/sh script -qec 'stty cols {columns}; NO_COLOR=1 {stead} guard --help' /dev/null < /dev/null"
        ));
        let help = run.ok();
        let prose = help.split("Usage:").next().unwrap_or_default();
        let longest = prose.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or(0);
        assert!(longest <= most && longest > most - 15, "{columns}: {longest}\n{help}");
    }
}

#[test]
fn values_of_guard_commands_are_said() {
    below(&bare(), &[], &mut |words, help| {
        let Some(part) = help.split("\nArguments:\n").nth(1) else { return };
        let part = part.split("\n\nOptions:").next().unwrap_or_default();
        let own = ["guard", "agent", "config", "check", "explain", "allow", "appeal", "verify", "evidence", "logs"];
        if words.first().is_some_and(|first| own.contains(&first.as_str())) {
            for line in part.lines().filter(|line| line.starts_with("  ") && line.trim().ends_with(['>', ']', '.'])) {
                let is_bare = line.split_whitespace().count() == 1;
                let next = part.split(line).nth(1).and_then(|rest| rest.lines().nth(1)).unwrap_or_default();
                assert!(!is_bare || next.starts_with("      "), "{words:?}: {line}");
            }
        }
    });
}
