//! Whether programs are what their names say: files that are read into the shell, texts that nobody knows, variables.

use std::path::Path;

use stead_model::{Print, RunOutput};

use crate::parse;
use crate::parse::syntax::{
    Assignment, Command, Group, GroupKind, Item, Output, Part, Redirect, Script, Simple, Value, Word, mark,
};
use crate::walk::program::readable;
use crate::walk::{Call, Stop, Walk};

/// How far a file is known that is read into the shell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// What it does to programs is what everybody's does.
    Known,
    /// It is known as far as it could be followed.
    Followed,
    Unknown,
}

/// Files below the home folder that installers write for shells to read, and those that a login shell reads anyway.
const HOME_FILES: &[&str] = &[
    ".cargo/env", ".local/bin/env", ".nvm/nvm.sh", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zprofile",
    ".zshenv",
];

/// Folders of a project into which its package managers put tools.
pub const TOOL_FOLDERS: &[&str] =
    &["node_modules/.bin", "vendor/bin", ".venv/bin", "venv/bin", "env/bin", ".venv/Scripts"];

/// Folders that only an administrator writes.
const SYSTEM: &[&str] = &["/etc", "/opt", "/usr", "/nix"];

/// Programs that print how to set up a shell.
const SETUP: &[&str] = &[
    "asdf", "brew", "conda", "direnv", "fnm", "goenv", "jenv", "mamba", "micromamba", "mise", "nodenv", "opam",
    "pyenv", "rbenv", "ssh-agent",
];

/// The longest printed text that is kept.
const PRINTED: usize = 4_096;

impl Walk<'_> {
    /// Says how far a file is known that is read into the shell.
    pub(crate) fn trust(&self, word: &str, text: Option<&str>) -> Trust {
        let Some(path) = self.paths(word).into_iter().next().flatten() else { return Trust::Unknown };
        if self.written(word).is_some() {
            return if text.is_some() { Trust::Followed } else { Trust::Unknown };
        }
        let inside = self.root().is_some_and(|root| path.starts_with(root));
        let below_home = self.home().and_then(|home| path.strip_prefix(home).ok()).filter(|_| !inside);
        let nvm = self.value("NVM_DIR").first().is_some_and(|dir| !inside && path == Path::new(dir).join("nvm.sh"));
        if nvm || below_home.is_some_and(|file| HOME_FILES.iter().any(|known| file == Path::new(known))) {
            return Trust::Known;
        }
        match text {
            Some(text) if path.file_name().is_some_and(|name| name == "activate") && is_activation(&path, text) => {
                Trust::Known
            }
            Some(_) => Trust::Followed,
            None if SYSTEM.iter().any(|folder| path.starts_with(folder)) && !self.is_near(&path) => Trust::Known,
            None => Trust::Unknown,
        }
    }

    /// Notes that a file nobody knows was read into the shell.
    pub(crate) fn doubt_source(&mut self, word: &str) {
        self.doubts.push(format!("`{}` was sourced before it and is not known", readable(word)));
    }

    /// Notes that a program of the project or a temporary one starts what comes next, whatever its name.
    pub(crate) fn doubt_file(&mut self, call: &Call<'_>) {
        let Some(first) = call.argv.first().filter(|first| first.contains('/')) else { return };
        let path = self.paths(first).into_iter().next().flatten();
        let is_tool = |path: &Path| {
            let inside = self.root().and_then(|root| path.strip_prefix(root).ok()).and_then(Path::parent);
            inside.is_some_and(|folder| TOOL_FOLDERS.iter().any(|known| folder.ends_with(known)))
        };
        if path.is_none_or(|path| self.is_near(&path) && !is_tool(&path)) {
            self.doubts.push(format!("`{}` started it and is not known", readable(first)));
        }
    }

    /// Runs a text in the shell itself. An unknown part of it may redefine programs.
    pub(crate) fn eval(&mut self, text: &str) -> Result<(), Stop> {
        let setup = self.captured.as_deref().is_some_and(|program| SETUP.contains(&program));
        if text.contains(mark::UNKNOWN) && !setup {
            self.doubts.push("`eval` ran a text before it that is not known".to_owned());
        }
        let output = self.outcome.output;
        if setup {
            self.outcome.output = RunOutput::Elsewhere;
        }
        let result = self.text(text);
        self.outcome.output = output;
        result
    }

    /// Carries out `set`; what `set -a` has exported stays so.
    pub(crate) fn set_options(&mut self, argv: &[String]) {
        let before = self.outcome.exports_all;
        self.outcome.set(argv);
        if before && !self.outcome.exports_all {
            let names = self.variables.iter().map(|(name, _)| name.clone()).filter(|name| is_name(name));
            self.exported.extend(names.collect::<Vec<_>>());
        }
    }

    /// Notes what the shell itself prints into the call's output. What holds no digit counts nothing.
    pub(crate) fn shows(&mut self, text: Option<&str>) {
        let text = text.unwrap_or("…");
        if self.outcome.output == RunOutput::Shown
            && text.contains(|c: char| c.is_ascii_digit() || mark::is_mark(c) || c == '…')
        {
            let text = readable(text).chars().take(PRINTED).collect();
            self.report.record.push_print(Print { by: self.run, text });
        }
    }

    /// The variables that this command changes for the program at hand.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let mut env: Vec<(String, String)> = Vec::new();
        let set = self.variables.iter().rev().map(|(name, _)| name).filter(|name| is_name(name));
        for name in set {
            let inborn = || (self.place.env)(name).is_some();
            if env.iter().any(|(known, _)| known == name)
                || !(self.outcome.exports_all || self.exported.contains(name) || inborn())
            {
                continue;
            }
            let value = match self.bound(name).as_deref() {
                Some([value]) => readable(value),
                Some(values) if name == "PATH" => readable(&values.join(":")),
                _ => "…".to_owned(),
            };
            env.push((name.clone(), value));
        }
        env.sort();
        env
    }
}

