use std::path::{Path, PathBuf};

use serde_json::Value;
use stead_client::{Harness, Scope};
use stead_model::Shape;
use stead_settings::{Finding, NewLine, findings, insert, our_lines, our_program, replace_old};

use crate::hook_command::{line_command, named_program, whole_program};
use crate::layer::{layers, read_text};
use crate::{Reach, Site};

/// What would be done.
#[derive(Debug, Default)]
pub struct Plan {
    pub edits: Vec<FileEdit>,
    pub notes: Vec<Note>,
}

impl Plan {
    /// Appends another plan to this one.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.edits.extend(other.edits);
        self.notes.extend(other.notes);
        self
    }

    /// Leaves out the edits of files that must not change, with a note for each. A client whose hooks are left out needs
    /// nothing to be confirmed.
    #[must_use]
    pub fn except(mut self, is_kept: impl Fn(&Path) -> bool, why: &'static str) -> Self {
        let (kept, edits): (Vec<FileEdit>, Vec<FileEdit>) =
            self.edits.into_iter().partition(|edit| is_kept(&edit.path));
        self.edits = edits;
        let has_no_hooks = |harness| kept.iter().any(|edit| edit.shape.is_some() && edit.harness == harness);
        self.notes.retain(|note| !matches!(note, Note::Confirm { harness, .. } if has_no_hooks(*harness)));
        self.notes.extend(kept.into_iter().map(|edit| Note::Kept { harness: edit.harness, path: edit.path, why }));
        self
    }

    /// Returns true if the plan already changes a file.
    pub(crate) fn has(&self, path: &Path) -> bool {
        let is_noted = |note: &Note| matches!(note, Note::Bad { path: noted, .. } | Note::Kept { path: noted, .. } if noted == path);
        self.edits.iter().any(|edit| edit.path == path) || self.notes.iter().any(is_noted)
    }
}

/// A change of one file from one content to another; `None` means no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    pub harness: Harness,
    pub path: PathBuf,
    /// How the file holds hooks; `None` for a text that holds none.
    pub shape: Option<Shape>,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Folders that Stead created and removes with the file if they are empty, innermost first.
    pub folders: Vec<PathBuf>,
    /// The edit removes lines, so the file no longer needs to be recorded.
    pub is_removal: bool,
}

