//! Whether a folder is one that a person would make a project: not the home folder, and in a git repository. Whoever means
//! another one says so.

use std::path::Path;

use stead_store::{Found, holds_home};

use crate::error::CliError;
use crate::project::{Project, env};
use crate::ui::Ui;

/// Who can answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answerer {
    Person,
    Nobody,
    /// Nothing is going to be written.
    DryRun,
}

/// Returns false if a person does not want a project here after all. A project that exists is not asked about.
pub(crate) fn settle_place(project: &Project, answerer: Answerer, ui: &mut Ui) -> Result<bool, CliError> {
    let root = project.root();
    if project.found.is_marked() {
        return Ok(true);
    }
    if holds_home(root, &env) {
        return settle_home(root, answerer, ui);
    }
    if matches!(project.found, Found::Bare { .. }) {
        ui.warning(format!(
            "`{}` is in no git repository, so Stead does not notice changes that no tool call names, `stead why` knows no \
             history, and branches of runs share the folder",
            root.display()
        ));
        return Ok(answerer != Answerer::Person || ui.confirm("Set it up without git?"));
    }
    Ok(true)
}

fn settle_home(root: &Path, answerer: Answerer, ui: &mut Ui) -> Result<bool, CliError> {
    let what = format!("`{}` is your home folder, or contains it", root.display());
    const SO: &str = "as a project, its guards and records would be those of every folder below that is no project itself, and \
                      its hooks would be called in all your projects";
    match answerer {
        Answerer::Nobody => Err(CliError::user(format!("{what}; {SO}")).hinted(
            "`stead init --user` adds hooks for all your projects; `--here` makes this folder one all the same",
        )),
        Answerer::DryRun => {
            ui.warning(format!("{what}; {SO}"));
            Ok(true)
        }
        Answerer::Person => {
            ui.warning(format!("{what}; {SO}. `stead init --user` adds hooks for all your projects"));
            Ok(ui.confirm("Make it a project all the same?"))
        }
    }
}
