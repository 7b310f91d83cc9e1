//! The project a command works in: its root, its settings, and what is wrong with them. It never decides what to do about
//! it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use stead_store::{Config, Found, Layer, Problem, StoreError, find_root};

use crate::error::CliError;
use crate::ui::Ui;

pub(crate) struct Project {
    pub(crate) found: Found,
    pub(crate) config: Config,
    pub(crate) problems: Vec<Problem>,
}

impl Project {
    /// Finds the project around the folder the command works in. A wrong `--config` is an error; what is wrong in files
    /// is kept, for [`Self::warn`].
    pub(crate) fn find(ui: &Ui) -> Result<Self, CliError> {
        let found = find_root(&ui.dir()?);
        let (config, problems) = Config::load(Some(found.dir()), &env, &ui.global.config);
        match problems.iter().find(|problem| problem.origin.layer == Layer::Flag) {
            Some(problem) => Err(of_problem(problem)),
            None => Ok(Self { found, config, problems }),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        self.found.dir()
    }

    /// Tells the person what is wrong with the settings.
    pub(crate) fn warn(&self, ui: &mut Ui) {
        for problem in &self.problems {
            ui.warning(problem.to_string());
            if let Some(hint) = &problem.hint {
                ui.note(format!("hint: {hint}"));
            }
        }
    }

    /// Names a file of the project the short way.
    pub(crate) fn short(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.root()).ok().filter(|inside| inside.starts_with(".agent")).unwrap_or(path).to_owned()
    }
}

/// The environment as the rooms ask for it.
pub(crate) fn env(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The present moment as files hold it.
pub(crate) fn now() -> String {
    let millis = UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis());
    stead_model::rfc3339(i64::try_from(millis).unwrap_or(i64::MAX))
}

fn of_problem(problem: &Problem) -> CliError {
    let error = CliError::usage(problem.to_string());
    match &problem.hint {
        Some(hint) => error.hinted(hint),
        None => error,
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        let hint = error.hint();
        let message = error.to_string();
        let told = match error {
            StoreError::Io { source, .. } => Self::user(message).because(source),
            StoreError::ConfigSyntax { .. } | StoreError::NotATable { .. } => Self::config(message),
            StoreError::UnknownKey { .. } | StoreError::WrongValue { .. } | StoreError::UnknownSchema { .. } => {
                Self::usage(message)
            }
            _ => Self::user(message),
        };
        match hint {
            Some(hint) => told.hinted(hint),
            None => told,
        }
    }
}
