use clap::Args;
use serde_json::{Map, json};
use stead_context::{ReflectionLine, ReflectionStep, latest_reflection};
use stead_feature::FeatureList;
use stead_store::{Layout, Room};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, now};
use crate::speaker::Speaker;
use crate::ui::Ui;

/// Record what a failed attempt taught: first the assumption that failed, then how to prevent it
///
/// These are two calls. A text that would fit any failure is refused: name the function, the file, the value or the error.
/// The prompt of the next attempt at the feature contains both. Without a text, the latest pair is shown.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead reflect --feature login --failed \"I assumed that session.user is never null\"\n  stead reflect --feature login --prevent \"test sign-in with an expired session\"\n  stead reflect --feature login"
)]
pub(crate) struct ReflectArgs {
    /// The feature, by its id
    #[arg(long, value_name = "ID")]
    feature: Option<String>,
    /// The assumption that failed
    #[arg(long, value_name = "TEXT", conflicts_with = "prevent")]
    failed: Option<String>,
    /// How to prevent it next time
    #[arg(long, value_name = "TEXT")]
    prevent: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: ReflectArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let features = Layout::of(&project.config).dir(project.root(), Room::Features);
    if let Some(feature) = &args.feature {
        FeatureList::require(&features)?.find(feature)?;
    }
    let log = features.join(ReflectionLine::FILE);
    let said = match (args.failed, args.prevent) {
        (Some(text), _) => Some((ReflectionStep::Failed, text)),
        (_, Some(text)) => Some((ReflectionStep::Prevent, text)),
        _ => None,
    };
    let step = said.as_ref().map(|(step, _)| *step);
    if let Some((step, text)) = said {
        let Speaker { harness, session, .. } = Speaker::calling(&project);
        let feature = args.feature.clone();
        let unknown = Map::new();
        ReflectionLine { v: 1, ts: now(), step, text, feature, harness, session, unknown }.record(&log)?;
    }
    let latest = latest_reflection(&log, args.feature.as_deref())?;
    if args.json {
        ui.json(answer::REFLECT, &json!({"feature": args.feature, "latest": latest.as_ref().map(answer::record)}));
        return Ok(Exit::Done);
    }
    match (step, latest) {
        (Some(ReflectionStep::Failed), _) => {
            ui.line("recorded the assumption that failed");
            ui.note("next: `stead reflect --prevent` with how to prevent it");
        }
        (Some(ReflectionStep::Prevent), _) => ui.line("recorded how to prevent it"),
        (None, Some(latest)) => {
            ui.line(format!("failed   {}", latest.failed));
            ui.line(format!("prevent  {}", latest.prevent.as_deref().unwrap_or("not recorded")));
        }
        (None, None) => ui.line("there is no reflection yet"),
    }
    Ok(Exit::Done)
}
