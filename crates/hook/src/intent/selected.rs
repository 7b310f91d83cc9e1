//! Which intent applies to a call: the one that the call cites, else the agent's selection, else its parent's, else the
//! one that the engine bound to the run and stage.

use serde::Deserialize;
use stead_ledger::intent::{INTENTS, IntentFile};
use stead_ledger::{Selected, Selection};
use stead_model::{Action, Detail, EventKind, FileId};
use stead_store::Room;

use super::SELECT;
use crate::record;
use crate::request::Request;
use crate::run_identity::RunIdentity;
use crate::seal::SealedProject;

/// The intent that the calling agent works for.
pub(crate) fn selected(request: &Request<'_>) -> Option<Selected> {
    let (indexes, agent) = (request.indexes(), request.agent_id());
    let own = request.session().and_then(|session| Selection::read(indexes, session, agent));
    own.or_else(|| previous(request)).or_else(|| of_run(request))
}

/// The same, unless the call itself cites another one.
pub(crate) fn active(request: &Request<'_>) -> Option<Selected> {
    let selected = selected(request);
    match cited(request).filter(|cited| !cited.is_empty()) {
        Some(cited) if selected.as_ref().is_none_or(|selected| selected.intent != cited) => {
            Some(Selected { intent: cited, at: record::now(), claim: None })
        }
        _ => selected,
    }
}

/// The intent that the engine bound.
fn of_run(request: &Request<'_>) -> Option<Selected> {
    let work = RunIdentity::from_env(request.env);
    let (run, stage) = (FileId::check(&work.run?).ok()?, FileId::check(&work.stage?).ok()?);
    let text = stead_store::read_text(&Selection::run_path(request.indexes(), &run, &stage)).ok()?;
    Selection::in_text(&text, None)
}

/// The selection of the session that a starting one continues.
fn previous(request: &Request<'_>) -> Option<Selected> {
    let Detail::Start { previous: Some(previous), .. } = &request.event.detail else { return None };
    Selection::read(request.indexes(), &FileId::check(previous).ok()?, None)
}

/// The id in the input of a call, where a tool has a field for it.
pub(super) fn cited(request: &Request<'_>) -> Option<String> {
    #[derive(Deserialize)]
    struct Input {
        intent_id: String,
    }
    let input = request.event.call.as_ref()?.input.as_ref();
    if !input.contains("\"intent_id\"") {
        return None;
    }
    serde_json::from_str::<Input>(input).ok().map(|input| input.intent_id)
}

/// Notes at session start that the project has intents, and takes over the selection of a continued session.
pub(crate) fn begin_session(request: &Request<'_>) -> Result<(), stead_store::StoreError> {
    let Some(session) = request.session().filter(|_| request.event.kind == EventKind::SessionStart) else {
        return Ok(());
    };
    let room = request.room(Room::Intents);
    let is_sealed = || {
        let sealed = SealedProject::of(request.dir(), request.policy, request.env);
        sealed.is_some_and(|sealed| sealed.sealed_text(&room.join(INTENTS)).is_some())
    };
    if !IntentFile::exists(&room) && !is_sealed() {
        return Ok(());
    }
    Selection::mark(request.indexes(), session)?;
    match previous(request) {
        Some(selected) if Selection::read(request.indexes(), session, None).is_none() => {
            Selection::write(&Selection::path(request.indexes(), session), None, Some(&selected))
        }
        _ => Ok(()),
    }
}

/// Binds the intent that a client's own tool selected, after it ran. Stead's MCP server binds it itself, if it did not
/// refuse.
pub(crate) fn bind(request: &Request<'_>) -> Result<(), stead_store::StoreError> {
    let event = request.event;
    let Some(call) = event.call.as_ref().filter(|_| event.kind == EventKind::AfterTool) else { return Ok(()) };
    let is_select = call.tool == SELECT && !matches!(call.action, Action::Mcp { .. });
    let (true, Some(session), Some(id)) = (is_select, request.session(), cited(request)) else { return Ok(()) };
    let known = IntentFile::read(&request.room(Room::Intents)).ok();
    if !known
        .is_some_and(|file| file.find(&id).is_ok_and(|intent| intent.status != stead_ledger::intent::Status::Completed))
    {
        return Ok(());
    }
    let selected = Selected { intent: id, at: record::now(), claim: None };
    Selection::write(&Selection::path(request.indexes(), session), request.agent_id(), Some(&selected))
}
