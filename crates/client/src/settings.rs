//! The settings files of a client, and how Stead's lines look there.

use serde_json::{Value, json};
use stead_model::{Base, Shape, Spot};

/// A settings file that the client reads.
pub struct SettingsFile {
    pub spot: Spot<'static>,
    pub shape: Shape,
    /// What an edit may not do, as clauses separated by spaces:
    /// `off:/pointer=value` a switch that turns hooks off, `same:/pointer` a value that must not change,
    /// `trust:/pointer` what the client keeps of the person's trust, which must not get lost,
    /// `only:/pointer=key,key` the only keys that the client accepts there,
    /// `env:/pointer` variables for hooks and commands, of which some may not change,
    /// `still:lines` Stead's lines stay at their positions.
    /// `*` in a pointer stands for any key, `{here}` for any path that concerns this project's hooks.
    pub watch: &'static str,
}

/// Names a settings file in a table.
pub(crate) const fn file(spot: Spot<'static>, shape: Shape, watch: &'static str) -> SettingsFile {
    SettingsFile { spot, shape, watch }
}

/// A path below the project root.
pub(crate) const fn project(path: &'static str) -> Spot<'static> {
    Spot { base: Base::Project, path }
}

/// A path below the person's home.
pub(crate) const fn home(path: &'static str) -> Spot<'static> {
    Spot { base: Base::Home, path }
}

/// A path below the folder that a variable names; if it is unset, below `fallback` in the person's home.
pub(crate) const fn below(name: &'static str, fallback: &'static str, path: &'static str) -> Spot<'static> {
    Spot { base: Base::Var { name, fallback }, path }
}

/// A path below a folder of the machine.
pub(crate) const fn system(folder: &'static str, path: &'static str) -> Spot<'static> {
    Spot { base: Base::Var { name: "", fallback: folder }, path }
}

/// How Stead's lines are written to a client's settings.
pub struct Install {
    pub shape: Shape,
    /// Below the project root; shared with the team.
    pub project: Option<&'static str>,
    /// Below the project root; not shared.
    pub local: Option<&'static str>,
    pub user: Spot<'static>,
    pub lines: &'static [Line],
    /// Builds the entry for one line. If a shape has no groups, the entry also contains event and matcher, if the
    /// client needs them.
    pub entry: fn(line: &Line, command: &str, scope: Scope) -> Value,
    /// The whole file, for [`Shape::Whole`]; `{stead}` stands for the program to call. It is inside a JSON string and
    /// is escaped as such.
    pub whole: Option<&'static str>,
    /// What a person must confirm in the client before the lines run.
    pub confirm: &'static str,
}

/// One hook line: an event, its matcher, and its time limit in seconds.
pub struct Line {
    pub event: &'static str,
    pub matcher: Option<&'static str>,
    pub timeout: u32,
}

/// Names a line in a table.
pub(crate) const fn line(event: &'static str) -> Line {
    Line { event, matcher: None, timeout: 10 }
}

/// The line for a stop, at which a loop's check may run.
pub(crate) const fn stop(event: &'static str) -> Line {
    Line { timeout: 600, ..line(event) }
}

impl Line {
    /// For clients that require a matcher for every tool.
    pub(crate) const fn any(self) -> Self {
        Self { matcher: Some("*"), ..self }
    }
}

/// The entry that most clients use.
pub(crate) fn command_entry(line: &Line, command: &str, _: Scope) -> Value {
    json!({"type": "command", "command": command, "timeout": line.timeout})
}

/// Whose settings a line goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Shared with teammates who may not have Stead.
    Project,
    /// Shared, and required: a missing Stead blocks if the client supports that.
    ProjectStrict,
    /// This checkout only.
    Local,
    /// This checkout only, without a trace in its repository: the client's own local file, else one that git does not see.
    Personal,
    /// Every project of this person.
    User,
}

impl Scope {
    /// Returns true if a broken or missing Stead may block the client.
    pub fn is_strict(self) -> bool {
        self != Self::Project
    }
}
