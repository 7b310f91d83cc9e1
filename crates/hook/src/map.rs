//! The intent map, brought up to date at stops, within a budget. What is left is done by the next command.

use stead_ledger::LedgerError;
use stead_ledger::map::{IntentMap, MapBudget};
use stead_ledger::trace::Ledger;
use stead_model::EventKind;
use stead_store::Room;

use crate::request::Request;

/// Updates the map at a stop and at the end of a session; other events return at once.
pub(crate) fn record(request: &Request<'_>) -> Result<(), LedgerError> {
    let event = request.event;
    if !matches!(event.kind, EventKind::Stop | EventKind::SessionEnd) || event.agent.is_some() {
        return Ok(());
    }
    let room = request.room(Room::Intents);
    let ledger = Ledger::of(&room, None);
    if ledger.sources().iter().all(|source| !source.path.exists()) {
        return Ok(());
    }
    let cache = request.dir().join(Room::Cache.default_path());
    IntentMap::of(&room, &cache, request.work()).update(&ledger, MapBudget::HOOK).map(drop)
}
