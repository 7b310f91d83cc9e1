use clap::Args;
use serde_json::json;
use stead_evidence::{Bounds, command_proof, standing_of};
use stead_feature::FeatureList;
use stead_ledger::Selection;
use stead_ledger::intent::{IntentFile, Proof, Status};

use super::{Here, change};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::proof::ground;
use crate::ui::Ui;

/// Mark an intent as completed
///
/// Acceptance criteria that name a verifier need fresh evidence: a command that `stead verify -- COMMAND` ran since the
/// last change, or a proven feature. An agent may complete the intent that it has selected. Exits with 1 if evidence
/// is missing.
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent complete INT-001")]
pub(super) struct CompleteArgs {
    id: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &CompleteArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let file = here.file()?;
    let intent = file.find(&args.id)?;
    let own = here.session().and_then(|(session, agent)| Selection::read(&here.project.indexes(), &session, agent));
    if own.is_none_or(|own| own.intent != args.id) {
        here.require_person("complete an intent that its session has not selected")?;
    }
    let mut missing = Vec::new();
    for criterion in &intent.acceptance_criteria {
        if let Some(proof) = &criterion.proof
            && let Some((why, next)) = lacks(here, proof)?
        {
            missing.push((criterion.shown(), why, next));
        }
    }
    if missing.is_empty() {
        IntentFile::amend(&here.room, |file| file.with_status(&args.id, Status::Completed))?;
        return change::tell(&args.id, "completed", args.json, here, ui);
    }
    if args.json {
        let list: Vec<_> =
            missing.iter().map(|(what, why, next)| json!({"criterion": what, "why": why, "next": next})).collect();
        ui.json(answer::INTENT_MISSING, &json!({"id": args.id, "completed": false, "missing": list}));
        return Ok(Exit::Failed);
    }
    ui.line(format!("intent {} is not completed; evidence is missing:", args.id));
    for (what, why, next) in missing {
        ui.line(format!("  {what}\n    {why}; run `{next}`"));
    }
    Ok(Exit::Failed)
}

/// Why something is not proven, and the command that proves it; `None` if it is.
fn lacks(here: &Here, proof: &Proof) -> Result<Option<(String, String)>, CliError> {
    let ground = ground(&here.project);
    let bounds = Bounds::command();
    Ok(match proof {
        Proof::Verify(command) => {
            let why = command_proof(&ground, command, &bounds)?;
            why.map(|why| (why, format!("stead verify -- {}", crate::ui::shell_word(command))))
        }
        Proof::Feature(id) => {
            let list = FeatureList::require(&ground.features)?;
            let standing = standing_of(&ground, list.find(id)?, &bounds)?;
            (!standing.is_proven()).then_some((standing.why_not, standing.next))
        }
    })
}
