//! The project a command works in: its root, its settings, and their problems. It never decides what to do about them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use stead_context::{ContextError, Folders, is_project_path};
use stead_hook::{find_project, sealed_configs};
use stead_model::clean;
use stead_store::{Config, Found, Layer, Layout, Problem, Room, StoreError, UserDirs, find_root};

use crate::error::{CliError, Code};
use crate::error_code::Coded;
use crate::session::Caller;
use crate::trusting::note_arrival;
use crate::ui::Ui;

pub(crate) struct Project {
    pub(crate) found: Found,
    pub(crate) config: Config,
    pub(crate) problems: Vec<Problem>,
    pub(crate) caller: Caller,
}

impl Project {
    /// Finds the project around the folder the command works in. A wrong `--config` is an error; problems in files are
    /// kept for [`Self::warn`].
    pub(crate) fn find(ui: &Ui) -> Result<Self, CliError> {
        let found = find_project(&ui.dir()?, &env);
        let sealed = sealed_configs(found.dir(), &env);
        let (config, problems) = Config::load_sealed(Some(found.dir()), &env, &ui.global.config, &sealed);
        confine_rooms(found.dir(), &config);
        if found.is_marked() {
            note_arrival(found.dir());
        }
        match problems.iter().find(|problem| problem.origin.layer == Layer::Flag) {
            Some(problem) => Err(CliError::usage(problem.to_string()).hinted_if(problem.hint.as_deref())),
            None => Ok(Self { found, config, problems, caller: ui.caller.clone() }),
        }
    }

    /// The project at exactly this folder.
    pub(crate) fn at(root: &Path, ui: &Ui) -> Self {
        let (config, problems) = Config::load(Some(root), &env, &ui.global.config);
        Self { found: find_project(root, &env), config, problems, caller: ui.caller.clone() }
    }

    /// The project at exactly this folder, even inside another one.
    pub(crate) fn exactly(dir: &Path, ui: &Ui) -> Self {
        let found = match find_root(dir) {
            found if found.dir() == dir => found,
            _ => Found::Bare { dir: dir.to_owned() },
        };
        Self { found, ..Self::at(dir, ui) }
    }

    pub(crate) fn root(&self) -> &Path {
        self.found.dir()
    }

    /// Fails in a folder that is not a project.
    pub(crate) fn require_marker(&self) -> Result<(), CliError> {
        if self.found.is_marked() {
            return Ok(());
        }
        let message = format!("`{}` is not a project yet", self.root().display());
        Err(CliError::user(message).coded(Code::NotSetUp).hinted("run `stead init` first"))
    }

    /// The folder of the context room.
    pub(crate) fn context(&self) -> PathBuf {
        Layout::of(&self.config).dir(self.root(), Room::Context)
    }

    /// The project as its rooms see it; `context` is [`Self::context`].
    pub(crate) fn folders<'a>(&'a self, context: &'a Path) -> Folders<'a> {
        Folders { root: self.root(), context }
    }

    /// The folder of the project's indexes.
    pub(crate) fn indexes(&self) -> PathBuf {
        Layout::of(&self.config).dir(self.root(), Room::Context).join("indexes")
    }

    /// Warns about problems in the settings.
    pub(crate) fn warn(&self, ui: &mut Ui) {
        for problem in &self.problems {
            ui.warning(problem.to_string());
            if let Some(hint) = &problem.hint {
                ui.note(format!("hint: {hint}"));
            }
        }
    }

    /// Shortens the path of a project file.
    pub(crate) fn short(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.root()).ok().filter(|inside| inside.starts_with(".agent")).unwrap_or(path).to_owned()
    }
}

/// Keeps what commands write below the project's rooms inside the project.
fn confine_rooms(root: &Path, config: &Config) {
    Layout::of(config).confine(root);
}

/// The environment as the rooms ask for it.
pub(crate) fn env(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The folders of the person, for all projects.
pub(crate) fn user_dirs() -> Result<UserDirs, CliError> {
    let none = || CliError::user("there is no home folder").hinted("set `HOME` to an absolute path");
    UserDirs::from_env(&env).ok_or_else(none)
}

/// The current time as files store it.
pub(crate) fn now() -> String {
    stead_model::rfc3339(now_millis())
}

/// The current time in milliseconds since 1970.
pub(crate) fn now_millis() -> i64 {
    let millis = UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis());
    i64::try_from(millis).unwrap_or(i64::MAX)
}

/// Converts a path typed in `dir` to one below the project root, with forward slashes.
pub(crate) fn project_path(project: &Project, dir: &Path, typed: &str) -> Result<String, CliError> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let absolute = clean(&dir.join(typed));
    let below = absolute.strip_prefix(project.root()).ok().map(Path::to_owned);
    // The root may be spelled through a link.
    let below =
        below.or_else(|| clean(&real(dir).join(typed)).strip_prefix(real(project.root())).ok().map(Path::to_owned));
    let path = below.map(|below| below.to_string_lossy().replace('\\', "/")).unwrap_or_default();
    match is_project_path(&path) && !project.folders(&project.context()).is_own(&path) {
        true => Ok(path),
        false => Err(ContextError::OutsideProject { path: typed.to_owned() }.into()),
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let hint = error.hint();
        let (message, code) = (error.to_string(), error.code());
        let told = match error {
            StoreError::Io { source, .. } => Self::user(message).because(source),
            StoreError::ConfigSyntax { .. } | StoreError::NotATable { .. } => Self::config(message),
            StoreError::UnknownKey { .. } | StoreError::WrongValue { .. } | StoreError::UnknownSchema { .. } => {
                Self::usage(message)
            }
            _ => Self::user(message),
        };
        told.coded(code).hinted_if(hint)
    }
}

impl From<ContextError> for CliError {
    fn from(error: ContextError) -> Self {
        let hint = error.hint();
        let (message, code) = (error.to_string(), error.code());
        let told = match error {
            ContextError::Store(source) => return source.into(),
            ContextError::RoleName { .. } => Self::usage(message),
            _ => Self::user(message),
        };
        told.coded(code).hinted_if(hint)
    }
}
