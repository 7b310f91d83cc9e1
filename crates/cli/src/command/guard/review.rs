use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};
use stead_hook::HitLine;
use stead_store::Lines;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::patterns::versions;
use crate::person::{Whose, refuse_agents};
use crate::project::{Project, now};
use crate::ui::{Ui, counted};

/// How many hits are printed.
const MOST: usize = 200;

/// Look at what a guard matched since you last did; agents may not do this
///
/// The rules for the next mode ask that a person has seen every hit. `stead explain` shows one of them,
/// `stead appeal uphold` says that it was wrong.
#[derive(Args)]
#[command(after_help = "Example:\n  stead guard review infra-is-reviewed")]
pub(super) struct ReviewArgs {
    /// The guard, or a pack of them
    #[arg(value_name = "ID")]
    id: String,
    /// Print the hits as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Deserialize)]
struct LogLine {
    ts: String,
    #[serde(default)]
    id: String,
    session: Option<String>,
    #[serde(default)]
    hits: Vec<HitLine>,
}

pub(super) fn run(args: &ReviewArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let members = guards.members(&args.id)?;
    refuse_agents("review what a guard matched", Whose::Project, &project)?;
    let file = args.id.split('.').next().unwrap_or(&args.id);
    let versions = versions(&project);
    let since = versions.reviewed(file)?.unwrap_or_default();
    let mut hits: Vec<Value> = Vec::new();
    for line in Lines::open(&project.indexes().join("sessions.jsonl"))? {
        let Ok(line) = serde_json::from_str::<LogLine>(&line?.text) else { continue };
        if line.ts <= since {
            continue;
        }
        for hit in line.hits.iter().filter(|hit| members.iter().any(|guard| guard.id == hit.guard)) {
            hits.push(json!({
                "recorded_at": line.ts, "verdict": line.id, "session": line.session, "guard": hit.guard, "part": hit.part,
                "did": hit.did.name(),
            }));
        }
    }
    let shown = hits.iter().rev().take(MOST).rev();
    if args.json {
        ui.json(
            answer::GUARD_REVIEW,
            &json!({"id": args.id, "hit_count": hits.len(), "items": shown.collect::<Vec<_>>()}),
        );
    } else {
        for hit in shown {
            let text = |name: &str| hit[name].as_str().unwrap_or_default().replace('\n', " ");
            ui.line(format!("{}  {}  {:<9}  {}", text("recorded_at"), text("verdict"), text("did"), text("part")));
        }
        ui.line(format!("{} since the last review", counted(hits.len(), "hit")));
    }
    versions.review(file, &now())?;
    Ok(Exit::Done)
}
