use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use stead_context::slug;

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::ui::{Ui, counted};

/// Read traces that somebody else exported
///
/// They are kept apart and shown as foreign. Importing a file again adds only what is new. Only a person may do this.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead memory import ann.jsonl\n  stead memory import traces.jsonl --from ann")]
pub(crate) struct ImportArgs {
    /// A file of JSON lines, as `stead memory export` writes it
    file: PathBuf,
    /// Whose they are; by default the name of the file
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ImportArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    refuse_agents("import traces", Whose::Project, &here.project)?;
    let stem = args.file.file_stem().map(|stem| slug(&stem.to_string_lossy())).unwrap_or_default();
    let writer = args.from.clone().unwrap_or(stem);
    let done = here.memory.import(&ui.dir()?.join(&args.file), &writer)?;
    if args.json {
        ui.json(
            answer::MEMORY_IMPORT,
            &json!({
                "from": writer,
                "added": done.added,
                "updated": done.updated,
                "known": done.known,
                "skipped": done.skipped,
            }),
        );
        return Ok(Exit::Done);
    }
    let added = counted(done.added, "trace");
    ui.line(format!("added {added} of `{writer}`; {} updated, {} known already", done.updated, done.known));
    if done.skipped > 0 {
        ui.warning(format!("{} could not be read as a trace", counted(done.skipped, "line")));
    }
    Ok(Exit::Done)
}
