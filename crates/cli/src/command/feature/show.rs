use clap::Args;
use serde_json::{Value, json};
use stead_evidence::{Bounds, Leaned, Standing, standing_of};
use stead_feature::{Document, Feature, Queue, SessionState};

use super::{Here, line, require, whole};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::now_millis;
use crate::proof::ground;
use crate::ui::Ui;

/// Show one feature
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature show login")]
pub(super) struct ShowArgs {
    id: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ShowArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let (document, session) = (Document::require(&here.room)?, SessionState::read(&here.room)?);
    let outline = document.outline();
    require(outline, &args.id)?;
    let queue = Queue::of(outline, &session, now_millis());
    for (row, ready) in queue.iter().filter(|(row, _)| row.id == args.id) {
        if args.json {
            let mut shown = whole(&document, row, ready)?;
            shown["proof"] = proof(&document.feature(&args.id)?, here)?;
            ui.json(answer::FEATURE, &shown);
            continue;
        }
        let feature = document.feature(&args.id)?;
        ui.line(line(row, ready, &feature.title));
        let standing = standing_of(&ground(&here.project), &feature, &Bounds::command())?;
        details(&feature)
            .into_iter()
            .chain(proven(&standing))
            .for_each(|(name, text)| ui.line(format!("  {name:<12} {text}")));
    }
    Ok(Exit::Done)
}

/// Whether it is proven now, if there is anything to say about that.
fn proven(standing: &Standing) -> Vec<(&'static str, String)> {
    let proof = match standing.name() {
        "missing" => return Vec::new(),
        "fresh" => "fresh".to_owned(),
        name => format!("{name}: {}", standing.why_not),
    };
    let leaned = standing.leaned.iter().map(Leaned::describe).collect::<Vec<_>>().join(", ");
    let lines = [("proof", proof), ("leaned on", leaned)];
    lines.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

fn proof(feature: &Feature, here: &Here) -> Result<Value, CliError> {
    let standing = standing_of(&ground(&here.project), feature, &Bounds::command())?;
    Ok(json!({"standing": standing.name(), "why_not": standing.why_not, "leaned": standing.leaned}))
}

fn details(feature: &Feature) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let mut tell = |name, text: String| {
        if !text.is_empty() {
            lines.push((name, text));
        }
    };
    tell("description", feature.description.clone());
    feature.steps.iter().for_each(|step| tell("step", step.clone()));
    tell("category", feature.category.clone());
    tell("labels", feature.labels.join(", "));
    tell("priority", feature.priority.map(|number| number.to_string()).unwrap_or_default());
    tell("depends on", feature.depends_on.join(", "));
    tell("files", feature.files.join(", "));
    feature.verifiers.iter().for_each(|verifier| tell("verifier", verifier.clone()));
    tell("written by", feature.verifiers_by.clone());
    tell("intent", feature.intent.clone());
    tell("evidence", feature.evidence.join(", "));
    if feature.attempts > 0 {
        tell("attempts", format!("{}, {} since the last unblock failed", feature.attempts, feature.retries));
    }
    if let Some(failure) = &feature.last_failure {
        tell("failed", format!("{} {}", failure.at, failure.summary).trim().to_owned());
        tell("assumption", failure.assumption.clone().unwrap_or_default());
        tell("prevention", failure.prevention.clone().unwrap_or_default());
    }
    if let Some(asked) = &feature.needs_human {
        tell("question", asked.question.clone());
        tell("answer", asked.answer.clone().unwrap_or_default());
    }
    lines
}
