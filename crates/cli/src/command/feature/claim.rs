use clap::Args;
use stead_feature::Event;

use super::Here;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{env, now_millis};
use crate::proof::who;
use crate::ui::Ui;

/// Take a feature, so that nobody else works on it
///
/// A pending feature is taken to code it, an implemented one to test it. The claim expires after a while
/// (`orchestrate.lease`); the same owner renews it by claiming again.
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature claim login")]
pub(super) struct ClaimArgs {
    id: String,
    /// Who works on it; by default the session, the run or the user
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// How long the claim lasts, in minutes
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    lease: Option<u64>,
    /// Print the feature as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ClaimArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let minutes = args.lease.unwrap_or_else(|| here.project.config.number("orchestrate.lease").max(1));
    let lease = i64::try_from(minutes.saturating_mul(60_000)).unwrap_or(i64::MAX);
    let owner = args.owner.clone().filter(|owner| !owner.trim().is_empty()).unwrap_or_else(|| caller(here));
    let expires = now_millis().saturating_add(lease);
    let event = Event::Claimed { feature: args.id.clone(), owner, expires, command_id: None, tree: None };
    here.apply(&event, args.json, ui)
}

/// Who is calling.
fn caller(here: &Here) -> String {
    let who = who(&here.project);
    let user = || ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| env(name)?.into_string().ok());
    let session = who.session.map(|session| match who.agent {
        Some(agent) => format!("session {session}, agent {agent}"),
        None => format!("session {session}"),
    });
    let run = || who.run.map(|run| format!("run {run}"));
    session.or_else(run).or_else(user).unwrap_or_else(|| "somebody".to_owned())
}
