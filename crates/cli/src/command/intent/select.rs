use clap::{Args, ValueEnum};
use serde_json::json;
use stead_ledger::intent::{IntentFile, IntentIgnore, Status, context_block};
use stead_ledger::{MutationClaim, Selected, Selection};

use super::others::Other;
use super::{Here, as_json, history, others};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::now;
use crate::ui::Ui;

/// Select the intent that this session works for
///
/// Prints what the agent needs to know as an `<intent_context>` block. A sub-agent's selection is its own; without one
/// it has its parent's. Must be the whole command, so that the hook can bind it to the session.
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent select INT-001 --class refactor")]
pub(super) struct SelectArgs {
    /// The intent's id
    id: Option<String>,
    /// What the changes will be
    #[arg(long, value_enum)]
    class: Option<Class>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Give up the selected intent
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent release")]
pub(super) struct ReleaseArgs {
    /// Print what was released as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Class {
    /// The same behaviour in another form
    Refactor,
    /// New or changed behaviour
    Evolution,
}

pub(super) fn select(args: &SelectArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let file = here.file()?;
    let Some(id) = args.id.as_deref().filter(|id| !id.trim().is_empty()) else {
        let ids: Vec<&str> = file.intents.iter().map(|intent| intent.id.as_str()).collect();
        return Err(CliError::usage("missing parameter: the intent's id")
            .hinted(format!("use `stead intent select ID`; available: {}", ids.join(", "))));
    };
    let intent = file.find(id)?;
    if intent.status == Status::Completed {
        return Err(stead_ledger::LedgerError::Finished { id: id.to_owned(), status: Status::Completed.name() }.into());
    }
    if IntentIgnore::read(&here.room).is_ok_and(|ignore| ignore.barred.iter().any(|barred| barred == id)) {
        return Err(CliError::refused(format!("`.intentignore` bars `{id}` from changing anything"))
            .hinted("select another intent, or ask the person"));
    }
    let holders = others::with_selection(here, id);
    if let Some(holder) = holders.first().filter(|_| intent.exclusive) {
        let message = format!("`{id}` is exclusive; session {} has it since {}", holder.session, holder.selected_at);
        return Err(CliError::user(message).hinted("wait until that session ends, or select another intent"));
    }
    let Some((session, agent)) = here.session() else {
        return Err(CliError::user("no session called this command, so nothing was selected")
            .hinted("an agent runs `stead intent select ID` as the whole command; `stead intent show` only reads"));
    };
    let claim = args.class.map(|class| match class {
        Class::Refactor => MutationClaim::Refactor,
        Class::Evolution => MutationClaim::Evolution,
    });
    if intent.status == Status::Pending {
        IntentFile::amend(&here.room, |file| file.with_status(id, Status::InProgress))?;
    }
    let path = Selection::path(&here.project.indexes(), &session);
    Selection::write(&path, agent, Some(&Selected { intent: id.to_owned(), at: now(), claim }))?;
    let overlap = others::overlapping(here, &file, intent);
    let file = here.file()?;
    let intent = file.find(id)?;
    let past = history::of(here, id);
    let tokens = usize::try_from(here.project.config.number("intents.context_tokens")).unwrap_or(usize::MAX);
    let block = context_block(intent, &past, tokens);
    let notes: Vec<String> = overlap.iter().map(shared_paths).collect();
    if args.json {
        let mut value = as_json(intent);
        value["session"] = json!(session.as_str());
        value["agent"] = json!(agent);
        value["class"] = json!(claim.map(MutationClaim::name));
        value["overlaps"] = json!(overlap);
        value["context"] = json!(block);
        value["notes"] = json!(notes);
        ui.json(answer::INTENT_SELECTION, &value);
        return Ok(Exit::Done);
    }
    ui.raw(block);
    notes.iter().for_each(|note| ui.line(note));
    Ok(Exit::Done)
}

fn shared_paths(other: &Other) -> String {
    let client = other.harness.as_ref().map(|harness| format!(" of {harness}")).unwrap_or_default();
    let Other { session, intent, selected_at: since, .. } = other;
    format!("note: session {session}{client} works in the same paths ({intent}, since {since})")
}

pub(super) fn release(args: &ReleaseArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let Some((session, agent)) = here.session() else {
        return Err(CliError::user("no session called this command").hinted("an agent runs it as the whole command"));
    };
    let indexes = here.project.indexes();
    let path = Selection::path(&indexes, &session);
    let text = stead_store::read_text(&path).unwrap_or_default();
    let own = Selection::all_in(&text).into_iter().find(|one| one.agent.as_deref() == agent);
    let Some(own) = own.map(|own| own.selected.intent) else {
        return Err(CliError::user("this session has no intent selected"));
    };
    Selection::write(&path, agent, None)?;
    match args.json {
        true => ui.json(answer::INTENT_RELEASE, &json!({"released": own})),
        false => ui.line(format!("intent {own} released")),
    }
    Ok(Exit::Done)
}
