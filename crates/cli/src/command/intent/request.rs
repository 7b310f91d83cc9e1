use clap::Args;
use stead_ledger::intent::{IntentFile, NewIntent, Request, RequestState, Requests, Scope};

use super::{Here, change};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::now;
use crate::ui::Ui;

/// Ask a person for an intent, or for more scope
///
/// Prints the id that `stead intent confirm` and `stead intent reject` take.
#[derive(Args)]
#[command(
    after_help = "Example:\n  stead intent request 'the docs are outdated' --intent INT-001 --scope docs/auth.md"
)]
pub(super) struct RequestArgs {
    /// What it is needed for
    text: String,
    /// A path pattern that is needed; can be repeated
    #[arg(long, value_name = "PATTERN", required = true, num_args = 1..)]
    scope: Vec<String>,
    /// The intent to widen; without it, a new one is asked for
    #[arg(long, value_name = "ID")]
    intent: Option<String>,
    /// Print the request as JSON
    #[arg(long)]
    json: bool,
}

/// Grant a request (a person's decision)
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent confirm R-1 --id INT-004")]
pub(super) struct ConfirmArgs {
    /// The request, as `stead intent list` shows it
    request: String,
    /// The id of the new intent [default: the next free INT number]
    #[arg(long)]
    id: Option<String>,
    /// Print the intent as JSON
    #[arg(long)]
    json: bool,
}

/// Refuse a request (a person's decision)
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent reject R-1 --reason 'belongs to INT-002'")]
pub(super) struct RejectArgs {
    /// The request, as `stead intent list` shows it
    request: String,
    /// Why
    #[arg(long)]
    reason: Option<String>,
    /// Print the request as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn request(args: &RequestArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    if let Some(id) = &args.intent {
        here.file()?.find(id)?;
    }
    Scope::check(&args.scope)?;
    let (harness, session) = here.caller.as_ref().map(|one| (one.harness.clone(), one.session.clone())).unzip();
    let asked = Requests::of_room(&here.room).add(Request {
        v: 1,
        ts: now(),
        text: stead_store::redact(args.text.trim()).into_owned(),
        scope: args.scope.clone(),
        intent: args.intent.clone(),
        harness,
        session,
        ..Request::default()
    })?;
    match args.json {
        true => ui.json(answer::INTENT_REQUEST, &answer::record(&asked)),
        false => ui.line(format!("{} requested; a person decides with `stead intent confirm {0}`", asked.id)),
    }
    Ok(Exit::Done)
}

pub(super) fn confirm(args: &ConfirmArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.require_person("confirm a request")?;
    let requests = Requests::of_room(&here.room);
    let asked = requests.open(&args.request)?;
    let (id, how) = match &asked.intent {
        Some(id) => {
            IntentFile::amend(&here.room, |file| file.with_scope(id, &asked.scope))?;
            (id.clone(), "widened")
        }
        None => {
            let id = args.id.clone().unwrap_or_else(|| next_id(here));
            let new = NewIntent {
                id: id.clone(),
                name: asked.text.clone(),
                scope: asked.scope.clone(),
                ..NewIntent::default()
            };
            IntentFile::add(&here.room, &new)?;
            (id, "added")
        }
    };
    let decided = Request { state: RequestState::Confirmed, ts: now(), intent: Some(id.clone()), ..asked };
    requests.decide(&decided)?;
    change::tell(&id, how, args.json, here, ui)
}

/// The first `INT-NNN` that is not taken.
fn next_id(here: &Here) -> String {
    let file = IntentFile::read(&here.room).ok();
    let is_taken = |id: &str| file.as_ref().is_some_and(|file| file.find(id).is_ok());
    (1..10_000).map(|number| format!("INT-{number:03}")).find(|id| !is_taken(id)).unwrap_or_default()
}

pub(super) fn reject(args: &RejectArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.require_person("reject a request")?;
    let requests = Requests::of_room(&here.room);
    let asked = requests.open(&args.request)?;
    let decided = Request { state: RequestState::Rejected, ts: now(), reason: args.reason.clone(), ..asked };
    requests.decide(&decided)?;
    match args.json {
        true => ui.json(answer::INTENT_REQUEST, &answer::record(&decided)),
        false => ui.line(format!("{} rejected", decided.id)),
    }
    Ok(Exit::Done)
}