/// Something a person should know about a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A file that was skipped because it cannot be edited safely.
    Bad { harness: Harness, path: PathBuf, why: String },
    /// A client without a settings file for this scope.
    Skipped { harness: Harness, why: String },
    /// Everything is already there.
    Current { harness: Harness, path: PathBuf },
    /// Something in an existing file, and whether the plan repairs it.
    Found { harness: Harness, path: PathBuf, finding: Finding, is_replaced: bool },
    /// What a person must confirm in the client.
    Confirm { harness: Harness, what: &'static str },
    /// A client has Stead's commands, or will.
    Commands { harness: Harness },
    /// A client has Stead's agents, or will.
    Agents { harness: Harness },
    /// A client without commands or agents in this scope.
    NoCommands { harness: Harness, why: String },
    /// A client whose MCP servers cannot be edited in this scope.
    NoServer { harness: Harness, why: String },
    /// A client that gets no status line.
    NoStatusLine { harness: Harness, why: String },
    /// A file of a command or an agent that does not, or no longer, belong to Stead.
    Kept { harness: Harness, path: PathBuf, why: &'static str },
}

impl Note {
    pub fn harness(&self) -> Harness {
        match self {
            Self::Bad { harness, .. }
            | Self::Skipped { harness, .. }
            | Self::Current { harness, .. }
            | Self::Found { harness, .. }
            | Self::Confirm { harness, .. }
            | Self::Commands { harness }
            | Self::Agents { harness }
            | Self::NoCommands { harness, .. }
            | Self::NoServer { harness, .. }
            | Self::NoStatusLine { harness, .. }
            | Self::Kept { harness, .. } => *harness,
        }
    }

    /// Describes the note, with files named as the site names them.
    pub fn words(&self, site: &Site<'_>) -> String {
        match self {
            Self::Bad { path, why, .. } => format!("`{}` was skipped: {why}", site.brief(path)),
            Self::Skipped { harness, why } => format!("{} is skipped: {why}", harness.client().facts.title),
            Self::Current { path, .. } => format!("`{}` already has Stead's lines", site.brief(path)),
            Self::Found { path, finding, is_replaced, .. } => {
                let done = if *is_replaced { " (replaced)" } else { " (`--replace-old` repairs it)" };
                let done = if *finding == Finding::Wrapped { "" } else { done };
                format!("in `{}`: {finding}{done}", site.brief(path))
            }
            Self::Confirm { harness, what } => format!("{}: {what}", harness.client().facts.title),
            Self::Commands { harness } => {
                let facts = &harness.client().facts;
                let typed = |name| facts.commands.typed.replace("{name}", name);
                format!("{}: new commands, such as `{}` and `{}`", facts.title, typed("handoff"), typed("pickup"))
            }
            Self::Agents { harness } => {
                let facts = &harness.client().facts;
                let typed = facts.commands.typed.replace("{name}", "orchestrate");
                let accept = if facts.agents.asks_first { "accept them when it asks, then " } else { "" };
                format!(
                    "{}: agents `initializer-agent`, `coding-agent`, `tester-agent`; {accept}type `{typed}` to use them",
                    facts.title
                )
            }
            Self::NoCommands { harness, why } => format!("{}: {why}", harness.client().facts.title),
            Self::NoServer { harness, why } => {
                format!("{}: the MCP server is not registered: {why}", harness.client().facts.title)
            }
            Self::NoStatusLine { harness, why } => {
                format!("{}: no status line is installed: {why}", harness.client().facts.title)
            }
            Self::Kept { path, why, .. } => format!("`{}` was skipped: {why}", site.brief(path)),
        }
    }
}

/// What to do with hooks that are broken or that Stead replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Old {
    Keep,
    Replace,
}

/// Plans the lines of the given clients in one scope. A file that cannot be edited becomes a note; the others continue.
pub fn plan(site: &Site<'_>, harnesses: &[Harness], scope: Scope, old: Old) -> Plan {
    let mut draft = Draft { plan: Plan::default() };
    for &harness in harnesses {
        let reach = Reach::of(scope);
        for layer in layers(site, harness, reach) {
            draft.look_back(harness, &layer.path, layer.shape, old);
        }
        match target(site, harness, scope) {
            Ok(path) => draft.add_lines(site, harness, &path, scope),
            Err(why) => draft.plan.notes.push(Note::Skipped { harness, why }),
        }
    }
    draft.finish()
}

/// The settings file for a client's lines.
fn target(site: &Site<'_>, harness: Harness, scope: Scope) -> Result<PathBuf, String> {
    let install = &harness.client().facts.install;
    match scope {
        Scope::Personal if install.local.is_some() => target(site, harness, Scope::Local),
        Scope::Project | Scope::ProjectStrict | Scope::Personal => match install.project {
            Some(path) => Ok(site.root.join(path)),
            None => Err("it reads hooks only from the user's settings; install with `--user`".to_owned()),
        },
        Scope::Local => {
            match install.local {
                Some(path) => Ok(site.root.join(path)),
                None => Err("it has no settings file for this checkout only; install for the project or with `--user`"
                    .to_owned()),
            }
        }
        Scope::User => site.resolve(install.user).ok_or_else(|| "no home folder ($HOME is not set)".to_owned()),
    }
}

/// A plan under construction: a file may be changed more than once.
struct Draft {
    plan: Plan,
}

