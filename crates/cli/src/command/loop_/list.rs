use clap::Args;
use serde_json::{Value, json};
use stead_context::ActiveLoop;

use super::{Here, as_json, session_of};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// List the loops, newest first
#[derive(Args)]
#[command(after_help = "Example:\n  stead loop list --json")]
pub(super) struct ListArgs {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ListArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let ids = here.loops.ids()?;
    let active = ActiveLoop::read(here.loops.indexes())?;
    let loops: Vec<_> = ids.iter().map(|id| (id, here.loops.read(id))).collect();
    let broken = loops.iter().any(|(_, read)| read.is_err());
    let is_foreground = |id: &str| active.sessions().any(|(_, held)| held == id);
    if args.json {
        let list: Vec<Value> = loops
            .iter()
            .map(|(id, read)| match read {
                Ok(file) => {
                    let mut value = as_json(&file.state);
                    value["foreground"] = json!(is_foreground(id));
                    value
                }
                Err(error) => json!({"id": id, "error": error.to_string()}),
            })
            .collect();
        ui.json(answer::LOOP_LIST, &json!({"active": active.last(), "items": list}));
    } else {
        for (id, read) in &loops {
            match read {
                Ok(file) => {
                    let state = &file.state;
                    let sign = if is_foreground(id) { '*' } else { ' ' };
                    let reason = state.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
                    let (status, progress) = (state.status.name(), state.progress());
                    // The id comes late: it may be long, and a narrow terminal then wraps only what follows it.
                    ui.line(format!("{sign} {status:<9}  {progress:<8}  {id}  {}{reason}", session_of(state)));
                }
                Err(error) => ui.warning(error.to_string()),
            }
        }
        if loops.is_empty() {
            ui.note("no loops yet; start one with `stead loop start \"<prompt>\"`");
        }
    }
    Ok(if broken { Exit::Failed } else { Exit::Done })
}
