//! The look of a command: whatever Stead runs, it first sees whether somebody weakened it.

use stead_hook::{PolicyText, SealOutcome, SealedProject, Tampering, find_project};

use crate::project::{Project, env};
use crate::ui::Ui;

/// Looks, and lets the command announce what it writes. Outside a project there is nothing to look at.
pub(crate) fn look(ui: &mut Ui) {
    let Ok(dir) = ui.dir() else { return };
    let found = find_project(&dir, &env);
    if !found.is_marked() {
        return;
    }
    let policy = PolicyText::read(found.dir(), &env);
    let Some(sealed) = SealedProject::of(found.dir(), &policy, &env) else { return };
    sealed.announce();
    let (changes, problem) = sealed.look_for_command();
    for change in changes.iter().filter(|change| change.outcome != SealOutcome::TakenOver) {
        ui.note(sentence(change));
    }
    if let Some(problem) = problem {
        ui.note(format!("warning: {problem}"));
    }
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
