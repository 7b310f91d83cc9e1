use std::time::Duration;

use clap::Args;
use serde_json::json;
use stead_hook::Appeal;
use stead_store::{Durability, append_line, cover};

use crate::cli::Exit;
use crate::error::CliError;
use crate::person::agent_near;
use crate::project::{Project, now};
use crate::speaker::Speaker;
use crate::ui::Ui;
use crate::verdict::find_verdict;

const PATIENCE: Duration = Duration::from_secs(5);

/// The longest appeal, in bytes.
const LIMIT: usize = 4_000;

/// Report that a verdict was wrong
///
/// Records the appeal for the people who maintain the guards; `stead guard stats` counts it. It unblocks nothing.
/// Agents and people may use it.
#[derive(Args)]
#[command(after_help = "Example:\n  stead appeal v-7k2m9qd4 \"the file is a fixture, not infrastructure\"")]
pub(crate) struct AppealArgs {
    /// The verdict's id, in brackets at the end of a denial
    #[arg(value_name = "VERDICT")]
    id: String,
    /// Why it was wrong
    #[arg(required = true)]
    text: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: AppealArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let verdict = find_verdict(&project, &args.id)?;
    let text = cover(args.text.join(" ").trim()).text.into_owned();
    if text.is_empty() || text.len() > LIMIT {
        return Err(CliError::usage(format!("an appeal must have between 1 and {LIMIT} bytes")));
    }
    let speaker = Speaker::calling(&project);
    let by_agent = speaker.session.is_some() || agent_near(&project).is_some();
    let appeal = Appeal {
        v: 1,
        ts: now(),
        verdict: verdict.id.clone(),
        guards: verdict.hits.iter().map(|hit| hit.guard.clone()).collect(),
        by: if by_agent { "agent" } else { "person" }.to_owned(),
        harness: speaker.harness,
        session: speaker.session,
        text,
        ..Appeal::default()
    };
    let line = serde_json::to_vec(&appeal).unwrap_or_default();
    append_line(&Appeal::path(&project.indexes()), line, Durability::Synced, PATIENCE)?;
    if args.json {
        ui.json(&json!(appeal));
    } else {
        ui.line(format!("The appeal against {} is recorded. It unblocks nothing.", verdict.id));
    }
    Ok(Exit::Done)
}
