use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use stead_feature::{FeatureList, Form, import, merge, transact};
use stead_store::read_capped;

use super::Here;
use crate::answer;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::ui::{Ui, counted};

/// Import features from a list of another tool (a person's decision)
///
/// A second import updates what the first one added. What the other tool calls done becomes implemented, never tested,
/// and what is tested stays so.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead feature import feature_list.json\n  stead feature import PLAN.md --from markdown\n  bd list --json | stead feature import - --from beads"
)]
pub(super) struct ImportArgs {
    /// The file, or `-` for standard input
    file: PathBuf,
    /// Whose list it is; by default it is recognised
    #[arg(long, value_name = "FORM", value_parser = one_of(Form::ALL.iter().copied(), Form::word))]
    from: Option<Form>,
    /// Print what was done as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ImportArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.require_person("import features")?;
    let name = args.file.display();
    let bytes = match args.file.as_os_str() == "-" {
        true => {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut bytes)
                .map_err(|source| CliError::user("could not read standard input").because(source))?;
            bytes
        }
        false => read_capped(&ui.dir()?.join(&args.file), FeatureList::LIMIT)?
            .ok_or_else(|| CliError::not_found(format!("there is no file `{name}`")))?,
    };
    let text = String::from_utf8(bytes).map_err(|_| CliError::user(format!("`{name}` is not UTF-8")))?;
    let imported = import(&text, args.from)?;
    let merged = transact(&here.room, |opened| merge(opened.document_mut(&here.room), &imported))?;
    merged.notes.iter().for_each(|note| ui.warning(note));
    match args.json {
        true => ui.json(
            answer::FEATURE_IMPORT,
            &json!({"form": imported.form, "added": merged.added, "updated": merged.updated,
            "unchanged": merged.unchanged, "notes": merged.notes}),
        ),
        false => ui.line(format!(
            "{}: {} added, {} updated, {} unchanged",
            counted(imported.features.len(), "feature"),
            merged.added.len(),
            merged.updated.len(),
            merged.unchanged
        )),
    }
    Ok(Exit::Done)
}
