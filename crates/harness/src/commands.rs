use stead_model::{Base, Spot};

/// How a client takes commands that a person can type, and where it looks for them.
pub struct Commands {
    pub format: CommandFormat,
    /// Below the project root, with forward slashes; `{name}` stands for the command's name.
    pub project: &'static str,
    /// The same for every project of one person.
    pub user: Spot<'static>,
    /// What a person types, with `{name}`.
    pub typed: &'static str,
    /// What the client replaces by the text behind the command; `None` where it hands that text over by itself.
    pub arguments: Option<&'static str>,
}

/// What a file with a command looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandFormat {
    /// Markdown below a head with these keys; without any there is no head.
    Markdown(&'static [CommandKey]),
    /// TOML with `description` and `prompt`.
    Toml,
    /// A folder with a `SKILL.md`.
    Skill,
}

/// A key that a client reads in the head of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKey {
    Description,
    ArgumentHint,
    /// The calls that need no further permission while the command is at work.
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
        // Some replace a placeholder and some would show it.
        arguments: None,
    }
}
