//! Who last changed a stale file, as the ledger shows. It is read from the ledger itself: what was compiled before the
//! change would name somebody else.

use stead_ledger::trace::{ContributorKind, Ledger, Record};
use stead_store::Room;

use super::entry::Precedent;
use crate::request::Request;

/// How many lines of the ledger are read, from its end.
const LINES: usize = 1_000;

/// The last change of a file by somebody else than this session: the id of the record, and a line about it.
pub(super) fn last(request: &Request<'_>, path: &str) -> Option<(String, String)> {
    let ledger = Ledger::of(&request.room(Room::Intents), None);
    let own = ledger.sources().into_iter().find(|source| source.peer.is_none())?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut lines = Ledger::read_back(&own).ok()?.mentioning(name, LINES).flatten().map(|line| line.record);
    let session = request.event.session.as_deref();
    let is_meant = |record: &Record| {
        let is_own = record.session().is_some() && record.session() == session && request.agent_id().is_none();
        !is_own && record.paths().any(|known| known == path)
    };
    let record = lines.find(is_meant)?;
    Some((record.id.clone(), describe(&record, path).line("")))
}

fn describe(record: &Record, path: &str) -> Precedent {
    let note = record.stead().cloned().unwrap_or_default();
    let who = match record.contributor() {
        ContributorKind::Human => "a person".to_owned(),
        _ => {
            let session = note.session.map(|session| format!("session {session}"));
            let role = note.role.or(note.agent).map(|role| format!("as {role}"));
            let parts: Vec<String> = [note.harness, session, role].into_iter().flatten().collect();
            if parts.is_empty() { "somebody".to_owned() } else { parts.join(" ") }
        }
    };
    let intent = note.intent.map(|intent| format!(" for intent {intent}")).unwrap_or_default();
    Precedent {
        ts: record.timestamp.clone(),
        id: record.id.clone(),
        kind: "change".to_owned(),
        what: format!("{path} was changed by {who}{intent}"),
        ..Precedent::default()
    }
}
