use clap::Args;
use serde_json::json;
use stead_ledger::intent::{HistoryLine, past_sessions};

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ledger::ledger;
use crate::ui::Ui;

/// Show which sessions worked on an intent, newest first
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent history INT-001 --json")]
pub(super) struct HistoryArgs {
    id: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &HistoryArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.file()?.find(&args.id)?;
    let past = of(here, &args.id);
    if args.json {
        let list: Vec<_> = past
            .iter()
            .map(|one| {
                let files: Vec<_> =
                    one.files.iter().map(|(path, hash)| json!({"path": path, "content_hash": hash})).collect();
                json!({"session": one.session, "recorded_at": one.time, "outcome": one.outcome, "files": files})
            })
            .collect();
        ui.json(answer::INTENT_HISTORY, &json!({"id": args.id, "items": list}));
        return Ok(Exit::Done);
    }
    for one in &past {
        let files: Vec<&str> = one.files.iter().map(|(path, _)| path.as_str()).collect();
        ui.line(format!("{}  {}  {}: {}", one.time, one.session, one.outcome, files.join(", ")));
    }
    if past.is_empty() {
        ui.note(format!("no session has changed anything for {} yet", args.id));
    }
    Ok(Exit::Done)
}

/// The sessions that changed files for an intent.
pub(super) fn of(here: &Here, id: &str) -> Vec<HistoryLine> {
    past_sessions(&ledger(&here.project), id)
}
