//! The look of a command: whatever Stead runs, it first sees whether somebody weakened it.

use std::path::Path;

use stead_client::Harness;
use stead_hook::{
    PolicyText, Removal, SealOutcome, SealedProject, StateOfProject, Tampering, find_project, sealed_marker,
};
use stead_store::Marker;
use stead_store::seal::OpenSession;

use crate::error::CliError;
use crate::person::is_person;
use crate::project::{Project, env};
use crate::ui::Ui;

/// Looks, and lets the command announce what it writes. Outside a project there is nothing to look at.
pub(crate) fn look(ui: &mut Ui) {
    let Ok(dir) = ui.dir() else { return };
    let found = find_project(&dir, &env);
    if !found.is_marked() {
        return forget_ended(found.dir());
    }
    if is_removed(found.dir(), ui) {
        return;
    }
    let policy = PolicyText::read(found.dir(), &env);
    let Some(sealed) = SealedProject::of(found.dir(), &policy, &env) else { return };
    sealed.announce();
    let (changes, problem) = sealed.look_for_command(&|| is_person(&Project::at(found.dir(), ui), ui));
    for change in changes.iter().filter(|change| change.outcome != SealOutcome::TakenOver) {
        ui.note(sentence(change));
    }
    if let Some(problem) = problem {
        ui.note(format!("warning: {problem}"));
    }
}

/// Forgets a project that a person ended, once its folder is deleted as well.
fn forget_ended(root: &Path) {
    if let Some(state) = StateOfProject::of(root, &env).filter(StateOfProject::is_over) {
        let _ = state.forget();
    }
}

/// Forgets a project whose folder a person deleted, and says so. Returns true if there is no project any more.
fn is_removed(root: &Path, ui: &mut Ui) -> bool {
    let removal = Removal::of(root, &env);
    if removal == Removal::None || !is_person(&Project::at(root, ui), ui) {
        return false;
    }
    match removal {
        Removal::ByPerson => {
            let is_forgotten = StateOfProject::of(root, &env).is_some_and(|state| state.forget().is_ok());
            if is_forgotten {
                ui.note(
                    "note: `.agent` was deleted while no agent was at work, so nothing is in force here any more; `stead \
                     uninstall` removes the hooks, `stead init` sets the project up again",
                );
            }
            is_forgotten
        }
        Removal::Unknown { open } => {
            ui.warning(format!("{}; {UNINSTALL}", deleted_by_whom(&open)));
            false
        }
        Removal::None => false,
    }
}

/// Refuses to set a project up in a folder where a former one is still in force.
pub(crate) fn refuse_former(root: &Path) -> Result<(), CliError> {
    if Marker::path(root).exists() || sealed_marker(root, &env).is_none() {
        return Ok(());
    }
    let message = "the project here is still in force although its marker is gone, so no new one can be set up";
    Err(CliError::user(message)
        .hinted("`stead seal` shows what waits for you; run `stead uninstall` to end the project"))
}

/// What a person does who deleted a project on purpose.
const UNINSTALL: &str = "run `stead uninstall` if you deleted it yourself";

fn deleted_by_whom(open: &[OpenSession]) -> String {
    let who = match open.first() {
        Some(one) => format!("session `{}` of {} has not ended", one.session, client_title(&one.harness)),
        None => "an agent may have been at work".to_owned(),
    };
    format!("`.agent` was deleted, and {who}, so what was sealed stays in force")
}

/// A client's name for people.
pub(crate) fn client_title(name: &str) -> &str {
    Harness::from_name(name).map_or(name, |harness| harness.client().facts.title)
}

/// Does something with the seals of a project; `None` without a state folder.
pub(crate) fn with<T>(project: &Project, does: impl FnOnce(&SealedProject<'_>) -> T) -> Option<T> {
    let policy = PolicyText::read(project.root(), &env);
    SealedProject::of(project.root(), &policy, &env).map(|sealed| does(&sealed))
}

/// A change in one sentence, with what to do.
pub(crate) fn sentence(change: &Tampering) -> String {
    let next = match change.outcome {
        SealOutcome::InForce | SealOutcome::PutBack => format!("; `stead seal diff {}` shows the change", change.id),
        SealOutcome::TakenOver | SealOutcome::Lost | SealOutcome::Accepted => String::new(),
    };
    format!("{}: {}{next}", change.shown(), change.why)
}
