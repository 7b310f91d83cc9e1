use std::path::Path;

use clap::Args;
use serde_json::json;
use stead_ledger::intent::{Constraint, Intent, IntentIgnore, RequestState, Requests};

use super::{Here, as_json, others};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::ui::Ui;

/// List the intents and the open requests
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent list --json")]
pub(super) struct ListArgs {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

/// Show one intent
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent show INT-001")]
pub(super) struct ShowArgs {
    id: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Check the intents file, the ignore file and what they name
///
/// Exits with 1 if something is wrong. A file that cannot be read blocks all changes of agents.
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent check")]
pub(super) struct CheckArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn list(args: &ListArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let file = here.file()?;
    let open: Vec<_> =
        Requests::of_room(&here.room).all()?.into_iter().filter(|one| one.state == RequestState::Open).collect();
    let own = here.session().and_then(|(session, agent)| {
        stead_ledger::Selection::read(&here.project.indexes(), &session, agent).map(|selected| selected.intent)
    });
    if args.json {
        let intents: Vec<_> = file.intents.iter().map(as_json).collect();
        ui.json(answer::INTENT_LIST, &json!({"selected": own, "requests": answer::records(&open), "items": intents}));
        return Ok(Exit::Done);
    }
    for intent in &file.intents {
        let sign = if own.as_deref() == Some(intent.id.as_str()) { '*' } else { ' ' };
        ui.line(format!("{sign} {:<11}  {}  {}", intent.status.name(), intent.id, intent.name));
    }
    if file.intents.is_empty() {
        ui.note("no intents yet; a person adds one with `stead intent add`");
    }
    for request in open {
        let what = request.intent.map_or("a new intent".to_owned(), |id| format!("more scope for {id}"));
        ui.line(format!("? {}  asks for {what}: {}", request.id, request.text));
    }
    Ok(Exit::Done)
}

pub(super) fn show(args: &ShowArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let file = here.file()?;
    let intent = file.find(&args.id)?;
    let others = others::with_selection(here, &intent.id);
    if args.json {
        let mut value = as_json(intent);
        value["selected_by"] = json!(others);
        ui.json(answer::INTENT, &value);
        return Ok(Exit::Done);
    }
    ui.line(format!("{}  {}  {}", intent.id, intent.status.name(), intent.name));
    let mut lists: Vec<(&str, Vec<String>)> = vec![
        ("owns", intent.owned_scope.clone()),
        ("constraints", intent.constraints.iter().map(Constraint::shown).collect()),
        ("done when", intent.acceptance_criteria.iter().map(|one| one.shown()).collect()),
        ("commands", intent.commands.clone()),
        ("related", intent.related_files.clone()),
        (
            "selected by",
            others.iter().map(|one| format!("session {} since {}", one.session, one.selected_at)).collect(),
        ),
    ];
    if intent.needs_approval {
        lists.push(("approval", vec!["a person is asked about every change".to_owned()]));
    }
    if intent.exclusive {
        lists.push(("exclusive", vec!["one live session at a time".to_owned()]));
    }
    for (name, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
        ui.line(format!("\n{name}"));
        values.iter().for_each(|value| ui.line(format!("  {value}")));
    }
    Ok(Exit::Done)
}

pub(super) fn check(args: &CheckArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let mut errors = Vec::new();
    let mut notes = Vec::new();
    match here.file() {
        Ok(file) => {
            let guards = Guards::load(&here.project)?;
            for intent in &file.intents {
                look(intent, here.project.found.work(), &guards, &mut errors, &mut notes);
            }
        }
        Err(error) => errors.push(error.to_string()),
    }
    if let Err(fault) = IntentIgnore::read(&here.room) {
        let at = if fault.line == 0 { String::new() } else { format!(" line {}", fault.line) };
        errors.push(format!("`.intentignore`{at}: {}", fault.message));
    }
    match args.json {
        true => ui.json(answer::INTENT_LINT, &json!({"ok": errors.is_empty(), "errors": errors, "notes": notes})),
        false => {
            errors.iter().for_each(|error| ui.line(format!("error: {error}")));
            notes.iter().for_each(|note| ui.line(format!("note: {note}")));
            if errors.is_empty() {
                ui.line("the intents can be used");
            }
        }
    }
    Ok(if errors.is_empty() { Exit::Done } else { Exit::Failed })
}

fn look(intent: &Intent, root: &Path, guards: &Guards, errors: &mut Vec<String>, notes: &mut Vec<String>) {
    let id = &intent.id;
    for constraint in &intent.constraints {
        if let Constraint::Guard(guard) = constraint
            && guards.file_of(guard).is_none()
        {
            errors.push(format!("{id} (line {}): there is no guard `{guard}`", intent.line));
        }
    }
    if intent.owned_scope.is_empty() {
        notes.push(format!("{id} (line {}): it owns nothing, so it can change nothing", intent.line));
    }
    for file in intent.related_files.iter().filter(|file| !root.join(file).exists()) {
        notes.push(format!("{id} (line {}): related file `{file}` does not exist", intent.line));
    }
}
