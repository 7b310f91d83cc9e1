use clap::Args;
use serde_json::json;
use stead_feature::{BY_PERSON, Members, VERIFIERS_BY, transact};

use super::add::Fields;
use super::{Here, is_worked_on};
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Change the fields of a feature (a person's decision)
///
/// A list replaces the earlier one. How far a feature is cannot be edited; `report`, `block` and `unblock` change that.
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature edit login --file 'src/login/**' --file 'tests/login.rs'")]
pub(super) struct EditArgs {
    id: String,
    /// What it is, in a few words
    #[arg(long)]
    title: Option<String>,
    #[command(flatten)]
    fields: Fields,
    /// Remove a field, such as `depends_on`; can be repeated
    #[arg(long, value_name = "FIELD", value_parser = [
        "description", "steps", "category", "labels", "priority", "depends_on", "files", "verifiers", "ui", "intent",
        "timeout_seconds",
    ])]
    remove: Vec<String>,
    /// Print the feature as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: EditArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.require_person("edit a feature")?;
    let mut members: Members = args.fields.members().into_iter().map(|(name, value)| (name, Some(value))).collect();
    let new = members.iter().find(|(name, _)| name == "verifiers").and_then(|(_, new)| new.clone());
    members.extend(args.title.map(|title| ("title".to_owned(), Some(json!(title)))));
    for name in args.remove {
        if members.iter().any(|(given, _)| *given == name) {
            return Err(CliError::usage(format!("`{name}` cannot be set and removed")));
        }
        members.push((name, None));
    }
    if members.is_empty() {
        return Err(CliError::usage("nothing to change").hinted("give a field, such as `--title`"));
    }
    let is_worked_on = is_worked_on(here)?;
    transact(&here.room, |opened| {
        let document = opened.require(&here.room)?;
        if let Some(new) = new {
            // A person who repeats what an agent wrote makes it their own; else nothing has to be said about it.
            let is_repeated = json!(document.feature(&args.id)?.verifiers) == new;
            let author = (is_repeated || is_worked_on).then(|| json!(BY_PERSON));
            members.push((VERIFIERS_BY.to_owned(), author));
        }
        document.edit(&[], &[(args.id.clone(), members)])
    })?;
    here.tell(&args.id, args.json, ui)
}
