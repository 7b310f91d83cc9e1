use stead_model::{Base, Spot};

/// How a client supports commands that a person can type, and where it looks for them.
pub struct Commands {
    pub format: CommandFormat,
    /// Below the project root, with forward slashes; `{name}` stands for the command's name.
    pub project: &'static str,
    /// The same for every project of one person.
    pub user: Spot<'static>,
    /// What a person types, with `{name}`.
    pub typed: &'static str,
    /// What the client replaces with the text after the command; `None` if it passes that text on by itself.
    pub arguments: Option<&'static str>,
    /// Commands with the same purpose that people wrote before Stead had its own, next to its own at user level.
    pub older: &'static [&'static str],
}

/// What a file with a command looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandFormat {
    /// Markdown below front matter with these keys; without keys there is no front matter.
    Markdown(&'static [CommandKey]),
    /// TOML with `description` and `prompt`.
    Toml,
    /// A folder with a `SKILL.md`.
    Skill,
}

/// A key that a client reads in the front matter of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKey {
    Description,
    ArgumentHint,
    /// The calls that need no further permission while the command runs.
    AllowedTools,
}

/// The one folder for skills that several clients read, so that one copy serves them all.
pub(crate) const fn shared_skill(typed: &'static str) -> Commands {
    const PATH: &str = ".agents/skills/stead-{name}/SKILL.md";
    Commands {
        format: CommandFormat::Skill,
        project: PATH,
        user: Spot { base: Base::Home, path: PATH },
        typed,
        // Some clients replace a placeholder, others would show it.
        arguments: None,
        older: &[],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::Harness;

    #[test]
    fn every_place_and_name_tells_the_commands_apart() {
        let mut formats = BTreeMap::new();
        for harness in Harness::ALL {
            let commands = &harness.client().facts.commands;
            for text in [commands.project, commands.user.path, commands.typed] {
                assert_eq!(text.matches("{name}").count(), 1, "{harness}: {text}");
                assert!(text.contains("stead"), "{harness}: {text}");
            }
            assert_ne!(commands.user.base, Base::Project, "{harness}");
            // Clients that share a file must agree about what stands in it.
            let form = (commands.format, commands.arguments);
            assert_eq!(*formats.entry(commands.project).or_insert(form), form, "{harness}");
        }
        // Several share one file.
        assert!(formats.len() < Harness::ALL.len());
    }
}
