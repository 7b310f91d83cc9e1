//! The commands in groups, as `stead --help` lists them.

use clap::Command;

/// A group: its title, an example, and its commands.
struct Group {
    title: &'static str,
    example: &'static str,
    commands: &'static [&'static str],
}

const fn group(title: &'static str, example: &'static str, commands: &'static [&'static str]) -> Group {
    Group { title, example, commands }
}

/// Every command is in one of them; a test checks that.
const GROUPS: &[Group] = &[
    group(
        "Set up",
        "stead init",
        &[
            "init", "uninstall", "demo", "doctor", "trust", "config", "migrate", "agents", "mcp", "model",
            "completions", "man",
        ],
    ),
    group(
        "Work",
        "stead handoff \"finish the login page\"",
        &[
            "handoff", "pickup", "packet", "note", "loop", "intent", "feature", "verify", "evidence", "role", "agent",
            "lesson", "memory", "reflect", "files", "context",
        ],
    ),
    group("Guard", "stead check 'git push --force'", &["guard", "check", "explain", "allow", "appeal", "seal"]),
    group(
        "Run",
        "stead run stage work auth",
        &[
            "run", "runs", "wait", "tail", "stop", "report", "orchestrate", "test", "dry-run", "lint", "stage",
            "pipeline",
        ],
    ),
    group(
        "Look",
        "stead why src/main.rs:12",
        &[
            "status", "log", "why", "blame", "where-is", "trace", "logs", "stats", "where", "schema", "statusline",
            "hook",
        ],
    ),
];

/// The column at which descriptions start.
const COLUMN: usize = 16;

/// Lets a command list its own commands in groups.
pub(crate) fn grouped(command: Command, width: usize) -> Command {
    let text = listing(&command, width);
    command
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}Options:\n{{options}}{{after-help}}"
        ))
        .after_help("`stead help COMMAND` shows what a command takes, with examples.\nStart with `stead demo`, then `stead init`.")
}

fn listing(command: &Command, width: usize) -> String {
    let mut text = String::new();
    for Group { title, example, commands } in GROUPS {
        text.push_str(&format!("{title} (such as `{example}`):\n"));
        for name in *commands {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            text.push_str(&row(name, &about.unwrap_or_default(), width));
        }
        text.push('\n');
    }
    text
}

/// A name and its description, continued below itself.
fn row(name: &str, about: &str, width: usize) -> String {
    let mut text = format!("  {name:<0$}", COLUMN - 2);
    let mut used = COLUMN;
    for (at, word) in about.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && used + 1 + length > width.max(COLUMN + 20) {
            text.push_str(&format!("\n{:COLUMN$}", ""));
            used = COLUMN;
        } else if at > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let command = crate::cli::command();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
    }

    #[test]
    fn every_example_is_a_command_line() {
        for Group { example, .. } in GROUPS {
            let words = example.split(['\'', '"']).enumerate().flat_map(|(at, part)| match at % 2 {
                0 => part.split_whitespace().collect::<Vec<_>>(),
                _ => vec![part],
            });
            let parsed = crate::cli::command().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{example}: {parsed:?}");
        }
    }

    #[test]
    fn a_long_description_goes_on_below_itself() {
        assert_eq!(row("lint", "Check stages", 80), "  lint          Check stages\n");
        let expected = "  lint          one two three four five\n                six\n";
        assert_eq!(row("lint", "one two three four five six", 40), expected);
    }
}
