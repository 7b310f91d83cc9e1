use clap::Args;
use stead_context::LoopLine;

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Show why each stop was blocked or allowed
#[derive(Args)]
#[command(after_help = "Examples:\n  stead loop log\n  stead loop log make-every-test-pass --last 100 --json")]
pub(super) struct LogArgs {
    /// Only this loop; a unique part of its id is enough
    id: Option<String>,
    /// How many lines, newest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    last: usize,
    /// Print the lines as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &LogArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let id = args.id.as_deref().map(|id| here.loops.find(id)).transpose()?;
    let mut lines: Vec<LoopLine> = LoopLine::newest(here.loops.indexes(), id.as_deref())?.take(args.last).collect();
    lines.reverse();
    if args.json {
        ui.json(answer::LOOP_LOG, &answer::records(&lines));
        return Ok(Exit::Done);
    }
    if lines.is_empty() {
        ui.note("nothing has happened to a loop yet");
    }
    for line in &lines {
        let iteration = line.iteration.map(|number| format!(" #{number}")).unwrap_or_default();
        let who = line.session.as_ref().map(|session| format!(" {session}")).unwrap_or_default();
        let why = if line.why.is_empty() { String::new() } else { format!(": {}", line.why) };
        ui.line(format!("{} {}{iteration} {}{who}{why}", line.ts, line.id, line.did));
    }
    Ok(Exit::Done)
}
