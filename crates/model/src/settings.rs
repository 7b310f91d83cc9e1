/// Where a file lies, without knowing this machine: resolved when somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot<'a> {
    pub base: Base<'a>,
    /// Relative to the base, with forward slashes. A `*` stands for any text within one component.
    pub path: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base<'a> {
    /// The project root.
    Project,
    /// The person's home folder.
    Home,
    /// The folder that an environment variable names, else `fallback`, which is below home unless it is absolute.
    Var { name: &'a str, fallback: &'a str },
}

/// How a client's settings file holds hook lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// JSON with comments: `{"hooks": {Event: [{"matcher", "hooks": [{…}]}]}}`.
    Groups,
    /// As [`Shape::Groups`], but the event map is the whole document.
    BareGroups,
    /// JSON with comments: `{"version": 1, "hooks": {event: [{…}]}}`.
    Flat,
    /// TOML: `[[hooks.Event]]` with `[[hooks.Event.hooks]]`.
    TomlGroups,
    /// TOML: `[[hooks]]`, one table a line.
    TomlList,
    /// A text file that is ours as a whole.
    Whole,
}

impl Shape {
    pub const ALL: [Self; 6] =
        [Self::Groups, Self::BareGroups, Self::Flat, Self::TomlGroups, Self::TomlList, Self::Whole];

    /// Names the shape as it stands in the compiled policy.
    pub fn name(self) -> &'static str {
        match self {
            Self::Groups => "groups",
            Self::BareGroups => "bare-groups",
            Self::Flat => "flat",
            Self::TomlGroups => "toml-groups",
            Self::TomlList => "toml-list",
            Self::Whole => "whole",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name() == name)
    }
}
