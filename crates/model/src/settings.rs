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

crate::named! {
    /// How a client's settings file is written.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Syntax {
        /// JSON, with comments if the person wrote some.
        Json = "json",
        Toml = "toml",
    }
}

crate::named! {
    /// How a client's settings file holds hook lines.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Shape {
        /// JSON with comments: `{"hooks": {Event: [{"matcher", "hooks": [{…}]}]}}`.
        Groups = "groups",
        /// As [`Shape::Groups`], but the event map is the whole document.
        BareGroups = "bare-groups",
        /// JSON with comments: `{"version": 1, "hooks": {event: [{…}]}}`.
        Flat = "flat",
        /// TOML: `[[hooks.Event]]` with `[[hooks.Event.hooks]]`.
        TomlGroups = "toml-groups",
        /// TOML: `[[hooks]]`, one table a line.
        TomlList = "toml-list",
        /// A text file that is ours as a whole.
        Whole = "whole",
    }
}
