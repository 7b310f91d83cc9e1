//! What the installing commands work on: the project, this program, and the undo records.

use std::fs;
use std::path::PathBuf;

use stead_client::Harness;
use stead_install::{InstallError, Reach, Site, UndoRecord, named};
use stead_model::clean;
use stead_store::{Layout, Room, UserDirs};

use crate::error::CliError;
use crate::error_code::Coded;
use crate::project::{Project, env};
use crate::ui::Ui;

pub(crate) struct Here {
    pub(crate) project: Project,
    program: PathBuf,
}

impl Here {
    pub(crate) fn find(ui: &Ui) -> Result<Self, CliError> {
        Ok(Self { project: Project::find(ui)?, program: program()? })
    }

    /// The folder the command works in, as a project of its own.
    pub(crate) fn exactly(ui: &Ui) -> Result<Self, CliError> {
        Ok(Self { project: Project::exactly(&clean(&ui.dir()?), ui), program: program()? })
    }

    pub(crate) fn site(&self) -> Site<'_> {
        Site { root: self.project.root(), program: &self.program, env: &env }
    }

    /// The undo record of the project or of the user.
    pub(crate) fn record(&self, reach: Reach) -> Result<PathBuf, CliError> {
        match reach {
            Reach::Project => {
                let context = Layout::of(&self.project.config).dir(self.project.root(), Room::Context);
                Ok(context.join("indexes").join(UndoRecord::FILE))
            }
            Reach::User => {
                match UserDirs::from_env(&env) {
                    Some(dirs) => Ok(dirs.state.join(UndoRecord::FILE)),
                    None => Err(CliError::user("no home folder to store the undo record in")
                        .hinted("set HOME or XDG_STATE_HOME")),
                }
            }
        }
    }
}

/// This program by a stable path: its location on PATH rather than the target of a link.
fn program() -> Result<PathBuf, CliError> {
    let program = std::env::current_exe()
        .map_err(|source| CliError::internal("cannot tell where this program is").because(source))?;
    let real = fs::canonicalize(&program).unwrap_or_else(|_| program.clone());
    let on_path = env("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>())
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(format!("stead{}", std::env::consts::EXE_SUFFIX)))
        .find(|file| fs::canonicalize(file).is_ok_and(|file| file == real));
    Ok(on_path.unwrap_or(program))
}

/// Parses `--harness a,b`.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<Harness>, CliError> {
    Ok(named(names.iter().map(String::as_str))?)
}

impl From<InstallError> for CliError {
    fn from(error: InstallError) -> Self {
        let hint = error.hint();
        let (message, code) = (error.to_string(), error.code());
        let told = match error {
            InstallError::UnknownHarness { .. } => Self::usage(message),
            InstallError::Store(source) => return source.into(),
            InstallError::RecordUnwritten { source } => Self::user(message).because(source),
            InstallError::RecordCorrupt { .. } | InstallError::RecordNewer { .. } => Self::user(message),
        };
        told.coded(code).hinted_if(hint)
    }
}
