use clap::Args;
use serde_json::json;
use stead_memory::{LEAST_COUNT, LEAST_SESSIONS};

use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::patterns::{HistoryProgress, extraction};
use crate::project::Project;
use crate::ui::Ui;

/// List what went wrong at least three times, in at least two sessions
///
/// Patterns are found in the whole recorded history: what guards matched, what people corrected, and what was denied and
/// then done in another way. Each lists its evidence; `stead memory propose ID` drafts what to do about it.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead memory patterns\n  stead memory patterns --json")]
pub(super) struct PatternsArgs {
    /// Print the patterns as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PatternsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let mut progress = HistoryProgress::new();
    let found = extraction(&project, &guards, &mut |reading| progress.show(reading, ui))?;
    drop(progress);
    if args.json {
        ui.json(&json!({"items": found.patterns}));
        return Ok(Exit::Done);
    }
    for pattern in &found.patterns {
        ui.line(format!(
            "{}  {:<10}  proposes {:<6}  {}",
            pattern.id,
            pattern.kind.name(),
            pattern.proposes.name(),
            pattern.summary
        ));
        ui.line(format!("            evidence: {}", pattern.evidence.join(", ")));
    }
    if found.patterns.is_empty() {
        ui.line(format!("No patterns: nothing went wrong {LEAST_COUNT} times in {LEAST_SESSIONS} sessions."));
    }
    Ok(Exit::Done)
}