/// Says whether this is a variable's name rather than a place among the words of a function.
fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name != "BASH_SOURCE"
}

/// Says whether a script does what the `activate` of a Python environment does and nothing else: put the environment's
/// own folder first on PATH, keep what was there before, and say so in the prompt.
fn is_activation(path: &Path, text: &str) -> bool {
    let folder = path.parent().and_then(Path::parent);
    let (Some(folder), Ok(reading)) = (folder.and_then(Path::to_str), parse::parse(text, 0)) else { return false };
    let activation = Activation { folder };
    reading.whole && !reading.torn && text.contains("VIRTUAL_ENV") && activation.may_run(&reading.script)
}

/// The programs that such a script runs.
const RUNS: &[&str] = &[
    "basename", "cygpath", "deactivate", "dirname", "echo", "exit", "let", "realpath", "true", "uname", "unset",
    "wslpath",
];

/// The variables that it sets, apart from those in which it keeps what was there before.
const SETS: &[&str] = &[
    "CURRENT_DIR", "CURRENT_PATH", "PATH", "PKG_CONFIG_PATH", "PS1", "PYTHONHOME", "SCRIPT_PATH", "TCL_LIBRARY",
    "TK_LIBRARY", "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT",
];

struct Activation<'a> {
    /// The environment.
    folder: &'a str,
}

impl Activation<'_> {
    fn may_run(&self, script: &Script) -> bool {
        script.0.iter().flat_map(|item| &item.pipeline).all(|command| match command {
            Command::Simple(simple) => self.may_do(simple),
            Command::Group(Group { kind, body, redirects }) => {
                let known = match kind {
                    GroupKind::Function { name } => matches!(name.as_str(), "deactivate" | "pydoc"),
                    GroupKind::For { .. } | GroupKind::Loop => false,
                    GroupKind::Brace | GroupKind::Not | GroupKind::Subshell | GroupKind::Maybe | GroupKind::Arm(_) => {
                        true
                    }
                };
                known && redirects.iter().all(is_quiet) && self.may_run(body)
            }
        })
    }

    fn may_do(&self, simple: &Simple) -> bool {
        let Simple { assignments, words, redirects } = simple;
        let plain: Vec<&str> = words.iter().map(|word| word.plain().unwrap_or_default()).collect();
        let known = match plain.as_slice() {
            [] => true,
            ["export", names @ ..] => names.iter().all(|name| may_set(name)),
            ["hash", "-r"] | ["command", "-v", _] | ["alias" | "unalias", "pydoc"] | ["python", "-m", "pydoc", _] => {
                true
            }
            // A test that runs as a substitution and prints nothing.
            [""] => matches!(words[0].0.as_slice(), [Part::Substitution { script, .. }] if asks_for_program(script)),
            [name, ..] => RUNS.contains(name) || !name.is_empty() && name.chars().all(|c| c == mark::BRACKET),
        };
        known
            && redirects.iter().all(is_quiet)
            && words.iter().all(|word| self.may_expand(word))
            && assignments.iter().all(|assignment| self.may_assign(assignment))
    }

    fn may_assign(&self, assignment: &Assignment) -> bool {
        let Value::One(value) = &assignment.value else { return false };
        may_set(&assignment.name)
            && !assignment.adds
            && self.may_expand(value)
            && match assignment.name.as_str() {
                "PATH" => self.leads_home(value),
                "VIRTUAL_ENV" => {
                    value.plain() == Some(self.folder) || matches!(value.0.as_slice(), [Part::Substitution { .. }])
                }
                _ => true,
            }
    }

    /// `$VIRTUAL_ENV/bin:$PATH`, or what PATH was before.
    fn leads_home(&self, value: &Word) -> bool {
        let (mut names, mut text) = (Vec::new(), String::new());
        for part in &value.0 {
            match part {
                Part::Text(piece) => text.push_str(piece),
                Part::Variable { name, .. } => names.push(name.as_str()),
                _ => return false,
            }
        }
        match names.as_slice() {
            ["_OLD_VIRTUAL_PATH"] => text.is_empty(),
            ["VIRTUAL_ENV", "PATH"] => matches!(text.as_str(), "/bin:" | "/Scripts:"),
            _ => false,
        }
    }

    fn may_expand(&self, word: &Word) -> bool {
        word.0.iter().all(|part| match part {
            Part::Substitution { script, .. } => self.may_run(script),
            Part::Variable { instead: Some((_, word)), .. } => self.may_expand(word),
            Part::Altered { operand, .. } => self.may_expand(operand),
            Part::Process(_) | Part::Arithmetic(_) => false,
            Part::Text(_) | Part::Variable { instead: None, .. } | Part::Unknown => true,
        })
    }
}

/// `command -v name`, whose output goes nowhere.
fn asks_for_program(script: &Script) -> bool {
    match script.0.as_slice() {
        [Item { pipeline, .. }] => match pipeline.as_slice() {
            [Command::Simple(Simple { words, redirects, .. })] => {
                words.first().and_then(Word::plain) == Some("command")
                    && matches!(redirects.as_slice(), [Redirect::Write { kind: Output::Replace, .. }])
            }
            _ => false,
        },
        _ => false,
    }
}

fn may_set(name: &str) -> bool {
    name.starts_with("_OLD_") || SETS.contains(&name)
}

fn is_quiet(redirect: &Redirect) -> bool {
    matches!(redirect, Redirect::Write { target, .. } if target.plain() == Some("/dev/null"))
}
