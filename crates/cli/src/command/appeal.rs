use std::time::Duration;

use clap::{Args, Subcommand};
use stead_hook::Appeal;
use stead_store::{Durability, Redacted, append_line, redact};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{agent_near, require_person};
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
/// Agents and people may use it. `stead appeal uphold` is how a person agrees: a guard whose verdicts are called wrong
/// often enough goes one mode down.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  stead appeal v-7k2m9qd4 \"the file is a fixture, not infrastructure\"\n  stead appeal uphold v-7k2m9qd4"
)]
pub(crate) struct AppealArgs {
    #[command(subcommand)]
    command: Option<AppealCommand>,
    /// The verdict's id, in brackets at the end of a denial
    #[arg(value_name = "VERDICT", required = true)]
    id: Option<String>,
    /// Why it was wrong
    #[arg(required = true)]
    text: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum AppealCommand {
    Uphold(UpholdArgs),
}

/// Agree that a verdict was wrong; only a person at a terminal may do this
#[derive(Args)]
#[command(after_help = "Example:\n  stead appeal uphold v-7k2m9qd4 \"fixtures are fine\"")]
struct UpholdArgs {
    /// The verdict's id
    #[arg(value_name = "VERDICT")]
    id: String,
    /// Why
    text: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: AppealArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    if let Some(AppealCommand::Uphold(args)) = &args.command {
        return uphold(args, &project, ui);
    }
    let verdict = find_verdict(&project, args.id.as_deref().unwrap_or_default())?;
    let text = redact(args.text.join(" ").trim()).into_owned();
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
        by: if by_agent { Appeal::AGENT } else { Appeal::PERSON }.to_owned(),
        harness: speaker.harness,
        session: speaker.session,
        text,
        ..Appeal::default()
    };
    append(&appeal, &project)?;
    if args.json {
        ui.json(answer::APPEAL, &answer::record(&appeal));
    } else {
        ui.line(format!("The appeal against {} is recorded. It unblocks nothing.", verdict.id));
    }
    Ok(Exit::Done)
}

fn append(appeal: &Appeal, project: &Project) -> Result<(), CliError> {
    Ok(append_line(&Appeal::path(&project.indexes()), Redacted::line(appeal), Durability::Synced, PATIENCE)?)
}

fn uphold(args: &UpholdArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    require_person("uphold an appeal", project, ui)?;
    let verdict = find_verdict(project, &args.id)?;
    let text = redact(args.text.join(" ").trim()).into_owned();
    let appeal = Appeal {
        v: 1,
        ts: now(),
        verdict: verdict.id.clone(),
        guards: verdict.hits.iter().map(|hit| hit.guard.clone()).collect(),
        by: Appeal::PERSON.to_owned(),
        harness: Some(verdict.harness.clone()),
        session: verdict.session.clone(),
        text: if text.is_empty() { "upheld".to_owned() } else { text },
        upheld: true,
        ..Appeal::default()
    };
    append(&appeal, project)?;
    match args.json {
        true => ui.json(answer::APPEAL, &answer::record(&appeal)),
        false => {
            ui.line(format!("{} is on record as wrong. It still blocks; `stead allow` permits a call.", verdict.id))
        }
    }
    Ok(Exit::Done)
}