impl Draft {
    /// Returns the text as it will be after the edits so far.
    fn text(&mut self, harness: Harness, path: &Path, shape: Shape) -> Option<&mut FileEdit> {
        if let Some(index) = self.plan.edits.iter().position(|edit| edit.path == path) {
            return self.plan.edits.get_mut(index);
        }
        if self.is_bad(path) {
            return None;
        }
        match read_text(path) {
            Ok(before) => {
                let after = before.clone();
                let path = path.to_owned();
                self.plan.edits.push(FileEdit {
                    harness,
                    path,
                    shape: Some(shape),
                    before,
                    after,
                    folders: Vec::new(),
                    is_removal: false,
                });
                self.plan.edits.last_mut()
            }
            Err(why) => {
                self.plan.notes.push(Note::Bad { harness, path: path.to_owned(), why });
                None
            }
        }
    }

    fn is_bad(&self, path: &Path) -> bool {
        self.plan.notes.iter().any(|note| matches!(note, Note::Bad { path: bad, .. } if bad == path))
    }

    fn look_back(&mut self, harness: Harness, path: &Path, shape: Shape, old: Old) {
        let Some(edit) = self.text(harness, path, shape) else {
            return;
        };
        let Some(text) = edit.after.clone() else {
            return;
        };
        let found = findings(shape, &text);
        let replaced = match old {
            Old::Replace => replace_old(shape, &text).ok().flatten(),
            Old::Keep => None,
        };
        let is_replaced = replaced.is_some();
        if is_replaced {
            edit.after = replaced;
        }
        let notes = found.into_iter().map(|finding| Note::Found {
            harness,
            path: path.to_owned(),
            is_replaced: is_replaced && finding != Finding::Wrapped,
            finding,
        });
        self.plan.notes.extend(notes);
    }

    fn add_lines(&mut self, site: &Site<'_>, harness: Harness, path: &Path, scope: Scope) {
        let install = &harness.client().facts.install;
        let Some(edit) = self.text(harness, path, install.shape) else {
            return;
        };
        let is_there = edit.before.is_some();
        let kept = edit.after.as_deref().and_then(|text| working_program(install.shape, text, harness));
        let program = kept.as_deref().unwrap_or(site.program);
        match insert(install.shape, edit.after.as_deref(), &new_lines(harness, scope, program)) {
            Ok(text) => edit.after = Some(text),
            Err(error) => {
                edit.after.clone_from(&edit.before);
                let why = error.to_string();
                self.plan.notes.push(Note::Bad { harness, path: path.to_owned(), why });
                return;
            }
        }
        if is_there && edit.after == edit.before {
            self.plan.notes.push(Note::Current { harness, path: path.to_owned() });
        }
        self.plan.notes.push(Note::Confirm { harness, what: install.confirm });
    }

    fn finish(mut self) -> Plan {
        self.plan.edits.retain(|edit| edit.after != edit.before);
        self.plan
    }
}

/// The program that our lines name by its path, if it is still there. Such lines stay as they are: some clients trust a
/// line by its text and silently skip a changed one.
fn working_program(shape: Shape, text: &str, harness: Harness) -> Option<PathBuf> {
    let program = match shape {
        Shape::Whole => PathBuf::from(named_program(text)?),
        _ => {
            let lines = our_lines(shape, text).ok()?;
            let own = lines.iter().filter(|line| line.harness == harness.name());
            let mut programs = own.filter_map(|line| our_program(line.command()?));
            PathBuf::from(programs.next()?)
        }
    };
    (program.is_absolute() && program.is_file()).then_some(program)
}

/// Builds the lines of a client as its settings need them.
pub(crate) fn new_lines(harness: Harness, scope: Scope, program: &Path) -> Vec<NewLine<'static>> {
    let install = &harness.client().facts.install;
    if let Some(whole) = install.whole {
        let text = whole.replace("{stead}", &whole_program(scope, program));
        return vec![NewLine { event: "", matcher: None, entry: Value::String(text) }];
    }
    let lines = install.lines.iter();
    lines
        .map(|line| {
            let command = line_command(harness, line.event, scope, program);
            NewLine { event: line.event, matcher: line.matcher, entry: (install.entry)(line, &command, scope) }
        })
        .collect()
}
