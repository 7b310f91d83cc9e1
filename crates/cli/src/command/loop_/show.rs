use clap::Args;
use serde_json::json;

use super::{Here, as_json, session_of};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Show a loop: its state, its session, its prompt
#[derive(Args)]
#[command(after_help = "Example:\n  stead loop show 20261115T194530Z-make-every-test-pass")]
pub(super) struct ShowArgs {
    /// The loop, or a unique part of its id
    id: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ShowArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let id = here.loops.find(&args.id)?;
    let file = here.loops.read(&id)?;
    let state = &file.state;
    let path = here.project.short(&here.loops.path(&id));
    if args.json {
        let mut value = as_json(state);
        value["prompt"] = json!(file.prompt());
        value["path"] = json!(path.to_string_lossy());
        ui.json(answer::LOOP, &value);
        return Ok(Exit::Done);
    }
    let row = |name: &str, text: String| format!("{name:<10}  {text}");
    let because = state.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    ui.line(row("loop", id));
    ui.line(row("status", format!("{}{because}", state.status)));
    ui.line(row("iteration", state.progress()));
    if state.max_minutes > 0 {
        ui.line(row("minutes", format!("{} of {}", state.counts.active_ms / 60_000, state.max_minutes)));
    }
    ui.line(row("session", session_of(state)));
    if let Some(lease) = &state.lease {
        ui.line(row("lease", format!("{} until {}", lease.started, lease.expires)));
    }
    ui.line(row("started by", state.started_by.to_string()));
    if !state.promises.is_empty() {
        ui.line(row("promise", state.promises.join(" or ")));
    }
    if let Some(verify) = &state.verify {
        ui.line(row("verify", verify.clone()));
    }
    if let Some(run) = &state.then_run {
        ui.line(row("then run", run.clone()));
    }
    if let Some(packet) = &state.source_packet_id {
        ui.line(row("packet", packet.clone()));
    }
    ui.line(row("file", path.display().to_string()));
    ui.line(format!("\n{}", file.prompt()));
    Ok(Exit::Done)
}
